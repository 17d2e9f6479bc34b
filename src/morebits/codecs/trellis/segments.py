"""One group of segments: from message bits and cover samples to marked samples, and back."""

from __future__ import annotations

import threading
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

#: The average weight, and the only one without a mask: keeps squared errors apart, small ones too.
_AVERAGE = 64
_EVEN = np.full((1, LANES), _AVERAGE, np.int64)

_buffers = threading.local()


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
    symbols = search(costs, table, leaves, plan.length, _marks(steps, plan.length))
    return _apply(cover, digits, symbols ^ offsets, plan.plain, top)


def balanced(weights: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Weights with the average of a picture without a mask; equal ones make no difference.

    >>> balanced(np.array([2, 2, 8], np.uint8)).tolist()
    [32, 32, 128]
    """
    total = int(weights.sum(dtype=np.int64))
    scaled = weights.astype(np.int64) * (_AVERAGE * weights.size) // total
    return np.clip(scaled, 1, np.iinfo(np.uint16).max).astype(np.uint16)


def _marks(steps: int, length: int) -> NDArray[np.uint16]:
    """Room for the decisions of a search, kept by each thread: fresh memory is slow to touch."""
    row = 2 << length
    rows = min(steps, max(1, KEPT // (2 * row)))
    kept: Array | None = getattr(_buffers, "kept", None)
    if kept is None or kept.size < rows * row:
        kept = _buffers.kept = np.empty(rows * row, np.uint16)
    return kept[: rows * row].reshape(rows, row)


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
                value = 2 * value + np.int64(bits[lane, at])
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
