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
#: Quicker than a division.
_SIXTH = 1 / 6


def spline(plane: NDArray[np.float32], matrix: NDArray[np.float64], shape: tuple[int, int]) -> Any:
    """The plane at `matrix @ (x, y, 1)` for every (x, y) of a grid of this shape.

    Beyond its border the plane goes on as it ends there. A plane that is finer than the grid is
    smoothed first, so that what the grid cannot show does not come in disguise.
    """
    scale = np.sqrt(abs(np.linalg.det(matrix[:, :2])))
    if scale > 1.2:
        plane = gaussian_filter(plane, 0.45 * np.sqrt(scale**2 - 1), mode="nearest")
    smooth = knots(plane)
    (a, b, x), (c, d, y) = matrix.tolist()
    if b == c == 0:
        return upright(smooth, matrix, shape)
    if a == d == 0:  # a quarter turn: upright, when rows are columns
        return np.ascontiguousarray(_upright(smooth, (b, x), (c, y), (shape[1], shape[0])).T)
    result = np.empty(shape, np.float32)
    _spline_at(smooth, matrix.reshape(-1), result)
    return result


def knots(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the cubic spline through the samples of a plane is made of."""
    found: NDArray[np.float32] = spline_filter(plane, 3, output=np.float32, mode="mirror")
    return found


def upright(
    knots: NDArray[np.float32], matrix: NDArray[np.float64], shape: tuple[int, int]
) -> NDArray[np.float32]:
    """The spline of these knots on a grid of this shape, for a map that only scales and moves."""
    (a, _, x), (_, d, y) = matrix.tolist()
    return _upright(knots, (a, x), (d, y), shape)


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


def _upright(
    knots: NDArray[np.float32],
    across: tuple[float, float],
    down: tuple[float, float],
    shape: tuple[int, int],
) -> NDArray[np.float32]:
    """The spline where a column depends on x alone and a row on y: factor and first of each."""
    result = np.empty(shape, np.float32)
    columns, along = np.empty((shape[1], 4), np.int64), np.empty((shape[1], 4), np.float32)
    rows, below = np.empty((shape[0], 4), np.int64), np.empty((shape[0], 4), np.float32)
    _around(*across, knots.shape[1], columns, along)
    _around(*down, knots.shape[0], rows, below)
    _spline_upright(knots, columns, along, rows, below, result)
    return result


@compiled
def _around(factor: float, first: float, size: int, knots: Any, weights: Any) -> None:
    """The four knots around each place along one side, and how much each counts."""
    for n in range(len(knots)):
        place = min(max(factor * n + first, 0.0), size - 1.0)
        before = int(place)
        for j in range(4):
            knots[n, j] = _mirrored(before - 1 + j, size)
        weights[n, 0], weights[n, 1], weights[n, 2], weights[n, 3] = _weights(place - before)


@compiled
def _spline_upright(
    knots: Any, columns: Any, along: Any, rows: Any, below: Any, result: Any
) -> None:
    lines = np.empty((len(knots), len(columns)), np.float32)
    for row in range(len(knots)):
        line = knots[row]
        for n in range(len(columns)):
            value = along[n, 0] * line[columns[n, 0]] + along[n, 1] * line[columns[n, 1]]
            value += along[n, 2] * line[columns[n, 2]]
            lines[row, n] = value + along[n, 3] * line[columns[n, 3]]
    for row in range(len(rows)):
        a, b, c, d = (
            lines[rows[row, 0]],
            lines[rows[row, 1]],
            lines[rows[row, 2]],
            lines[rows[row, 3]],
        )
        p, q, r, s = below[row, 0], below[row, 1], below[row, 2], below[row, 3]
        for n in range(len(columns)):
            result[row, n] = p * a[n] + q * b[n] + r * c[n] + s * d[n]


@compiled
def _spline_at(knots: Any, m: Any, result: Any) -> None:
    """Row by row: first where all of its samples lie, which goes for many at once."""
    height, width = knots.shape
    count = result.shape[1]
    at = np.empty((2, count), np.int32)
    weights = np.empty((8, count), np.float32)
    for row in range(result.shape[0]):
        for n in range(count):
            x = min(max(m[0] * n + (m[1] * row + m[2]), 0.0), width - 1.0)
            y = min(max(m[3] * n + (m[4] * row + m[5]), 0.0), height - 1.0)
            left, top = np.int32(x), np.int32(y)
            at[0, n], at[1, n] = left, top
            weights[0, n], weights[1, n], weights[2, n], weights[3, n] = _weights(x - left)
            weights[4, n], weights[5, n], weights[6, n], weights[7, n] = _weights(y - top)
        for n in range(count):
            left, top = at[0, n], at[1, n]
            p, q, r, s = weights[0, n], weights[1, n], weights[2, n], weights[3, n]
            value = np.float32(0)
            if 0 < left < width - 2 and 0 < top < height - 2:
                for i in range(4):
                    line = knots[top - 1 + i]
                    sum_ = p * line[left - 1] + q * line[left] + r * line[left + 1]
                    value += weights[4 + i, n] * (sum_ + s * line[left + 2])
            else:
                for i in range(4):
                    line = knots[_mirrored(top - 1 + i, height)]
                    sum_ = p * line[_mirrored(left - 1, width)] + q * line[_mirrored(left, width)]
                    sum_ += r * line[_mirrored(left + 1, width)]
                    value += weights[4 + i, n] * (sum_ + s * line[_mirrored(left + 2, width)])
            result[row, n] = value


@compiled
def _weights(t: float) -> tuple[Any, Any, Any, Any]:
    """How much the knots at -1, 0, 1 and 2 count at a place t from 0 to 1."""
    rest = 1 - t
    first = np.float32(rest * rest * rest * _SIXTH)
    second = np.float32((4 - 6 * t * t + 3 * t * t * t) * _SIXTH)
    last = np.float32(t * t * t * _SIXTH)
    return first, second, np.float32(1.0 - first - second - last), last


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
    height, width = total.shape
    flat, counts = total.reshape(-1), seen.reshape(-1)
    where = np.empty(plane.shape[1], np.int32)
    for row in range(plane.shape[0]):
        for column in range(plane.shape[1]):  # on its own, so that many are found at once
            x = np.rint(m[0] * column + m[1] * row + m[2])
            y = np.rint(m[3] * column + m[4] * row + m[5])
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            where[column] = np.int32(y * width + x) if inside else np.int32(-1)
        for column in range(plane.shape[1]):
            place = where[column]
            if place >= 0:
                flat[place] += plane[row, column]
                counts[place] += 1


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
