"""Singular values with multiplicities, from small dense blocks and their combinations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from morebits.errors import TooLarge
from morebits.linear.banded import banded_values
from morebits.linear.basis import sparse_groups
from morebits.linear.layout import Array
from morebits.linear.operator import longest_row

#: Largest side of a block whose singular values are found by dense SVD (up to a minute).
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
    table = keys[0] if len(keys) == 1 else keys[0] + 1j * keys[1]
    _, first, where = np.unique(table, return_index=True, return_inverse=True)
    counts = np.asarray(np.bincount(where.ravel(), weights=modes.counts), np.float64)
    l1 = None if modes.l1 is None else modes.l1[first]
    return Modes(modes.values[first], counts, l1)


def dense_modes(block: Array, vectors: bool) -> Modes:
    """The modes of a dense block, by SVD; repeated values get a sparse left basis."""
    from scipy.linalg import svd, svdvals

    check_side(block.shape, vectors)
    if not vectors:
        values = svdvals(block, check_finite=False)
        return Modes(values, np.ones(len(values)), None)
    left, values, _ = svd(block, full_matrices=False, check_finite=False)
    left = sparse_groups(left, values)
    return Modes(values, np.ones(len(values)), np.abs(left).sum(axis=0))


def sparse_modes(matrix: Any, vectors: bool) -> Modes:
    """The modes of a CSR matrix, one connected block at a time; equal blocks only once.

    Rows and columns of zeros are left out (they only add zero singular values).
    """
    cache: dict[tuple[Any, ...], tuple[Modes, int]] = {}
    for block, times in _connected_blocks(matrix):
        key = (block.shape, block.indptr.tobytes(), block.indices.tobytes(), block.data.tobytes())
        modes, count = cache.get(key) or (_block_modes(block, vectors), 0)
        cache[key] = modes, count + times
    return grouped(union([modes.times(count) for modes, count in cache.values()]))


def _block_modes(block: Any, vectors: bool) -> Modes:
    values = None if vectors else banded_values(block)
    if values is not None:
        return Modes(values, np.ones(len(values)), None)
    check_side(block.shape, vectors)  # before it becomes dense
    return dense_modes(block.toarray(), vectors)


def check_side(shape: tuple[int, ...], vectors: bool) -> None:
    """Refuse a block that is too large for an SVD."""
    limit = MAX_VECTOR_SIDE if vectors else MAX_SVD_SIDE
    if max(shape) > limit:
        raise TooLarge(
            "singular vectors" if vectors else "an exact spectrum", max(shape), limit,
            "rows in one block", "use a smaller image",
        )  # fmt: skip


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


def _connected_blocks(matrix: Any) -> Iterator[tuple[Any, int]]:
    """The connected blocks, as CSR arrays with sorted indices, and how often they occur.

    The same block may come several times.
    """
    from scipy.sparse import csr_array

    if longest_row(matrix) <= 1 and np.bincount(matrix.indices, minlength=1).max() <= 1:
        # Single entries only, as for flips: no need to cut a million blocks out.
        values, counts = np.unique(matrix.data, return_counts=True)
        yield from ((csr_array([[v]]), int(n)) for v, n in zip(values, counts, strict=True))
        return
    rows, columns = components(matrix)
    row_groups, column_groups = _groups(rows), _groups(columns)
    for picked_rows, picked_columns in zip(row_groups, column_groups, strict=True):
        block = matrix[picked_rows][:, picked_columns]
        block.sort_indices()
        yield block, 1


def _groups(labels: Any) -> list[Any]:
    """The indices of each label from 0 on, in the order of the labels."""
    order = np.argsort(labels, kind="stable")[int((labels < 0).sum()) :]
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return np.split(order, cuts) if len(order) else []
