"""One-dimensional matrices, the factors of separable edits (CSR arrays).

A matrix here acts on one row or one column of pixels; `size` is the number of pixels in,
and out unless stated otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from morebits.linear.layout import Array

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Interpolation = Literal["bilinear", "nearest"]
#: Gaussian kernels end at this many standard deviations.
BLUR_REACH = 4.0


def identity(size: int) -> csr_array:
    """The identity."""
    from scipy.sparse import csr_array, eye_array

    return csr_array(eye_array(size, format="csr"))


def take(indices: Sequence[int] | NDArray[np.int64], size: int) -> csr_array:
    """Output `i` copies input `indices[i]`."""
    from scipy.sparse import csr_array

    chosen = np.asarray(indices, np.int64)
    entries = (np.ones(len(chosen)), chosen, np.arange(len(chosen) + 1))
    return csr_array(entries, shape=(len(chosen), size))


def resample(mapped: Array, size: int, interpolation: Interpolation) -> csr_array:
    """Output `i` reads the input at real position `mapped[i]` (paper, pixel mapping).

    Positions beyond the border are clipped to it. Weights are computed before clipping, as
    in the paper. Nearest rounds halves to the even neighbour.
    """
    if interpolation == "nearest":
        return take(np.clip(np.round(mapped), 0, size - 1).astype(np.int64), size)
    from scipy.sparse import coo_array

    low = np.floor(mapped)
    weight = mapped - low
    left = np.clip(low, 0, size - 1).astype(np.int64)
    right = np.clip(low + 1, 0, size - 1).astype(np.int64)
    out = np.arange(len(mapped))
    rows, columns = np.concatenate([out, out]), np.concatenate([left, right])
    values = np.concatenate([1 - weight, weight])
    matrix = coo_array((values, (rows, columns)), shape=(len(mapped), size)).tocsr()
    matrix.eliminate_zeros()
    return matrix


def crop(size: int, scale: float, interpolation: Interpolation) -> csr_array:
    """The centre part of length `scale * size`, stretched to `size` (centre at `size / 2`)."""
    mapped = (np.arange(size, dtype=np.float64) - size / 2) * scale + size / 2
    return resample(mapped, size, interpolation)


def shift(size: int, distance: float) -> csr_array:
    """Move by `distance` pixels; the border pixel is repeated into the gap."""
    return resample(np.arange(size, dtype=np.float64) - distance, size, "bilinear")


def resize(size: int, target: int) -> csr_array:
    """`size` to `target` pixels with the triangle filter of Pillow's antialiased bilinear.

    Shrinking widens the triangle by the scale; stretching is plain bilinear about pixel
    centres at `i + 1/2`. Weights are renormalised at the border.
    """
    from scipy.sparse import csr_array

    scale = size / target
    width = max(scale, 1.0)
    indices, values, starts = [], [], [0]
    for i in range(target):
        centre = (i + 0.5) * scale
        first = max(int(centre - width + 0.5), 0)
        last = min(int(centre + width + 0.5), size)
        sources = np.arange(first, last)
        weights = np.maximum(1.0 - np.abs(sources + 0.5 - centre) / width, 0.0)
        indices.append(sources)
        values.append(weights / weights.sum())
        starts.append(starts[-1] + len(sources))
    entries = (np.concatenate(values), np.concatenate(indices), np.array(starts))
    matrix = csr_array(entries, shape=(target, size))
    matrix.eliminate_zeros()
    return matrix


def blur(size: int, sigma: float) -> csr_array:
    """Gaussian of standard deviation `sigma` pixels, reflected at the border (`c b | a b c`)."""
    from scipy.sparse import coo_array

    reach = math.ceil(BLUR_REACH * sigma)
    offsets = np.arange(-reach, reach + 1)
    kernel = np.exp(-0.5 * (offsets / sigma) ** 2)
    kernel /= kernel.sum()
    period = max(2 * (size - 1), 1)
    sources = (np.arange(size)[:, None] + offsets) % period
    sources = np.minimum(sources, period - sources) if size > 1 else np.zeros_like(sources)
    rows = np.repeat(np.arange(size), len(offsets))
    values = np.tile(kernel, size)
    return coo_array((values, (rows, sources.ravel())), shape=(size, size)).tocsr()


def pixel_map(
    mu: Callable[[Array, Array], tuple[Array, Array]],
    height: int,
    width: int,
    interpolation: Interpolation,
) -> csr_array:
    """The plane matrix of a map `mu(x, y) -> (u, v)` from target to source positions.

    The paper's construction: the four neighbours of `(u, v)`, clipped to the border.
    """
    from scipy.sparse import coo_array

    x, y = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
    u, v = (np.asarray(part, np.float64).ravel() for part in mu(x.ravel(), y.ravel()))
    if interpolation == "nearest":
        columns = np.clip(np.round(u), 0, width - 1) + np.clip(np.round(v), 0, height - 1) * width
        return take(columns.astype(np.int64), width * height)
    x_low, y_low = np.floor(u), np.floor(v)
    target = np.arange(width * height)
    rows, columns, values = [], [], []
    for right in (0, 1):
        for down in (0, 1):
            weight_x = u - x_low if right else x_low + 1 - u
            weight_y = v - y_low if down else y_low + 1 - v
            source_x = np.clip(x_low + right, 0, width - 1)
            source_y = np.clip(y_low + down, 0, height - 1)
            rows.append(target)
            columns.append((source_x + source_y * width).astype(np.int64))
            values.append(weight_x * weight_y)
    where = (np.concatenate(rows), np.concatenate(columns))
    size = width * height
    matrix = coo_array((np.concatenate(values), where), shape=(size, size)).tocsr()
    matrix.eliminate_zeros()
    return matrix
