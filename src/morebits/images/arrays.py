"""Arrays as pictures; what is none is refused with advice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.errors import InputError
from morebits.images.picture import Picture, frozen


def from_array(array: NDArray[Any]) -> Picture:
    """The picture of a (H, W), (H, W, 1) or (H, W, 3) array of uint8 or uint16."""
    _check_dtype(array)
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3)):
        expected = "give (height, width), (height, width, 1) or (height, width, 3)"
        raise InputError("shape", array.shape, _shape_advice(array.shape) or expected)
    if array.size == 0:
        raise InputError("shape", array.shape, "give at least one pixel")
    depth = 8 * array.dtype.itemsize
    return Picture(frozen(array), depth, "array")


def _check_dtype(array: NDArray[Any]) -> None:
    if array.dtype.kind == "u" and array.dtype.itemsize <= 2:
        return
    name = array.dtype.name
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise InputError("sample", float("nan"), "replace NaN, then convert to uint8")
        advice = "scale to 0..255, round, and convert with .astype(np.uint8)"
    elif array.dtype.kind == "b":
        advice = "convert with array.astype(np.uint8) * 255"
    elif array.dtype.kind in "iu" and array.size and 0 <= array.min() <= array.max() <= 255:
        advice = "convert with .astype(np.uint8)"
    elif array.dtype.kind in "iu" and array.size and 0 <= array.min() <= array.max() <= 65535:
        advice = "convert with .astype(np.uint16)"
    else:
        advice = "give samples from 0 to 255 as uint8, or from 0 to 65535 as uint16"
    raise InputError("dtype", name, advice)


def _shape_advice(shape: tuple[int, ...]) -> str | None:
    if len(shape) == 4:
        return "give one picture at a time, for example batch[0]"
    if len(shape) == 3 and shape[2] in (2, 4):
        return "leave the alpha channel out with array[..., :-1]"
    if len(shape) == 3 and shape[0] in (1, 3):
        return "put the channels last with array.transpose(1, 2, 0)"
    return None
