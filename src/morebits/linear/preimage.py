"""A box around everything that an edit rounds to the same image, in a basis of our choice.

Theorem 2 of the paper (bound 13) boxes the preimage of a rounding cell along the singular
vectors. Its argument needs no singular vectors. Let x and x' round to the same image, so that
`|M (x - x')| <= 1` in every sample, and let w be any unit vector of the row space of M. For
every z with `M^T z = w`,

    |w . (x - x')| = |z . M (x - x')| <= ||z||_1,

so the preimage lies in a slab of half-width `||z||_1 / 2` across w. An orthonormal basis
`w_1 .. w_r` of the row space gives a box with half-widths `beta_i = ||z_i||_1 / 2`, to be used
in bound 13 in place of `||u_i||_1 / (2 sigma_i)` - the special case `w_i = v_i`,
`z_i = u_i / sigma_i`. Directions outside the row space keep the radius, as in the theorem.

The basis is chosen to make `sum log beta_i` small: near-coordinate vectors, improved by
rotations of pairs. Where M has more rows than its rank, z is shortened in the 1-norm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from morebits.bounds.spectrum import RANK_TOLERANCE
from morebits.errors import TooLarge
from morebits.linear.basis import near_coordinates, rotate_pairs, sparse_groups
from morebits.linear.combined import ChannelBlocks
from morebits.linear.layout import Array
from morebits.linear.modes import MAX_VECTOR_SIDE, Modes, grouped, map_blocks, union
from morebits.linear.operator import Operator
from morebits.linear.separable import Kronecker, PlaneMap
from morebits.linear.tiles import Tiled

#: Iterations of shortening.
ITERATIONS = 120
#: Matrices with at most this many entries get ten times as many iterations.
SMALL = 2**14
#: Widths much beyond this many sample values count alike.
WIDE = 10.0
#: Singular values below one of these fractions of the largest keep their own directions.
CUTS = (0.0, 0.03, 0.1, 0.2, 0.35)
#: Largest rank of a matrix whose basis is improved by rotations.
MAX_ROTATED = 800


def half_widths(operator: Operator) -> tuple[Array, Array]:
    """Half-widths `beta` (in sample values) of the box, with the number of sides of each.

    As many sides as the rank of the operator; the other directions are not bounded.
    """
    lengths = _lengths(operator)
    return lengths.values / 2, lengths.counts


def _lengths(operator: Operator) -> Modes:
    """The 1-norms of all z, as `values`."""
    if isinstance(operator, Kronecker):
        rows = _blocks(operator.rows)
        columns = _blocks(operator.columns)
        return grouped(_dense(operator.channel)).product(grouped(rows.product(columns)))
    if isinstance(operator, PlaneMap):
        return grouped(_dense(operator.channel)).product(_blocks(operator.plane))
    if isinstance(operator, Tiled):
        kinds = [_dense(kind.matrix).times(kind.count) for kind in operator.kinds]
        return grouped(union(kinds))
    if isinstance(operator, ChannelBlocks):
        return grouped(union([_lengths(block) for block in operator.blocks]))
    return _blocks(operator.sparse())


def _blocks(matrix: Any) -> Modes:
    return grouped(map_blocks(matrix, _dense))


def _dense(block: Array) -> Modes:
    if max(block.shape) > MAX_VECTOR_SIDE:
        raise TooLarge(
            "a box around the preimage",
            max(block.shape),
            MAX_VECTOR_SIDE,
            "rows in one block",
            "use a smaller image",
        )
    lengths = np.abs(_best(block)).sum(axis=0)
    return Modes(lengths, np.ones(len(lengths)), None)


def _best(block: Array) -> Array:
    """Columns z_i whose `M^T z_i` are orthonormal and span the row space."""
    from scipy.linalg import svd

    left, values, right = svd(block, full_matrices=False, check_finite=False)
    rank = int((values > RANK_TOLERANCE * values[0]).sum()) if values[0] > 0 else 0
    if rank == 0:
        return np.zeros((len(block), 0))
    singular = sparse_groups(left, values)[:, :rank] / values[:rank]
    left, values, basis = left[:, :rank], values[:rank], right[:rank].T
    starts = [_split(singular, left, values, basis, cut) for cut in CUTS]
    near = shorten(min(starts, key=capped_cost), left)
    if rank <= MAX_ROTATED:
        near = shorten(rotate_pairs(near, sweeps=2), left)
    return min(near, singular, key=capped_cost)


def _split(singular: Array, left: Array, values: Array, basis: Array, cut: float) -> Array:
    """Near-coordinate vectors for the singular values above `cut`, singular ones for the rest.

    Mixing a direction with a tiny singular value into the others would make all z long.
    """
    good = int((values > cut * values[0]).sum())
    turn = basis[:, :good].T @ near_coordinates(basis[:, :good])
    return np.concatenate([(left / values)[:, :good] @ turn, singular[:, good:]], axis=1)


def capped_cost(duals: Array) -> float:
    """`sum log2 ||z||_1`, levelling off for slabs so wide that the ball cuts them anyway."""
    lengths = np.abs(duals).sum(axis=0)
    return float(np.log2(lengths / (1 + lengths / WIDE)).sum())


def shorten(duals: Array, left: Array) -> Array:
    """Shorter z in the 1-norm with the same `M^T z`, for an orthonormal basis `left` of M's range.

    Alternating directions: shrink towards zero, then project back to the allowed z, which
    differ by vectors orthogonal to the range. Every candidate kept is an allowed one.
    """
    if left.shape[0] == left.shape[1]:
        return duals
    fixed = left @ (left.T @ duals)
    best, shortest = duals.copy(), np.abs(duals).sum(axis=0)
    threshold = np.abs(duals).mean(axis=0)
    z, multiplier = duals, np.zeros_like(duals)
    iterations = ITERATIONS if duals.size > SMALL else 10 * ITERATIONS
    for step in range(1, iterations + 1):
        moved = z + multiplier
        shrunk = np.sign(moved) * np.maximum(np.abs(moved) - threshold, 0.0)
        target = shrunk - multiplier
        z = fixed + target - left @ (left.T @ target)
        multiplier = multiplier + z - shrunk
        if step % 10 == 0:
            lengths = np.abs(z).sum(axis=0)
            better = lengths < shortest
            best[:, better], shortest[better] = z[:, better], lengths[better]
    return best
