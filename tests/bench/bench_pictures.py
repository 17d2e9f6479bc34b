"""Pictures for the tests of metrics, in whole numbers: the same on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def cover(height: int, width: int, channels: int) -> NDArray[np.uint8]:
    """A slope with a fine texture, a flat part and saturated samples."""
    y, x, c = np.ogrid[:height, :width, :channels]
    slope = (2 * x + 3 * y + 40 * c) // 3 % 300
    texture = ((x * 7919 + y * 104729 + c * 1299709) ^ (x * y)) % 23
    plain = (x > width // 2) & (y > height // 2)
    return np.clip(np.where(plain, 200 + c, slope + texture), 0, 255).astype(np.uint8)


def mark(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A weak pattern everywhere, a strong one in the upper left."""
    y, x, c = np.ogrid[: picture.shape[0], : picture.shape[1], : picture.shape[2]]
    weak = (x * 31 + y * 17 + c * 7) % 9 - 4
    strong = np.where((x < 40) & (y < 30), (x * y + 5 * c) % 41 - 20, 0)
    return np.clip(picture + weak + strong, 0, 255).astype(np.uint8)
