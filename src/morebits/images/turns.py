"""The EXIF orientation: how a viewer turns a picture, applied to its samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.images import tags
from morebits.images.picture import Picture, frozen


def turned(array: NDArray[Any], orientation: int) -> NDArray[Any]:
    """The array as a viewer shows it; `orientation` is 1 to 8 (EXIF 2.32, section 4.6.4).

    >>> turned(np.array([[1, 2], [3, 4]]), 6).tolist()
    [[3, 1], [4, 2]]
    """
    if orientation >= 5:  # rows become columns
        array = np.swapaxes(array, 0, 1)
    if orientation in (2, 3, 6, 7):  # left becomes right
        array = array[:, ::-1]
    if orientation in (3, 4, 7, 8):  # top becomes bottom
        array = array[::-1]
    return np.ascontiguousarray(array)


def upright(picture: Picture) -> Picture:
    """The picture as a viewer shows it, with the EXIF orientation applied and set to 1.

    >>> exif = tags.serialise(tags.Tags("<", {tags.ORIENTATION: tags.short("<", 8)}))
    >>> lying = Picture(np.array([[[1], [2]]], np.uint8), 8, "lying", exif=exif)
    >>> upright(lying).array[..., 0].tolist(), upright(lying).orientation
    ([[2], [1]], 1)
    """
    if picture.exif is None or picture.orientation == 1:
        return picture
    orientation, dpi = picture.orientation, picture.dpi
    alpha = None if picture.alpha is None else turned(picture.alpha, orientation)
    return replace(
        picture,
        array=frozen(turned(picture.array, orientation)),
        alpha=alpha,
        exif=tags.with_orientation(picture.exif, 1),
        dpi=dpi[::-1] if dpi and orientation >= 5 else dpi,
        notes=(*picture.notes, f"EXIF orientation {orientation} applied"),
    )
