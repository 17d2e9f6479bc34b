"""The pilot into a picture: a sum of waves in luma and in Cb, scaled to a PSNR."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.keys import Key
from morebits.codecs.pilot.waves import CB, GRID, LUMA, Reals, Waves, waves
from morebits.errors import InputError
from morebits.images import Samples, read

#: Luma in terms of red, green and blue (BT.601).
LUMA_WEIGHTS = np.array([0.299, 0.587, 0.114], np.float32)
#: One level of luma along its own gradient: the least change of RGB that does it.
_LUMA_STEP = LUMA_WEIGHTS / (LUMA_WEIGHTS**2).sum()
#: One level of Cb, with luma and Cr as they are.
_CB_STEP = np.array([0, -0.344136, 1.772], np.float32)

#: Rows at a time, so that little memory is needed beside the picture itself.
_ROWS = 256


def add(
    image: NDArray[np.float32],
    key: Key = None,
    *,
    psnr: float,
    mask: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The picture (H, W, 3) plus the pilot of a key, neither rounded nor clipped.

    The mean square of what is added is 255² · 10^(-psnr/10) over all samples. `mask` (H, W)
    multiplies the amplitude at each pixel before that.

    >>> plain = np.full((96, 128, 3), 90, np.float32)
    >>> change = add(plain, psnr=50) - plain
    >>> round(float(10 * np.log10(255**2 / (change**2).mean())), 3)
    50.0
    """
    if image.ndim != 3 or image.shape[2] != 3:
        raise InputError("image", f"of shape {image.shape}", "give an array (H, W, 3)")
    if mask is not None and mask.shape != image.shape[:2]:
        raise InputError("mask", f"of shape {mask.shape}", f"give one of {image.shape[:2]}")
    result = np.empty(image.shape, np.float32)
    total = 0.0
    for top, pattern in _strips(waves(key), image.shape[0], image.shape[1], mask):
        result[top : top + len(pattern)] = pattern
        total += float(np.vdot(pattern, pattern))
    if total > 0:  # a mask may be zero everywhere
        result *= np.float32(255 * 10 ** (-psnr / 20) * np.sqrt(result.size / total))
    result += image
    return result


def mark(image: object, key: Key = None, *, psnr: float = 50.0) -> NDArray[np.uint8]:
    """A picture with the pilot alone, as 8-bit RGB, for `locate` to find after edits.

    >>> mark(np.full((96, 128, 3), 90, np.uint8)).shape
    (96, 128, 3)
    """
    picture = add(rgb(read(image).array), key, psnr=psnr)
    return np.rint(picture).clip(0, 255).astype(np.uint8)


def rgb(array: Samples) -> NDArray[np.float32]:
    """Samples (H, W, 1 or 3) of 8 or 16 bits as (H, W, 3) in levels of 0 to 255.

    >>> rgb(np.full((2, 2, 1), 65535, np.uint16)).max()
    np.float32(255.0)
    """
    levels = array.astype(np.float32)
    if array.dtype == np.uint16:
        levels /= 257
    return np.ascontiguousarray(np.broadcast_to(levels, (*array.shape[:2], 3)))


def _strips(table: Waves, height: int, width: int, mask: NDArray[np.float32] | None):  # noqa: ANN202
    """(first row, change of RGB) in strips of rows, before scaling."""
    x = np.arange(width, dtype=np.int64)
    amplitude = np.sqrt(table.energy)
    for top in range(0, height, _ROWS):
        y = np.arange(top, min(top + _ROWS, height), dtype=np.int64)
        pattern = np.zeros((len(y), width, 3), np.float32)
        for channel, step in ((LUMA, _LUMA_STEP), (CB, _CB_STEP)):
            chosen = table.channel == channel
            u, v = table.frequency[chosen].T
            down = _turns(np.outer(y, v)) + table.radians[chosen]
            along = _turns(np.outer(u, x))
            plane = (np.cos(down) * amplitude[chosen]).astype(np.float32) @ _f32(np.cos(along))
            plane -= (np.sin(down) * amplitude[chosen]).astype(np.float32) @ _f32(np.sin(along))
            # The energy of a wave is what RGB sees of it.
            pattern += plane[..., None] * (step / np.sqrt((step**2).sum()))
        if mask is not None:
            pattern *= mask[top : top + len(y), :, None]
        yield top, pattern


def _turns(cycles: NDArray[np.int64]) -> Reals:
    """Radians of a product of frequency and position, exact however far out."""
    return (cycles % GRID) * (2 * np.pi / GRID)


def _f32(array: Reals) -> NDArray[np.float32]:
    return array.astype(np.float32)
