"""Orthonormal bases with small 1-norms.

Bound 13 (Theorem 2) boxes a preimage along the singular vectors, with half-widths
proportional to `||u_i||_1`. Where singular values repeat, any orthonormal basis of the
repeated left subspace is one of singular vectors, so the one with the smallest
`sum log ||u_i||_1` found is used: block-local or coordinate vectors where they exist.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from morebits.linear.layout import Array

#: Singular values closer than this fraction of the largest one count as repeated.
REPEAT_TOLERANCE = 1e-9
#: Sweeps over all pairs of vectors, each with finer angles than the last.
SWEEPS = 6
#: Largest group that is rotated pair by pair; beyond, only coordinates are tried.
MAX_GROUP = 600


def sparse_groups(left: Array, values: Array) -> Array:
    """Left singular vectors with a sparse basis in each group of repeated values.

    `values` are sorted, largest first. Vectors of zero values are left as they are.
    """
    if values.size == 0 or values[0] <= 0:
        return left
    cuts = np.flatnonzero(-np.diff(values) > REPEAT_TOLERANCE * values[0]) + 1
    result = left.copy()
    for group in np.split(np.arange(len(values)), cuts):
        if len(group) > 1 and values[group[0]] > REPEAT_TOLERANCE * values[0]:
            result[:, group] = sparsest(left[:, group])
    return result


def sparsest(basis: Array) -> Array:
    """An orthonormal basis of the same space with a small `sum log ||u||_1`.

    Deterministic: the better of the given basis and the one nearest to coordinate vectors,
    then rotations of pairs of vectors (Givens) that lower the sum.
    """
    start = min((basis, near_coordinates(basis)), key=cost)
    return rotate_pairs(start) if basis.shape[1] <= MAX_GROUP else start


def cost(vectors: Array) -> float:
    """`sum log2 ||u||_1` over the columns."""
    return float(np.log2(np.abs(vectors).sum(axis=0)).sum())


def near_coordinates(basis: Array) -> Array:
    """The orthonormal basis of the same space nearest to well-chosen coordinate vectors."""
    from scipy.linalg import polar, qr

    rank = basis.shape[1]
    pivots = qr(basis.T, mode="r", pivoting=True, check_finite=False)[1][:rank]
    turn, _ = polar(basis[pivots].T)
    return basis @ turn


def rotate_pairs(vectors: Array, sweeps: int = SWEEPS) -> Array:
    """Rotate columns two by two, as long as it lowers the product of their 1-norms.

    The columns span the same space after it, and stay orthonormal if they were. All pairs
    meet once a sweep, in rounds of disjoint pairs (a round-robin tournament).
    """
    columns = vectors.T.copy()
    many = len(columns)
    for sweep in range(sweeps):
        before = np.log2(np.abs(columns).sum(axis=1)).sum()
        angles = np.pi / 4 * 0.5**sweep * np.array([-1.0, -0.5, 0.5, 1.0])
        for first, second in _rounds(many):
            _rotate(columns, first, second, angles)
        after = np.log2(np.abs(columns).sum(axis=1)).sum()
        if sweep > 1 and before - after < 1e-3:
            break
    return columns.T


def _rotate(
    columns: Array, first: NDArray[np.int64], second: NDArray[np.int64], angles: Array
) -> None:
    a, b = columns[first], columns[second]
    best = np.abs(a).sum(axis=1) * np.abs(b).sum(axis=1)
    cos, sin = np.ones(len(a)), np.zeros(len(a))
    for angle in angles:
        c, s = np.cos(angle), np.sin(angle)
        trial = np.abs(c * a + s * b).sum(axis=1) * np.abs(c * b - s * a).sum(axis=1)
        better = trial < best * (1 - 1e-9)
        best = np.where(better, trial, best)
        cos, sin = np.where(better, c, cos), np.where(better, s, sin)
    columns[first] = cos[:, None] * a + sin[:, None] * b
    columns[second] = cos[:, None] * b - sin[:, None] * a


def _rounds(many: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs `(first, second)` of a round-robin tournament, as index arrays."""
    players = list(range(many)) + ([-1] if many % 2 else [])
    half = len(players) // 2
    for _ in range(len(players) - 1):
        pairs = zip(players[:half], players[: half - 1 : -1], strict=True)
        kept = np.array([pair for pair in pairs if -1 not in pair])
        if kept.size:
            yield kept[:, 0], kept[:, 1]
        players.insert(1, players.pop())


def symmetric_pairs(left: Array) -> Array:
    """`||.||_1` of the left vectors of `M (x) M`, with equal pairs rotated.

    `u_i (x) u_j` and `u_j (x) u_i` have the same singular value, so any rotation of the two
    is allowed; their sum and difference are often shorter in the 1-norm. Returns a matrix of
    norms, `[i, j]` for the pair.
    """
    rank = left.shape[1]
    norms = np.abs(left).sum(axis=0)
    table = np.multiply.outer(norms, norms)
    for i in range(rank - 1):
        others = left[:, i + 1 :]
        straight = left[:, i][None, :, None] * others.T[:, None, :]
        flat = straight.reshape(len(straight), -1)
        turned = straight.transpose(0, 2, 1).reshape(len(straight), -1)
        plus = np.abs(flat + turned).sum(axis=1) / np.sqrt(2)
        minus = np.abs(flat - turned).sum(axis=1) / np.sqrt(2)
        better = plus * minus < table[i, i + 1 :] ** 2
        table[i, i + 1 :] = np.where(better, plus, table[i, i + 1 :])
        table[i + 1 :, i] = np.where(better, minus, table[i + 1 :, i])
    return table
