"""A received plane on the grid of the original, by an affine map.

Three ways: pixels that fall on pixels are copied; a rotation that took the nearest pixel is
undone by putting every pixel back where it came from, and mending the holes; anything else is a
cubic spline through the received samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, spline_filter

from morebits.codecs.compiled import compiled

#: Rounds in which holes are mended.
_MENDING = 8


def spline(plane: NDArray[np.float32], matrix: NDArray[np.float64], shape: tuple[int, int]) -> Any:
    """The plane at `matrix @ (x, y, 1)` for every (x, y) of a grid of this shape.

    Beyond its border the plane goes on as it ends there. A plane that is finer than the grid is
    smoothed first, so that what the grid cannot show does not come in disguise.
    """
    scale = np.sqrt(abs(np.linalg.det(matrix[:, :2])))
    if scale > 1.2:
        plane = gaussian_filter(plane, 0.45 * np.sqrt(scale**2 - 1), mode="nearest")
    knots = spline_filter(plane, 3, output=np.float32, mode="mirror")
    result = np.empty(shape, np.float32)
    _spline_at(knots, matrix.reshape(-1), result)
    return result


def nearest(plane: NDArray[Any], matrix: NDArray[np.float64], shape: tuple[int, int]) -> Any:
    """The nearest sample for every place of the grid; 0 outside."""
    result = np.zeros(shape, plane.dtype)
    _nearest_at(plane, matrix.reshape(-1), result)
    return result


def scatter(
    plane: NDArray[np.float32], matrix: NDArray[np.float64], shape: tuple[int, int],
    rounds: int = _MENDING,
) -> Any:  # fmt: skip
    """Every sample back at the place of the grid that it was copied from.

    Places that no sample came from are mended from their neighbours, in some rounds much as a
    thin plate.
    """
    backward = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))[:2]
    total = np.zeros(shape, np.float32)
    seen = np.zeros(shape, np.uint8)
    _scatter(plane, backward.reshape(-1), total, seen)
    _mend(total, seen, rounds)
    return total


@compiled
def _spline_at(knots: Any, m: Any, result: Any) -> None:
    height, width = knots.shape
    weights_x = np.empty(4, np.float32)
    weights_y = np.empty(4, np.float32)
    for row in range(result.shape[0]):
        for column in range(result.shape[1]):
            x = min(max(m[0] * column + m[1] * row + m[2], 0.0), width - 1.0)
            y = min(max(m[3] * column + m[4] * row + m[5], 0.0), height - 1.0)
            left, top = int(np.floor(x)), int(np.floor(y))
            for weights, t in ((weights_x, x - left), (weights_y, y - top)):
                weights[0] = (1 - t) ** 3 / 6
                weights[1] = (4 - 6 * t * t + 3 * t * t * t) / 6
                weights[3] = t * t * t / 6
                weights[2] = 1 - weights[0] - weights[1] - weights[3]
            value = np.float32(0)
            for i in range(4):
                r = _mirrored(top - 1 + i, height)
                line = np.float32(0)
                for j in range(4):
                    line += weights_x[j] * knots[r, _mirrored(left - 1 + j, width)]
                value += weights_y[i] * line
            result[row, column] = value


@compiled
def _mirrored(index: int, size: int) -> int:
    """A place beyond the border, as the spline sees it."""
    index = abs(index)
    if index >= size:
        index = 2 * size - 2 - index
    return max(index, 0)


@compiled
def _nearest_at(plane: Any, m: Any, result: Any) -> None:
    height, width = plane.shape
    for row in range(result.shape[0]):
        for column in range(result.shape[1]):
            x = int(np.rint(m[0] * column + m[1] * row + m[2]))
            y = int(np.rint(m[3] * column + m[4] * row + m[5]))
            if 0 <= x < width and 0 <= y < height:
                result[row, column] = plane[y, x]


@compiled
def _scatter(plane: Any, m: Any, total: Any, seen: Any) -> None:
    for row in range(plane.shape[0]):
        for column in range(plane.shape[1]):
            x = int(np.rint(m[0] * column + m[1] * row + m[2]))
            y = int(np.rint(m[3] * column + m[4] * row + m[5]))
            if 0 <= x < total.shape[1] and 0 <= y < total.shape[0]:
                total[y, x] += plane[row, column]
                seen[y, x] += 1


@compiled
def _mend(result: Any, seen: Any, rounds: int) -> None:
    """Means of known samples; holes as the mean of their neighbours, then much as a thin plate.

    A plate's equation has 13 places (8, -2 and -1 of 20); it is relaxed place by place. Photos
    are a little rougher than a plate.
    """
    height, width = result.shape
    for y in range(height):
        for x in range(width):
            if seen[y, x] > 1:
                result[y, x] /= seen[y, x]
    for y in range(2, height - 2):
        for x in range(2, width - 2):
            if not seen[y, x]:
                total, count = np.float32(0), 0
                for r, c in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                    if seen[r, c]:
                        total += result[r, c]
                        count += 1
                result[y, x] = total / max(count, 1)
    for _ in range(rounds):
        for y in range(2, height - 2):
            for x in range(2, width - 2):
                if not seen[y, x]:
                    near = result[y - 1, x] + result[y + 1, x] + result[y, x - 1] + result[y, x + 1]
                    corner = (
                        result[y - 1, x - 1]
                        + result[y - 1, x + 1]
                        + result[y + 1, x - 1]
                        + result[y + 1, x + 1]
                    )
                    far = result[y - 2, x] + result[y + 2, x] + result[y, x - 2] + result[y, x + 2]
                    result[y, x] = (9 * near - 3 * corner - far) / 20
