"""Luma and tints, and how a change of them goes into the colours.

A change of luma goes along `w / |w|^2` with the weights `w` of luma: of all changes with this luma
the smallest one, 1.27 dB smaller than the same change of all channels. The two **tints** are the
colour along directions at right angles to `w` and to each other: what is written into them leaves
luma as it is, and the other way round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from morebits.codecs.pilot.adding import LUMA_WEIGHTS as WEIGHTS


def _tints() -> NDArray[np.float32]:
    """Two unit vectors at right angles to luma, (2, 3): much as Cb and Cr."""
    first = np.cross(WEIGHTS, [1, 0, 0])
    both = np.stack([first, np.cross(WEIGHTS, first)])
    return (both / np.linalg.norm(both, axis=1, keepdims=True)).astype(np.float32)


#: One level of each tint, in red, green and blue.
TINTS = _tints()
#: Side of the window in which channels are fitted, in pixels, and what keeps the fit tame.
_WINDOW, _RIDGE = 31, np.float32(4)
#: Doubt of a pixel of which some channels are left.
_PARTLY = 0.25


def luma(array: NDArray[Any]) -> NDArray[np.float32]:
    """Luma of (H, W, C) samples; of gray pictures the samples themselves.

    >>> luma(np.full((1, 1, 3), 100, np.uint8)).item()
    100.0
    """
    if array.shape[2] == 1:
        return array[..., 0].astype(np.float32)
    return _along(array, WEIGHTS)


def directions(channels: int) -> NDArray[np.float32]:
    """What each channel changes by for one level of luma.

    >>> round(float(directions(3) @ WEIGHTS), 6), directions(1).tolist()
    (1.0, [1.0])
    """
    if channels == 1:
        return np.ones(1, np.float32)
    return WEIGHTS / np.float32(WEIGHTS @ WEIGHTS)


def tint(array: NDArray[Any], which: int) -> NDArray[np.float32]:
    """One of the two tints of (H, W, 3) samples.

    >>> bool(abs(tint(np.array([[WEIGHTS]]), 0)).max() < 1e-6)
    True
    """
    return _along(array, TINTS[which])


def _along(array: NDArray[Any], towards: NDArray[np.float32]) -> NDArray[np.float32]:
    """Inner product of every pixel with a direction, one channel after the other: less memory."""
    plane = towards[0] * array[..., 0]
    plane += towards[1] * array[..., 1]
    plane += towards[2] * array[..., 2]
    return plane.astype(np.float32, copy=False)


def clipped(array: NDArray[Any]) -> NDArray[np.float32]:
    """How much of each pixel (H, W) of 8-bit samples was cut off at black or white, 0 to 1.

    >>> clipped(np.array([[[0, 9, 9], [9, 9, 9], [255, 255, 255]]], np.uint8)).tolist()
    [[1.0, 0.0, 1.0]]
    """
    return ((array == 0) | (array == 255)).any(axis=2).astype(np.float32)


def restored(array: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Colours with clipped channels rebuilt from the others, and how much is still in doubt.

    Within 31 x 31 pixels each channel is a linear function of the others, fitted where none is
    clipped. A rebuilt channel lies beyond the end at which it was cut off. Where every channel is
    cut off nothing can be rebuilt: the doubt is 1; it is less where some are left.
    """
    levels = array.astype(np.float32)
    high, low = array == 255, array == 0
    cut = high | low
    fit = _Fit(levels, ~cut.any(axis=2))
    result = levels.copy()
    for channel in range(3):
        guess = fit.predicted(channel, ~cut)
        part = result[..., channel]
        np.copyto(part, np.maximum(guess, 255), where=high[..., channel])
        np.copyto(part, np.minimum(guess, 0), where=low[..., channel])
    doubt = np.where(cut.all(axis=2), 1.0, _PARTLY * cut.any(axis=2))
    return result, doubt.astype(np.float32)


class _Fit:
    """Local means and covariances of three channels, over the pixels that `use` allows."""

    def __init__(self, levels: NDArray[np.float32], use: NDArray[np.bool_]) -> None:
        self.levels = levels
        weight = use.astype(np.float32)
        total = self._mean(weight) + np.float32(1e-4)
        channels = [levels[..., c] * weight for c in range(3)]
        self.mean = [self._mean(each) / total for each in channels]
        self.cov: dict[tuple[int, int], Any] = {
            (a, b): self._mean(channels[a] * levels[..., b]) / total - self.mean[a] * self.mean[b]
            for a in range(3)
            for b in range(a, 3)
        }

    def predicted(self, channel: int, there: NDArray[np.bool_]) -> NDArray[np.float32]:
        """A channel from those of the others that are there; from none: as it is."""
        a, b = (c for c in range(3) if c != channel)
        caa, cbb, cab = self._cov(a, a) + _RIDGE, self._cov(b, b) + _RIDGE, self._cov(a, b)
        ca, cb = self._cov(channel, a), self._cov(channel, b)
        off_a, off_b = (self.levels[..., c] - self.mean[c] for c in (a, b))
        det = caa * cbb - cab * cab
        both = (ca * cbb - cb * cab) / det * off_a + (cb * caa - ca * cab) / det * off_b
        only_b = np.where(there[..., b], cb / cbb * off_b, np.nan)
        one = np.where(there[..., a], ca / caa * off_a, only_b)
        change = np.where(there[..., a] & there[..., b], both, one)
        guess = self.mean[channel] + change
        return np.where(np.isnan(guess), self.levels[..., channel], guess).astype(np.float32)

    def _cov(self, a: int, b: int) -> NDArray[np.float32]:
        return self.cov[min(a, b), max(a, b)]

    @staticmethod
    def _mean(plane: NDArray[np.float32]) -> NDArray[np.float32]:
        mean: NDArray[np.float32] = uniform_filter(plane, _WINDOW, mode="nearest")
        return mean
