"""A composition without the null spaces of its first and its last step.

`M = A_m .. A_1` with `A_m = U S V^T` has the same non-zero singular values as
`(S V^T) A_(m-1) .. A_1`, which has only `rank A_m` rows; the first step loses columns in the
same way. For separable and tiled steps that needs small SVDs only, and what is left is close
to full rank, so that an estimate need not tell small singular values from zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from morebits.bounds.spectrum import RANK_TOLERANCE
from morebits.linear.combined import Chain
from morebits.linear.layout import Array
from morebits.linear.modes import MAX_VECTOR_SIDE
from morebits.linear.operator import Operator
from morebits.linear.separable import Kronecker
from morebits.linear.tiles import Tiled, TileKind


@dataclass(frozen=True)
class FlatMap:
    """A matrix by its action on flat vectors: `forward` is `A x`, `backward` is `A^T y`."""

    forward: Callable[[Array], Array]
    backward: Callable[[Array], Array]
    inputs: int
    outputs: int

    def then(self, other: FlatMap) -> FlatMap:
        """First this map, then the other one."""
        return FlatMap(
            lambda x: other.forward(self.forward(x)),
            lambda y: self.backward(other.backward(y)),
            self.inputs,
            other.outputs,
        )

    @property
    def transposed(self) -> FlatMap:
        """The transposed matrix."""
        return FlatMap(self.backward, self.forward, self.outputs, self.inputs)


def trimmed(operator: Operator) -> FlatMap:
    """A map with the operator's non-zero singular values, and fewer zero ones."""
    steps = operator.steps if isinstance(operator, Chain) else (operator,)
    if len(steps) == 1:
        return _trim_rows(steps[0])
    whole = _trim_columns(steps[0])
    for step in steps[1:-1]:
        whole = whole.then(_plain(step))
    return whole.then(_trim_rows(steps[-1]))


def _plain(operator: Operator) -> FlatMap:
    return FlatMap(
        lambda x: operator.linear(x.reshape(operator.in_shape)).ravel(),
        lambda y: operator.adjoint(y.reshape(operator.out_shape)).ravel(),
        operator.inputs,
        operator.outputs,
    )


def _trim_rows(operator: Operator) -> FlatMap:
    """Replace `U S V^T` by `S V^T`."""
    if isinstance(operator, Kronecker) and _small(operator):
        rows, columns = operator.rows.toarray(), operator.columns.toarray()
        factors = _row_factor(operator.channel), _row_factor(rows), _row_factor(columns)
        return _plain(Kronecker(factors[0], factors[1], factors[2]))
    if isinstance(operator, Tiled):
        return _tiles(operator)
    return _plain(operator)


def _trim_columns(operator: Operator) -> FlatMap:
    """Replace `U S V^T` by `U S`, which is to trim the rows of the transposed matrix."""
    if isinstance(operator, Kronecker):
        turned = Kronecker(operator.channel.T, operator.rows.T, operator.columns.T)
        return _trim_rows(turned).transposed
    if isinstance(operator, Tiled):
        kinds = tuple(_transposed(kind) for kind in operator.kinds)
        return _trim_rows(Tiled(kinds, operator.out_shape, operator.in_shape)).transposed
    return _plain(operator)


def _small(operator: Kronecker) -> bool:
    return max(*operator.rows.shape, *operator.columns.shape) <= MAX_VECTOR_SIDE


def _row_factor(matrix: Array) -> Array:
    """`S V^T` with as many rows as the rank (at least one)."""
    from scipy.linalg import svd

    _, values, right = svd(matrix, full_matrices=False, check_finite=False)
    rank = max(1, int((values > RANK_TOLERANCE * values[0]).sum()))
    return values[:rank, None] * right[:rank]


def _transposed(kind: TileKind) -> TileKind:
    return replace(
        kind,
        matrix=kind.matrix.T,
        in_tile=kind.out_tile,
        out_tile=kind.in_tile,
        in_origin=kind.out_origin,
        out_origin=kind.in_origin,
    )


def _tiles(operator: Tiled) -> FlatMap:
    """The tiles' factors, their outputs one kind after the other."""
    factors = [_row_factor(kind.matrix) for kind in operator.kinds]
    sizes = [len(f) * kind.count for f, kind in zip(factors, operator.kinds, strict=True)]
    pairs = list(zip(factors, operator.kinds, strict=True))

    def forward(x: Array) -> Array:
        planar = x.reshape(operator.in_shape)
        return np.concatenate([(f @ k.split(planar, output=False)).ravel() for f, k in pairs])

    def backward(y: Array) -> Array:
        planar = np.zeros(operator.in_shape)
        for (f, kind), part in zip(pairs, np.split(y, np.cumsum(sizes)[:-1]), strict=True):
            kind.join(f.T @ part.reshape(len(f), kind.count), planar, output=False)
        return planar.ravel()

    return FlatMap(forward, backward, operator.inputs, sum(sizes))
