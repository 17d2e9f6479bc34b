"""What a mark costs: the squared error in whole numbers, and the PSNR it amounts to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.bounds import radius
from morebits.errors import InputError


def squared_error(cover: NDArray[Any], marked: NDArray[Any]) -> int:
    """Sum of squared differences of two integer arrays, exact.

    >>> squared_error(np.array([250, 3], np.uint8), np.array([255, 1], np.uint8))
    29
    """
    if cover.shape != marked.shape:
        raise InputError("marked", marked.shape, f"give the shape of the cover, {cover.shape}")
    left, right = cover.reshape(-1), marked.reshape(-1)
    total = 0
    for start in range(0, left.size, 1 << 20):  # in pieces that stay in the cache
        piece = slice(start, start + (1 << 20))
        difference = left[piece].astype(np.int64) - right[piece]
        total += int(np.dot(difference, difference))
    return total


def psnr(cover: NDArray[Any], marked: NDArray[Any], *, peak: float) -> float:
    """PSNR in dB over all samples; infinite for equal arrays.

    >>> round(psnr(np.full((2, 2), 100, np.uint8), np.full((2, 2), 101, np.uint8), peak=255), 6)
    48.130804
    """
    return radius.psnr_of_mse(squared_error(cover, marked) / max(cover.size, 1), peak=peak)
