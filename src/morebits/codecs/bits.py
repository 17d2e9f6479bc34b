"""Messages: arrays of zeros and ones, checked once at the edge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.errors import InputError


def check_bits(bits: Any) -> NDArray[np.uint8]:
    """A contiguous array of zeros and ones; InputError for anything else.

    >>> check_bits([1, 0, True]).tolist()
    [1, 0, 1]
    """
    try:
        array = np.asarray(bits)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise InputError("bits", f"of shape {array.shape}", "give a flat list of zeros and ones")
    if array.size == 0:
        return np.zeros(0, np.uint8)
    if array.dtype.kind not in "bui" or array.min() < 0 or array.max() > 1:
        expected = "give zeros and ones; np.unpackbits turns bytes into them"
        raise InputError("bits", f"of {array.dtype.name}", expected)
    return np.ascontiguousarray(array, np.uint8)
