"""The search for a picture that reads as wanted after the edit, compiled.

Rounding twice, before and after the edit, moves every coordinate a little, and the encoder
knows by how much. It changes single samples by one, at random, and keeps changes that bring
coordinates into their cells or save energy, others with a chance that falls as it goes on
(simulated annealing). With `t` a coordinate's distance from its cell's middle, 1 at the
border, the cost is

    sum of max(0, |t| - INNER)^2  +  weight * (energy of the change of the picture).

A gradient, a few changes old, tells at once that most trials are not worth the exact cost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compiled import compiled

#: A coordinate this far out (1 is the border) costs nothing.
INNER = 0.6
#: Changes between two gradients.
_BATCH = 32

#: Outputs this close to a tie, whose arithmetic is not exact, cost something.
_TIE, _TIE_COST = 1e-7, 0.1

_GOLDEN = 0x9E3779B97F4A7C15


@compiled
def anneal(
    change: NDArray[np.float64],
    value: NDArray[np.float64],
    shown: NDArray[np.float64],
    read: NDArray[np.float64],
    center: NDArray[np.float64],
    half: NDArray[np.float64],
    indices: NDArray[np.int32],
    indptr: NDArray[np.int32],
    data: NDArray[np.float64],
    left: NDArray[np.float32],
    left_t: NDArray[np.float32],
    gray: NDArray[np.float64],
    loose: NDArray[np.bool_],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    reach: tuple[int, int],
    sweeps: int,
    hot: float,
    cold: float,
    weight: float,
    seed: int,
) -> None:
    """Improve `change` of one block in place, and with it `value`, `shown` and `read`.

    `change` is what the picture adds to the cover, within `reach`; `value` is the matrix (CSC)
    times it; `shown` is `value + gray` rounded, within `low` and `high`; `read` are the
    coordinates `left^T (shown - gray)`, wanted within `half` of `center`. Outputs that are
    `loose` should not be near a tie.
    """
    inputs, outputs, size = change.size, value.size, read.size
    state = np.uint64(seed) * np.uint64(_GOLDEN) + np.uint64(1)
    trial = np.empty(size)
    gradient, curve = np.empty(outputs), np.empty(outputs)
    moved, by = np.empty(outputs, np.int64), np.empty(outputs)
    cost = _cost(read, center, half)
    since = _BATCH
    for sweep in range(sweeps):
        heat = hot * (cold / hot) ** (sweep / max(1, sweeps - 1))
        for _ in range(inputs):
            if since >= _BATCH:
                _slopes(read, center, half, left_t, gradient, curve)
                since = 0
            state = _next(state)
            j = int((state >> np.uint64(33)) % np.uint64(inputs))
            step = 1 if state & np.uint64(1 << 32) else -1
            if not reach[0] <= change[j] + step <= reach[1]:
                continue
            state = _next(state)
            chance = ((state >> np.uint64(12)) + np.uint64(1)) * 2.0**-52
            bar = -heat * np.log(chance) - weight * (2 * step * change[j] + 1)
            guess, count = 0.0, 0
            for p in range(indptr[j], indptr[j + 1]):
                o = indices[p]
                before = value[o] + gray[o] + 0.5
                after = before + step * data[p]
                rounded = np.floor(after)
                if loose[o]:
                    if abs(after - np.rint(after)) < _TIE:
                        bar -= _TIE_COST
                    if abs(before - np.rint(before)) < _TIE:
                        bar += _TIE_COST
                more = min(max(rounded, low[o]), high[o]) - shown[o]
                if more != 0:
                    guess += more * gradient[o] + more * more * curve[o]
                    moved[count], by[count] = o, more
                    count += 1
            if guess >= bar:
                continue
            if count:
                trial[:] = read
                for a in range(count):
                    more, row = by[a], left[moved[a]]
                    for i in range(size):
                        trial[i] += more * row[i]
                new_cost = _cost(trial, center, half)
                if new_cost - cost >= bar:
                    continue
                cost = new_cost
                read[:] = trial
                for a in range(count):
                    shown[moved[a]] += by[a]
                since += 1
            change[j] += step
            for p in range(indptr[j], indptr[j + 1]):
                value[indices[p]] += step * data[p]


@compiled
def _next(state: Any) -> Any:
    """A step of xorshift64 (Marsaglia), enough for choosing trials."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    return state ^ (state << np.uint64(17))


@compiled
def _cost(
    read: NDArray[np.float64], center: NDArray[np.float64], half: NDArray[np.float64]
) -> float:
    total = 0.0
    for i in range(read.size):
        beyond = abs(read[i] - center[i]) / half[i] - INNER
        if beyond > 0:
            total += beyond * beyond
    return total


@compiled
def _slopes(
    read: NDArray[np.float64],
    center: NDArray[np.float64],
    half: NDArray[np.float64],
    left_t: NDArray[np.float32],
    gradient: NDArray[np.float64],
    curve: NDArray[np.float64],
) -> None:
    """First and half the second derivative of the cost by every output."""
    gradient[:] = 0.0
    curve[:] = 0.0
    for i in range(read.size):
        away = (read[i] - center[i]) / half[i]
        beyond = abs(away) - INNER
        if beyond > 0:
            slope = 2 * beyond / half[i] if away > 0 else -2 * beyond / half[i]
            bend = 1.0 / (half[i] * half[i])
            row = left_t[i]
            for o in range(gradient.size):
                gradient[o] += slope * row[o]
                curve[o] += bend * row[o] * row[o]
