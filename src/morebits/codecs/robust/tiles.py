"""The picture as tiles, and each tile as 42 numbers that edits hardly touch.

Tiles of 24 x 24 pixels lie at absolute positions, so that a crop keeps the ones it shows. The
numbers are products of waves that fade out at the border of the tile: the orthonormal functions
with the least slope and curvature, `sum f''^2 + 0.6 sum f'^2`, when they are zero outside. That
keeps their spectrum low. Cosines, which end with a jump, lose half of what survives blur and
resizing. Of the products the 43 of lowest frequency are taken, and turned so that 42 of them do
not see the mean of the tile: a change of brightness that adds a constant changes nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled

Plane = NDArray[np.float32]

#: Side of a tile in pixels, and numbers a tile.
TILE, NUMBERS = 24, 42
#: Highest number of half periods along one side, and the weight of slopes beside curvature.
_WAVES, _SLOPE = 7, 0.6
#: Rows of tiles that are worked on at a time, so that memory does not grow with the picture.
_STRIP = 16


@cache
def waves() -> NDArray[np.float64]:
    """The waves along one side, (7, 24), orthonormal, with 1 to 7 half periods."""
    slope = np.diff(np.eye(TILE), axis=0, prepend=0, append=0)
    bend = np.diff(slope, axis=0, prepend=0, append=0)
    _, vectors = np.linalg.eigh(bend.T @ bend + _SLOPE * slope.T @ slope)
    found = vectors[:, :_WAVES].T
    return found * np.sign(found[:, :1])  # which sign comes out differs from machine to machine


@cache
def pairs() -> NDArray[np.int64]:
    """Vertical and horizontal waves of the 43 products, (43, 2), from low to high."""
    every = ((i, j) for i in range(_WAVES) for j in range(_WAVES))
    order = sorted(every, key=lambda pair: ((pair[0] + 1) ** 2 + (pair[1] + 1) ** 2, pair))
    return np.array(order[: NUMBERS + 1])


@cache
def turn() -> NDArray[np.float32]:
    """Orthonormal (42, 43): the products without the direction that sees the mean.

    Of all such matrices the one closest to dropping the first product.
    """
    sums = waves().sum(axis=1)
    rows, columns = pairs().T
    mean = sums[rows] * sums[columns]
    mean /= np.linalg.norm(mean)
    left = (np.eye(NUMBERS + 1) - np.outer(mean, mean))[1:]
    values, vectors = np.linalg.eigh(left @ left.T)
    return ((vectors / np.sqrt(values)) @ vectors.T @ left).astype(np.float32)


@cache
def frequencies() -> NDArray[np.float64]:
    """Cycles a pixel of the 42 numbers, roughly."""
    rows, columns = (pairs()[1:] + 1).T
    return np.hypot(rows, columns) / (2 * (TILE + 1))


@cache
def basis() -> NDArray[np.float32]:
    """The 42 functions on a tile, (42, 576)."""
    rows, columns = pairs().T
    products = waves()[rows][:, :, None] * waves()[columns][:, None, :]
    return turn() @ products.reshape(NUMBERS + 1, -1).astype(np.float32)


def analyse(plane: Plane) -> Plane:
    """The numbers of all tiles of a plane whose sides are multiples of 24, (rows, columns, 42)."""
    along = waves().astype(np.float32)
    height, width = plane.shape
    rows, columns = height // TILE, width // TILE
    left = np.ascontiguousarray(plane).reshape(height, columns, TILE) @ along.T
    both = np.matmul(along, left.reshape(rows, TILE, columns * _WAVES))  # (rows, 7, columns * 7)
    grid = both.reshape(rows, _WAVES, columns, _WAVES).transpose(0, 2, 1, 3)
    first, second = pairs().T
    return np.ascontiguousarray(grid[:, :, first, second] @ turn().T)


def everywhere(plane: Plane) -> NDArray[np.float32]:
    """The numbers of the tile that begins at each pixel, (height - 23, width - 23, 42)."""
    along = waves().astype(np.float32)
    left = sliding_window_view(plane, TILE, axis=1) @ along.T  # (height, width - 23, 7)
    first, second = pairs().T
    height, width = plane.shape[0] - TILE + 1, left.shape[1]
    both = np.zeros((height, NUMBERS + 1, width), np.float32)
    _down(np.ascontiguousarray(left.transpose(2, 0, 1)), along, first, second, both)
    numbers: Plane = both.transpose(0, 2, 1) @ turn().T
    return numbers


@compiled
def _down(left: Any, along: Any, first: Any, second: Any, both: Any) -> None:
    """Products of the waves down, `first`, with those across, `second`."""
    for y in range(both.shape[0]):
        for n in range(both.shape[1]):
            for t in range(along.shape[1]):
                _add(along[first[n], t], left[second[n], y + t], both[y, n])


@compiled
def _add(weight: Any, line: Any, total: Any) -> None:
    """The processor does many columns at once."""
    for x in range(len(total)):
        total[x] += weight * line[x]


def synthesise(numbers: Plane) -> Plane:
    """The plane with these numbers that is smallest, (24 rows, 24 columns)."""
    rows, columns = numbers.shape[:2]
    plane = np.empty((rows * TILE, columns * TILE), np.float32)
    for top in range(0, rows, _STRIP):
        part = numbers[top : top + _STRIP] @ basis()
        part = part.reshape(len(part), columns, TILE, TILE).transpose(0, 2, 1, 3)
        plane[top * TILE : (top + _STRIP) * TILE] = part.reshape(-1, columns * TILE)
    return plane


def split(plane: NDArray[Any], tile: int = TILE) -> NDArray[Any]:
    """The samples of each tile, (rows, columns, 576), or of tiles with another side."""
    rows, columns = plane.shape[0] // tile, plane.shape[1] // tile
    cut = plane[: rows * tile, : columns * tile].reshape(rows, tile, columns, tile)
    return cut.transpose(0, 2, 1, 3).reshape(rows, columns, tile * tile)
