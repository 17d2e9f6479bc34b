"""Single pixels that noise made black or white, put back among their neighbours.

One lost pixel in a hundred adds more noise to the numbers of a tile than a strong JPEG. It is seen
easily: it is black or white, and most of the pixels around it are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Levels by which a speckle lies apart from its neighbours.
_APART = 24.0
#: Share of the pixels between which speckles are noise: fewer are stars, more are no speckles.
_SHARES = (0.0003, 0.2)


def removed(array: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """Samples (H, W, C) with each speckle replaced by the median of its neighbours; None when there
    are too few speckles to matter.

    >>> gray = np.full((60, 60, 1), 90, np.uint8)
    >>> gray[::20, ::20] = 255
    >>> removed(gray).max()
    np.uint8(90)
    >>> removed(np.full((60, 60, 1), 255, np.uint8)) is None
    True
    """
    extreme = (array == 0).all(axis=2) | (array == 255).all(axis=2)
    rows, columns = np.nonzero(extreme)
    if not _SHARES[0] * extreme.size <= len(rows) <= _SHARES[1] * extreme.size:
        return None
    around = _around(array, extreme, rows, columns)
    apart = np.abs(around - array[rows, columns]).max(axis=1) > _APART  # of NaN: not
    if apart.sum() < _SHARES[0] * extreme.size:
        return None
    result = array.copy()
    result[rows[apart], columns[apart]] = np.rint(around[apart]).astype(np.uint8)
    return result


def _around(
    array: NDArray[np.uint8], extreme: NDArray[np.bool_], rows: Any, columns: Any
) -> NDArray[np.float32]:
    """The median of the neighbours of some pixels that are no extremes, (pixels, C); NaN where most
    of them are.
    """
    near = np.array([(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x])
    y, x = rows[:, None] + near[:, 0], columns[:, None] + near[:, 1]
    inside = (y >= 0) & (y < array.shape[0]) & (x >= 0) & (x < array.shape[1])
    y, x = np.where(inside, y, 0), np.where(inside, x, 0)
    good = inside & ~extreme[y, x]
    values = np.where(good[..., None], array[y, x].astype(np.float32), np.inf)
    values.sort(axis=1)
    count = good.sum(axis=1)
    first, second = (np.maximum(count - 1, 0) // 2)[:, None], (count // 2)[:, None]
    low = np.take_along_axis(values, first[..., None], axis=1)[:, 0]
    high = np.take_along_axis(values, second[..., None], axis=1)[:, 0]
    middle = (low + high) / 2
    most = 2 * count > inside.sum(axis=1)
    return np.where(most[:, None], middle, np.nan).astype(np.float32)
