"""Entropy coding in reverse, compiled: whole numbers into changes of samples, and back.

The coder is rANS with a state of 40 to 56 bits and words of 16. `spend` decodes a stream of
arbitrary words under a table of shares, which gives changes that are distributed like the
table; `regain` encodes the changes, last one first, which gives the words. Every operation is
on 64-bit integers.

A sample may have less room than the table: its value must stay within 0..rho, and its squared
change within what is left of the energy. The table is then cut to that room and stretched to
the full total: slot u stands for place `first + floor(u width / 2^24)` of the whole table.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

#: What compiled code makes of a whole number.
Whole: TypeAlias = int | np.int64

#: Bits of the total of all shares, of a word, and of the smallest state.
TOTAL_BITS, WORD_BITS, STATE_BITS = 24, 16, 40
#: Bits of a slot that the look-up table is for.
LOOKUP_BITS = 12

_U0, _U1 = np.uint64(0), np.uint64(1)
_TOTAL = np.uint64(TOTAL_BITS)
_MASK = np.uint64((1 << TOTAL_BITS) - 1)
_WORD = np.uint64(WORD_BITS)
_WORD_MASK = np.uint64((1 << WORD_BITS) - 1)
_LEAST = np.uint64(1 << STATE_BITS)
_LOOK = np.uint64(TOTAL_BITS - LOOKUP_BITS)
#: Weights are scaled until their sum is below this.
_SUM_LIMIT = np.uint64(1 << 39)
#: A state at or above share times this many would leave the range of states.
_ROOM = np.uint64(STATE_BITS + WORD_BITS - TOTAL_BITS)


@njit(cache=True, nogil=True)
def _high_product(a: np.uint64, b: np.uint64) -> np.uint64:
    """`floor(a b / 2^64)`."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    first = (a >> half) * (b & low) + (((a & low) * (b & low)) >> half)
    second = (a & low) * (b >> half) + (first & low)
    return (a >> half) * (b >> half) + (first >> half) + (second >> half)


@njit(cache=True, nogil=True)
def weights(root: np.uint64, most: int) -> NDArray[np.uint64]:
    """`2^63 r^(j^2)` for j = 0, 1, ... up to `most`, or to where it is below `2^21`.

    `root` is `2^64 r`.
    """
    result = np.empty(most + 1, np.uint64)
    weight, step, twice = np.uint64(1 << 63), root, _high_product(root, root)
    count = 0
    while count <= most and weight >= np.uint64(1 << 21):
        result[count] = weight
        weight = _high_product(weight, step)
        step = _high_product(step, twice)
        count += 1
    return result[:count].copy()


@njit(cache=True, nogil=True)
def tabulate(
    right: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int32]]:
    """`edges`, `energy` and `starts` of a `Gaussian`, from the weights of 0, 1, 2, ...

    Weights are below `2^64`; they are first divided by a power of two such that the multiple
    of their sum by the total fits 64 bits.
    """
    reach = right.size - 1
    rough = right[0] >> np.uint64(24)
    for j in range(1, right.size):
        rough += (right[j] >> np.uint64(24)) << _U1
    down = np.uint64(24)
    while rough >= _SUM_LIMIT:
        rough >>= _U1
        down += _U1
    edges, energy = np.zeros(2 * reach + 2, np.uint64), np.zeros(2 * reach + 2, np.uint64)
    for s in range(2 * reach + 1):
        edges[s + 1] = edges[s] + (right[abs(s - reach)] >> down)
    total = edges[2 * reach + 1]
    for s in range(1, 2 * reach + 2):
        edges[s] = (edges[s] << _TOTAL) // total
        change = np.uint64(abs(s - 1 - reach))
        energy[s] = energy[s - 1] + (edges[s] - edges[s - 1]) * change * change
    starts = np.empty(1 << LOOKUP_BITS, np.int32)
    s = 0
    for first in range(1 << LOOKUP_BITS):
        while edges[s + 1] <= np.uint64(first) << _LOOK:
            s += 1
        starts[first] = s
    return edges, energy, starts


@njit(cache=True, nogil=True)
def expected_energy(
    edges: NDArray[np.uint64],
    energy: NDArray[np.uint64],
    counts: NDArray[np.int64],
    shift: int,
) -> Whole:
    """`2^shift` times the energy to expect when `counts[v]` samples have the cover value v."""
    reach, rho = edges.size // 2 - 1, counts.size - 1
    total = np.int64(0)
    for v in range(counts.size):
        if counts[v] == 0:
            continue
        low, high = max(-v, -reach) + reach, min(rho - v, reach) + reach + 1
        spent = (energy[high] - energy[low]) << np.uint64(shift)
        total += counts[v] * np.int64(spent // (edges[high] - edges[low]))
    return total


@njit(cache=True, nogil=True)
def _root(number: Whole) -> Whole:
    """`floor(sqrt(number))` of a number below `2^52`, where a float has every digit."""
    root = np.int64(np.sqrt(np.float64(number)))
    while root * root > number:
        root -= 1
    while (root + 1) * (root + 1) <= number:
        root += 1
    return root


@njit(cache=True, nogil=True)
def _room(v: Whole, rho: int, reach: int, left: Whole) -> tuple[Whole, Whole]:
    """First and last place in the table that this sample may use."""
    most = reach if reach * reach <= left else _root(left)
    return max(-v, -most) + reach, min(rho - v, most) + reach


@njit(cache=True, nogil=True)
def _stretched(edge: np.uint64, first: np.uint64, width: np.uint64) -> np.uint64:
    """Where an edge lies when the `width` places from `first` are stretched to the total."""
    return (((edge - first) << _TOTAL) + width - _U1) // width


@njit(cache=True, nogil=True)
def spend(
    cover: NDArray[Any],
    marked: NDArray[Any],
    edges: NDArray[np.uint64],
    starts: NDArray[np.int32],
    rho: int,
    left: Whole,
    state: np.uint64,
    words: NDArray[np.uint16],
    used: int,
) -> tuple[Whole, np.uint64, int]:
    """Turn words into changes of `cover`; what is then left, the state, and words used.

    Words beyond the last are not there: the count of used ones says so.
    """
    reach = edges.size // 2 - 1
    for i in range(cover.size):
        v = np.int64(cover[i])
        low, high = _room(v, rho, reach, left)
        slot = state & _MASK
        whole = high - low == 2 * reach
        first = _U0 if whole else edges[low]
        width = edges[high + 1] - first
        place = slot if whole else first + ((slot * width) >> _TOTAL)
        s = np.int64(starts[place >> _LOOK])
        while edges[s + 1] <= place:
            s += 1
        begin, end = edges[s], edges[s + 1]
        if not whole:
            begin, end = _stretched(begin, first, width), _stretched(end, first, width)
        state = (end - begin) * (state >> _TOTAL) + (slot - begin)
        while state < _LEAST:
            word = np.uint64(words[used]) if used < words.size else _U0
            state = (state << _WORD) | word
            used += 1
        change = s - reach
        left -= change * change
        marked[i] = v + change
    return left, state, used


@njit(cache=True, nogil=True)
def regain(
    cover: NDArray[Any],
    marked: NDArray[Any],
    edges: NDArray[np.uint64],
    rho: int,
    left: Whole,
    state: np.uint64,
    words: NDArray[np.uint16],
    free: int,
) -> tuple[np.uint64, int]:
    """Undo `spend` from the last sample on, `left` being what was left after it.

    Words are written before place `free` of `words`, last one first; the place returned is
    negative when a change cannot be from this table, or the words are too many.
    """
    reach = edges.size // 2 - 1
    for i in range(cover.size - 1, -1, -1):
        v = np.int64(cover[i])
        change = np.int64(marked[i]) - v
        left += change * change
        low, high = _room(v, rho, reach, left)
        s = change + reach
        if s < low or s > high or edges[s + 1] == edges[s]:
            return state, -1
        begin, end = edges[s], edges[s + 1]
        if high - low != 2 * reach:
            first = edges[low]
            width = edges[high + 1] - first
            begin, end = _stretched(begin, first, width), _stretched(end, first, width)
        share = end - begin
        while state >= share << _ROOM:
            free -= 1
            if free < 0:
                return state, -1
            words[free] = np.uint16(state & _WORD_MASK)
            state >>= _WORD
        state = ((state // share) << _TOTAL) + begin + state % share
    return state, free
