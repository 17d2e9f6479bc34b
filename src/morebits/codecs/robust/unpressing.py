"""A picture that was turned and then compressed as JPEG, back on the original's grid.

Turning by the nearest pixel copies pixels, `y = S x`; JPEG then rounds the cosines of each block of
8 x 8 pixels. Putting the pixels back where they came from undoes the first exactly, but it takes
what JPEG lost, which is high in frequency and harmless, down into the numbers of the tiles. So
the original is estimated from both at once: of all pictures x the smallest of

    sum over cosines k of (C (S x - y))_k^2 / v_k  +  roughness |Laplacian x|^2

where C are the cosines of all blocks and `v_k = q_k^2 / 12` is the error of rounding to multiples
of q_k. It is found by conjugate gradients, starting from the pixels put back.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled

#: Side of JPEG's blocks.
_SIDE = 8
#: What a squared Laplacian costs, and rounds of the search.
_ROUGHNESS, _ROUNDS = np.float32(1 / 3000), 12
#: Squared error of everything beside JPEG, in levels.
_ROUNDING = 0.3
#: Qualities that are told apart, blocks that are looked at, and how well their cosines must fit
#: the best of them (1: exactly).
_QUALITIES, _BLOCKS, _FITS = range(20, 96), 1500, 0.4
#: The cosines that are looked at: low ones, which are not all zero.
_LOW = ((0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (1, 2), (2, 1), (0, 3), (3, 0), (2, 2))

# Luma table of ITU-T T.81, annex K, which nearly every encoder scales by its quality.
_TABLE = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ]
)


def table(quality: int) -> NDArray[np.int64]:
    """Steps of the 8 x 8 cosines of luma, as encoders derive them from a quality.

    >>> table(50)[0, :3].tolist(), table(75)[0, :3].tolist()
    ([16, 11, 10], [8, 6, 5])
    """
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    return np.clip((_TABLE * scale + 50) // 100, 1, 255)


def quality(plane: NDArray[np.float32]) -> int | None:
    """The quality at which a plane of luma was last compressed; None: not, or hardly.

    Its cosines then lie near multiples of their steps.
    """
    rows, columns = plane.shape[0] // _SIDE, plane.shape[1] // _SIDE
    cut = plane[: rows * _SIDE, : columns * _SIDE].reshape(rows, _SIDE, columns, _SIDE)
    every = max(1, math.isqrt(rows * columns // _BLOCKS))
    blocks = cut[::every, :, ::every].transpose(0, 2, 1, 3).reshape(-1, _SIDE, _SIDE)
    low = tuple(np.array(_LOW).T)
    seen = (_cosines() @ blocks @ _cosines().T)[:, low[0], low[1]]
    best = max(_QUALITIES, key=lambda each: _fit(seen, table(each)[low]))
    return best if _fit(seen, table(best)[low]) > _FITS else None


def unturned(
    plane: NDArray[np.float32],
    matrix: NDArray[np.float64],
    start: NDArray[np.float32],
    quality: int,
) -> NDArray[np.float32]:
    """The original's plane, from one that was turned and compressed.

    `matrix` takes its pixels to received ones, `start` is a first guess of it.
    """
    sources = _sources(plane.shape, matrix, start.shape)
    weights = (1 / (table(quality) ** 2 / 12 + _ROUNDING)).astype(np.float32)
    wanted = np.zeros(start.shape, np.float32)
    padded = np.pad(plane, [(0, -side % _SIDE) for side in plane.shape], mode="edge")
    _explain(padded, sources, weights, _cosines(), wanted.reshape(-1))

    def apply(x: NDArray[np.float32]) -> NDArray[np.float32]:
        result = _ROUGHNESS * _laplacian(_laplacian(x))
        gathered = np.append(x.reshape(-1), np.float32(0))[sources]
        _explain(gathered, sources, weights, _cosines(), result.reshape(-1))
        return result

    often = np.bincount(sources.reshape(-1), minlength=start.size + 1)[:-1].reshape(start.shape)
    scale = (1 / (often * weights.mean() + 20 * _ROUGHNESS)).astype(np.float32)
    return _conjugate_gradients(apply, wanted, start.copy(), scale)


def _conjugate_gradients(apply: Any, wanted: Any, x: Any, scale: Any) -> NDArray[np.float32]:
    """The x with `apply(x) = wanted`, nearly; `scale` is about the inverse of the diagonal."""
    left = wanted - apply(x)
    towards = scaled = scale * left
    size = np.vdot(left, scaled)
    for _ in range(_ROUNDS):
        if size <= 0:
            break
        change = apply(towards)
        length = np.float32(size / np.vdot(towards, change))
        x += length * towards
        left -= length * change
        scaled = scale * left
        before, size = size, np.vdot(left, scaled)
        towards = scaled + np.float32(size / before) * towards
    return x


def _fit(seen: NDArray[np.floating[Any]], steps: NDArray[np.int64]) -> float:
    """Mean cosine of where the larger cosines lie between multiples of their steps, weakest last.

    Steps of 1 and 2 fit everything and so say nothing.
    """
    large = (np.abs(seen) > 0.5 * steps) & (steps > 2)
    if large.sum() < len(_LOW) * 5:
        return 0.0
    return float(np.cos(2 * np.pi * seen / steps)[large].mean())


def _sources(
    shape: tuple[int, ...], matrix: NDArray[np.float64], original: tuple[int, ...]
) -> NDArray[np.int64]:
    """Which of the original's pixels each received one is; one past the last: none.

    The received plane is continued to whole blocks.
    """
    backward = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))[:2]
    y, x = (np.minimum(np.arange(side + -side % _SIDE), side - 1) for side in shape)
    columns = np.rint(backward[0, 0] * x + (backward[0, 1] * y + backward[0, 2])[:, None])
    rows = np.rint(backward[1, 0] * x + (backward[1, 1] * y + backward[1, 2])[:, None])
    inside = (columns >= 0) & (columns < original[1]) & (rows >= 0) & (rows < original[0])
    where = np.where(inside, rows * original[1] + columns, original[0] * original[1])
    return where.astype(np.int64)


def _laplacian(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    """Minus the sum of second differences; nothing goes over the border."""
    result = np.zeros_like(plane)
    for axis in (0, 1):
        slope = np.diff(plane, axis=axis)
        first = (slice(None),) * axis + (slice(None, -1),)
        second = (slice(None),) * axis + (slice(1, None),)
        result[first] -= slope
        result[second] += slope
    return result


@cache
def _cosines() -> NDArray[np.float32]:
    """The orthonormal cosine transform of 8 samples."""
    k = np.arange(_SIDE)
    rows = 0.5 * np.cos(np.pi * (2 * k + 1) * k[:, None] / (2 * _SIDE))
    rows[0] /= np.sqrt(2)
    return rows.astype(np.float32)


@compiled
def _explain(plane: Any, sources: Any, weights: Any, cosines: Any, result: Any) -> None:
    """Adds `S^T C^T (C plane / v)` to the result: what received samples say of the original."""
    block = np.empty((8, 8), np.float32)
    half = np.empty((8, 8), np.float32)
    for top in range(0, plane.shape[0], 8):
        for left in range(0, plane.shape[1], 8):
            block[:] = plane[top : top + 8, left : left + 8]
            _both(cosines, block, half)
            block *= weights
            _both(cosines.T, block, half)
            for i in range(8):
                for j in range(8):
                    source = sources[top + i, left + j]
                    if source < len(result):
                        result[source] += block[i, j]


@compiled
def _both(matrix: Any, block: Any, half: Any) -> None:
    """The block becomes `matrix block matrix^T`."""
    for i in range(8):
        for j in range(8):
            total = np.float32(0)
            for k in range(8):
                total += matrix[i, k] * block[k, j]
            half[i, j] = total
    for i in range(8):
        for j in range(8):
            total = np.float32(0)
            for k in range(8):
                total += half[i, k] * matrix[j, k]
            block[i, j] = total
