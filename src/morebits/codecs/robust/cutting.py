"""Where a small part was cut out, when its pilot is too faint: the known numbers decide.

The pilot of a small and compressed part has many places where it might lie. Each puts the part on
other tiles, whose known numbers agree on a step of their lattice by chance, or because the place
is right. The numbers of a tile at every pixel are computed once, so that one place costs no more
than looking up some hundred of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled
from morebits.codecs.robust import knowns, lattice, tiles
from morebits.codecs.robust.layout import PERIOD, Layout
from morebits.codecs.robust.tiles import TILE

_HALF = np.float32(0.5)


class Part:
    """Luma of a picture that may be a part of the original, for one layout."""

    def __init__(self, plane: NDArray[np.float32], layout: Layout) -> None:
        self._plane, self._layout = plane, layout
        self._told: set[tuple[int, ...]] = set()

    def likeliest(
        self, offsets: NDArray[np.int64], count: int, least: float = 0.0
    ) -> list[NDArray[np.int64]]:
        """Of places (x, y) of its first pixel in the original those that its tiles speak for.

        `offsets` is (places, 2). At most `count` come back, the best first, none whose known
        numbers agree by less than `least` standard deviations, and none that came back before.
        """
        if min(self._plane.shape) < TILE or not len(offsets):
            return []
        known, dither = knowns.knowns(self._layout)
        scores = np.zeros(len(offsets), np.float32)
        steps = knowns.USUAL_STEPS.astype(np.float32)
        _scores(self._numbers, self._activity, offsets, known, dither, steps, scores)
        best = np.argsort(-scores, kind="stable")[:count]
        found = [offsets[each] for each in best if scores[each] >= least]
        new = [each for each in found if tuple(each.tolist()) not in self._told]
        self._told.update(tuple(each.tolist()) for each in new)
        return new

    @cached_property
    def _numbers(self) -> NDArray[np.float32]:
        return tiles.everywhere(self._plane)

    @cached_property
    def _activity(self) -> NDArray[np.float32]:
        return lattice.activity(self._numbers)


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
                knowns.add_tile(
                    numbers[y, x], activity[y, x], known[i, j], dither[i, j],
                    steps, inverse, scale, total, weight,
                )  # fmt: skip
        scores[place] = (total / np.sqrt(_HALF * weight)).max()
