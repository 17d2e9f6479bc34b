"""From a received picture to its message: hypotheses, cheap and likely ones first.

The pilot gives maps. For each map the picture is laid on the original's tiles and read; when that
gives no message, the edits that leave the map alone are tried: blur, the filter of a resize, hue,
clipped highlights, small errors of the map. It ends when a message opens or the time is up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import pilot
from morebits.codecs.compact import Opener
from morebits.codecs.keys import Key
from morebits.codecs.pilot import Located
from morebits.codecs.robust import colour, equalising, reading
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.reading import Decoded, Read
from morebits.codecs.robust.rectifying import Rectified, Way, rectify, ways

#: A step of the lattice that is no better than this is chance, in standard deviations.
_CHANCE = 3.0
#: One that is better shows that map and filter are right.
_RIGHT = 6.0
#: Hues that are tried, as fractions of the circle.
_HUES = (0.1, -0.1, 0.2, -0.2, 0.05, -0.05, 0.15, -0.15)


@dataclass(frozen=True, eq=False)
class Attempt:
    """A hypothesis that was read: the edits that it undid, and the reading."""

    located: Located
    way: Way
    undone: str
    read: Read = field(repr=False)


@dataclass(frozen=True, eq=False)
class Found:
    """What `decode` found: the message (None: nothing), and the attempt with the best score."""

    decoded: Decoded | None
    best: Attempt | None
    tries: int
    seconds: float


def decode(image: NDArray[Any], key: Key, *, seconds: float) -> Found:
    """Read a picture (H, W, C) of 8-bit levels."""
    search = _Search(image, key, seconds)
    for located in pilot.candidates(image, key, budget_seconds=seconds):
        found = search.try_map(located)
        if found is not None or search.late():
            break
    return Found(search.decoded, search.best, search.tries, search.spent())


class _Search:
    """One picture, one key; what it found so far."""

    def __init__(self, image: NDArray[Any], key: Key, seconds: float) -> None:
        self.image, self.layout, self.opener = image, Layout.of(key), Opener(key)
        self.started, self.seconds = time.perf_counter(), seconds
        self.plane = colour.luma(image)
        self.clipped = colour.clipped(image)
        self.decoded: Decoded | None = None
        self.best: Attempt | None = None
        self.tries = 0

    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    def late(self) -> bool:
        """Whether the time is up."""
        return self.spent() > self.seconds

    def try_map(self, located: Located) -> Decoded | None:
        """The message under a map, if there is one."""
        for way in ways(located.matrix):
            rectified = rectify(self.plane, self.clipped, located.matrix, way)
            if rectified is None:
                continue
            for undone, filters in self._filters(located):
                self._read(located, way, rectified, undone, filters)
                if self.decoded is not None or self.late():
                    return self.decoded
        return None

    def _filters(self, located: Located) -> Iterator[tuple[str, Any]]:
        """Edits that a filter undoes, the likeliest first."""
        across, down = np.hypot(*located.matrix[:, :2])
        if min(across, down) < 0.98:
            yield "resize", equalising.shrink(down, across)
        else:
            yield "", None
        for sigma in equalising.BLURS:
            yield f"blur {sigma:g}", equalising.blur(sigma)

    def _read(
        self, located: Located, way: Way, rectified: Rectified, undone: str, filters: Any
    ) -> None:
        tiles = rectified.tiles(self.layout, filters)
        step = tiles.steps()[0]
        if step.score < _CHANCE:
            return
        attempt = Attempt(located, way, undone, reading.read(tiles, step))
        if self.best is None or step.score > self.best.read.step.score:
            self.best = attempt
        self.tries += len(attempt.read.classes)
        self.decoded = reading.decode(attempt.read, self.opener)
