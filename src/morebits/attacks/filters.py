"""Neighbourhoods and noise: blur, median, sharpness, Gaussian noise, salt and pepper."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.attacks.samples import Image8, channels, rounded

#: Rows of the median that are worked on at a time, few enough to stay in the cache.
_ROWS = 16


def sigma_of(kernel: int) -> float:
    """Standard deviation in pixels that goes with a kernel: 0.8 for 3, 1.7 for 9, 2.9 for 17.

    >>> [round(sigma_of(kernel), 2) for kernel in (3, 5, 9, 13, 17)]
    [0.8, 1.1, 1.7, 2.3, 2.9]
    """
    return 0.3 * ((kernel - 1) / 2 - 1) + 0.8


def blur(image: Image8, kernel: int) -> Image8:
    """Gaussian blur over `kernel` x `kernel` pixels, reflected at the border."""
    from scipy.ndimage import correlate1d

    places = np.arange(kernel) - (kernel - 1) / 2
    weights = np.exp(-0.5 * (places / sigma_of(kernel)) ** 2)
    weights /= weights.sum()

    def smooth(plane: NDArray[Any]) -> NDArray[Any]:
        return correlate1d(
            correlate1d(plane, weights, axis=0, mode="mirror"), weights, axis=1, mode="mirror"
        )

    return channels(image, smooth)


def median(image: Image8, kernel: int) -> Image8:
    """The median of `kernel` x `kernel` pixels, each channel for itself; borders repeated."""
    height, width = image.shape[:2]
    margin = kernel // 2
    wide = np.pad(image, ((margin, margin), (margin, margin), (0, 0)), mode="edge")
    result = np.empty_like(image)
    for top in range(0, height, _ROWS):
        rows = range(top, min(top + _ROWS, height))
        windows = [
            wide[rows.start + dy : rows.stop + dy, dx : dx + width]
            for dy in range(kernel)
            for dx in range(kernel)
        ]
        result[rows.start : rows.stop] = _middle(windows)
    return result


def _middle(values: list[Image8]) -> Image8:
    """The median of an odd number of arrays.

    Of more than half of them, neither the smallest nor the largest is the median: both go, and
    the next one comes in, until one is left.
    """
    count = len(values) // 2 + 2
    kept, rest = values[:count], values[count:]
    while len(kept) > 1:
        for place in range(1, len(kept)):
            low = np.minimum(kept[0], kept[place])
            kept[place], kept[0] = np.maximum(kept[0], kept[place]), low
        for place in range(1, len(kept) - 1):
            high = np.maximum(kept[-1], kept[place])
            kept[place], kept[-1] = np.minimum(kept[-1], kept[place]), high
        kept = kept[1:-1] + rest[:1]
        rest = rest[1:]
    return kept[0]


def sharpness(image: Image8, factor: float) -> Image8:
    """Away from a smoothed copy: `factor x + (1 - factor) smooth(x)`; the border row stays.

    The copy is smoothed by 3 x 3 ones with a 5 in the middle; below 1 the picture gets softer.
    """
    if min(image.shape[:2]) <= 2:
        return image
    wide = image.astype(np.int16)  # a sum of thirteen samples fits
    rows = wide[:-2] + wide[1:-1] + wide[2:]
    inner = wide[1:-1, 1:-1]
    smooth = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] + 4 * inner) / 13
    result = image.copy()
    result[1:-1, 1:-1] = rounded(factor * inner + (1 - factor) * smooth)
    return result


def noise(image: Image8, sigma: float, random: np.random.Generator) -> Image8:
    """Add Gaussian noise of `sigma` levels to every sample."""
    return rounded(image + np.float32(sigma) * random.standard_normal(image.shape, np.float32))


def saltpepper(image: Image8, fraction: float, random: np.random.Generator) -> Image8:
    """A `fraction` of the pixels becomes black or white."""
    draw = random.random(image.shape[:2], np.float32)
    result = image.copy()
    result[draw < fraction / 2] = 0
    result[draw >= 1 - fraction / 2] = 255
    return result
