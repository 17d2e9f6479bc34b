"""Filters that undo blur and the smoothing of a resize.

Each is a pair of short symmetric kernels, vertical and horizontal: the inverse of what the edit
did to each frequency, held down where hardly anything is left, and above the tiles' band. How far
it is held down depends on the tile: in a calm one the noise of rounding is the greater evil, in a
busy one what the kernel leaves of the blur.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import lattice, tiles

Filters = tuple[NDArray[np.float32], NDArray[np.float32]]
#: One pair for calm tiles, one for usual ones, one for busy ones.
Equaliser = tuple[Filters, ...]

#: Deviations in pixels of the blurs that are tried.
BLURS = (0.8, 1.1, 1.7, 2.3, 2.9)
#: Taps on each side, and cycles a pixel between which the filter ends.
_REACH, _ENDS = 34, (0.18, 0.32)
#: What is left of a frequency below which its inverse is held down, squared: in calm, usual and
#: busy tiles, and the activities between them, in levels.
_FLOORS = (0.0015, 0.0005, 0.00015)
_ACTIVITIES = (16.0, 50.0)
USUAL = 1


def blur(sigma: float) -> Equaliser:
    """Against a Gaussian blur of so many pixels."""
    kernels = [_gaussian(round(sigma, 3), floor) for floor in _FLOORS]
    return tuple((kernel, kernel) for kernel in kernels)


def shrink(down: float, across: float) -> Equaliser:
    """Against the triangle filter of an antialiased resize to these ratios (below 1)."""
    ratios = round(min(down, 1.0), 3), round(min(across, 1.0), 3)
    return tuple((_triangle(ratios[0], floor), _triangle(ratios[1], floor)) for floor in _FLOORS)


def analyse(plane: tiles.Plane, equaliser: Equaliser | None) -> tiles.Plane:
    """The numbers of all tiles of a plane, as `tiles.analyse`, with an edit undone."""
    if equaliser is None:
        return tiles.analyse(plane)
    usual = tiles.analyse(plane, equaliser[USUAL])
    kinds = np.digitize(lattice.activity(usual), _ACTIVITIES)
    for kind, filters in enumerate(equaliser):
        if kind != USUAL and (part := kinds == kind).any():
            usual[part] = tiles.analyse(plane, filters)[part]
    return usual


@lru_cache(maxsize=64)
def _gaussian(sigma: float, floor: float) -> NDArray[np.float32]:
    return _inverse(np.exp(-2 * (np.pi * sigma * _frequencies()) ** 2), floor)


@lru_cache(maxsize=64)
def _triangle(ratio: float, floor: float) -> NDArray[np.float32]:
    if ratio > 0.98:
        return np.ones(1, np.float32)
    return _inverse(np.sinc(_frequencies() / ratio) ** 2, floor)


def _frequencies() -> NDArray[np.float64]:
    return np.arange(257) / 512


def _inverse(left: NDArray[np.float64], floor: float) -> NDArray[np.float32]:
    """The kernel for what is left of each frequency."""
    gain = left / (left**2 + floor)
    low, high = _ENDS
    fade = np.clip((high - _frequencies()) / (high - low), 0, 1)
    gain *= fade * fade * (3 - 2 * fade)
    taps = np.fft.irfft(gain)
    taps = np.concatenate([taps[-_REACH:], taps[: _REACH + 1]])
    taps *= np.hanning(2 * _REACH + 3)[1:-1] ** 0.25
    return (taps / taps.sum()).astype(np.float32)
