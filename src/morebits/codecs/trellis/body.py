"""The body of a picture: all its groups of segments, side by side on the cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.trellis import segments
from morebits.codecs.trellis.lanes import LANES
from morebits.codecs.trellis.layout import Layout
from morebits.codecs.trellis.plan import Plan

Array = NDArray[Any]

#: More threads than this need more memory than they save time.
_MOST_THREADS = 8


def mark(
    flat: Array, layout: Layout, plan: Plan, bits: Array, *, top: int, weights: Array | None,
    progress: Callable[[float], None] | None = None,
) -> None:  # fmt: skip
    """Hide the bits of a body in the samples `flat` of a picture, in place."""

    def one(group: int) -> None:
        places = layout.places(group)
        shares = _shares(bits, layout, plan, group)
        costs = None if weights is None else weights[places].astype(np.int64)
        marked = segments.mark(flat[places].astype(np.int64), shares, plan, top, costs)
        lanes = min(LANES, layout.segments - group * LANES)
        flat[places[:, :lanes]] = marked[:, :lanes].astype(flat.dtype)

    for done, _ in enumerate(_everywhere(one, layout.groups), start=1):
        if progress:
            progress(done / layout.groups)


def read(flat: Array, layout: Layout, plan: Plan) -> NDArray[np.uint8]:
    """All bits of the body, padding included."""
    share = plan.bits(layout.steps)
    bits = np.empty((layout.segments, share), np.uint8)

    def one(group: int) -> None:
        rows = bits[group * LANES : (group + 1) * LANES]
        segments.read(flat[layout.places(group)], plan, rows)

    for _ in _everywhere(one, layout.groups):
        pass
    return bits.reshape(-1)


def trial_errors(
    flat: Array, layout: Layout, plan: Plan, bits: Array, *, top: int, weights: Array | None
) -> NDArray[np.int64]:
    """Squared errors of 16 trials: in the first 16 segments, or 16 times in the only one."""
    places = layout.places(0)
    cover = flat[places].astype(np.int64)
    costs = None if weights is None else weights[places].astype(np.int64)
    change = segments.mark(cover, _shares(bits, layout, plan, 0), plan, top, costs) - cover
    return np.sum(change * change, axis=0)


def _shares(bits: Array, layout: Layout, plan: Plan, group: int) -> NDArray[np.uint8]:
    """The bits of a group's segments (LANES, bits a segment), zeros after the last."""
    share = plan.bits(layout.steps)
    rows = np.zeros(LANES * share, np.uint8)
    piece = bits[group * LANES * share : (group + 1) * LANES * share]
    rows[: piece.size] = piece
    return rows.reshape(LANES, share)


def _everywhere(work: Callable[[int], None], count: int) -> Iterator[None]:
    """Do the work for each group, and report each one that is done."""
    threads = min(count, os.cpu_count() or 1, _MOST_THREADS)
    if threads < 2:
        yield from map(work, range(count))
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, range(count))
