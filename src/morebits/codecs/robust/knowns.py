"""How well the known numbers of tiles agree on a step of their lattice, for many places at once.

`gain.search` says it once and exactly; whoever looks for a place, a turn or a scale asks thousands
of times, and a rough answer does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled
from morebits.codecs.robust import gain, lattice
from morebits.codecs.robust.layout import DITHERS, KNOWN, Layout
from morebits.codecs.robust.tiles import NUMBERS

#: Steps of marks of 38 to 56 dB in a picture whose light was not changed, 3.6 % apart.
USUAL_STEPS = gain.STEPS[(gain.STEPS > 6) & (gain.STEPS < 80)][::3]

_ONE, _HALF, _QUARTER = np.float32(1), np.float32(0.5), np.float32(0.25)
#: Numbers of 12 cells count half, as in `gain.search`.
_TAME = np.float32(1 / 12**2)
#: sin(2 pi x) = x (C1 - x^2 (C3 - x^2 C5)) for |x| <= 1/4, nearly.
_C1, _C3, _C5 = np.float32(6.28308846), np.float32(41.33324754), np.float32(74.67493480)


def knowns(layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Which numbers of each tile of luma are known, (96, 96, 2), and their dither in cells."""
    known = np.arange(KNOWN) - layout.offset[..., None].astype(np.int64)
    known %= NUMBERS  # the numbers with the first roles
    return known, np.take_along_axis(layout.dither[0], known, axis=2) * np.float32(1 / DITHERS)


@compiled
def agreement(
    numbers: Any, activity: Any, usable: Any, known: Any, dither: Any, steps: Any
) -> float:
    """The best score of any step for the usable tiles of a picture, in standard deviations.

    `known` and `dither` are those of `knowns`; the picture's first tile is the original's.
    """
    inverse = np.float32(1) / steps
    total = np.zeros(len(steps), np.float32)
    weight = np.full(len(steps), np.float32(1e-9))
    scale = np.empty(len(steps), np.float32)
    for y in range(usable.shape[0]):
        for x in range(usable.shape[1]):
            if usable[y, x]:
                i, j = y % len(known), x % len(known)
                add_tile(
                    numbers[y, x], activity[y, x], known[i, j], dither[i, j],
                    steps, inverse, scale, total, weight,
                )  # fmt: skip
    return (total / np.sqrt(_HALF * weight)).max()


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
