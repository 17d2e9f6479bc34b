"""Pictures `(H, W[, C])` on the outside, planar arrays `(c, h, w)` on the inside.

The planar array, flattened, is the paper's vector: channel after channel, each channel row
by row, so that sample `(chan, y, x)` has index `chan*h*w + y*w + x`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from morebits.errors import InputError

#: (channels, height, width)
Shape = tuple[int, int, int]
Array = NDArray[np.float64]


def samples(shape: Shape) -> int:
    """Number of samples of a planar shape."""
    return math.prod(shape)


def shape_text(shape: Shape) -> str:
    """As people write it: `256x256, 3 channels` (width first)."""
    c, h, w = shape
    return f"{w}x{h}, {c} channel{'s' if c > 1 else ''}"


def to_planar(image: ArrayLike, shape: Shape) -> Array:
    """The planar float array of a picture; refuses one that is not of this shape."""
    pixels = np.asarray(image)
    if pixels.dtype.kind not in "biuf":
        raise InputError("image", pixels.dtype, "give an array of whole or real numbers")
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    if pixels.ndim != 3:
        raise InputError("image shape", np.shape(image), "give (H, W) or (H, W, C)")
    planar = np.moveaxis(pixels, 2, 0)
    if planar.shape != shape:
        c, h, w = shape
        expected = f"this operator takes {shape_text(shape)}, an array ({h}, {w}, {c})"
        raise InputError("image shape", np.shape(image), expected)
    planar = np.ascontiguousarray(planar, dtype=np.float64)
    if pixels.dtype.kind == "f" and not np.isfinite(planar).all():
        raise InputError("image", "an array with NaN or infinity", "give finite values only")
    return planar


def from_planar(planar: Array, flat: bool) -> Array:
    """The picture of a planar array, `(H, W)` when `flat` and it has one channel."""
    return planar[0] if flat and planar.shape[0] == 1 else np.moveaxis(planar, 0, 2)


def shrink(bias: Array) -> Array:
    """Collapse the axes along which a planar bias is constant to length 1.

    Biases of edits are nearly always one number a channel, and at a billion samples one
    cannot keep them otherwise. "Constant" allows for rounding at 1e-12 of the largest value.
    """
    slack = 1e-12 * float(np.abs(bias).max(initial=0.0))
    for axis in range(3):
        first = np.take(bias, [0], axis=axis)
        if bias.shape[axis] > 1 and float(np.abs(bias - first).max(initial=0.0)) <= slack:
            bias = first
    return bias


NO_BIAS: Array = np.zeros((1, 1, 1))
NO_BIAS.flags.writeable = False
