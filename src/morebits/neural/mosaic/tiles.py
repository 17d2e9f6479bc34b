"""The picture as tiles of 16 x 16 pixels, and each tile as 10 numbers.

A convolution with a stride of 16 and its transpose: the functions are orthonormal, so what is
written into one number is seen by that number alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust.tiles import split

Plane = NDArray[np.float32]

#: Side of a tile in pixels, and numbers a tile.
TILE, NUMBERS = 16, 10
#: Weight of slopes beside curvature in the waves that training starts from.
_SLOPE = 0.6


def waves(count: int = NUMBERS) -> NDArray[np.float32]:
    """The functions that training starts from, (count, 256): those of the robust codec, smaller.

    Products of waves that fade out at the border of the tile, from low to high, without the
    lowest: it sees how bright the tile is, which any change of light changes most.

    >>> functions = waves()
    >>> functions.shape, bool(np.allclose(functions @ functions.T, np.eye(10), atol=1e-5))
    ((10, 256), True)
    """
    slope = np.diff(np.eye(TILE), axis=0, prepend=0, append=0)
    bend = np.diff(slope, axis=0, prepend=0, append=0)
    _, vectors = np.linalg.eigh(bend.T @ bend + _SLOPE * slope.T @ slope)
    along = vectors.T * np.sign(vectors[:1].T)
    every = ((i, j) for i in range(TILE) for j in range(TILE))
    order = sorted(every, key=lambda pair: ((pair[0] + 1) ** 2 + (pair[1] + 1) ** 2, pair))
    products = [np.outer(along[i], along[j]).reshape(-1) for i, j in order[1 : count + 1]]
    return np.stack(products).astype(np.float32)


def analyse(plane: Plane, functions: Plane) -> Plane:
    """The numbers of all whole tiles, (rows, columns, 10)."""
    return split(plane, TILE) @ functions.T


def synthesise(numbers: Plane, functions: Plane) -> Plane:
    """The smallest plane with these numbers, (16 rows, 16 columns)."""
    rows, columns = numbers.shape[:2]
    samples = (numbers @ functions).reshape(rows, columns, TILE, TILE)
    return samples.transpose(0, 2, 1, 3).reshape(rows * TILE, columns * TILE)


def inner(plane: NDArray[Any]) -> NDArray[Any]:
    """The part of a plane that whole tiles cover."""
    height, width = plane.shape[:2]
    return plane[: height // TILE * TILE, : width // TILE * TILE]
