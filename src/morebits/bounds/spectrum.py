"""The singular values of an edit, as bounds 10 to 13 need them.

This is the one place that decides the numerical rank (`RANK_TOLERANCE`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Singular values below this fraction of the largest one count as zero.
RANK_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Spectrum:
    """Non-zero singular values `values` with multiplicities `counts`.

    `inputs` and `outputs` are the sizes of the matrix. `tolerance` is the absolute value
    under which a singular value was taken for zero. `left_l1` holds `||u_i||_1` of the left
    singular vector of each value (bound 13), or None where vectors were not computed.
    An estimate has fractional counts, and states the standard errors `log2_xi_error` (bits)
    and `rank_error`; both are 0 for an exact spectrum.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.float64]
    inputs: int
    outputs: int
    tolerance: float
    method: str
    left_l1: NDArray[np.float64] | None = None
    log2_xi_error: float = 0.0
    rank_error: float = 0.0

    @property
    def rank(self) -> float:
        """`rank M`; fractional only for an estimate."""
        return float(self.counts.sum())

    @property
    def largest(self) -> float:
        """The largest singular value, 0 for the zero matrix."""
        return float(self.values[0]) if self.values.size else 0.0

    @property
    def log2_xi(self) -> float:
        """`log2 xi_M = sum over sigma_i > 0 of min(log2 sigma_i, 0)` (eq. scaling_factor)."""
        return float(self.counts @ np.minimum(np.log2(self.values), 0.0))

    @classmethod
    def of(
        cls,
        values: ArrayLike,
        counts: ArrayLike | None = None,
        *,
        inputs: int,
        outputs: int,
        method: str,
        left_l1: ArrayLike | None = None,
        log2_xi_error: float = 0.0,
        rank_error: float = 0.0,
    ) -> Spectrum:
        """Sort, and drop what is numerically zero.

        >>> Spectrum.of([1, 1e-14, 2], inputs=3, outputs=3, method="dense").rank
        2.0
        """
        sigma = np.asarray(values, np.float64).ravel()
        many = np.ones_like(sigma) if counts is None else np.asarray(counts, np.float64).ravel()
        tolerance = RANK_TOLERANCE * float(sigma.max(initial=0.0))
        keep = np.flatnonzero(sigma > tolerance)
        keep = keep[np.argsort(-sigma[keep], kind="stable")]
        l1 = None if left_l1 is None else np.asarray(left_l1, np.float64).ravel()[keep]
        return cls(
            sigma[keep],
            many[keep],
            inputs,
            outputs,
            tolerance,
            method,
            l1,
            log2_xi_error,
            rank_error,
        )
