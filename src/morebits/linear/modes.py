"""Singular values with multiplicities, from small dense blocks and their combinations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from morebits.errors import TooLarge
from morebits.linear.basis import sparse_groups
from morebits.linear.layout import Array

#: Largest side of a block whose singular values are found densely (some 15 s at the limit).
MAX_SVD_SIDE = 4096
#: Largest side of a block whose singular vectors are found as well.
MAX_VECTOR_SIDE = 2048


@dataclass(frozen=True)
class Modes:
    """`values` (not sorted, zeros allowed), `counts`, and `||u||_1` of the left vectors."""

    values: Array
    counts: Array
    l1: Array | None

    @property
    def total(self) -> float:
        """Number of singular values."""
        return float(self.counts.sum())

    def times(self, count: float) -> Modes:
        """The same modes, `count` times as often."""
        return Modes(self.values, self.counts * count, self.l1)

    def product(self, other: Modes) -> Modes:
        """The modes of a Kronecker product: values, counts and norms multiply."""
        l1 = None
        if self.l1 is not None and other.l1 is not None:
            l1 = np.multiply.outer(self.l1, other.l1).ravel()
        return Modes(
            np.multiply.outer(self.values, other.values).ravel(),
            np.multiply.outer(self.counts, other.counts).ravel(),
            l1,
        )


def union(parts: list[Modes]) -> Modes:
    """The modes of a block-diagonal matrix."""
    if not parts:
        return Modes(np.zeros(0), np.zeros(0), np.zeros(0))
    known = [part.l1 for part in parts if part.l1 is not None]
    return Modes(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate(known) if len(known) == len(parts) else None,
    )


def grouped(modes: Modes) -> Modes:
    """Values that agree to 12 digits (and have the same norm) become one, with a count."""
    if modes.values.size < 2:
        return modes
    top = float(modes.values.max())
    scale = top if top > 0 else 1.0
    keys = [np.round(modes.values / scale, 12)]
    if modes.l1 is not None:
        keys.append(np.round(modes.l1, 9))
    _, first, where = (
        np.unique(np.stack(keys), axis=1, return_index=True, return_inverse=True)
        if len(keys) > 1
        else np.unique(keys[0], return_index=True, return_inverse=True)
    )
    counts = np.bincount(where.ravel(), weights=modes.counts)
    l1 = None if modes.l1 is None else modes.l1[first]
    return Modes(modes.values[first], counts, l1)


def dense_modes(block: Array, vectors: bool) -> Modes:
    """The modes of a dense block, by SVD; repeated values get a sparse left basis."""
    from scipy.linalg import svd, svdvals

    side = min(block.shape)
    if side > MAX_SVD_SIDE or max(block.shape) > 4 * MAX_SVD_SIDE:
        raise TooLarge(
            "an exact spectrum",
            max(block.shape),
            MAX_SVD_SIDE,
            "rows in one block",
            "use a smaller image",
        )
    if not vectors:
        values = svdvals(block, check_finite=False)
        return Modes(values, np.ones(len(values)), None)
    if side > MAX_VECTOR_SIDE:
        raise TooLarge(
            "a basis of singular vectors",
            side,
            MAX_VECTOR_SIDE,
            "rows in one block",
            "use a smaller image, or a bound that needs no singular vectors",
        )
    left, values, _ = svd(block, full_matrices=False, check_finite=False)
    left = sparse_groups(left, values)
    return Modes(values, np.ones(len(values)), np.abs(left).sum(axis=0))


def sparse_modes(matrix: Any, vectors: bool) -> Modes:
    """The modes of a CSR matrix, one connected block at a time; equal blocks only once."""
    return grouped(map_blocks(matrix, lambda block: dense_modes(block, vectors)))


def map_blocks(matrix: Any, find: Callable[[Array], Modes]) -> Modes:
    """`find` on every connected block of a CSR matrix, once for equal blocks.

    Rows and columns of zeros are left out (they only add zero singular values).
    """
    cache: dict[tuple[Any, ...], tuple[Modes, int]] = {}
    for block in _connected_blocks(matrix, *components(matrix)):
        key = (block.shape, block.tobytes())
        modes, count = cache.get(key) or (find(block), 0)
        cache[key] = modes, count + 1
    return union([modes.times(count) for modes, count in cache.values()])


def components(matrix: Any) -> tuple[Any, Any]:
    """The connected block of each row and each column; -1 for rows and columns of zeros."""
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    rows, _ = matrix.shape
    graph = block_array([[None, matrix], [matrix.T, None]], format="csr")
    _, labels = connected_components(graph, directed=False)
    empty = np.diff(graph.indptr) == 0
    labels = np.where(empty, -1, labels)
    return labels[:rows], labels[rows:]


def largest_block(matrix: Any) -> int:
    """The larger side of the largest connected block."""
    sides = [np.bincount(part[part >= 0], minlength=1).max() for part in components(matrix)]
    return int(max(sides))


def _connected_blocks(matrix: Any, rows: Any, columns: Any) -> Iterator[Array]:
    """The dense connected blocks."""
    count = 1 + int(max(rows.max(initial=0), columns.max(initial=0)))
    height = np.bincount(rows[rows >= 0], minlength=count)
    width = np.bincount(columns[columns >= 0], minlength=count)
    if matrix.nnz == count == len(height):
        # Only single entries, as for flips: no need to cut a million blocks out.
        yield from (np.array([[value]]) for value in matrix.data)
        return
    row_order, column_order = np.argsort(rows, kind="stable"), np.argsort(columns, kind="stable")
    row_ends = np.cumsum(np.append((rows < 0).sum(), height))
    column_ends = np.cumsum(np.append((columns < 0).sum(), width))
    for label in np.flatnonzero(np.minimum(height, width)):
        picked_rows = row_order[row_ends[label] : row_ends[label + 1]]
        picked_columns = column_order[column_ends[label] : column_ends[label + 1]]
        yield matrix[picked_rows][:, picked_columns].toarray()
