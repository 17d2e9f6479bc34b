"""From a received picture to its message: hypotheses, cheap and likely ones first.

The pilot gives maps. For each map the picture is laid on the original's tiles and read; when that
gives no message, the edits that leave the map alone are tried: blur, the filter of a resize, hue,
clipped highlights, small errors of the map. It ends when a message opens or the time is up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import pilot
from morebits.codecs.compact import Opener
from morebits.codecs.keys import Key
from morebits.codecs.robust import aligning, colour, equalising, reading
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.reading import Decoded, Read
from morebits.codecs.robust.rectifying import Rectified, Way, rectify, ways
from morebits.codecs.robust.tiles import TILE

#: A step of the lattice that is no better than this is chance, in standard deviations.
_CHANCE = 3.0
#: One that is better shows that map and filter are right.
_RIGHT = 4.0
#: Rounds in which a map is mended.
_MENDED = 3
#: A step that leaves no doubt.
_PLAIN = 9.0
#: Errors of an angle that are searched, in radians.
_ANGLES = sorted((0.0003 * k for k in range(-8, 9)), key=abs)
#: Hues that are tried, as fractions of the circle.
_HUES = (0.1, -0.1, 0.2, -0.2, 0.05, -0.05, 0.15, -0.15)


@dataclass(frozen=True, eq=False)
class Map:
    """A hypothesis of the geometry: original pixels to received ones, and its name."""

    matrix: NDArray[np.float64]
    model: str
    p_value: float = 1.0


#: What costs least is tried first: nothing was moved.
_UNMOVED = Map(np.eye(2, 3), "identity")


@dataclass(frozen=True, eq=False)
class Attempt:
    """A hypothesis that was read: the edits that it undid, and the reading."""

    map: Map
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

    @property
    def details(self) -> dict[str, Any]:
        """What was undone and how sure that is, in plain numbers and words."""
        if self.best is None:
            return {"seconds": self.seconds}
        return {
            "geometry": self.best.map.model,
            "matrix": self.best.map.matrix.tolist(),
            "undone": self.best.undone,
            "step": self.best.read.step.levels,
            "score": self.best.read.step.score,
            "information": self.best.read.information,
            "seconds": self.seconds,
        }


def decode(image: NDArray[Any], key: Key, *, seconds: float) -> Found:
    """Read a picture (H, W, C) of 8-bit levels."""
    search = _Search(image, key, seconds)
    if search.try_map(_UNMOVED) is not None:
        return Found(search.decoded, search.best, search.tries, search.spent())
    for located in pilot.candidates(image, key, budget_seconds=seconds):
        found = search.try_map(Map(located.matrix, located.model, located.p_value))
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

    def try_map(self, map_: Map) -> Decoded | None:
        """The message under a map, if there is one."""
        for way in ways(map_.matrix):
            self._try_way(map_, way)
            if self.decoded is not None or self.late():
                break
        return self.decoded

    def _try_way(self, map_: Map, way: Way) -> None:
        if way == "nearest":
            map_ = self._turned(map_)
        rectified = rectify(self.plane, self.clipped, map_.matrix, way)
        if rectified is None:
            return
        readings = []
        for undone, filters in self._filters(map_):
            attempt = self._read(map_, way, rectified, undone, filters)
            if self.decoded is not None or self.late():
                return
            if attempt is not None:
                readings.append((attempt.read.step.score, undone, filters, attempt))
        if not readings:
            return
        score, undone, filters, attempt = max(readings, key=lambda each: each[0])
        if score > _RIGHT:
            self._align(attempt, rectified, undone, filters)

    def _turned(self, map_: Map) -> Map:
        """A rotation with its angle made exact by the known numbers: they see less than a pixel."""
        best, top = map_, -np.inf
        for angle in _angles(map_.matrix):
            turned = replace(map_, matrix=_turn(map_.matrix, angle, self.plane.shape))
            rectified = rectify(self.plane, self.clipped, turned.matrix, "nearest")
            if rectified is None:
                continue
            score = rectified.tiles(self.layout).steps()[0].score
            if score > top:
                best, top = turned, score
            if score > _PLAIN or self.late():
                break
        return best

    def _align(self, attempt: Attempt, rectified: Rectified, undone: str, filters: Any) -> None:
        """Mend the map by what was read, and read again."""
        for _ in range(_MENDED):
            origin = rectified.left * TILE, rectified.top * TILE
            map_ = attempt.map
            matrix = aligning.aligned(
                rectified.plane, filters, attempt.read, map_.matrix, origin
            )
            map_ = replace(map_, matrix=matrix)
            again = rectify(self.plane, self.clipped, matrix, attempt.way)
            if again is None:
                return
            better = self._read(map_, attempt.way, again, undone, filters)
            if self.decoded is not None or better is None:
                return
            if better.read.information < attempt.read.information:
                return
            attempt, rectified = better, again

    def _filters(self, map_: Map) -> Iterator[tuple[str, Any]]:
        """Edits that a filter undoes, the likeliest first."""
        across, down = np.hypot(*map_.matrix[:, :2])
        if min(across, down) < 0.98:
            yield "resize", equalising.shrink(down, across)
        else:
            yield "", None
        for sigma in equalising.BLURS:
            yield f"blur {sigma:g}", equalising.blur(sigma)

    def _read(
        self, map_: Map, way: Way, rectified: Rectified, undone: str, filters: Any
    ) -> Attempt | None:
        tiles = rectified.tiles(self.layout, filters)
        step = tiles.steps()[0]
        if step.score < _CHANCE:
            return None
        attempt = Attempt(map_, way, undone, reading.read(tiles, step))
        if self.best is None or step.score > self.best.read.step.score:
            self.best = attempt
        self.tries += len(attempt.read.classes)
        self.decoded = reading.decode(attempt.read, self.opener)
        if self.decoded is not None:
            self.best = attempt
        return attempt


def _angles(matrix: NDArray[np.float64]) -> list[float]:
    """What to turn a rotation by: nothing, to the next whole degree, a little."""
    here = np.degrees(np.arctan2(matrix[1, 0], matrix[0, 0]))
    whole = float(np.radians(np.rint(here) - here))
    near = [whole] if abs(whole) < 0.003 else []
    return [0.0, *near, *_ANGLES[1:]]


def _turn(
    matrix: NDArray[np.float64], angle: float, shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """A map followed by a small rotation about the middle of the received picture."""
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    middle = np.array([shape[1] - 1, shape[0] - 1]) / 2
    return np.column_stack([turn @ matrix[:, :2], turn @ (matrix[:, 2] - middle) + middle])
