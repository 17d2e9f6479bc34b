"""By how many degrees a picture was turned, when its pilot is too faint: the known numbers decide.

People turn by whole degrees, about the middle, and the frame stays as it was. The turns that the
pilot likes best are undone quickly, and the known numbers of the tiles agree on a step of their
lattice by chance, or because the turn is right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import knowns, lattice, resampling, tiles
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.tiles import TILE

#: Degrees that may be looked at: quarter turns also turn the frame, and are found without.
DEGREES = np.array([each for each in range(1, 360) if each % 90])


def likeliest(
    plane: NDArray[np.float32],
    layout: Layout,
    degrees: NDArray[np.int64],
    count: int,
    least: float,
) -> list[NDArray[np.float64]]:
    """Maps of those turns that the tiles speak for, at most `count`, the best first.

    `plane` is luma of the received picture, `degrees` counterclockwise. None comes back whose
    known numbers agree by less than `least` standard deviations.
    """
    if min(plane.shape) < TILE:
        return []
    known, dither = knowns.knowns(layout)
    steps = knowns.USUAL_STEPS.astype(np.float32)
    scores = np.empty(len(degrees), np.float32)
    for place, angle in enumerate(degrees.tolist()):
        matrix = turn(plane.shape, angle)
        numbers = tiles.analyse(_back(plane, matrix))
        usable, activity = _usable(plane.shape, matrix), lattice.activity(numbers)
        scores[place] = knowns.agreement(numbers, activity, usable, known, dither, steps)
    best = np.argsort(-scores, kind="stable")[:count]
    return [turn(plane.shape, int(degrees[each])) for each in best if scores[each] >= least]


def turn(shape: tuple[int, ...], degrees: float) -> NDArray[np.float64]:
    """The map of a turn counterclockwise about the middle of a picture (H, W).

    >>> turn((3, 3), 90).round(6).tolist()
    [[0.0, 1.0, 0.0], [-1.0, 0.0, 2.0]]
    """
    middle = np.array([shape[1] - 1, shape[0] - 1]) / 2
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    linear = np.array([[cosine, sine], [-sine, cosine]])
    return np.column_stack([linear, middle - linear @ middle])


def _back(plane: NDArray[np.float32], matrix: NDArray[np.float64]) -> NDArray[np.float32]:
    """The whole tiles of the original, roughly: holes are filled, not mended."""
    rows, columns = plane.shape[0] // TILE, plane.shape[1] // TILE
    return resampling.scatter(plane, matrix, (rows * TILE, columns * TILE), rounds=0)


def _usable(shape: tuple[int, ...], matrix: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tiles of the original that lie wholly inside the received picture, (rows, columns)."""
    x = np.arange(shape[1] // TILE) * TILE
    y = np.arange(shape[0] // TILE)[:, None] * TILE
    inside = np.ones((len(y), len(x)), np.bool_)
    for right in (0, TILE - 1):
        for down in (0, TILE - 1):
            across = matrix[0, 0] * (x + right) + matrix[0, 1] * (y + down) + matrix[0, 2]
            below = matrix[1, 0] * (x + right) + matrix[1, 1] * (y + down) + matrix[1, 2]
            inside &= (across >= 0) & (across <= shape[1] - 1)
            inside &= (below >= 0) & (below <= shape[0] - 1)
    return inside
