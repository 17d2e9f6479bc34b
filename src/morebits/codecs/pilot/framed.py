"""Whole pictures whose pilot is too faint to lock on: made smaller or larger, or turned.

Where nothing was cut off, the middle of the picture is the middle of the original. Then nothing
but a size or an angle is unknown, and the waves may be added up in phase for each of some thousand
of them: far fewer than there are places, so that a fainter pilot stands out.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from morebits.codecs.pilot.spectrum import HIGHEST, LOWEST
from morebits.codecs.pilot.view import View
from morebits.codecs.pilot.waves import Reals

#: How much smaller and larger than the picture the original may have been.
_SMALLEST, _LARGEST = 0.6, 3.3
#: Bins of the spectrum for a pixel, so that none is far from a wave.
_FINER = 2


def sizes(size: tuple[int, int]) -> NDArray[np.int64]:
    """Sizes (width, height) that the original of a picture of some size may have, (sizes, 2).

    >>> bool((sizes((454, 340)) == (640, 480)).all(axis=1).any())  # 71 %
    True
    """
    short, long = sorted(size)
    longer = np.arange(max(1, round(_SMALLEST * long)), round(_LARGEST * long) + 1)
    alike = np.rint(longer * (short / long)).astype(np.int64)
    # Sides were cut to whole pixels, each of which is so many of the original's.
    most = math.ceil(_LARGEST)
    off = np.arange(-most, most + 1)
    near = np.abs(off) <= np.ceil(longer[:, None] / long)
    shorter = alike[:, None] + off
    every = np.stack(np.broadcast_arrays(longer[:, None], shorter), axis=-1)[near & (shorter > 0)]
    return every if size[0] > size[1] else every[:, ::-1]


def resized(view: View, size: tuple[int, int], originals: NDArray[np.int64]) -> Reals:
    """How well the waves agree on each size of the original, in standard deviations.

    `view` is a part of a picture of `size` (width, height).
    """
    scales = originals / np.array(size, np.float64)
    return _agreement(view, size, scales[:, :, None] * np.eye(2), originals)


def turned(view: View, size: tuple[int, int], degrees: Reals) -> Reals:
    """How well they agree on each turn counterclockwise in a frame that stayed as it was."""
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    linear = np.stack([cosine, -sine, sine, cosine], axis=-1).reshape(-1, 2, 2)
    return _agreement(view, size, linear, np.broadcast_to(np.array(size), (len(linear), 2)))


def _agreement(
    view: View, size: tuple[int, int], linear: Reals, originals: NDArray[np.int64]
) -> Reals:
    """The sum of the waves in phase for maps p = linear · q + o (N, 2, 2) that keep the middle."""
    table = view.table
    total, energy = np.zeros(len(linear)), np.zeros(len(linear))
    # Where the middle of what is seen lies in the original.
    beside = view.patch.centre - (np.array(size) - 1) / 2
    places = (originals - 1) / 2 + linear @ beside
    for channel, plane in enumerate(view.patch.planes):
        spectrum = _Spectrum(plane)
        for wave in np.flatnonzero(table.channel == channel):
            received = table.cycles[wave] @ linear
            seen = (np.abs(received).max(axis=1) < HIGHEST) & (np.hypot(*received.T) > LOWEST)
            turns = places @ table.cycles[wave] + table.radians[wave] / (2 * np.pi)
            phased = spectrum.at(received) * np.exp(-2j * np.pi * turns)
            noise = view.spectrum.noise(received, np.full(len(received), channel))
            weight = table.energy[wave] * seen
            total += np.sqrt(weight / noise) * phased.real
            energy += weight
    return total / np.sqrt(energy / 2 + 1e-12)


class _Spectrum:
    """The spectrum of a plane about its middle, finely."""

    def __init__(self, plane: NDArray[np.float32]) -> None:
        height, width = plane.shape
        self.high, self.wide = (scipy.fft.next_fast_len(_FINER * side) for side in plane.shape)
        self._bins = scipy.fft.rfft2(plane, (self.high, self.wide))
        self._bins *= _centred(scipy.fft.fftfreq(self.high), height)[:, None]
        self._bins *= _centred(scipy.fft.rfftfreq(self.wide), width)

    def at(self, received: Reals) -> NDArray[np.complex64]:
        """Its values near frequencies (N, 2) in cycles per pixel."""
        mirrored = received[:, 0] < 0
        x, y = np.where(mirrored[:, None], -received, received).T
        columns = np.minimum(np.rint(x * self.wide).astype(np.intp), self._bins.shape[1] - 1)
        found = self._bins[np.rint(y * self.high).astype(np.intp) % self.high, columns]
        return np.where(mirrored, np.conj(found), found)


def _centred(frequencies: Reals, side: int) -> NDArray[np.complex64]:
    """What moves the origin of a spectrum to the middle of a side."""
    return np.exp(1j * np.pi * (side - 1) * frequencies).astype(np.complex64)
