"""The cheapest way to say a message: Viterbi's algorithm over a syndrome trellis.

A sample is `y = 2^k z + r`. The digit r is given (k plain bits of the message). The low two
bits of z are free, but together they must spell the coded bits of the message: sample t adds
(exclusive or) a column of `length` bits for z = 1, another for z = 2, or both for z = 3, to a
register, and after some samples the topmost bit leaves the register; what leaves must be the
message. The rate is how often a bit leaves: `leaves[t]` is 0, 1 or 2, evenly spread. One code
thus serves every rate, from far below one bit a sample up to any number of plain bits on top.

States of the trellis are the contents of the register. After a sample from which e bits
leave, the lowest e places are empty, so `2^(length - e)` states are alive; they are stored
without the empty places. Each new state takes the cheapest of its 4, 2 or 1 predecessors
(for 0, 1 or 2 empty places), for 16 segments at a time (see `lanes`).

All lanes run the same steps, so the message itself must not steer them: `particular` finds
any symbols that spell the message, and the search runs over the symbols that differ from
them by a codeword, whose bits leaving the register are all 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import config
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled
from morebits.codecs.trellis.lanes import LANES

if TYPE_CHECKING or config.DISABLE_JIT:
    from morebits.codecs.trellis.plain import lower, relax_four, relax_one, relax_two, subtract
else:
    from morebits.codecs.trellis.lanes import lower, relax_four, relax_one, relax_two, subtract

Array = NDArray[Any]

#: The most that one sample may cost: metrics have 16 bits.
_MOST = 640
#: Metric of a state that cannot be: above any sum of costs while the register fills.
_DEAD = 20_000
#: Samples between two subtractions of the smallest metric.
_PAUSE = 16
#: Bytes of decisions to keep at a time; above that, decisions are computed twice.
KEPT = 1 << 27


@compiled
def schedule(samples: int, coded: int, length: int) -> Array:
    """How many coded bits leave after each sample; none while the register fills."""
    leaves = np.zeros(samples, np.int64)
    span = samples - length
    for t in range(span):
        leaves[length + t] = (t + 1) * coded // span - t * coded // span
    return leaves


@compiled
def spell(symbols: Array, leaves: Array, columns: Array, length: int) -> Array:
    """The coded bits that symbols (z mod 4) say: what `embed` chose them for."""
    coded = np.empty(leaves.sum(), np.uint8)
    register, at = 0, 0
    for t in range(symbols.size):
        register ^= columns[t % len(columns), symbols[t]]
        for _ in range(leaves[t]):
            coded[at] = (register >> (length - 1)) & 1
            register = (register << 1) & ((1 << length) - 1)
            at += 1
    return coded


@compiled
def particular(coded: Array, leaves: Array, columns: Array, length: int) -> Array:
    """Some symbols that spell these bits: of several, those without need to look ahead."""
    symbols = np.zeros(leaves.size, np.uint8)
    register, at = 0, 0
    for t in range(leaves.size):
        e = leaves[t]
        wanted = 0
        for _ in range(e):
            wanted = 2 * wanted + coded[at]
            at += 1
        for z in range(1 << e):  # columns are made such that one of these fits
            after = register ^ columns[t % len(columns), z]
            if after >> (length - e) == wanted:
                symbols[t] = z
                register = (after << e) & ((1 << length) - 1)
                break
    return symbols


@compiled
def nearest(x: int, residue: int, period: int, top: int, odd: int) -> int:
    """Change from x to the nearest y in 0..top with y = residue modulo period.

    Of two that are equally near, `odd` picks, so that changes up and down balance.
    """
    up = (residue - x) & (period - 1)
    down = up - period
    if x + up > top:
        return down
    if x + down < 0:
        return up
    return up if 2 * up + odd <= period else down


@compiled
def prices(x: Array, digits: Array, offsets: Array, weights: Array, k: int, top: int) -> Array:
    """Cost (samples, 4, LANES) of each codeword symbol: weight times squared error over `4^k`.

    `weights` has one row for all samples, or one row a sample.
    """
    costs = np.empty((x.shape[0], 4, LANES), np.int16)
    period = 4 << k
    for t in range(x.shape[0]):
        row = t % weights.shape[0]
        for lane in range(LANES):
            for z in range(4):
                residue = digits[t, lane] + (np.int64(z ^ offsets[t, lane]) << k)
                change = nearest(x[t, lane], residue, period, top, t & 1)
                costs[t, z, lane] = min((change * change * weights[row, lane]) >> (2 * k), _MOST)
    return costs


@compiled
def _step(
    old: Array, new: Array, marks: Array, costs: Array, column: Array, empty: int, e: int
) -> None:
    """One sample: all metrics of the states after it, and which predecessor each one has."""
    alive = new.shape[0] >> e
    one, two, three = column[1] >> empty, column[2] >> empty, column[3] >> empty
    if empty == 0:
        for s in range(alive):
            relax_four(old, new, marks, costs, s, s, s ^ one, s ^ two, s ^ three)
    elif empty == 1:
        for s in range(alive >> 1):
            relax_two(old, new, marks, costs, 2 * s, s, s ^ two, 0)
            relax_two(old, new, marks, costs, 2 * s + 1, s ^ one, s ^ three, 1)
    else:
        for s in range(alive >> 2):
            relax_one(old, new, marks, costs, 4 * s, s, 0)
            relax_one(old, new, marks, costs, 4 * s + 1, s ^ one, 1)
            relax_one(old, new, marks, costs, 4 * s + 2, s ^ two, 2)
            relax_one(old, new, marks, costs, 4 * s + 3, s ^ three, 3)


@compiled
def _forward(
    old: Array, new: Array, marks: Array, costs: Array, columns: Array, leaves: Array,
    start: int, stop: int,
) -> tuple[Array, Array]:  # fmt: skip
    """From the metrics before sample `start` to those before `stop`; returns them."""
    floor = np.empty((1, LANES), np.int16)
    for t in range(start, stop):
        empty = leaves[t - 1] if t else 0
        _step(
            old, new, marks[(t - start) % len(marks)], costs[t], columns[t % len(columns)],
            empty, leaves[t],
        )  # fmt: skip
        old, new = new, old
        if t % _PAUSE == _PAUSE - 1:
            floor[:] = 32767
            alive = len(old) >> leaves[t]
            for s in range(alive):
                lower(old, floor, s)
            for s in range(alive):
                subtract(old, floor, s)
    return old, new


@compiled
def _backward(
    states: Array, symbols: Array, marks: Array, columns: Array, leaves: Array,
    start: int, stop: int,
) -> None:  # fmt: skip
    """Follow the marks from the states after `stop - 1` back to those before `start`."""
    for t in range(stop - 1, start - 1, -1):
        empty = leaves[t - 1] if t else 0
        row = marks[t - start]
        for lane in range(LANES):
            s = states[lane]
            if empty == 0:
                z = ((row[2 * s] >> lane) & 1) + 2 * ((row[2 * s + 1] >> lane) & 1)
            elif empty == 1:
                z = (s & 1) + 2 * ((row[s] >> lane) & 1)
            else:
                z = s & 3
            symbols[t, lane] = z
            states[lane] = (s ^ columns[t % len(columns), z]) >> empty


@compiled
def search(costs: Array, columns: Array, leaves: Array, length: int, marks: Array) -> Array:
    """The cheapest codeword symbols (samples, LANES) for these costs.

    Decisions are kept in `marks` (samples of a block, 2 << length). With several blocks,
    the first pass keeps only the metrics before each block, and the second goes from the last
    block to the first and decides again: memory stays bounded for any number of states, at
    twice the time.
    """
    samples = costs.shape[0]
    block = len(marks)
    count = (samples + block - 1) // block
    before = np.empty((count, 1 << length, LANES), np.int16)
    old = np.full((1 << length, LANES), _DEAD, np.int16)
    old[0] = 0
    new = np.empty_like(old)
    for b in range(count):
        before[b] = old
        stop = min(samples, (b + 1) * block)
        old, new = _forward(old, new, marks, costs, columns, leaves, b * block, stop)
    states = np.empty(LANES, np.int64)
    for lane in range(LANES):
        states[lane] = np.argmin(old[: (1 << length) >> leaves[samples - 1], lane])
    symbols = np.empty((samples, LANES), np.uint8)
    for b in range(count - 1, -1, -1):
        stop = min(samples, (b + 1) * block)
        if b < count - 1:
            old[:] = before[b]
            _forward(old, new, marks, costs, columns, leaves, b * block, stop)
        _backward(states, symbols, marks, columns, leaves, b * block, stop)
    return symbols
