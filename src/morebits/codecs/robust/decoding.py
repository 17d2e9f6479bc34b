"""From a received picture to its message: hypotheses, cheap and likely ones first.

The pilot gives maps. For each map the picture is laid on the original's tiles and read; when that
gives no message, the edits that leave the map alone are tried: blur, the filter of a resize, hue,
speckles, clipped highlights, small errors of the map. It ends when a message opens or the time is
up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import pilot
from morebits.codecs.compact import Opener
from morebits.codecs.compiled import clock
from morebits.codecs.keys import Key
from morebits.codecs.robust import (
    aligning,
    careful,
    colour,
    cutting,
    equalising,
    reading,
    scaling,
    turning,
)
from morebits.codecs.robust.attempts import RIGHT, Attempt, Found, Map
from morebits.codecs.robust.equalising import Equaliser
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.looks import Looks
from morebits.codecs.robust.reading import Decoded, Read
from morebits.codecs.robust.rectifying import Rectified, Way, rectify, ways
from morebits.codecs.robust.tiles import TILE

#: A step of the lattice that is no better than this is chance, in standard deviations.
_CHANCE = 3.8
#: Rounds in which a map is mended.
_MENDED = 3
#: A step that leaves no doubt.
_PLAIN = 9.0
#: A map with a smaller p-value is beyond doubt: the first one is tried with all edits.
_SURE = 1e-6
#: A map with a larger one is given up when it shows nothing as it is.
_DOUBTFUL = 1e-4
#: Of pictures with at most so many pixels so many crops that the pilot cannot tell from chance are
#: looked at, and so many are tried; larger ones have pilot enough.
_SMALL, _SUSPECTED, _CROPS = 160_000, 200, 4
#: Where none of them is right every place near the origin is looked at that the pilot likes better
#: than most: so many, and fewer the more tiles there are, since each costs as many looks.
_PLACES, _TILE_LOOKS = 32_000, 3_000_000
#: Their known numbers agree at least so well, in standard deviations; the best of chance has 5.
_LIKELY = 4.8
#: Sizes of the original and turns that are looked at where the pilot is not sure, and how many of
#: each are tried.
_SIZES, _TURNS, _LIKELIEST = 48, 60, 2
#: Known numbers that agree better than this, in standard deviations, leave no doubt of a place: of
#: all that are looked at hardly one does by chance.
_CERTAIN = 6.0
#: Pixels up to which clipped channels are rebuilt on a guess, JPEG is undone with a rotation, and
#: turns are looked for without the pilot.
_MEDIUM = 1_500_000
#: Share of clipped pixels from which on they are rebuilt, and scale from which on a picture was
#: not made smaller.
_CLIPPED, _SHRUNK = 0.003, 0.98
#: Two maps that are closer are the same.
_SAME = 1e-6
#: Tiles a side of the part of a large picture that is read first.
_WINDOW = 48
#: Errors of an angle that are searched, in radians: when it seems wrong, and by how much a right
#: one is turned while it gets better.
_ANGLES = tuple(0.0003 * k for k in range(-8, 9) if k)
_FINER = (0.0003, 0.0001)
#: Hues that are tried, as fractions of the circle.
_HUES = (0.1, -0.1, 0.2, -0.2, 0.05, -0.05, 0.15, -0.15)


#: What costs least is tried first: nothing was moved.
_UNMOVED = Map(np.eye(2, 3), "identity")


def decode(image: NDArray[Any], key: Key, *, seconds: float) -> Found:
    """Read a picture (H, W, C) of 8-bit levels."""
    search = _Search(image, key, seconds)
    if not any(search.try_map(each) for each in _maps(image, key, seconds)):
        search.try_again()
    return Found(search.decoded, search.best, search.tries, search.spent())


def _maps(image: NDArray[Any], key: Key, seconds: float) -> Iterator[Map]:
    """Maps worth trying, the cheapest first: none, small parts whose tiles leave no doubt of their
    place, what the pilot finds, sizes and turns that it missed, parts whose place it only suspects,
    and parts anywhere near the origin.
    """
    yield _UNMOVED
    pixels = image.shape[0] * image.shape[1]
    plane, layout, suspects = colour.luma(image), Layout.of(key), pilot.Suspects(image, key)
    part = cutting.Part(plane, layout)
    if pixels <= _SMALL:
        yield from map(_cut, part.likeliest(suspects.crops(_SUSPECTED // 2), _CROPS, _CERTAIN))
    for located in pilot.candidates(image, key, budget_seconds=seconds):
        yield Map(located.matrix.astype(np.float64), located.model, located.p_value)
    if pixels <= _MEDIUM:
        sizes = suspects.sizes(_SIZES)
        for matrix in scaling.likeliest(plane, layout, sizes, _LIKELIEST, RIGHT):
            yield Map(matrix, "resize")
        turns = suspects.turns(turning.DEGREES, _TURNS)
        for matrix in turning.likeliest(plane, layout, turns, _LIKELIEST, RIGHT):
            yield Map(matrix, "rotation")
    if pixels <= _SMALL:
        yield from map(_cut, part.likeliest(suspects.crops(_SUSPECTED), _CROPS))
        places = suspects.places(min(_PLACES, _TILE_LOOKS // max(1, pixels // TILE**2)))
        yield from map(_cut, part.likeliest(places, _CROPS, _LIKELY))


def _cut(offset: NDArray[np.int64]) -> Map:
    return Map(np.column_stack([np.eye(2), -offset.astype(np.float64)]), "crop")


class _Search:
    """One picture, one key; what it found so far."""

    def __init__(self, image: NDArray[Any], key: Key, seconds: float) -> None:
        self.image, self.layout, self.opener = image, Layout.of(key), Opener(key)
        self.started, self.seconds = clock(), seconds
        self.decoded: Decoded | None = None
        self.best: Attempt | None = None
        self.tries = 0
        self._looks = Looks(image)
        self._last: tuple[Any, Rectified | None] | None = None
        self._sure = False  # whether the first map beyond doubt was tried with all edits
        self._later: list[Map] = []  # maps that showed nothing as they are
        self._patient = False  # whether these are tried now

    def spent(self) -> float:
        """Seconds since the start."""
        return clock() - self.started

    def over(self) -> bool:
        """Whether a message was found, or the time is up."""
        return self.decoded is not None or self.spent() > self.seconds

    def try_map(self, map_: Map) -> bool:
        """Whether the search is over after all that can be tried under a map."""
        for way in ways(map_.matrix):
            doubtful = map_ is not _UNMOVED and map_.p_value > _DOUBTFUL
            exact = way == "nearest" and (not doubtful or self._at(map_, 0.0)[0] > RIGHT)
            here = self._turned(map_) if exact else map_
            attempts: list[Attempt] = []
            for look, undone, equaliser in self._edits(here):
                attempt = self._try(here, way, look, undone, equaliser)
                if attempt is not None and way == "nearest" and not undone:
                    self._unpress(attempt)
                if self.over():
                    return True
                if attempt is not None and attempt.shows:
                    attempts.append(attempt)
                elif doubtful:
                    return False
                elif not undone and map_ is not _UNMOVED and not self._patient:
                    # Even a map beyond doubt may be wrong; others may show something at once.
                    if map_ not in self._later:
                        self._later.append(map_)
                    break
            best = max(attempts, key=lambda each: each.read.step.score, default=None)
            if best is not None:
                best = self._uncut(best)
                # A place that was chosen among thousands shows something by chance.
                plain = _CERTAIN if doubtful and way == "copied" else RIGHT
                if best.read.step.score > plain and not self.over():
                    self._align(best)
            if self.over():
                return True
        return False

    def try_again(self) -> None:
        """Maps that showed nothing as they are, now with all edits; and hues of what stayed."""
        self._patient = True
        any(self.try_map(each) for each in (*self._later, _UNMOVED))

    def _edits(self, map_: Map) -> Iterator[tuple[str, str, Equaliser | None]]:
        """Edits beside a map, the likeliest first: the look, a name, and an equaliser."""
        across, down = np.hypot(*map_.matrix[:, :2])
        shrunk = min(across, down) < _SHRUNK
        plain = equalising.shrink(down, across) if shrunk else None
        colours = self.image.shape[2] == 3
        moved = np.abs(map_.matrix - _UNMOVED.matrix).max() > _SAME
        sure = map_.p_value < _SURE and not self._sure
        first = map_ is _UNMOVED and not self._patient
        again = map_ is _UNMOVED and self._patient and not self._sure
        if moved or first:
            yield "", "", plain
            if self._looks.clean is not None:
                yield "clean", "speckles", plain
            if colours and self._clipping(map_):
                yield "restored", "clipping", plain
        if (sure or again) and colours:
            for turn in _HUES:
                yield f"hue {turn:g}", f"hue {turn:g}", plain
        if first or (sure and moved):
            for sigma in equalising.BLURS:
                yield "", f"blur {sigma:g}", equalising.blur(sigma)
        self._sure = self._sure or sure

    def _clipping(self, map_: Map) -> bool:
        """Whether clipped channels are worth rebuilding: in large pictures for good maps only."""
        if self._looks.of("").clipped.mean() <= _CLIPPED:
            return False
        return map_.p_value < _SURE or self.image.shape[0] * self.image.shape[1] <= _MEDIUM

    def _try(
        self, map_: Map, way: Way, look: str, undone: str, equaliser: Equaliser | None,
        most: int | None = _WINDOW,
    ) -> Attempt | None:  # fmt: skip
        """Read the picture under one hypothesis; None when what it shows is chance.

        The middle of a large picture is read first, all of it only when that shows something.
        """
        rectified = self._rectified(map_, way, look, most)
        if rectified is None:
            return None
        tiles = rectified.tiles(self.layout, equaliser)
        step = tiles.step()
        if step.score < _CHANCE:
            return None
        read = reading.read(tiles, step)
        seen = self._looks.of(look)
        attempt = Attempt(map_, way, look, undone, equaliser, seen, rectified, read)
        if self.best is None or step.score > self.best.read.step.score:
            self.best = attempt
        self._decode([read])
        right = step.score > RIGHT
        if self.decoded is None and right and not rectified.whole:
            return self._try(map_, way, look, undone, equaliser, None)
        if self.decoded is None and right:
            read = careful.reread(read, rectified)
            self._decode([read])
        if self.decoded is None and right and attempt.tints:
            self._decode([read, *attempt.tints])
        if self.decoded is not None:
            self.best = attempt
        return attempt

    def _decode(self, layers: list[Read]) -> None:
        """What the code makes of some layers."""
        self.tries += reading.MOST_TRIES
        self.decoded = reading.decode(layers, self.opener)

    def _rectified(self, map_: Map, way: Way, look: str, most: int | None) -> Rectified | None:
        """A look of the picture on the original's tiles; edits that only filter share it."""
        wanted = (map_, way, look, most)
        if self._last is None or self._last[0] != wanted:
            seen = self._looks.of(look)
            quality = seen.quality if way == "unpressed" else None
            found = rectify(seen.plane, seen.clipped, map_.matrix, way, most, quality=quality)
            self._last = wanted, found
        return self._last[1]

    def _turned(self, map_: Map) -> Map:
        """A rotation with its angle made exact by the known numbers: they see less than a pixel.

        People turn by whole degrees, so these come first.
        """
        best = max((self._at(map_, angle) for angle in _first(map_.matrix)), key=_score)
        if best[0] < RIGHT:
            best = max((best, *(self._at(map_, angle) for angle in _ANGLES)), key=_score)
        for angle in _FINER if best[0] < _PLAIN else _FINER[1:]:
            while not self.over():
                beside = max((self._at(best[1], turn) for turn in (-angle, angle)), key=_score)
                if beside[0] <= best[0]:
                    break
                best = beside
        return best[1]

    def _at(self, map_: Map, angle: float) -> tuple[float, Map]:
        """How well the known numbers agree when a map is turned a little further, and that map."""
        turned = map_
        if angle:
            turned = replace(map_, matrix=_turn(map_.matrix, angle, self.image.shape))
        rectified = None if self.over() else self._rectified(turned, "nearest", "", _WINDOW)
        if rectified is None:
            return -np.inf, turned
        return rectified.tiles(self.layout).step().score, turned

    def _unpress(self, attempt: Attempt) -> None:
        """Read a rotation that is right again, undoing JPEG together with it."""
        right = attempt.read.step.score > RIGHT and not self.over()
        medium = attempt.seen.plane.size <= _MEDIUM
        if right and medium and attempt.seen.quality is not None:
            self._try(attempt.map, "unpressed", attempt.look, attempt.undone, attempt.equaliser)

    def _uncut(self, attempt: Attempt) -> Attempt:
        """Of a blur that shows, the better of the attempts with its kernel cut and not cut."""
        uncut = attempt.equaliser.uncut if attempt.equaliser else None
        if uncut is None:
            return attempt
        other = self._try(attempt.map, attempt.way, attempt.look, attempt.undone, uncut)
        if other is None or other.read.information < attempt.read.information:
            return attempt
        return other

    def _align(self, attempt: Attempt) -> None:
        """Mend the map by what was read, and read again, while that gets better."""
        for _ in range(_MENDED):
            rectified, map_ = attempt.rectified, attempt.map
            origin = rectified.left * TILE, rectified.top * TILE
            matrix = aligning.aligned(
                rectified.plane, attempt.equaliser, attempt.read, map_.matrix, origin
            )
            better = self._try(
                replace(map_, matrix=matrix), attempt.way, attempt.look, attempt.undone,
                attempt.equaliser,
            )  # fmt: skip
            if self.over() or better is None:
                return
            if better.read.information < attempt.read.information:
                return
            attempt = better


def _first(matrix: NDArray[np.float64]) -> list[float]:
    """What to turn a rotation by at first: nothing, and to the next whole degree."""
    here = np.degrees(np.arctan2(matrix[1, 0], matrix[0, 0]))
    whole = float(np.radians(np.rint(here) - here))
    return [0.0, whole] if abs(whole) < 0.003 else [0.0]


def _score(found: tuple[float, Map]) -> float:
    return found[0]


def _turn(matrix: NDArray[np.float64], angle: float, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """A map followed by a small rotation about the middle of the received picture."""
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    middle = np.array([shape[1] - 1, shape[0] - 1]) / 2
    return np.column_stack([turn @ matrix[:, :2], turn @ (matrix[:, 2] - middle) + middle])
