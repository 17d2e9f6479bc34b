"""The code: which register bits each symbol of each sample flips.

Columns are drawn once and for all from SHAKE-128 (a time-varying code; a random one is as
good as Ungerboeck's best from 64 states on, and serves every rate), so every machine and
every later version has the same ones.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Samples until the columns repeat.
PERIOD = 1024


@lru_cache(maxsize=4)
def columns(length: int) -> NDArray[Any]:
    """What symbol z of sample t flips: `columns(length)[t % PERIOD, z]`, `length` bits each.

    The ends of a column are fixed: the two lowest bits are z itself, so that the empty places
    of the register tell the symbol, and the two topmost are (1, any) for z = 1 and (0, 1) for
    z = 2, so that any bits can leave after any sample.

    >>> [format(column, "05b") for column in columns(5)[0]]
    ['00000', '10101', '01010', '11111']
    """
    stream = hashlib.shake_128(f"morebits trellis columns {length}".encode()).digest(8 * PERIOD)
    one, two = np.frombuffer(stream, "<u4").astype(np.int64).reshape(PERIOD, 2).T
    top = 1 << (length - 1)
    inner = top - 4  # every bit but the topmost and the two lowest
    one = (one & inner) | top | 1
    two = (two & inner) | (top >> 1) | 2
    table = np.stack([np.zeros_like(one), one, two, one ^ two], axis=1)
    table.flags.writeable = False
    return table
