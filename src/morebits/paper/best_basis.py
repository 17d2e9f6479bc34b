"""Can the choice of a basis explain a figure of bound 13? For crops this can be decided.

Bound 13 falls with `||u_i||_1` of the left singular vectors, which are free within the space
of a repeated singular value. A crop is `I x R x R` (channels, rows, columns), so the space of
`s_i s_j` is spanned by `e_c x u_i x u_j` and `e_c x u_j x u_i`. The 1-norm of a unit vector in it
is at least the smallest 1-norm m of a unit vector in the plane of one channel: with parts
`p_c` in the channels it is `sum ||p_c||_1 >= m sum ||p_c||_2 >= m`. Taking m for all of them
gives more than any basis can.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from morebits import bounds
from morebits.bounds.spectrum import RANK_TOLERANCE, Spectrum
from morebits.linear import Kronecker, Operator
from morebits.types import ImageFormat

#: Singular values this close (relative) count as equal, and the argument would not hold.
_DISTINCT = 1e-6


def most_bits(
    operator: Operator, format: ImageFormat, psnr: float, peak: float
) -> float | None:  # fmt: skip
    """No basis gives bound 13 more bits than this; None where the argument does not apply."""
    if not isinstance(operator, Kronecker) or (operator.rows != operator.columns).nnz:
        return None
    if not np.array_equal(operator.channel, np.eye(format.channels)):
        return None
    left, values, _ = np.linalg.svd(operator.rows.toarray())
    rank = int((values > RANK_TOLERANCE * values[0]).sum())
    left, values = left[:, :rank], values[:rank]
    i, j = np.triu_indices(rank)
    products = np.sort(values[i] * values[j])
    if rank > 1 and np.min(np.diff(products) / products[1:]) < _DISTINCT:
        return None
    norms = np.array([_smallest(left[:, a], left[:, b]) for a, b in zip(i, j, strict=True)])
    spectrum = Spectrum.of(
        values[i] * values[j],
        format.channels * np.where(i == j, 1.0, 2.0),
        inputs=operator.inputs,
        outputs=operator.outputs,
        method="smallest 1-norms",
        left_l1=norms,
    )
    return bounds.bound_13(format, psnr, spectrum, peak=peak).bits


def _smallest(u: NDArray[np.float64], v: NDArray[np.float64]) -> float:
    """The smallest 1-norm of a unit vector in the span of `u x v` and `v x u`, exactly.

    Along the unit circle the 1-norm is a sum of `|a cos(t - b)|`, concave between the angles
    at which a coordinate vanishes, so that it is smallest at one of those.
    """
    first, second = np.outer(u, v).ravel(), np.outer(v, u).ravel()
    if np.allclose(first, second):
        return float(np.abs(first).sum())
    turns = np.arctan2(-first, second)
    vectors = np.multiply.outer(np.cos(turns), first) + np.multiply.outer(np.sin(turns), second)
    return float(np.abs(vectors).sum(1).min())
