"""One group of segments: from message bits and cover samples to marked samples, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled
from morebits.codecs.trellis.columns import columns
from morebits.codecs.trellis.lanes import LANES
from morebits.codecs.trellis.plan import Plan
from morebits.codecs.trellis.viterbi import (
    KEPT,
    nearest,
    particular,
    prices,
    schedule,
    search,
    spell,
)

Array = NDArray[Any]

#: Without a mask all samples weigh the same; 64 keeps squared errors apart, also small ones.
_EVEN = np.full((1, LANES), 64, np.int64)


def mark(cover: Array, bits: Array, plan: Plan, top: int, weights: Array | None) -> Array:
    """Marked samples (steps, LANES) for cover samples of that shape.

    `bits` (LANES, bits a segment) is the message, `top` the largest sample value, and
    `weights` the cost of changing each sample, 1 to 255.
    """
    steps = cover.shape[0]
    table = columns(plan.length)
    leaves = schedule(steps, plan.coded, plan.length)
    digits = _digits(bits[:, plan.coded :], steps, plan.plain)
    offsets = _particulars(bits[:, : plan.coded], leaves, table, plan.length)
    costs = prices(cover, digits, offsets, _EVEN if weights is None else weights, plan.plain, top)
    symbols = search(costs, table, leaves, plan.length, KEPT)
    return _apply(cover, digits, symbols ^ offsets, plan.plain, top)


def read(marked: Array, plan: Plan, bits: Array) -> None:
    """The message of marked samples (steps, LANES), into the rows of `bits`."""
    steps = marked.shape[0]
    table = columns(plan.length)
    leaves = schedule(steps, plan.coded, plan.length)
    _read(marked, leaves, table, plan.length, plan.plain, bits)


@compiled
def _read(marked: Array, leaves: Array, table: Array, length: int, plain: int, bits: Array) -> None:
    steps = marked.shape[0]
    for lane in range(len(bits)):
        symbols = (marked[:, lane] >> plain) & 3
        coded = spell(symbols, leaves, table, length)
        bits[lane, : coded.size] = coded
        at = coded.size
        for t in range(steps):
            for place in range(plain - 1, -1, -1):
                bits[lane, at] = (marked[t, lane] >> place) & 1
                at += 1


@compiled
def _digits(bits: Array, steps: int, plain: int) -> Array:
    """The plain bits of each sample as a number (steps, LANES), most significant bit first."""
    digits = np.zeros((steps, LANES), np.int64)
    for lane in range(LANES):
        at = 0
        for t in range(steps):
            value = 0
            for _ in range(plain):
                value = 2 * value + bits[lane, at]
                at += 1
            digits[t, lane] = value
    return digits


@compiled
def _particulars(bits: Array, leaves: Array, table: Array, length: int) -> Array:
    offsets = np.empty((leaves.size, LANES), np.uint8)
    for lane in range(LANES):
        offsets[:, lane] = particular(bits[lane], leaves, table, length)
    return offsets


@compiled
def _apply(cover: Array, digits: Array, symbols: Array, plain: int, top: int) -> Array:
    marked = np.empty_like(cover)
    for t in range(cover.shape[0]):
        for lane in range(LANES):
            residue = digits[t, lane] + (np.int64(symbols[t, lane]) << plain)
            change = nearest(cover[t, lane], residue, 4 << plain, top, t & 1)
            marked[t, lane] = cover[t, lane] + change
    return marked
