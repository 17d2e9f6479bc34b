"""One or more bits in one number: a lattice with as many shifts as there are symbols.

Numbers are counted in cells, `u = number / step - dither`. Symbol `s` of `2^m` asks for a `u`
that is `s / 2^m` beyond a whole one; neighbouring symbols differ in one bit (Gray's code). The
writer moves a number by the share `alpha` of the way. The reader knows how far each number is
likely to be off (`sigma`, in cells) and how likely it is lost altogether, and tells each bit.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

#: Soft values beyond this say no more.
_MOST = 25.0


def share(bits: int, first: float) -> float:
    """The share of the way that a number with so many bits moves; with one bit it is `first`.

    >>> share(1, 0.75), share(3, 0.75)
    (0.75, 0.9375)
    """
    return 1 - (1 - first) / 2 ** (bits - 1)


@cache
def labels(bits: int) -> NDArray[np.uint8]:
    """The bits of each symbol, (2^m, m).

    >>> labels(2).tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    """
    symbols = np.arange(1 << bits)
    gray = symbols ^ (symbols >> 1)
    return ((gray[:, None] >> np.arange(bits - 1, -1, -1)) & 1).astype(np.uint8)


def places(bits: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Where in the cell a number with these bits (..., m) shall lie, from 0 to 1.

    >>> places(np.array([[0, 0], [1, 1]], np.uint8)).tolist()
    [0.0, 0.5]
    """
    count = bits.shape[-1]
    code = (bits << np.arange(count - 1, -1, -1)).sum(axis=-1)
    gray = labels(count) @ (1 << np.arange(count - 1, -1, -1))
    return (np.argsort(gray)[code] / (1 << count)).astype(np.float32)


def soft_values(
    cells: NDArray[np.float32], sigma: NDArray[np.float32], lost: NDArray[np.float32], bits: int
) -> NDArray[np.float32]:
    """The soft value, ln P(1) / P(0), of each bit, (..., m), of numbers in cells.

    >>> one = np.float32(0.1)
    >>> soft = soft_values(np.array([0.5, 0.25, 0.0], np.float32), one, one, 1)[:, 0]
    >>> [round(float(each), 2) for each in soft]
    [3.61, 0.0, -3.61]
    """
    points = np.arange(1 << bits, dtype=np.float32) / np.float32(1 << bits)
    off = cells[..., None] - points
    off -= np.rint(off)
    sigma, lost = np.asarray(sigma)[..., None], np.asarray(lost)[..., None]
    near = -0.5 * (off / sigma) ** 2
    far = -0.5 * ((1 - np.abs(off)) / sigma) ** 2
    density = np.logaddexp(near, far) - np.log(sigma * np.float32(np.sqrt(2 * np.pi)))
    chance = np.logaddexp(np.log1p(-lost) + density, np.log(lost))
    ones = labels(bits).astype(bool)
    soft = [
        np.logaddexp.reduce(chance[..., ones[:, bit]], axis=-1)
        - np.logaddexp.reduce(chance[..., ~ones[:, bit]], axis=-1)
        for bit in range(bits)
    ]
    return np.clip(np.stack(soft, axis=-1), -_MOST, _MOST)
