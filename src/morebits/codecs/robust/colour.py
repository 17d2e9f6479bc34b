"""Luma, and how a change of luma goes into the colours.

The change goes along `w / |w|^2` with the weights `w` of luma: of all changes with this luma the
smallest one, 1.27 dB smaller than the same change of all channels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Red, green and blue in luma (ITU-R BT.601, as in JPEG).
WEIGHTS = np.array([0.299, 0.587, 0.114], np.float32)


def luma(array: NDArray[Any]) -> NDArray[np.float32]:
    """Luma of (H, W, C) samples; of gray pictures the samples themselves.

    >>> luma(np.full((1, 1, 3), 100, np.uint8)).item()
    100.0
    """
    if array.shape[2] == 1:
        return array[..., 0].astype(np.float32)
    plane = WEIGHTS[0] * array[..., 0]
    plane += WEIGHTS[1] * array[..., 1]
    plane += WEIGHTS[2] * array[..., 2]
    return plane.astype(np.float32, copy=False)


def directions(channels: int) -> NDArray[np.float32]:
    """What each channel changes by for one level of luma.

    >>> round(float(directions(3) @ WEIGHTS), 6), directions(1).tolist()
    (1.0, [1.0])
    """
    if channels == 1:
        return np.ones(1, np.float32)
    return WEIGHTS / (WEIGHTS @ WEIGHTS)


def clipped(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Pixels (H, W) of 8-bit samples with a channel that is black or white: more was lost there.

    >>> clipped(np.array([[[0, 9, 9], [9, 9, 9], [9, 9, 255]]], np.uint8)).tolist()
    [[True, False, True]]
    """
    return ((array == 0) | (array == 255)).any(axis=2)
