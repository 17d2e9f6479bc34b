"""Where the eye forgives: the cost of changing each sample, for codecs that can choose.

A codec that has a choice changes cheap samples first. At high rates there is little choice
(every sample changes), so a mask matters most for small payloads and high PSNR.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from morebits.images import Samples

#: The cost where nothing happens, and the least cost of all.
_FLAT, _LEAST = 128, 2
#: Mean gradient, in quarters of an 8-bit level, at which the cost is half of that.
_HALF = 6
_WINDOW = 7


def texture(array: Samples) -> NDArray[np.uint8]:
    """Dear in flat regions, cheap in busy ones: `128 / (1 + gradient / 1.5)`, at least 2.

    The gradient is the mean over 7x7 samples of the absolute differences to the right and to
    the lower neighbour, in levels of 8 bits. Whole numbers only, so that every machine gets
    the same costs.

    >>> texture(np.full((8, 8, 1), 200, np.uint8)).max()
    np.uint8(128)
    """
    levels = array.astype(np.int32)
    right = np.abs(np.diff(levels, axis=1, append=levels[:, -1:]))
    below = np.abs(np.diff(levels, axis=0, append=levels[-1:]))
    depth = 8 * array.dtype.itemsize
    total = (right + below).astype(np.int64)
    for axis in (0, 1):
        ones = np.ones(_WINDOW, np.int64)
        total = ndimage.correlate1d(total, ones, axis=axis, mode="nearest")
    quarters = (4 * total // _WINDOW**2) >> (depth - 8)
    return np.maximum(_LEAST, _FLAT * _HALF // (_HALF + quarters)).astype(np.uint8)
