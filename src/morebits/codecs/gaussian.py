"""Discrete Gaussians as tables of whole numbers: the same on every machine.

A change j of a sample gets a share of about `r^(j^2)`, the shape that carries the most bits for
its energy. Shares are whole numbers out of `2^24`, made with integers only, from `r` as MPFR
rounds it. (constriction, the library for this kind of coding, takes its shares from floats.)
How steep a table is runs over a grid: index i means `r = exp(-16 / 2^(i/128))`, and the last
index means all changes alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import gmpy2
import numpy as np
from numpy.typing import NDArray

from morebits.codecs import rans

_STEPS = 128  # a doubling; a grid this fine costs less than a bit a picture
_OCTAVES = 38  # from one change in a million samples to a spread of 90,000
LAST = _STEPS * _OCTAVES + 1

#: An expected energy times `2^-shift` stays below this, so that 2^30 of them fit 64 bits.
_ENERGY_BITS = 33


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Shares of the changes `-reach..reach`, added up.

    `edges[s]` is the sum of all shares before change `s - reach`, `energy[s]` the same sum of
    shares times the squared change, and `starts` the place at which to look for a slot.
    """

    reach: int
    edges: NDArray[np.uint64]
    energy: NDArray[np.uint64]
    starts: NDArray[np.int32]


@lru_cache(maxsize=64)
def gaussian(index: int, rho: int) -> Gaussian:
    """The table at a place of the grid, for changes of at most `rho`.

    >>> table = gaussian(512, 255)  # r = exp(-1)
    >>> [int(share) for share in np.diff(table.edges)[table.reach :][:4]]
    [9464551, 3481814, 173349, 1168]
    """
    alike = index == LAST
    right = np.full(rho + 1, 1 << 63, np.uint64) if alike else rans.weights(_root(index), rho)
    return Gaussian(right.size - 1, *rans.tabulate(right))


def widest(counts: NDArray[np.int64], budget: int, parts: int) -> Gaussian:
    """The widest table whose expected energy, times `parts`, is within the budget.

    `counts[v]` samples have the cover value v, of `counts.size - 1` at most. A table is cut to
    what keeps a sample in range, so saturated samples are expected to spend what they can.
    """
    rho, low, high = counts.size - 1, 0, LAST
    while low < high:
        middle = (low + high + 1) // 2
        table = gaussian(middle, rho)
        shift = _ENERGY_BITS - (table.reach**2).bit_length()
        energy = rans.expected_energy(table.edges, table.energy, counts, shift)
        if int(energy) * parts <= budget << shift:
            low = middle
        else:
            high = middle - 1
    return gaussian(low, rho)


@cache
def _root(index: int) -> np.uint64:
    """`2^64 r`, rounded down."""
    with gmpy2.context(precision=256):
        steepness = gmpy2.exp2(gmpy2.mpfr(4 * _STEPS - index) / _STEPS)
        return np.uint64(int(gmpy2.floor(gmpy2.exp(-steepness) * gmpy2.exp2(64))))
