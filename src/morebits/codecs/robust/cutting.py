"""Where a small part was cut out, when its pilot is too faint: the known numbers decide.

The pilot of a small and compressed part has many places where it might lie. Each puts the part on
other tiles, whose known numbers agree on a step of their lattice by chance, or because the place
is right. The numbers of a tile at every pixel are computed once, so that one place costs no more
than looking up some hundred of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled
from morebits.codecs.robust import gain, lattice, tiles
from morebits.codecs.robust.layout import DITHERS, KNOWN, PERIOD, Layout
from morebits.codecs.robust.tiles import NUMBERS, TILE

#: Steps of marks of 38 to 56 dB in a picture whose light was not changed, 2.4 % apart.
USUAL_STEPS = gain.STEPS[(gain.STEPS > 6) & (gain.STEPS < 80)][::2]

_ONE, _HALF, _QUARTER = np.float32(1), np.float32(0.5), np.float32(0.25)
#: Numbers of 12 cells count half, as in `gain.search`.
_TAME = np.float32(1 / 12**2)
#: sin(2 pi x) = x (C1 - x^2 (C3 - x^2 C5)) for |x| <= 1/4, nearly.
_C1, _C3, _C5 = np.float32(6.28308846), np.float32(41.33324754), np.float32(74.67493480)


def likeliest(
    plane: NDArray[np.float32], layout: Layout, offsets: NDArray[np.int64], count: int,
    least: float = 0.0, levels: NDArray[np.float64] = gain.STEPS,
) -> NDArray[np.int64]:  # fmt: skip
    """Of places (x, y) of a part's first pixel in the original those that its tiles speak for.

    `plane` is the luma of the part, `offsets` is (places, 2); at most `count` come back, the best
    first, and none whose known numbers agree by less than `least` standard deviations on one of
    the steps in `levels`.
    """
    if min(plane.shape) < TILE or not len(offsets):
        return offsets[:0]
    numbers = tiles.everywhere(plane)
    known, dither = knowns(layout)
    scores = np.zeros(len(offsets), np.float32)
    steps = levels.astype(np.float32)
    _scores(numbers, lattice.activity(numbers), offsets, known, dither, steps, scores)
    best = np.argsort(-scores, kind="stable")[:count]
    return offsets[best[scores[best] >= least]]


def knowns(layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Which numbers of each tile of luma are known, (96, 96, 2), and their dither in cells."""
    known = np.arange(KNOWN) - layout.offset[..., None].astype(np.int64)
    known %= NUMBERS  # the numbers with the first roles
    return known, np.take_along_axis(layout.dither[0], known, axis=2) * np.float32(1 / DITHERS)


@compiled
def _scores(
    numbers: Any, activity: Any, offsets: Any, known: Any, dither: Any, steps: Any, scores: Any
) -> None:
    """The best score of any step for every place, much as `gain.search` has it."""
    height, width = activity.shape
    inverse = np.float32(1) / steps
    total, weight = np.empty(len(steps), np.float32), np.empty(len(steps), np.float32)
    scale = np.empty(len(steps), np.float32)
    for place in range(len(offsets)):
        left, top = offsets[place]
        total[:] = 0
        weight[:] = 1e-9
        for y in range(-top % TILE, height, TILE):
            i = (y + top) // TILE % PERIOD
            for x in range(-left % TILE, width, TILE):
                j = (x + left) // TILE % PERIOD
                add_tile(
                    numbers[y, x], activity[y, x], known[i, j], dither[i, j],
                    steps, inverse, scale, total, weight,
                )  # fmt: skip
        scores[place] = (total / np.sqrt(_HALF * weight)).max()


@compiled
def add_tile(
    numbers: Any, activity: Any, known: Any, dither: Any,
    steps: Any, inverse: Any, scale: Any, total: Any, weight: Any,
) -> None:  # fmt: skip
    """The known numbers of a tile to the sums of all steps: of cosines, and of squared weights.

    `scale` is scratch: cells for one level at each step.
    """
    # Larger steps than this have the tile calm, with half the step.
    calm = np.searchsorted(steps, activity / lattice.CALM)
    for n in range(len(inverse)):
        scale[n] = inverse[n] if n < calm else inverse[n] + inverse[n]
    for k in range(len(known)):
        _add(numbers[known[k]], dither[k], scale, total, weight)


@compiled
def _add(number: Any, phase: Any, scale: Any, total: Any, weight: Any) -> None:
    """One number to the sums of all steps; the processor does many steps at once.

    The cosine is a polynomial, 0.0002 off at most.
    """
    for n in range(len(scale)):
        cells = np.float32(number) * scale[n]
        trust = _ONE / (_ONE + cells * cells * _TAME)
        turn = cells - np.float32(phase)
        turn -= np.floor(turn + _HALF)
        rise = _QUARTER - abs(turn)
        square = rise * rise
        cosine = rise * (_C1 - square * (_C3 - square * _C5))
        total[n] += trust * cosine
        weight[n] += trust * trust
