"""Filters that undo blur and the smoothing of a resize.

Wiener's: of each frequency an edit left a share `H`, and `H / (H^2 + c f^2)` brings it back as far
as the noise of rounding allows, for pictures have a spectrum that falls with `1 / f^2`. How much
noise there is beside the picture, `c`, depends on the tile: in a calm one noise is the greater
evil, in a busy one what the filter leaves of the blur. Frequencies above the tiles' band end.
The filter works in both directions at once: two filters one after the other would amplify the
noise of diagonal waves twice, which costs a seventh of what a strong blur leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from morebits.codecs.robust import lattice, tiles

#: Deviations in pixels of the blurs that are tried: those of kernels with 3, 5, 9, 13 and 17
#: pixels, as OpenCV and torchvision have them.
BLURS = (0.8, 1.1, 1.7, 2.3, 2.9)
#: Pixels around the picture, mirrored, that the filters see.
_MARGIN = 40
#: Cycles a pixel between which the filter ends.
_ENDS = (0.18, 0.32)
#: Noise beside the picture at a tenth of a cycle a pixel: in calm, usual, busy and very busy
#: tiles, and the activities between them, in levels. Pictures that are very busy everywhere lose
#: most by a blur: with the fourth they keep a tenth more.
_NOISE = (1.5e-4, 5e-5, 1.5e-5, 4e-6)
_TENTH = 0.1
_ACTIVITIES = (16.0, 50.0, 90.0)
_USUAL = 1


@dataclass(frozen=True)
class Equaliser:
    """What is to be undone: a Gaussian blur of so many pixels, and an antialiased resize.

    A blur may be `cut` where a kernel of the usual size ends: `sigma = 0.15 size + 0.35`. `ratios`
    are those of the sides, down and across.
    """

    sigma: float = 0.0
    cut: bool = False
    ratios: tuple[float, float] = (1.0, 1.0)

    @property
    def uncut(self) -> Equaliser | None:
        """The same for a blur that goes on beyond such a kernel; None when it does already."""
        return replace(self, cut=False) if self.cut else None

    def left(self, frequencies: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
        """The share that the edit left of each frequency, in cycles a pixel, along an axis."""
        left = np.ones_like(frequencies)
        if self.sigma:
            reach = round((self.sigma - 0.35) / 0.3 - 0.5) if self.cut else round(5 * self.sigma)
            places = np.arange(1, reach + 1, dtype=np.float32)
            weights = np.exp(-0.5 * (places / np.float32(self.sigma)) ** 2)
            waves = np.cos(np.float32(2 * np.pi) * frequencies[:, None] * places)
            left = (1 + 2 * waves @ weights) / (1 + 2 * weights.sum())
        if self.ratios[axis] < 1:
            left *= np.sinc(frequencies / self.ratios[axis]) ** 2
        return left.astype(np.float32)


def blur(sigma: float) -> Equaliser:
    """Against a Gaussian blur of so many pixels, with a kernel of the usual size."""
    return Equaliser(sigma, cut=True)


def shrink(down: float, across: float) -> Equaliser:
    """Against the triangle filter of an antialiased resize to these ratios (below 1)."""
    return Equaliser(ratios=(min(down, 1.0), min(across, 1.0)))


def analyse(
    plane: tiles.Plane, equaliser: Equaliser | None, usable: NDArray[np.bool_] | None = None
) -> tiles.Plane:
    """The numbers of all tiles of a plane, as `tiles.analyse`, with an edit undone.

    Tiles that are not `usable` (rows, columns) may come out with the filter for usual ones.
    """
    if equaliser is None:
        return tiles.analyse(plane)
    undoing = _Undoing(plane, equaliser)
    numbers = tiles.analyse(undoing.at(_NOISE[_USUAL]))
    kinds = np.digitize(lattice.activity(numbers), _ACTIVITIES)
    needed = kinds if usable is None else kinds[usable]
    for kind, noise in enumerate(_NOISE):
        # Most pictures have not all kinds of tiles, and a filter costs as much as all the rest.
        if kind != _USUAL and (needed == kind).any():
            chosen = kinds == kind
            numbers[chosen] = tiles.analyse(undoing.at(noise))[chosen]
    return numbers


def undone(plane: tiles.Plane, equaliser: Equaliser | None) -> tiles.Plane:
    """A plane with an edit undone, for usual tiles."""
    return plane if equaliser is None else _Undoing(plane, equaliser).at(_NOISE[_USUAL])


def unshrunk(plane: tiles.Plane) -> tiles.Plane:
    """A plane that an antialiased resize made smaller, as small, with the smoothing undone.

    In its own pixels that filter is the same whatever the ratio was; only the noise is not, and is
    taken as that of half the size.
    """
    half = shrink(0.5, 0.5)
    return _Undoing(plane, half, 0.5).at(_NOISE[_USUAL])


class _Undoing:
    """The spectrum of a plane, up to where the filter ends, and what the edit left of it.

    Frequencies are counted in pixels of the original, one of which is `ratio` of the plane's.
    """

    def __init__(self, plane: tiles.Plane, equaliser: Equaliser, ratio: float = 1.0):
        self.shape = plane.shape
        self.sides = [fft.next_fast_len(side + 2 * _MARGIN, real=True) for side in plane.shape]
        more = [
            (_MARGIN, side - _MARGIN - own)
            for side, own in zip(self.sides, plane.shape, strict=True)
        ]
        down = fft.fftfreq(self.sides[0], 1 / ratio).astype(np.float32)
        across = fft.rfftfreq(self.sides[1], 1 / ratio).astype(np.float32)
        across = across[across < _ENDS[1]]
        lines = fft.rfft(np.pad(plane, more, mode="reflect"))[:, : len(across)]
        left = equaliser.left(down, 0)[:, None] * equaliser.left(across, 1)
        self._squared = down[:, None] ** 2 + across**2
        fade = np.clip((_ENDS[1] - np.sqrt(self._squared)) / (_ENDS[1] - _ENDS[0]), 0, 1)
        fade *= fade * (3 - 2 * fade)
        self._spectrum = fft.fft(lines, axis=0, overwrite_x=True)
        self._wanted, self._left = left * fade, left * left

    def at(self, noise: float) -> tiles.Plane:
        """The plane with the edit undone, at a level of noise beside the picture."""
        height, width = self.shape
        gain = self._wanted / (self._left + np.float32(noise / _TENTH**2) * self._squared)
        columns = fft.ifft(self._spectrum * gain, axis=0, overwrite_x=True)
        back = fft.irfft(columns[_MARGIN : _MARGIN + height], self.sides[1])
        return np.ascontiguousarray(back[:, _MARGIN : _MARGIN + width])
