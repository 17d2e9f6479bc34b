"""A stream of words into a known cover within an energy that is never exceeded, and back.

Samples are taken in blocks, each half of those that remain. The table of a block follows from
the energy that is left and the cover values to come, so what one block spent too much the next
ones make good; and a sample never spends more than is left, so the promise cannot fail. The
decoder sees every change, hence every table.

The last samples hold the state in which the coder stopped, as digits in a small box
(`Layout`); the most they can cost is set aside before anything else is spent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import gmpy2
import numpy as np
from numpy.typing import NDArray

from morebits.codecs import digits, rans
from morebits.codecs.gaussian import Gaussian, widest
from morebits.distortion import squared_error
from morebits.images import Samples, histogram

#: The last state of the coder is below `2^_STATE_LIMIT_BITS`.
_STATE_LIMIT_BITS = rans.STATE_BITS + rans.WORD_BITS


@dataclass(frozen=True, eq=False)
class Layout:
    """How a cover is used: `body` samples by the coder, the rest as `q`-ary digits.

    `lows` are the values of digit 0; `energy` is what the body may spend, negative when the
    cover is too small or the PSNR too high for the digits alone.
    """

    body: int
    q: int
    lows: NDArray[np.int64]
    energy: int


def lay_out(cover: Samples, allowed: int, rho: int) -> Layout:
    """Set the digits of the last state aside; `allowed` is the total of squared changes."""
    mean = gmpy2.isqrt(gmpy2.mpz(allowed // cover.size))
    half = max(1, min(int(mean), rho // 2))
    q, count = 2 * half + 1, 1
    while q**count < 1 << _STATE_LIMIT_BITS:
        count += 1
    body = cover.size - count
    if body < 1:
        return Layout(0, q, np.zeros(0, np.int64), -1)
    values = cover[body:].astype(np.int64)
    lows = np.clip(values - half, 0, rho - 2 * half)
    worst = np.maximum(values - lows, lows + 2 * half - values)
    return Layout(body, q, lows, allowed - int(np.dot(worst, worst)))


def spend(
    cover: Samples, layout: Layout, rho: int, start: int, words: NDArray[np.uint16]
) -> tuple[Samples, int]:
    """The marked samples that carry the words, from state `start`, and how many words went in.

    When there is room for more words than there are, the count says so; the samples are then
    of no use.
    """
    marked = cover.copy()
    left, state, used = layout.energy, start, 0
    for piece, counts, samples in _blocks(cover[: layout.body]):
        table = _table(counts, left, samples)
        found = rans.spend(
            cover[piece], marked[piece], table.edges, table.starts,
            rho, left, np.uint64(state), words, used,
        )  # fmt: skip
        left, state, used = int(found[0]), int(found[1]), found[2]
    last = digits.digits_of_number(gmpy2.mpz(state), layout.q, layout.lows.size)
    marked[layout.body :] = layout.lows + last
    return marked, used


def regain(
    cover: Samples, marked: Samples, layout: Layout, rho: int, most: int
) -> tuple[int, NDArray[np.uint16]] | None:
    """The first state and the words that `spend` put in, at most `most`.

    None when `spend` cannot have made this.
    """
    state = _last_state(marked, layout)
    if state is None:
        return None
    left = layout.energy
    plan: list[tuple[slice, Gaussian, int]] = []
    for piece, counts, samples in _blocks(cover[: layout.body]):
        table = _table(counts, left, samples)
        left -= squared_error(cover[piece], marked[piece])
        if left < 0:
            return None
        plan.append((piece, table, left))
    words, free = np.empty(most, np.uint16), most
    for piece, table, after in reversed(plan):
        back = rans.regain(
            cover[piece], marked[piece], table.edges, rho, after, np.uint64(state), words, free
        )
        state, free = int(back[0]), back[1]
        if free < 0:
            return None
    return state, words[free:]


def _blocks(cover: Samples) -> Iterator[tuple[slice, NDArray[np.int64], int]]:
    """Each block, with how often each value occurs from it to the end, and in how many samples."""
    counts, start = histogram(cover), 0
    while start < cover.size:
        samples = cover.size - start
        piece = slice(start, start + (samples + 1) // 2)
        yield piece, counts, samples
        counts = counts - histogram(cover[piece])
        start = piece.stop


def _table(counts: NDArray[np.int64], left: int, samples: int) -> Gaussian:
    """The table for this much energy over this many samples.

    In a ball of m dimensions a coordinate has `1 / (m + 2)` of the squared radius, not 1 / m.
    """
    return widest(counts, left * samples, samples + 2)


def _last_state(marked: Samples, layout: Layout) -> int | None:
    found = marked[layout.body :].astype(np.int64) - layout.lows
    if found.min() < 0 or found.max() >= layout.q:
        return None
    state = int(digits.number_of_digits(found, layout.q))
    in_range = 1 << rans.STATE_BITS <= state < 1 << _STATE_LIMIT_BITS
    return state if in_range else None
