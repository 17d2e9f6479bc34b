"""The keyed waves of the pilot: whole numbers only, so that every machine has the same ones.

A wave is a frequency (u, v) in units of 1/18432 cycle per pixel, a phase in units of 1/65536
turn, and a channel. Most frequencies are multiples of 1/2304 cycle per pixel, so that the sum
repeats after 2304 pixels and a search over one period finds the translation; every fifth wave
is off that grid and tells the periods apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.keys import Key, check_key, derive, keystream

#: Arrays of floating-point numbers.
Reals: TypeAlias = NDArray[np.floating[Any]]

#: Frequencies are whole multiples of 1/GRID cycle per pixel, most of them of 1/PERIOD.
GRID, PERIOD = 18432, 2304
#: Phases are whole multiples of 1/TURN of a circle.
TURN = 65536

LUMA, CB = 0, 1

#: Every so many waves, one is not a multiple of 1/PERIOD.
_OFF_GRID = 5
#: No wave this near to an axis, where the edges of photos and of JPEG blocks put their energy.
_AXIS = GRID // 60
#: Least distance of two waves, and of one and the other's mirror images.
_APART = GRID // 110
_SALT = b"morebitspilt"


@dataclass(frozen=True)
class _Band:
    """Some waves of one channel: how many, between which frequencies, with which energy."""

    channel: int
    count: int
    low: int
    high: int
    percent: int


#: Lower luma drowns in texture, higher is lost to blur and resize; Cb is free of texture, and
#: lost to JPEG below quality 70.
_BANDS = (
    _Band(LUMA, 28, GRID * 92 // 1000, GRID * 168 // 1000, 78),
    _Band(CB, 14, GRID * 85 // 1000, GRID * 160 // 1000, 22),
)

#: Waves in all.
COUNT = sum(band.count for band in _BANDS)


@dataclass(frozen=True)
class Waves:
    """The waves of one key, as arrays of `COUNT` whole numbers.

    `frequency` is (COUNT, 2) in 1/GRID cycle per pixel, x before y; `phase` is in 1/TURN turn;
    `percent` is the energy of the wave's band, shared by `among` waves.
    """

    frequency: NDArray[np.int64]
    phase: NDArray[np.int64]
    channel: NDArray[np.int64]
    percent: NDArray[np.int64]
    among: NDArray[np.int64]

    @property
    def cycles(self) -> Reals:
        """Frequencies in cycles per pixel, (COUNT, 2)."""
        return self.frequency / GRID

    @property
    def radians(self) -> Reals:
        """Phases in radians."""
        return self.phase * (2 * np.pi / TURN)

    @property
    def energy(self) -> Reals:
        """The share of each wave in the energy of the pilot; the sum is 1."""
        return self.percent / (100 * self.among)


def waves(key: Key) -> Waves:
    """The waves of a key; the first use of a key takes some 50 ms.

    >>> waves(None).frequency.shape
    (42, 2)
    >>> int((waves(None).frequency % 8 != 0).any(axis=1).sum())
    7
    """
    return _waves(check_key(key))


@lru_cache(maxsize=64)
def _waves(secret: bytes | None) -> Waves:
    numbers = _Numbers(derive(secret, _SALT, b"pilot-waves", 32))
    frequencies: list[tuple[int, int]] = []
    for band in _BANDS:
        for index in range(band.count):
            step = 1 if index % _OFF_GRID == _OFF_GRID - 1 else GRID // PERIOD
            frequencies.append(_frequency(numbers, band, step, frequencies))
    return Waves(
        np.array(frequencies, np.int64),
        np.array([numbers.below(TURN) for _ in frequencies], np.int64),
        np.repeat([band.channel for band in _BANDS], [band.count for band in _BANDS]),
        np.repeat([band.percent for band in _BANDS], [band.count for band in _BANDS]),
        np.repeat([band.count for band in _BANDS], [band.count for band in _BANDS]),
    )


class _Numbers:
    """Whole numbers from a keystream, without end."""

    def __init__(self, key32: bytes):
        stream = keystream(key32, 1 << 16)
        self._words = iter(np.frombuffer(stream, "<u4").tolist())

    def below(self, limit: int) -> int:
        """The next number from 0 to limit - 1; the bias of the remainder does not matter here."""
        return next(self._words) % limit


def _frequency(
    numbers: _Numbers, band: _Band, step: int, taken: list[tuple[int, int]]
) -> tuple[int, int]:
    """A frequency of the band, right half plane, away from the axes and from the others."""
    while True:
        u = numbers.below(band.high // step + 1) * step
        v = (numbers.below(2 * (band.high // step) + 1) - band.high // step) * step
        if step == 1 and u % (GRID // PERIOD) == 0:
            continue
        if not band.low**2 <= u * u + v * v <= band.high**2 or min(u, abs(v)) < _AXIS:
            continue
        # Mirrored and turned maps of the picture must not confuse two waves either.
        folded = sorted((u, abs(v)))
        if all(_distance(folded, sorted((a, abs(b)))) >= _APART**2 // 4 for a, b in taken) and all(
            _distance([u, v], [a, b]) >= _APART**2 for a, b in taken
        ):
            return u, v


def _distance(one: list[int], other: list[int]) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
