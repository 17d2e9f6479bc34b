"""From a free affine map to the simplest edit that explains the picture as well.

A free fit has six numbers and an error of some tenths of a pixel at the corners; a whole
picture turned by an angle has one number, a crop two whole ones. Every edit is fitted on its
own, and the best is the one with the highest log-likelihood after a price for each number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from morebits.codecs.pilot.refining import Family, Objective, affine, maximise
from morebits.codecs.pilot.waves import Reals

#: Log-likelihood that one free number must bring.
_PRICE = 8.0
#: How far a map may be from an axis-parallel one (radians) to be tried as such.
_UPRIGHT = 0.03
#: Original sizes to try on either side of the most likely one.
_NEAR = 2


@dataclass(frozen=True)
class Snapped:
    """An edit: its name, p = linear · q + origin, its score and its log-likelihood less price."""

    model: str
    linear: Reals
    origin: Reals
    score: float
    merit: float


def snapped(target: Objective, size: tuple[int, int], six: Reals) -> list[Snapped]:
    """Every edit that may explain the picture of `size` (width, height), the best one first."""
    best, six = maximise(target, affine, six)
    edits = _Edits(target, size, six, max(best, 1.0))
    everything = [*edits.whole(), *edits.cropped(), *edits.turned(), *edits.free()]
    return sorted(everything, key=lambda each: -each.merit)


def orientations() -> Reals:
    """The eight flips and quarter turns, (8, 2, 2)."""
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    turns = [np.linalg.matrix_power(turn, n) for n in range(4)]
    return np.array([each @ flip for flip in (np.eye(2), np.diag([-1.0, 1.0])) for each in turns])


@dataclass(frozen=True)
class _Edits:
    """The families of edits near a free fit."""

    target: Objective
    size: tuple[int, int]
    six: Reals
    best: float

    @property
    def linear(self) -> Reals:
        return self.six[:4].reshape(2, 2)

    @property
    def middle(self) -> Reals:
        """Centre of the received frame."""
        return (np.array(self.size) - 1) / 2

    def whole(self) -> Iterator[Snapped]:
        """The whole frame: untouched, flipped, turned, or resized from a whole number of pixels."""
        upright = self._upright()
        if upright is None:
            return
        shown = np.abs(upright) @ np.array(self.size, np.float64)
        width, height = shown * self._scales(upright)
        for wide in _around(width):
            for high in _around(height):
                same = (wide, high) == tuple(shown)
                original = np.array([wide, high], np.float64)
                linear = np.diag(original / shown) @ upright
                six = self._six(linear, (original - 1) / 2 - linear @ self.middle)
                name = _still(upright) if same else "resize"
                yield self._edit(name, 0.0 if same else 1.0, six)

    def cropped(self) -> Iterator[Snapped]:
        """A part of the frame, flipped or turned or not, or of the resized frame."""
        upright = self._upright()
        if upright is None:
            return
        scales = self._scales(upright)
        if np.abs(scales - 1).max() < 0.02:
            fixed = upright.ravel()
            _, place = maximise(self.target, lambda x: np.concatenate([fixed, x]), self.six[4:])
            origin = np.rint(place - upright @ self.target.centre)
            yield self._edit("crop", 1.0, self._six(upright, origin))

        def scaled(x: Reals) -> Reals:
            return np.concatenate([(np.diag(x[:2]) @ upright).ravel(), x[2:]])

        yield from self._family("scale", 4, scaled, np.concatenate([scales, self.six[4:]]))

        def alike(x: Reals) -> Reals:
            return np.concatenate([(x[0] * upright).ravel(), x[1:]])

        even = np.concatenate([[scales.mean()], self.six[4:]])
        yield from self._family("even scale", 3, alike, even)
        if np.array_equal(upright, np.eye(2)):
            yield from self._resized_and_cropped(scales)

    def _resized_and_cropped(self, scales: Reals) -> Iterator[Snapped]:
        """A crop at whole pixels of the resized frame: p = (q + corner + 1/2) scale - 1/2."""
        origin = self.six[4:] - self.linear @ self.target.centre
        x, y = np.floor((origin + 0.5) / scales - 0.5)
        for corner in np.array([(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]) + 0.5:

            def part(each: Reals, corner: Reals = corner) -> Reals:
                return self._six(np.diag(each), corner * each - 0.5)

            middle = self.target.centre + corner
            if (middle < 0.5).any():  # it lies outside the frame: no crop of it
                continue
            # The scales that keep the middle where the free fit has it.
            start = (self.six[4:] + 0.5) / middle
            yield from self._family("resize and crop", 2, part, start)

    def turned(self) -> Iterator[Snapped]:
        """Turned about the centre on the same canvas, then perhaps resized, cropped or both."""
        angle, flip, scale = _polar(self.linear)
        middle = self.middle

        def turn(x: Reals) -> Reals:
            linear = _rotation(x[0]) @ flip
            return self._six(linear, middle - linear @ middle)

        def rigid(x: Reals) -> Reals:
            return np.concatenate([(_rotation(x[0]) @ flip).ravel(), x[1:]])

        def similar(x: Reals) -> Reals:
            return np.concatenate([(x[1] * _rotation(x[0]) @ flip).ravel(), x[2:]])

        if abs(scale - 1) < 0.02:
            yield from self._family("rotation", 1, turn, np.array([angle]))
            yield from self._family("rotation and crop", 3, rigid, np.array([angle, *self.six[4:]]))
        yield from self._turned_and_resized(angle, flip, scale)
        yield from self._family("similarity", 4, similar, np.array([angle, scale, *self.six[4:]]))

    def _turned_and_resized(self, angle: float, flip: Reals, scale: float) -> Iterator[Snapped]:
        """Turned on a canvas of whole pixels, and that resized to the received frame."""
        size = np.array(self.size, np.float64)

        def resized(x: Reals) -> Reals:
            linear = _rotation(x[0]) @ flip @ np.diag(x[1:] / size)
            return self._six(linear, (x[1:] - 1) / 2 - linear @ self.middle)

        _, (angle, *sides) = maximise(self.target, resized, np.array([angle, *(scale * size)]))
        for wide in _around(sides[0]):
            for high in _around(sides[1]):
                six = resized(np.array([angle, wide, high]))
                yield self._edit("rotation and resize", 2.0, six)

    def free(self) -> Iterator[Snapped]:
        """The free fit itself."""
        yield self._edit("affine", 6.0, self.six)

    def _family(self, name: str, numbers: float, family: Family, start: Reals) -> Iterator[Snapped]:
        _, best = maximise(self.target, family, start)
        yield self._edit(name, numbers, family(best))

    def _edit(self, name: str, numbers: float, six: Reals) -> Snapped:
        score = self.target.score(six)
        linear = six[:4].reshape(2, 2)
        merit = score * self.best - _PRICE * numbers
        return Snapped(name, linear, six[4:] - linear @ self.target.centre, score, merit)

    def _six(self, linear: Reals, origin: Reals) -> Reals:
        return np.concatenate([linear.ravel(), linear @ self.target.centre + origin])

    def _upright(self) -> Reals | None:
        """The flip or quarter turn that the map nearly is, but for its scales."""
        normal = self.linear / np.linalg.norm(self.linear, axis=1, keepdims=True)
        nearest = min(orientations(), key=lambda each: float(np.abs(each - normal).max()))
        return nearest if np.abs(nearest - normal).max() < _UPRIGHT else None

    def _scales(self, upright: Reals) -> Reals:
        """Original pixels for one received pixel, along x and y of the original."""
        return np.array((self.linear * upright).sum(axis=1))


def _around(length: float) -> range:
    nearest = round(length)
    return range(max(1, nearest - _NEAR), nearest + _NEAR + 1)


def _still(upright: Reals) -> str:
    if np.array_equal(upright, np.eye(2)):
        return "identity"
    return "turn" if np.linalg.det(upright) > 0 else "flip"


def _polar(linear: Reals) -> tuple[float, Reals, float]:
    """Angle, flip (of x, or none) and scale of the nearest similarity: scale · R(angle) · flip."""
    flip = np.eye(2) if np.linalg.det(linear) > 0 else np.diag([-1.0, 1.0])
    plain = linear @ flip
    angle = math.atan2(plain[1, 0] - plain[0, 1], plain[0, 0] + plain[1, 1])
    return angle, flip, math.sqrt(abs(np.linalg.det(linear)))


def _rotation(angle: float) -> Reals:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, -sin], [sin, cos]])
