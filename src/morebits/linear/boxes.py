"""A tighter box for bound 13: Theorem 2 in the basis of a few output pixels.

Theorem 2 boxes in the preimage of a rounding cell along the singular vectors. Two steps of its
proof leave room. (1) Images that some output pixels tell apart are told apart, so any rows I of
M may stand for M. (2) The ball does not mind rotations, so any orthonormal basis W of the row
space may carry the box: the preimage of the cell is `1/2 M_I^+ [-1,1]^I` plus the null space,
and its box has half-sides `1/2 abs(W^T M_I^+) 1`. With `M_I^T = W R` that is

    beta = 1/2 abs(R^-T) 1.

Rows are chosen by pivoted QR, so that R is as close to a diagonal as can be had cheaply. For a
Kronecker product R is one too, and the sums multiply.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.bounds.edit import Box
from morebits.bounds.spectrum import RANK_TOLERANCE
from morebits.linear.operator import Operator
from morebits.linear.separable import Kronecker, PlaneMap
from morebits.linear.tiles import Tiled

#: Largest dense matrix (rows or columns) that is factored.
MAX_SIDE = 1500

NAME = "output pixels by pivoted QR"


def output_box(operator: Operator) -> Box | None:
    """The box of an edit in the basis of its output pixels; None where it is too large."""
    if isinstance(operator, Kronecker):
        return _product([operator.channel, operator.rows, operator.columns])
    if isinstance(operator, PlaneMap):
        return _product([operator.channel, operator.plane])
    if isinstance(operator, Tiled):
        if any(max(kind.matrix.shape) > MAX_SIDE for kind in operator.kinds):
            return None
        sides = [_sums(kind.matrix) for kind in operator.kinds]
        counts = [
            np.full(s.size, float(k.count)) for s, k in zip(sides, operator.kinds, strict=True)
        ]
        return Box(0.5 * np.concatenate(sides), np.concatenate(counts), NAME)
    if max(operator.inputs, operator.outputs) > MAX_SIDE:
        return None
    sides = _sums(operator.dense())
    return Box(0.5 * sides, np.ones(sides.size), NAME)


def _product(matrices: list[Any]) -> Box | None:
    if any(max(m.shape) > MAX_SIDE for m in matrices):
        return None
    sums = np.ones(1)
    for m in matrices:
        dense = m if isinstance(m, np.ndarray) else m.toarray()
        sums = np.multiply.outer(sums, _sums(dense)).ravel()
    sides, counts = np.unique(sums, return_counts=True)
    return Box(0.5 * sides, counts.astype(np.float64), NAME)


def _sums(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Row sums of `abs(R^-T)` for the rows that pivoted QR picks, one a dimension of the rank."""
    from scipy.linalg import qr, solve_triangular

    r = qr(matrix.T, mode="r", pivoting=True)[0]
    diagonal = np.abs(np.diag(r))
    rank = int((diagonal > RANK_TOLERANCE * diagonal.max(initial=0.0)).sum())
    if not rank:
        return np.zeros(0)
    inverse = solve_triangular(r[:rank, :rank], np.eye(rank), trans="T")
    return np.abs(inverse).sum(1)
