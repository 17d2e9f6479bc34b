"""One step of a certified code: move a few samples, read one output pixel.

A cell owns some input samples (one, or the channels of a pixel) and reads one output pixel
`z(v) = floor(c + l.v + 1/2)`: `v` is the integer change of its samples, `l` are their weights,
and all else, in `c`, is known when the cell's turn comes. Take the changes in order of their
norm and keep each one that shows a value of `z` not seen before: the j-th kept change carries
the digit j. Encoder and decoder know `c`, so both can make that list.

**How much a digit costs at most, whatever `c` is.** Let `Y(t)` be the largest `l.v` with
`||v||^2 <= t`. If every weight is at most 1, walking from `-v` to `v` one unit at a time moves
`l.v` by at most 1 a step, so no value of `z` is skipped between its extremes, and at least
`floor(2 Y(t)) + 1` values show among the changes of energy up to `t`. So digit j costs at most

    e_j = min { t : 2 Y(t) >= j }.

A weight above 1 skips values but every change of that sample shows: then `e_j = ceil(j/2)^2`.

The edit itself rounds its sums to floating point. Where the weights are not exact in binary,
`SAFE` times the weights makes the promise hold for any such error below `(1 - SAFE) / 2`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

#: Changes of several samples are listed up to this norm; beyond it one sample moves alone.
_TABLE_NORM = {2: 64, 3: 36, 4: 12}

#: Weights that are not exact in binary count for this much less.
SAFE = 1 - 1e-9

Functional = tuple[float, ...]


@lru_cache(maxsize=4096)
def energies(functional: Functional, reach: int) -> NDArray[np.int64]:
    """`e_1, e_2, ...`: energies that suffice for the digits, no sample moving beyond `reach`.

    >>> energies((0.75,), 4).tolist()
    [1, 4, 4, 9, 16, 16]
    >>> energies((1.0,), 2).tolist()
    [1, 1, 4, 4]
    """
    values, norms, _ = candidates(functional, reach)
    top = max(abs(weight) for weight in functional)
    if top > 1.0:
        return (np.arange(2, 2 * reach + 2, dtype=np.int64) // 2) ** 2
    # Y(t) as a staircase: where the running maximum of l.v over ascending norms rises.
    best = np.maximum.accumulate(np.abs(values))
    digits = np.floor(2 * best).astype(np.int64)
    first = np.searchsorted(digits, np.arange(1, int(digits[-1]) + 1), "left")
    return norms[first]


@lru_cache(maxsize=512)
def candidates(
    functional: Functional, reach: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Changes in the order they are tried: values `l.v`, squared norms, vectors.

    Norms ascend; ties go by the vector itself, so that the order is the same everywhere.
    """
    size = len(functional)
    top = int(np.argmax(np.abs(functional)))
    listed = 0 if size == 1 or abs(functional[top]) > 1.0 else _TABLE_NORM.get(size, 0)
    listed = min(listed, reach)
    if listed:
        axis = np.arange(-listed, listed + 1)
        grid = np.stack(np.meshgrid(*[axis] * size, indexing="ij"), -1).reshape(-1, size)
        grid = grid[(grid**2).sum(1) <= listed * listed]
    else:
        grid = np.zeros((1, size), np.int64)
    alone = np.zeros((2 * (reach - listed), size), np.int64)
    steps = np.arange(listed + 1, reach + 1)
    alone[:, top] = np.concatenate([steps, -steps])
    vectors = np.concatenate([grid, alone])
    norms = (vectors**2).sum(1)
    order = np.lexsort((*vectors.T, norms))
    vectors, norms = vectors[order], norms[order]
    return vectors @ np.array(functional, np.float64), norms, vectors
