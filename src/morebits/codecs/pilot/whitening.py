"""A received picture made ready for the search: texture down, waves up.

Overlapping tiles of 32 pixels; each tile's spectrum is divided by a power of its own local
energy, so that a quiet tile counts and a loud one does not drown it. Black corners of turned
pictures and clipped areas are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.fft
from numpy.typing import NDArray
from scipy import ndimage

from morebits.codecs.pilot.adding import LUMA_WEIGHTS, rgb
from morebits.codecs.pilot.waves import Reals
from morebits.images import Samples

TILE, HOP = 32, 16
#: Spectrum / energy^EXPONENT: 0.5 whitens; more trusts quiet tiles more than loud ones.
EXPONENT = 0.7
#: Eight times the energy that 8-bit rounding puts into one bin of a windowed tile.
_FLOOR = 8 * (3 / 8 * TILE) ** 2 / 12
#: Side of the square of equal pixels that counts as a hole, and how far its rim reaches.
_HOLE, _RIM = 9, 4


@dataclass(frozen=True)
class Patch:
    """A whitened part of the picture: its left upper pixel and two planes (luma, Cb)."""

    left: int
    top: int
    planes: NDArray[np.float32]

    @property
    def centre(self) -> Reals:
        """Centre in pixels of the received picture, x before y."""
        height, width = self.planes.shape[1:]
        return np.array([self.left + (width - 1) / 2, self.top + (height - 1) / 2])


def patch(image: Samples, left: int, top: int, width: int, height: int) -> Patch:
    """The whitened part of a picture (H, W, C) at a place.

    >>> picture = np.random.default_rng(0).integers(0, 256, (64, 80, 3), np.uint8)
    >>> patch(picture, 0, 0, 80, 64).planes.shape
    (2, 64, 80)
    """
    part = rgb(image[top : top + height, left : left + width])
    luma = part @ LUMA_WEIGHTS
    cb = (part[..., 2] - luma) * np.float32(0.564)
    holes = _holes(part)
    planes = np.stack([_whiten(_filled(plane, holes)) for plane in (luma, cb)])
    if holes is not None:
        planes[:, holes] = 0
    return Patch(left, top, planes)


def _holes(part: NDArray[np.float32]) -> NDArray[np.bool_] | None:
    """Where squares of 9 pixels are all black or all white; None for nowhere."""
    flat = (part.max(axis=2) < 8) | (part.min(axis=2) > 252)
    if not flat.any():
        return None
    inner = ndimage.minimum_filter(flat, _HOLE)
    if not inner.any():
        return None
    return ndimage.maximum_filter(inner, _HOLE + 2 * _RIM)


def _filled(plane: NDArray[np.float32], holes: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    """The holes filled with what is near, so that their rim makes no waves."""
    if holes is None or holes.all():
        return plane
    seen = (~holes).astype(np.float32)
    near = ndimage.uniform_filter(plane * seen, TILE) / np.maximum(
        ndimage.uniform_filter(seen, TILE), 1e-3
    )
    return np.where(holes, near, plane)


def _whiten(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    height, width = plane.shape
    rows, columns = -(-height // HOP) + 1, -(-width // HOP) + 1
    padding = ((HOP, rows * HOP - height), (HOP, columns * HOP - width))
    padded = np.pad(plane, padding, mode="reflect" if min(height, width) > TILE else "edge")
    tiles = np.lib.stride_tricks.sliding_window_view(padded, (TILE, TILE))[::HOP, ::HOP]
    window = _window()
    result = np.zeros_like(padded)
    for row in range(0, len(tiles), 16):
        part = tiles[row : row + 16]
        spectra = scipy.fft.rfft2((part - part.mean(axis=(2, 3), keepdims=True)) * window)
        spectra *= (_energy(spectra) + np.float32(_FLOOR)) ** np.float32(-EXPONENT)
        back = scipy.fft.irfft2(spectra, (TILE, TILE))
        _overlap(result[row * HOP :], back)
    return result[HOP : HOP + height, HOP : HOP + width]


def _energy(spectra: NDArray[np.complex64]) -> NDArray[np.float32]:
    """The energy of each bin, smoothed over its neighbours in the tile."""
    energy = spectra.real**2 + spectra.imag**2
    energy = ndimage.uniform_filter1d(energy, 3, axis=2, mode="wrap")
    return ndimage.uniform_filter1d(energy, 3, axis=3, mode="mirror")


def _overlap(result: NDArray[np.float32], tiles: NDArray[np.float32]) -> None:
    """Add tiles, each half a tile after the last."""
    for top in (0, 1):
        for left in (0, 1):
            some = tiles[top::2, left::2]
            high, wide = some.shape[:2]
            area = some.transpose(0, 2, 1, 3).reshape(high * TILE, wide * TILE)
            y, x = top * HOP, left * HOP
            result[y : y + high * TILE, x : x + wide * TILE] += area


def _window() -> NDArray[np.float32]:
    """Hann in both directions; shifted by half a tile its copies add up to one."""
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(TILE) + 0.5) / TILE)
    return np.outer(hann, hann).astype(np.float32)
