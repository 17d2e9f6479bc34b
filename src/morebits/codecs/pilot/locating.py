"""The search for the pilot: from a received picture to maps, the most plausible first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.keys import Key
from morebits.codecs.pilot.adding import rgb
from morebits.codecs.pilot.chance import log_chance, p_value
from morebits.codecs.pilot.coherent import Demodulated, demodulate, periods, positions
from morebits.codecs.pilot.located import Located
from morebits.codecs.pilot.refining import Objective, affine, maximise, objective
from morebits.codecs.pilot.snapping import Snapped, snapped
from morebits.codecs.pilot.spectrum import Spectrum, scores, spectrum
from morebits.codecs.pilot.tiers import TIERS, UPRIGHT, best
from morebits.codecs.pilot.waves import Waves, waves
from morebits.codecs.pilot.whitening import Patch, patch

#: p-values beyond doubt, which end the search, and of a pilot that counts as found.
SURE, FOUND = 1e-6, 1e-3
#: Places that are kept of each map, and doubtful maps that are tried at the end.
_PLACES, _DOUBTFUL = 3, 6
#: Side of the part that is searched, and of the parts that refine the map of a large picture.
_SEARCHED, _REFINED = 960, 512
#: Alternatives that a lock comes with, and how far apart (pixels) they are.
_ALTERNATIVES, _APART = 6, 0.12


def locate(image: object, key: Key = None, *, budget_seconds: float = 5.0) -> Located:
    """The map from the original picture to this one, as the pilot of this key tells it.

    >>> import morebits as mb
    >>> from morebits.codecs import pilot
    >>> noise = np.random.default_rng(0).normal(128, 20, (240, 320, 3)).clip(0, 255)
    >>> marked = pilot.mark(noise.astype(np.uint8), "key", psnr=42)
    >>> found = pilot.locate(marked[20:, 30:], "key")
    >>> found.model, found.matrix.round(3).tolist()
    ('crop', [[1.0, 0.0, -30.0], [0.0, 1.0, -20.0]])
    """
    started = time.perf_counter()
    for found in candidates(image, key, budget_seconds=budget_seconds):
        return replace(found, seconds=time.perf_counter() - started)
    seconds = time.perf_counter() - started
    return Located(np.eye(2, 3), 0.0, 1.0, "none", "none", seconds, False)


def candidates(
    image: object, key: Key = None, *, budget_seconds: float = 5.0
) -> Iterator[Located]:
    """Maps worth trying, in the order in which the search finds them, cheap tiers first.

    A lock beyond doubt comes at once, followed by its alternatives; doubtful ones come last,
    the best first.
    """
    search = _Search(rgb(image), waves(key), time.perf_counter(), budget_seconds)
    doubtful: list[_Lock] = []
    for locks in search.locks():
        if search.p_value(locks[0]) < SURE:
            found = search.located(locks.pop(0))
            yield found
            yield from found.alternatives
        doubtful += locks
    for lock in sorted(doubtful, key=lambda each: each.log_chance)[:_DOUBTFUL]:
        found = search.located(lock)
        yield found
        yield from found.alternatives


def presence(image: object, key: Key, matrix: NDArray[np.float64]) -> float:
    """The score of a known map, in standard deviations: above 6 the pilot is there.

    `matrix` (2, 3) takes original pixels to those of the picture, as in `Located`.
    """
    search = _Search(rgb(image), waves(key), 0.0, 0.0)
    linear = np.linalg.inv(np.asarray(matrix, np.float64)[:, :2])
    target = objective(demodulate([search.main], search.spectrum, search.table, linear))
    origin = -linear @ np.asarray(matrix, np.float64)[:, 2]
    return target.score(np.concatenate([linear.ravel(), linear @ target.centre + origin]))


@dataclass(frozen=True)
class _Lock:
    """A map before it is refined: the waves under it, and the place of their middle."""

    tier: str
    found: Demodulated
    place: NDArray[np.float64]
    log_chance: float


class _Search:
    """One picture, one key."""

    def __init__(
        self, image: NDArray[np.float32], table: Waves, started: float, budget: float
    ) -> None:
        self.image, self.table, self.started, self.budget = image, table, started, budget
        self.height, self.width = image.shape[:2]
        wide, high = min(self.width, _SEARCHED), min(self.height, _SEARCHED)
        left, top = (self.width - wide) // 2, (self.height - high) // 2
        self.main = patch(image, left, top, wide, high)
        self.spectrum: Spectrum = spectrum(self.main)
        self.maps = 0

    def locks(self) -> Iterator[list[_Lock]]:
        """Maps, the best of each few first, tier after tier while the time lasts."""
        order = np.argsort(-scores(self.spectrum, self.table, _flat(UPRIGHT)))
        for index in order:
            yield self._locks("upright", UPRIGHT[index].T)
        for tier in TIERS:
            if time.perf_counter() - self.started > self.budget:
                return
            side = max(self.main.planes.shape[1:])
            for _, linear in best(self.spectrum, self.table, tier, side):
                yield self._locks(tier.name, linear)

    def p_value(self, lock: _Lock) -> float:
        """The chance of such a lock among all that were tried so far."""
        return p_value(lock.log_chance, self.maps)

    def located(self, lock: _Lock) -> Located:
        """The refined and snapped map of a lock, with its alternatives."""
        target = objective(lock.found)
        start = np.concatenate([lock.found.linear.ravel(), lock.place])
        score, six = maximise(target, affine, start)
        six[4:] = periods(lock.found, six[4:])
        if len(self.patches) > 1:
            target, six = self._widened(target, score, six)
        edits = self._distinct(snapped(target, (self.width, self.height), six))
        first, *rest = [self._result(each, lock) for each in edits]
        return replace(first, alternatives=tuple(rest))

    @cached_property
    def patches(self) -> list[Patch]:
        """The part that is searched, and smaller ones all over a large picture."""
        result = [self.main]
        if max(self.width, self.height) <= _SEARCHED:
            return result
        wide, high = min(self.width, _REFINED), min(self.height, _REFINED)
        for left in sorted({0, (self.width - wide) // 2, self.width - wide}):
            for top in sorted({0, (self.height - high) // 2, self.height - high}):
                if (2 * left, 2 * top) != (self.width - wide, self.height - high):
                    result.append(patch(self.image, left, top, wide, high))
        return result

    def _widened(
        self, target: Objective, score: float, six: NDArray[np.float64]
    ) -> tuple[Objective, NDArray[np.float64]]:
        """The map refined over the whole of a large picture, unless that finds nothing better."""
        linear = six[:4].reshape(2, 2)
        wide = objective(demodulate(self.patches, self.spectrum, self.table, linear))
        moved = np.concatenate([six[:4], six[4:] + linear @ (wide.centre - target.centre)])
        better, there = maximise(wide, affine, moved)
        return (wide, there) if better > score else (target, six)

    def _locks(self, tier: str, linear: NDArray[np.float64]) -> list[_Lock]:
        """The best places of a map and of the same map turned by 180 degrees."""
        locks = []
        plain = demodulate([self.main], self.spectrum, self.table, linear)
        for found in (plain, plain.turned()):
            for score, place in positions(found, _PLACES):
                locks.append(_Lock(tier, found, place, log_chance(found, score)))
        self.maps += 1
        return sorted(locks, key=lambda each: each.log_chance)

    def _distinct(self, edits: list[Snapped]) -> list[Snapped]:
        chosen: list[Snapped] = []
        for edit in edits:
            if len(chosen) > _ALTERNATIVES:
                break
            if all(self._distance(edit, other) > _APART for other in chosen):
                chosen.append(edit)
        return chosen

    def _distance(self, one: Snapped, other: Snapped) -> float:
        """The largest distance of the two maps at the corners of the frame, original pixels."""
        x, y = self.width - 1, self.height - 1
        corners = np.array([[0, 0], [x, 0], [0, y], [x, y]])
        moved = corners @ (one.linear - other.linear).T + one.origin - other.origin
        return float(np.hypot(*moved.T).max())

    def _result(self, edit: Snapped, lock: _Lock) -> Located:
        forward = np.linalg.inv(edit.linear)
        matrix = np.column_stack([forward, -forward @ edit.origin])
        seconds = time.perf_counter() - self.started
        p = self.p_value(lock)
        return Located(matrix, edit.score, p, edit.model, lock.tier, seconds, p < FOUND)


def _flat(maps: NDArray[np.float64]) -> NDArray[np.float32]:
    return maps.reshape(-1, 4).astype(np.float32)
