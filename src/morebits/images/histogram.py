"""How often each sample value occurs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from morebits.images.picture import Samples


def histogram(array: Samples) -> NDArray[np.int64]:
    """How often each sample value occurs, all channels together: 256 or 65536 counts.

    >>> histogram(np.array([[0, 255, 255]], np.uint8))[[0, 255]].tolist()
    [1, 2]
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype == np.uint8:
        from PIL import Image

        # Pillow counts bytes in one pass; np.bincount first widens every byte to 8 bytes.
        strip = Image.frombuffer("L", (flat.size, 1), flat, "raw", "L", 0, 1)
        return np.array(strip.histogram(), np.int64)
    counts = np.zeros(1 << 16, np.int64)
    for start in range(0, flat.size, 1 << 20):  # in pieces that stay in the cache
        counts += np.bincount(flat[start : start + (1 << 20)], minlength=1 << 16)
    return counts
