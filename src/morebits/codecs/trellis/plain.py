"""The steps of `lanes` without numba, lane by lane the same integers.

For those who switch its compiler off (`NUMBA_DISABLE_JIT=1`), to look into the search or to check
it; thousands of times slower.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.trellis.lanes import LANES

Array = NDArray[Any]

_BITS = 1 << np.arange(LANES)


def relax_one(old: Array, new: Array, _marks: Array, costs: Array, to: int, a: int, z: int) -> None:
    """As in `lanes`: a step without a choice."""
    new[to] = old[a] + costs[z]


def relax_two(
    old: Array, new: Array, marks: Array, costs: Array, to: int, a: int, b: int, z: int
) -> None:
    """As in `lanes`: the better of two."""
    new[to], marks[to] = _smaller(old[a] + costs[z], old[b] + costs[z + 2])


def relax_four(
    old: Array, new: Array, marks: Array, costs: Array, to: int, a: int, b: int, c: int, d: int
) -> None:
    """As in `lanes`: the best of four."""
    sums = [old[state] + costs[z] for z, state in enumerate((a, b, c, d))]
    low, odd_low = _smaller(sums[0], sums[1])
    high, odd_high = _smaller(sums[2], sums[3])
    new[to], upper = _smaller(low, high)
    marks[2 * to] = (odd_high & upper) | (odd_low & ~upper)
    marks[2 * to + 1] = upper


def lower(metrics: Array, floor: Array, to: int) -> None:
    """As in `lanes`."""
    floor[0] = np.minimum(floor[0], metrics[to])


def subtract(metrics: Array, floor: Array, to: int) -> None:
    """As in `lanes`."""
    metrics[to] -= floor[0]


def _smaller(left: Array, right: Array) -> tuple[Array, int]:
    """The smaller of two, and the mask of lanes where it is the right one."""
    less = right < left
    return np.where(less, right, left), int(_BITS[less].sum())
