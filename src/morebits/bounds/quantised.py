"""What "capacity under M" means, counted out on tiny images.

An edit is `x -> Q[M x]` with Q rounding to the grid. Of the N grid points in a ball, only the
n different results can carry messages, and `n / N` is what the heuristic `xi_M` (eq.
scaling_factor) stands for. In 2 and 3 dimensions all of them can be listed.

The paper's two figures are a disk of radius 12 (N = 441), rounded to the nearest point:

- rotation alone: n/N is 1 at 0 degrees and 369/441 = 0.837 at 45. As the disk grows it falls
  to Vladimirov's 0.828.
- stretch by `D = diag(2, 1/2)`: 0.528 at 0 degrees, and 265/441 = 0.60 at 45 for `R D`, the
  rotation applied last. As the disk grows these go to 0.500 and 0.583. The text prints the
  product as `D R`, which gives 0.719 here, and `1/sqrt(2)` in the limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from morebits.errors import InputError, TooLarge, UnknownName

Quantiser = Literal["round", "floor"]

#: Radius of the disk in the paper's figures (found from the printed factors).
PAPER_RADIUS = 12.0
#: Points of the cube around the ball that may be listed.
MAX_POINTS = 20_000_000

_OFFSETS = {"round": 0.5, "floor": 0.0}


@dataclass(frozen=True)
class Survivors:
    """Of `points` grid points in a ball, `images` different ones are left after the edit."""

    points: int
    images: int

    @property
    def factor(self) -> float:
        """`n / N`, the share of the messages that survives."""
        return self.images / self.points


def survivors(matrix: ArrayLike, radius: float, *, quantiser: Quantiser = "round") -> Survivors:
    """Count the different `Q[M x]` over the grid points x of the ball of `radius` around 0.

    `matrix` is 2x2 or 3x3. "round" takes the nearest whole number (halves up), "floor" the
    one below. Nothing is clipped: the cube is taken to be far away, as in the paper's figures.

    >>> survivors(rotation(45), 12)
    Survivors(points=441, images=369)
    """
    m = np.asarray(matrix, np.float64)
    if m.shape not in {(2, 2), (3, 3)} or not (np.abs(m) <= 1000).all():
        raise InputError("matrix", matrix, "give a 2x2 or 3x3 matrix, no entry beyond 1000")
    if quantiser not in _OFFSETS:
        raise UnknownName("quantiser", quantiser, sorted(_OFFSETS))
    x = _ball_points(radius, m.shape[0])
    y = np.floor(x @ m.T + _OFFSETS[quantiser]).astype(np.int64)
    y -= y.min(axis=0)
    keys = np.ravel_multi_index(tuple(y.T), tuple(y.max(axis=0) + 1))
    return Survivors(len(x), len(np.unique(keys)))


def rotation(degrees: float) -> NDArray[np.float64]:
    """`R_theta`, counter-clockwise in the plane."""
    t = math.radians(degrees)
    return np.array([[math.cos(t), -math.sin(t)], [math.sin(t), math.cos(t)]])


def vladimirov(degrees: float) -> float:
    """`1 - (cos t + sin t - 1)^2`: what a rotation leaves of a large disk, 0 to 90 degrees.

    Theorem 19 of Vladimirov (2015), "Quantized linear systems on integer lattices".

    >>> round(vladimirov(45), 4)
    0.8284
    """
    if not 0 <= degrees <= 90:
        raise InputError("degrees", degrees, "give an angle from 0 to 90")
    t = math.radians(degrees)
    return 1 - (math.cos(t) + math.sin(t) - 1) ** 2


def _ball_points(radius: float, dimension: int) -> NDArray[np.int64]:
    """All grid points x with `|x|^2 <= radius^2`, one a row."""
    if not (math.isfinite(radius) and radius >= 0):
        raise InputError("radius", radius, "give a finite number of at least 0")
    reach = math.floor(radius)
    visited = (2 * reach + 1) ** dimension
    if visited > MAX_POINTS:
        raise TooLarge("this ball", visited, MAX_POINTS, "points", "give a smaller radius")
    axis = np.arange(-reach, reach + 1)
    x = np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    return x[(x * x).sum(axis=1) <= radius * radius]
