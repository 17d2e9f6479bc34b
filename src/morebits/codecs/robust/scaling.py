"""By how much a picture was made smaller or larger, when its pilot is too faint for a lock.

The original had some whole number of pixels a side, and the pilot puts the right ones among the
first few. For each the known numbers of the tiles agree on a step of their lattice by chance, or
because the size is right: where the far border lies two pixels off, they hardly agree any more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import equalising, knowns, lattice, resampling, tiles
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.tiles import TILE

#: Tiles a side of the part of the original that is looked at, at most.
_TILES = 20


def likeliest(
    plane: NDArray[np.float32],
    layout: Layout,
    originals: NDArray[np.int64],
    count: int,
    least: float,
) -> list[NDArray[np.float64]]:
    """Maps from originals of those sizes that the tiles speak for, at most `count`, the best first.

    `plane` is luma of the received picture, `originals` is (sizes, 2), width before height. None
    comes back whose known numbers agree by less than `least` standard deviations.
    """
    originals = originals[originals.min(axis=1, initial=TILE) >= TILE]
    known, dither = knowns.knowns(layout)
    steps = knowns.USUAL_STEPS.astype(np.float32)
    plain, sharp = resampling.knots(plane), resampling.knots(equalising.unshrunk(plane))
    scores = np.zeros(len(originals), np.float32)
    for place, (width, height) in enumerate(originals.tolist()):
        rows, columns = min(height // TILE, _TILES), min(width // TILE, _TILES)
        shape, matrix = (rows * TILE, columns * TILE), scale(plane.shape, (width, height))
        knots = sharp if matrix[0, 0] < 1 else plain
        numbers = tiles.analyse(resampling.upright(knots, matrix, shape))
        every = np.ones((rows, columns), np.bool_)
        activity = lattice.activity(numbers)
        scores[place] = knowns.agreement(numbers, activity, every, known, dither, steps)
    best = np.argsort(-scores, kind="stable")[:count]
    found = originals[best[scores[best] >= least]]
    return [scale(plane.shape, (wide, high)) for wide, high in found.tolist()]


def scale(shape: tuple[int, ...], original: tuple[int, int]) -> NDArray[np.float64]:
    """The map of an original's pixels (width, height) to those of a copy (H, W) of another size.

    >>> scale((2, 2), (4, 4)).tolist()
    [[0.5, 0.0, -0.25], [0.0, 0.5, -0.25]]
    """
    across, down = shape[1] / original[0], shape[0] / original[1]
    return np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]])
