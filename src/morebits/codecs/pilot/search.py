"""A received picture and a key: locks tier after tier, and a lock made into a map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from morebits.codecs.compiled import clock
from morebits.codecs.pilot.chance import p_value
from morebits.codecs.pilot.coherent import demodulate, periods
from morebits.codecs.pilot.located import Located
from morebits.codecs.pilot.refining import Objective, affine, maximise, objective
from morebits.codecs.pilot.snapping import Snapped, snapped
from morebits.codecs.pilot.tiers import QUICK, Tier
from morebits.codecs.pilot.view import Lock, View
from morebits.codecs.pilot.waves import Reals, Waves
from morebits.codecs.pilot.whitening import Patch, patch
from morebits.images import Samples

#: p-value of a pilot that counts as found.
FOUND = 1e-3
#: Side in pixels of the part that is searched, of the part for a second look at large pictures,
#: and of the corners that refine the map of a large picture.
_WINDOW, _LARGE, _CORNER = 800, 1600, 384
#: Alternatives that a lock comes with, and how far apart (original pixels) they are.
_ALTERNATIVES, _APART = 6, 0.12


class Search:
    """The locks of one picture, and what they say."""

    def __init__(self, image: Samples, table: Waves, size: tuple[int, int] | None = None):
        self.image, self.table = image, table
        self.height, self.width = image.shape[:2]
        #: The received picture's size where this is a smaller copy of it.
        self.size = size or (self.width, self.height)
        self.started = clock()

    def quick(self) -> Iterator[list[Lock]]:
        """Locks of the common edits."""
        for tier in QUICK:
            yield from self.locks(tier)
        if max(self.width, self.height) > _WINDOW:
            closer = View(self.image, self.table, _LARGE)
            for tier in QUICK:
                yield from closer.locks(tier)

    def locks(self, tier: Tier) -> Iterator[list[Lock]]:
        """Locks of one tier, those of each map together, the most convincing one first."""
        yield from self.view.locks(tier)

    @cached_property
    def view(self) -> View:
        """The first look."""
        return View(self.image, self.table, _WINDOW)

    def located(self, lock: Lock, maps: int) -> Located:
        """The refined and snapped map of a lock, one of so many, with its alternatives."""
        target = objective(lock.found)
        start = np.concatenate([lock.found.linear.ravel(), lock.place])
        score, six = maximise(target, affine, start)
        six[4:] = periods(lock.found, six[4:])
        if self._corners:
            target, six = self._widened(lock, target, score, six)
        edits = self._distinct(snapped(target, (self.width, self.height), six))
        p = p_value(lock.log_chance, maps)
        first, *rest = [self._result(each, lock.tier, p) for each in edits]
        return replace(first, alternatives=tuple(rest))

    @cached_property
    def _corners(self) -> list[Patch]:
        """The corners of a large picture."""
        if max(self.width, self.height) <= _WINDOW:
            return []
        wide, high = min(self.width, _CORNER), min(self.height, _CORNER)
        return [
            patch(self.image, left, top, wide, high)
            for left in sorted({0, self.width - wide})
            for top in sorted({0, self.height - high})
        ]

    def _widened(
        self, lock: Lock, target: Objective, score: float, six: Reals
    ) -> tuple[Objective, Reals]:
        """The map refined over the whole of a large picture, unless that finds nothing better."""
        view, linear = lock.view, six[:4].reshape(2, 2)
        found = demodulate([view.patch, *self._corners], view.spectrum, self.table, linear)
        wide = objective(found)
        moved = np.concatenate([six[:4], six[4:] + linear @ (wide.centre - target.centre)])
        better, there = maximise(wide, affine, moved)
        return (wide, there) if better > score else (target, six)

    def _distinct(self, edits: list[Snapped]) -> list[Snapped]:
        chosen: list[Snapped] = []
        for edit in edits:
            if len(chosen) > _ALTERNATIVES:
                break
            if all(self._distance(edit, other) > _APART for other in chosen):
                chosen.append(edit)
        return chosen

    def _distance(self, one: Snapped, other: Snapped) -> float:
        """The largest distance of two maps at the corners of the frame, in original pixels."""
        x, y = self.width - 1, self.height - 1
        corners = np.array([[0, 0], [x, 0], [0, y], [x, y]])
        moved = corners @ (one.linear - other.linear).T + one.origin - other.origin
        return float(np.hypot(*moved.T).max())

    def _result(self, edit: Snapped, tier: str, p: float) -> Located:
        forward = np.linalg.inv(edit.linear)
        matrix = np.column_stack([forward, -forward @ edit.origin])
        # From the smaller copy to the received picture: whole frame to whole frame.
        ratio = np.array([self.size[0] / self.width, self.size[1] / self.height])
        matrix *= ratio[:, None]
        matrix[:, 2] += (ratio - 1) / 2
        seconds = clock() - self.started
        return Located(matrix, edit.score, p, edit.model, tier, seconds, p < FOUND, self.size)
