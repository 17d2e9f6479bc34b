"""Light and colour, with the meaning they have in the paper's evaluation, rounded to whole levels.

On gray pictures, hue, saturation and grayscale change nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.attacks.samples import Image8, by_rows, rounded

#: Weights of red, green and blue in the gray value, as the paper's evaluation has them.
GRAY_WEIGHTS = np.array([0.2989, 0.587, 0.114])

_LEVELS = np.arange(256, dtype=np.float64)


def brightness(image: Image8, factor: float) -> Image8:
    """Multiply every sample by `factor`."""
    return rounded(factor * _LEVELS)[image]


def contrast(image: Image8, factor: float) -> Image8:
    """Blend with the picture's mean gray: `factor x + (1 - factor) mean(gray(x))`.

    >>> contrast(np.array([[[100], [200]]], np.uint8), 0.5).ravel().tolist()
    [125, 175]
    """
    sums = image.sum(axis=(0, 1), dtype=np.int64)
    weights = GRAY_WEIGHTS if len(sums) == 3 else np.ones(1)
    mean = float(weights @ sums) / (image.shape[0] * image.shape[1])
    return rounded(factor * _LEVELS + (1 - factor) * mean)[image]


def gamma(image: Image8, exponent: float) -> Image8:
    """Every sample to the power `exponent`, on the scale from 0 to 1: above 1 is darker."""
    return rounded(255 * (_LEVELS / 255) ** exponent)[image]


def posterize(image: Image8, bits: int) -> Image8:
    """Keep the `bits` highest bits of every sample.

    >>> posterize(np.array([[[0x5F]]], np.uint8), 2).item() == 0x40
    True
    """
    return image & np.uint8(256 - (1 << (8 - bits)))


def grayscale(image: Image8) -> Image8:
    """Every channel becomes the gray value; the picture keeps its channels."""
    return saturation(image, 0.0)


def saturation(image: Image8, factor: float) -> Image8:
    """Blend every pixel with its own gray value: `factor x + (1 - factor) gray(x)`."""
    if image.shape[2] == 1:
        return image

    def blend(rows: NDArray[Any]) -> NDArray[Any]:
        return factor * rows + (1 - factor) * (rows @ GRAY_WEIGHTS)[..., None]

    return by_rows(image, blend)


def hue(image: Image8, turn: float) -> Image8:
    """Turn the hue of the HSV model by a fraction of the circle.

    >>> hue(np.array([[[250, 10, 10]]], np.uint8), 1 / 3).tolist()
    [[[10, 250, 10]]]
    """
    if image.shape[2] == 1:
        return image
    return by_rows(image, lambda rows: _turned(rows, turn))


def _turned(rows: NDArray[Any], turn: float) -> NDArray[Any]:
    """HSV keeps the largest and the smallest channel: only which ones they are depends on hue."""
    red, green, blue = np.ascontiguousarray(np.moveaxis(rows, -1, 0))
    high = np.maximum(np.maximum(red, green), blue)
    low = np.minimum(np.minimum(red, green), blue)
    spread = high - low
    after_green = np.where(high == green, blue - red + 2 * spread, red - green + 4 * spread)
    sixths = np.where(high == red, green - blue, after_green) / np.where(spread == 0, 1, spread)
    sixths += 6 * turn
    sixths -= 6 * np.floor(sixths / 6)
    # Each channel is at full height within one sixth of its own hue (0, 2 and 4 sixths), and
    # falls to the low one over the next sixth.
    heights = [np.abs(sixths - 3) - 1, 2 - np.abs(sixths - 2), 2 - np.abs(sixths - 4)]
    return np.stack([low + spread * np.clip(each, 0, 1) for each in heights], axis=-1)
