"""The received picture on the original's tiles."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import equalising, resampling, tiles, unpressing
from morebits.codecs.robust.equalising import Equaliser
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.reading import Tiles
from morebits.codecs.robust.tiles import TILE

Way = Literal["copied", "nearest", "unpressed", "spline"]

#: A tile with a larger share of clipped pixels is lost.
_LOST = 0.7
#: A tile may reach so many pixels out of the picture: its waves have faded out there.
_BEYOND = 4
#: Entries of a map this close to whole numbers are whole, in pixels.
_WHOLE = 0.02


@dataclass(frozen=True, eq=False)
class Rectified:
    """A plane over whole tiles, from tile (top, left) of the original on."""

    plane: NDArray[np.float32] = field(repr=False)
    usable: NDArray[np.bool_] = field(repr=False)  # (rows, columns)
    lost: NDArray[np.float32] = field(repr=False)  # share of each tile, clipped or cut off
    cut: NDArray[np.float32] = field(repr=False)  # share of each tile's side
    top: int
    left: int
    whole: bool
    matrix: NDArray[np.float64] = field(repr=False)  # its pixels to received ones
    way: Way

    def tiles(self, layout: Layout, equaliser: Equaliser | None = None, layer: int = 0) -> Tiles:
        """Its tiles for the reader, with an edit undone."""
        rows, columns = self.usable.shape
        window = layout.window(self.top, self.left, rows, columns, layer)
        numbers = equalising.analyse(self.plane, equaliser, self.usable)
        return Tiles(numbers, window, self.usable, self.lost, self.cut)

    def of(self, plane: NDArray[np.float32]) -> Rectified:
        """Another plane of the same picture on the same tiles."""
        return replace(self, plane=_resampled(plane, self.matrix, self.plane.shape, self.way))


def ways(matrix: NDArray[np.float64]) -> tuple[Way, ...]:
    """How a map may be undone, the likeliest way first."""
    linear = matrix[:, :2]
    if np.abs(matrix - np.rint(matrix)).max() < _WHOLE and np.abs(linear).sum() == 2:
        return ("copied",)
    if np.abs(linear.T @ linear - np.eye(2)).max() < 0.002:
        return ("nearest", "spline")
    return ("spline",)


def rectify(
    plane: NDArray[np.float32],
    clipped: NDArray[np.float32],
    matrix: NDArray[np.float64],
    way: Way,
    most: int | None = None,
    tile: int = TILE,
    quality: int | None = None,
) -> Rectified | None:
    """The plane on the original's grid; None when not one tile of it is left.

    Of a large picture only the middle, with at most `most` tiles a side. `tile` is the side of
    a tile in pixels, `quality` that of the JPEG which is undone too.
    """
    height, width = plane.shape
    backward = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))[:2]
    ends = np.array([[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]])
    corners = ends @ backward[:, :2].T + backward[:, 2]
    left, top = np.floor(np.round(corners.min(axis=0), 2) / tile).astype(int)
    right, bottom = np.ceil((np.round(corners.max(axis=0), 2) + 1) / tile).astype(int)
    if not (0 < right - left < 4096 and 0 < bottom - top < 4096):
        return None
    whole = most is None or max(bottom - top, right - left) <= most
    if most is not None:
        top, bottom = _middle(top, bottom, most)
        left, right = _middle(left, right, most)
    shape = (int(bottom - top) * tile, int(right - left) * tile)
    here = matrix.copy()
    here[:, 2] += matrix[:, :2] @ [left * tile, top * tile]
    if way == "copied":
        here = np.rint(here)
    # Pixels that went to no place cannot be continued beyond the border.
    missing = _missing(here, shape, (width, height), tile)
    usable = missing <= (_BEYOND if way in ("copied", "spline") else 0)
    if not usable.any():
        return None
    cut = np.where(usable, missing / tile, 0).astype(np.float32)
    lost = cut
    if clipped.any():
        lost = cut + tiles.split(resampling.nearest(clipped, here, shape), tile).mean(axis=2)
    usable &= lost < _LOST
    if not usable.any():
        return None
    resampled = _resampled(plane, here, shape, way, quality)
    return Rectified(resampled, usable, lost, cut, int(top), int(left), whole, here, way)


def _middle(first: int, end: int, most: int) -> tuple[int, int]:
    """The middle of a range, at most so long."""
    spare = max(0, end - first - most)
    return first + spare // 2, end - (spare - spare // 2)


def _resampled(
    plane: Any, matrix: Any, shape: tuple[int, int], way: Way, quality: int | None = None
) -> NDArray[np.float32]:
    if way in ("nearest", "unpressed"):
        back = resampling.scatter(plane, matrix, shape)
        return back if quality is None else unpressing.unturned(plane, matrix, back, quality)
    if way == "copied":
        return _copied(plane, matrix, shape)
    return resampling.spline(plane, matrix, shape)


def _copied(plane: Any, matrix: Any, shape: tuple[int, int]) -> NDArray[np.float32]:
    """Samples where they are whole pixels away; the border goes on beyond the picture."""
    x = matrix[0, 0] * np.arange(shape[1]), matrix[0, 1] * np.arange(shape[0])
    y = matrix[1, 0] * np.arange(shape[1]), matrix[1, 1] * np.arange(shape[0])
    height, width = plane.shape
    columns = np.clip(x[0][None, :] + x[1][:, None] + matrix[0, 2], 0, width - 1).astype(np.intp)
    rows = np.clip(y[0][None, :] + y[1][:, None] + matrix[1, 2], 0, height - 1).astype(np.intp)
    return plane[rows, columns]


def _missing(
    matrix: Any, shape: tuple[int, int], sides: tuple[int, int], tile: int
) -> NDArray[np.float64]:
    """How far each tile reaches out of the picture, in pixels of the original."""
    x, y = np.arange(0, shape[1], tile), np.arange(0, shape[0], tile)[:, None]
    edge = 0.5  # a resized picture ends half a pixel of its own beyond its last centre
    beyond = np.zeros((shape[0] // tile, shape[1] // tile))
    for right, down in ((0, 0), (tile - 1, 0), (0, tile - 1), (tile - 1, tile - 1)):
        across = matrix[0, 0] * (x + right) + matrix[0, 1] * (y + down) + matrix[0, 2]
        below = matrix[1, 0] * (x + right) + matrix[1, 1] * (y + down) + matrix[1, 2]
        for place, side in zip((across, below), sides, strict=True):
            np.maximum(beyond, -edge - place, out=beyond)
            np.maximum(beyond, place - (side - 1 + edge), out=beyond)
    return beyond / np.sqrt(abs(np.linalg.det(matrix[:, :2])))
