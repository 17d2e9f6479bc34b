"""The search for the pilot: from a received picture to maps, the most plausible first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.keys import Key
from morebits.codecs.pilot.adding import rgb
from morebits.codecs.pilot.coherent import Demodulated, demodulate, positions
from morebits.codecs.pilot.located import Located
from morebits.codecs.pilot.refining import affine, maximise, objective
from morebits.codecs.pilot.snapping import Snapped, snapped
from morebits.codecs.pilot.spectrum import Spectrum, scores, spectrum
from morebits.codecs.pilot.tiers import TIERS, UPRIGHT, best
from morebits.codecs.pilot.waves import Waves, waves
from morebits.codecs.pilot.whitening import Patch, patch

#: Scores (standard deviations) beyond doubt, and worth a second look.
SURE, PLAUSIBLE = 9.0, 5.0
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
    for lock in search.locks():
        if lock.score >= SURE:
            found = search.located(lock)
            yield found
            yield from found.alternatives
        elif lock.score >= PLAUSIBLE:
            doubtful.append(lock)
    for lock in sorted(doubtful, key=lambda each: -each.score)[:4]:
        found = search.located(lock)
        yield found
        yield from found.alternatives


def presence(image: object, key: Key, matrix: NDArray[np.float64]) -> float:
    """The score of a known map, in standard deviations: above 6 the pilot is there.

    `matrix` (2, 3) takes original pixels to those of the picture, as in `Located`.
    """
    search = _Search(rgb(image), waves(key), 0.0, 0.0)
    linear = np.linalg.inv(np.asarray(matrix, np.float64)[:, :2])
    target = objective(demodulate(search.main, search.spectrum, search.table, linear))
    origin = -linear @ np.asarray(matrix, np.float64)[:, 2]
    return target.score(np.concatenate([linear.ravel(), linear @ target.centre + origin]))


@dataclass(frozen=True)
class _Lock:
    """A map before it is refined: the waves under it, and the place of the patch's centre."""

    tier: str
    found: Demodulated
    place: NDArray[np.float64]
    score: float


class _Search:
    """One picture, one key."""

    def __init__(
        self, image: NDArray[np.float32], table: Waves, started: float, budget: float
    ) -> None:
        self.image, self.table, self.started, self.budget = image, table, started, budget
        self.height, self.width = image.shape[:2]
        wide, high = min(self.width, _SEARCHED), min(self.height, _SEARCHED)
        left, top = (self.width - wide) // 2, (self.height - high) // 2
        self.main: list[Patch] = [patch(image, left, top, wide, high)]
        self.spectrum: Spectrum = spectrum(self.main[0])

    def locks(self) -> Iterator[_Lock]:
        """Maps with their scores, tier after tier while the time lasts."""
        order = np.argsort(-scores(self.spectrum, self.table, _flat(UPRIGHT)))
        for index in order:
            yield self._lock("upright", UPRIGHT[index].T)
        for tier in TIERS:
            if time.perf_counter() - self.started > self.budget:
                return
            side = max(self.main[0].planes.shape[1:])
            for _, linear in best(self.spectrum, self.table, tier, side):
                yield self._lock(tier.name, linear)

    def _lock(self, tier: str, linear: NDArray[np.float64]) -> _Lock:
        """The better one of a map and the same map turned by 180 degrees."""
        locks = []
        plain = demodulate(self.main, self.spectrum, self.table, linear)
        for found in (plain, plain.turned()):
            score, place = positions(found, self.main[0].centre, 4)[0]
            locks.append(_Lock(tier, found, place, score))
        return max(locks, key=lambda each: each.score)

    def located(self, lock: _Lock) -> Located:
        """The refined and snapped map of a lock, with its alternatives."""
        target = objective(lock.found)
        shift = lock.found.linear @ (target.centre - self.main[0].centre)
        start = np.concatenate([lock.found.linear.ravel(), lock.place + shift])
        _, six = maximise(target, affine, start)
        edits = self._distinct(snapped(target, (self.width, self.height), six))
        first, *rest = [self._result(each, lock.tier) for each in edits]
        return replace(first, alternatives=tuple(rest))

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

    def _result(self, edit: Snapped, tier: str) -> Located:
        forward = np.linalg.inv(edit.linear)
        matrix = np.column_stack([forward, -forward @ edit.origin])
        seconds = time.perf_counter() - self.started
        return Located(matrix, edit.score, 0.0, edit.model, tier, seconds, edit.score > 6)


def _flat(maps: NDArray[np.float64]) -> NDArray[np.float32]:
    return maps.reshape(-1, 4).astype(np.float32)
