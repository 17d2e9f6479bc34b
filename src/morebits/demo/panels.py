"""Pictures for the page: a part of each at its own pixels, since scaling would hide the change."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The face: rows and columns of the photo.
PART = (slice(88, 296), slice(150, 358))
#: How many times a difference is enlarged.
AMPLIFIED = 16

Samples = NDArray[Any]


def part(array: Samples) -> str:
    """PNG of the part, in base64."""
    return _png(array[PART])


def difference(cover: Samples, marked: Samples) -> str:
    """PNG of the enlarged difference around mid-gray, of the same part, in base64.

    >>> base64.b64decode(difference(np.zeros((300, 400, 3)), np.ones((300, 400, 3))))[1:4]
    b'PNG'
    """
    change = marked[PART].astype(np.int64) - cover[PART]
    return _png(np.clip(128 + AMPLIFIED * change, 0, 255).astype(np.uint8))


def _png(array: Samples) -> str:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(array).save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()
