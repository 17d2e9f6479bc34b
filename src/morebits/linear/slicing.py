"""Exact counts of singular values by sparse factorisation (Sylvester's law of inertia).

The symmetric matrix `H = [[0, M], [M^T, 0]]` has eigenvalues `+-sigma_i` and zeros. Its
shifted factorisation `H - t I = L D L^T` has as many positive pivots as there are singular
values above `t`, and `log |det(H - t I)|` is the sum of `log |sigma_i^2 - t^2|` and
`log t` for each zero left over. A matrix whose rows touch a few neighbouring pixels
factorises in seconds at 256 pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from morebits.bounds.spectrum import RANK_TOLERANCE
from morebits.linear.layout import Array
from morebits.linear.operator import longest_row

#: Limits of a factorisation: pixels, and non-zero entries in a row.
MAX_PIXELS = 90_000
MAX_ROW = 9
#: Levels of the exact counts, as fractions of the largest singular value. Below the last
#: one, factorisation without exchanges is no longer stable.
LEVELS = (0.1, 1e-4)


@dataclass(frozen=True)
class Slices:
    """`above[i]` singular values exceed `levels[i]`; the last level is the rank's tolerance.

    `log2_sum` is the sum of log2 of all non-zero singular values; `rank_error` says how far
    the rank may be off because values lie close to the tolerance.
    """

    levels: Array
    above: Array
    log2_sum: float
    rank_error: float
    largest: float


def can_slice(matrix: Any) -> bool:
    """Whether a CSR matrix is small and sparse enough to be factorised."""
    return max(matrix.shape) <= MAX_PIXELS and longest_row(matrix) <= MAX_ROW


def slices(matrix: Any, largest: float) -> Slices:
    """Counts at `LEVELS` and at the rank's tolerance, for a matrix at least as tall as wide."""
    levels = [fraction * largest for fraction in LEVELS]
    above = [float(_count_above(matrix, level)) for level in levels]
    tolerance = RANK_TOLERANCE * largest
    rank, rank_error, log2_sum = _rank(matrix, tolerance)
    rank = max(rank, above[-1])
    return Slices(
        np.array([*levels, tolerance]), np.array([*above, rank]), log2_sum, rank_error, largest
    )


def _count_above(matrix: Any, level: float) -> int:
    from scipy.sparse.linalg import splu

    factors = splu(
        _shifted(matrix, level),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    return int((factors.U.diagonal() > 0).sum())


def _rank(matrix: Any, tolerance: float) -> tuple[float, float, float]:
    """Rank, its error, and the total log2, from determinants near the tolerance.

    `d log|det| / d log t` is twice the number of singular values below `t`, smoothed over
    about a factor of ten: the change over that factor is the stated error.
    """
    reach = 10.0
    low, middle, high = (_log2_det(matrix, tolerance * shift) for shift in (1 / reach, 1.0, reach))
    step = 2 * np.log2(reach)
    below_low, below_high = (middle - low) / step, (high - middle) / step
    below = 0.5 * (below_low + below_high)
    log2_sum = 0.5 * middle - below * np.log2(tolerance)
    return matrix.shape[1] - below, 0.5 + abs(below_high - below_low), log2_sum


def _log2_det(matrix: Any, level: float) -> float:
    """`sum log2 |sigma_i^2 - t^2|` over the columns, by a factorisation with exchanges."""
    from scipy.sparse.linalg import splu

    rows, columns = matrix.shape
    pivots = splu(_shifted(matrix, level), permc_spec="COLAMD").U.diagonal()
    return float(np.log2(np.abs(pivots)).sum() - (rows - columns) * np.log2(level))


def _shifted(matrix: Any, level: float) -> Any:
    from scipy.sparse import block_array, csc_array, eye_array

    rows, columns = matrix.shape
    return csc_array(
        block_array(
            [[-level * eye_array(rows), matrix], [matrix.T, -level * eye_array(columns)]],
            format="csc",
        )
    )
