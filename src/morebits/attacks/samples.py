"""Arrays that attacks work on: (H, W, C) of uint8, with one or three channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Image8: TypeAlias = NDArray[np.uint8]

#: Pixels that are worked on at a time, so that floating point needs little memory.
_PIECE = 1 << 14


def rounded(values: NDArray[Any]) -> Image8:
    """The nearest levels, ties to even, within 0 to 255.

    >>> rounded(np.array([-3.0, 0.5, 1.5, 254.6, 300.0])).tolist()
    [0, 0, 2, 255, 255]
    """
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def by_rows(image: Image8, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Image8:
    """Apply a change of single pixels, given as float64, to some rows at a time."""
    result = np.empty_like(image)
    rows = max(1, _PIECE // image.shape[1])
    for top in range(0, len(image), rows):
        piece = slice(top, top + rows)
        result[piece] = rounded(change(image[piece].astype(np.float64)))
    return result


def channels(image: Image8, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Image8:
    """Apply a change of planes, given as float64, to one channel at a time."""
    planes = [rounded(change(plane.astype(np.float64))) for plane in np.moveaxis(image, 2, 0)]
    return np.stack(planes, axis=2)


def size_text(image: Image8) -> str:
    """Width and height as people write them."""
    return f"{image.shape[1]}x{image.shape[0]}"
