"""Filters that undo blur and the smoothing of a resize.

Each is a pair of short symmetric kernels, vertical and horizontal: the inverse of what the edit
did to each frequency, held down where hardly anything is left, and above the tiles' band.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Filters = tuple[NDArray[np.float32], NDArray[np.float32]]

#: Deviations in pixels of the blurs that are tried.
BLURS = (0.8, 1.1, 1.7, 2.3, 2.9)
#: Taps on each side, and cycles a pixel between which the filter ends.
_REACH, _ENDS = 34, (0.18, 0.32)
#: What is left of a frequency below which its inverse is held down, squared.
_FLOOR = 0.0005


def blur(sigma: float) -> Filters:
    """Against a Gaussian blur of so many pixels."""
    kernel = _gaussian(round(sigma, 3))
    return kernel, kernel


def shrink(down: float, across: float) -> Filters:
    """Against the triangle filter of an antialiased resize to these ratios (below 1)."""
    return _triangle(round(min(down, 1.0), 3)), _triangle(round(min(across, 1.0), 3))


@lru_cache(maxsize=64)
def _gaussian(sigma: float) -> NDArray[np.float32]:
    return _inverse(np.exp(-2 * (np.pi * sigma * _frequencies()) ** 2))


@lru_cache(maxsize=64)
def _triangle(ratio: float) -> NDArray[np.float32]:
    if ratio > 0.98:
        return np.ones(1, np.float32)
    return _inverse(np.sinc(_frequencies() / ratio) ** 2)


def _frequencies() -> NDArray[np.float64]:
    return np.arange(257) / 512


def _inverse(left: NDArray[np.float64]) -> NDArray[np.float32]:
    """The kernel for what is left of each frequency."""
    gain = left / (left**2 + _FLOOR)
    low, high = _ENDS
    fade = np.clip((high - _frequencies()) / (high - low), 0, 1)
    gain *= fade * fade * (3 - 2 * fade)
    taps = np.fft.irfft(gain)
    taps = np.concatenate([taps[-_REACH:], taps[: _REACH + 1]])
    taps *= np.hanning(2 * _REACH + 3)[1:-1] ** 0.25
    return (taps / taps.sum()).astype(np.float32)
