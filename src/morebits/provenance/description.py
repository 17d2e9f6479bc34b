"""What a picture looks like, in 98 bytes: so that a signed mark in another picture is noticed.

The picture is divided into up to 192 parts, about as wide as high, and the mean luma of each is
kept with 4 bits between the darkest part and the brightest. A reader knows where the parts lie in
an edited copy, because the robust mark tells its geometry; it compares those that are left.
Brightness and contrast may differ, so a line is fitted first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from morebits.errors import ManifestError

#: Most parts; two are kept in a byte.
PARTS = 192
#: Levels of a part.
_LEVELS = 15
#: Points a side at which a part is looked at.
_POINTS = 8
#: Fewest parts that say something: an eighth of a picture.
_FEWEST = PARTS // 8
#: Least spread of those parts, in levels: where all is sky, any sky would do.
_SPREAD = 1.0
#: Below this it is called another picture. Copies with another light and photos that happen to look
#: alike lie on both sides (docs/provenance.md); whether it is the same, the parts say one by one.
SIMILAR = 0.85
#: A part further away from what was described, as a share of the whole range, was changed.
_FAR = 0.1
#: Of a larger share of a picture something must be known: it was not in the signed one.
_ADDED = 0.02
_LUMA = (0.299, 0.587, 0.114)

Floats: TypeAlias = NDArray[np.floating[Any]]
Outcome = Literal["same", "changed", "other", "unknown"]


@dataclass(frozen=True)
class Likeness:
    """How well a picture fits a description.

    `outcome` is "same"; "changed": like the described one as a whole, but some parts look
    different or something was added around it (or it is another one that looks much alike);
    "other": another picture, or one with a very different light; "unknown": too little is left.
    `parts` were compared, `off` of them look different; `similarity` is their correlation, and
    `added` the share of the picture that was not in the described one.
    """

    outcome: Outcome
    parts: int
    off: int
    similarity: float
    added: float


def describe(image: NDArray[Any]) -> bytes:
    """The description of samples (H, W, C), 8 or 16 bits.

    >>> ramp = np.tile(np.arange(256, dtype=np.uint8), (192, 1))[..., None]
    >>> len(describe(ramp)), compare(describe(ramp), ramp, np.eye(2, 3), (256, 192)).outcome
    (98, 'same')
    """
    height, width = image.shape[:2]
    means, _ = _means(image, np.eye(2, 3), (width, height))
    low, high = math.floor(means.min()), math.ceil(means.max())
    steps = np.rint((means - low) * (_LEVELS / max(high - low, 1))).astype(np.uint8).ravel()
    pairs = np.append(steps, np.zeros(steps.size % 2, np.uint8)).reshape(-1, 2)
    return bytes([low, high]) + (pairs[:, 0] << 4 | pairs[:, 1]).tobytes()


def compare(
    description: bytes, image: NDArray[Any], matrix: Any, size: tuple[int, int]
) -> Likeness:
    """How well an edited picture fits.

    `matrix` (2, 3) takes pixels of the described picture, which had `size` (width, height), to
    pixels of this one.
    """
    told, span = _parse(description, size)
    there = np.asarray(matrix, np.float64)
    seen, visible = _means(image, there, size)
    x, y = told[visible], seen[visible]
    added = _added(image, there, size)
    if x.size < _FEWEST or x.std() < _SPREAD * span / _LEVELS:
        return Likeness("unknown", x.size, 0, 0.0, added)
    if y.std() < 1e-6:  # nothing but one colour
        return Likeness("other", x.size, x.size, 0.0, added)
    similarity = float(np.corrcoef(x, y)[0, 1])
    if similarity < SIMILAR:
        return Likeness("other", x.size, x.size, similarity, added)
    slope = similarity * y.std() / x.std()
    away = np.abs((y - y.mean()) / slope - (x - x.mean()))
    off = int((away > _FAR * span).sum())
    return Likeness(
        "changed" if off or added > _ADDED else "same", x.size, off, similarity, added
    )  # fmt: skip


def grid(size: tuple[int, int]) -> tuple[int, int]:
    """Rows and columns of parts for a picture of this width and height.

    >>> grid((640, 480)), grid((100, 30_000))
    ((12, 16), (192, 1))
    """
    width, height = size
    columns = min(max(round(math.sqrt(PARTS * width / height)), 1), PARTS)
    return PARTS // columns, columns


def _parse(description: bytes, size: tuple[int, int]) -> tuple[Floats, int]:
    """The luma of each part, and the range of all."""
    rows, columns = grid(size)
    count = rows * columns
    if len(description) != 2 + (count + 1) // 2:
        raise ManifestError("the description of the picture has another length")
    low, high = description[:2]
    pairs = np.frombuffer(description, np.uint8)[2:]
    steps = np.stack([pairs >> 4, pairs & 15], axis=1).ravel()
    if low > high or steps[count:].any():
        raise ManifestError("the description of the picture is none")
    span = max(high - low, 1)
    return low + span / _LEVELS * steps[:count].reshape(rows, columns), span


def _means(
    image: NDArray[Any], matrix: Floats, size: tuple[int, int]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Mean luma of each part, 0 to 255, and which parts lie in the picture as a whole."""
    (width, height), (rows, columns) = size, grid(size)
    down = (np.arange(rows * _POINTS) + 0.5) * (height / (rows * _POINTS)) - 0.5
    across = (np.arange(columns * _POINTS) + 0.5) * (width / (columns * _POINTS)) - 0.5
    x, y = _moved(matrix, *np.meshgrid(across, down))
    # A point stands for its surroundings: without a filter it would hit single pixels.
    scale = math.sqrt(abs(float(np.linalg.det(matrix[:, :2]))) * width * height / (rows * columns))
    luma = ndimage.uniform_filter(_luma(image), max(1, round(scale / _POINTS)), mode="nearest")
    inside = _inside(x, y, (luma.shape[1], luma.shape[0]))
    values = ndimage.map_coordinates(luma, [y, x], order=1, mode="nearest")
    shape = rows, _POINTS, columns, _POINTS
    means = values.reshape(shape).mean((1, 3), dtype=np.float64)
    return means, np.asarray(inside.reshape(shape).all((1, 3)))


def _added(image: NDArray[Any], matrix: Floats, size: tuple[int, int]) -> float:
    """Share of the picture that lies outside the described one."""
    height, width = image.shape[:2]
    back = np.linalg.inv(matrix[:, :2])
    points = np.meshgrid(np.linspace(0, width - 1, 64), np.linspace(0, height - 1, 64))
    x, y = _moved(np.column_stack([back, -back @ matrix[:, 2]]), *points)
    # Two pixels for the errors of the map.
    return 1 - float(_inside(x, y, size, slack=2).mean())


def _moved(matrix: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    (a, b, c), (d, e, f) = matrix.tolist()
    return a * x + b * y + c, d * x + e * y + f


def _inside(x: Floats, y: Floats, size: tuple[int, int], slack: float = 0.5) -> NDArray[np.bool_]:
    width, height = size
    return (
        (x >= -slack) & (x <= width - 1 + slack) & (y >= -slack) & (y <= height - 1 + slack)
    )  # fmt: skip


def _luma(image: NDArray[Any]) -> Floats:
    levels = image.astype(np.float32) / (257 if image.dtype == np.uint16 else 1)
    return levels[..., 0] if levels.shape[2] == 1 else levels @ np.array(_LUMA, np.float32)
