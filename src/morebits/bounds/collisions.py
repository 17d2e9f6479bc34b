"""A lower bound by counting collisions: rigorous for any matrix, without a codec.

Let X be all images that move only the samples J, inside the ball and far from clipping, and
N their number. Two of them that look alike after the edit and rounding differ by a `d` with
`|M_i d| < 1` in every output row i. So no image has more than
`C = #{d in Z^J : |M_i d| < 1 for i in I}` partners, and at least `N / C` outputs differ.

    C <= sum over d of exp(a (|I| - ||A d||^2)),   A = M[I, J],  any a > 0
      <= exp(a |I|) * prod_j theta(a r_j^2),        A = Q R,  theta(t) = sum_k exp(-t k^2),

where the last step sums over one coordinate at a time: a shifted theta sum is never larger
than the unshifted one (Poisson). Rows I and samples J are chosen by pivoted QR.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from morebits.bounds.counting import log2_count, ranges

#: Fractions of the rank that are tried as the number of samples to move.
_SHARES = (0.25, 0.4, 0.55, 0.7, 0.85, 1.0)


@dataclass(frozen=True)
class Reduced:
    """`copies` equal blocks of an edit, each reduced to the diagonals `r` of its R factors."""

    choices: tuple[NDArray[np.float64], ...]
    copies: int


def reduce_block(matrix: NDArray[np.float64], copies: int, tolerance: float) -> Reduced:
    """Pivoted QR of one block, for several numbers of moved samples."""
    from scipy.linalg import qr

    r, pivots = qr(matrix, mode="r", pivoting=True)
    rank = int((np.abs(np.diag(r)) > tolerance).sum())
    sizes = sorted({max(1, round(share * rank)) for share in _SHARES}) if rank else []
    choices: list[NDArray[np.float64]] = []
    for size in sizes:
        moved = matrix[:, pivots[:size]]
        _, best_rows = qr(moved.T, mode="r", pivoting=True)
        diagonal = np.diag(qr(moved[best_rows[:size]], mode="r")[0])
        choices.append(np.abs(diagonal))
    return Reduced(tuple(choices), copies)


def log2_outputs(blocks: list[Reduced], level: int, reach: int) -> float:
    """log2 of a number of outputs that surely differ (0 when nothing can be said)."""
    best = 0.0
    depth = max((len(block.choices) for block in blocks), default=0)
    for choice in range(depth):
        picked = [
            (b.choices[min(choice, len(b.choices) - 1)], b.copies) for b in blocks if b.choices
        ]
        moved = sum(r.size * copies for r, copies in picked)
        free = log2_count([ranges(-reach, reach, moved)], level).bits
        best = max(best, free - _log2_collisions(picked))
    return best


def _log2_collisions(picked: list[tuple[NDArray[np.float64], int]]) -> float:
    """`log2 C` at the best `a` of a fine grid."""

    def at(a: float) -> float:
        return sum(
            copies * (a * r.size + float(np.log(_theta(a * r * r)).sum())) for r, copies in picked
        )

    return min(at(float(a)) for a in np.geomspace(0.05, 20, 60)) / math.log(2)


def _theta(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """`sum over integers k of exp(-t k^2)`, in the form that converges fast."""
    k = np.arange(1, 8)
    small = t < math.pi
    s = np.where(small, math.pi**2 / np.maximum(t, 1e-300), t)
    series = 1 + 2 * np.exp(-s[:, None] * k * k).sum(1)
    return np.where(small, np.sqrt(math.pi / np.maximum(t, 1e-300)) * series, series)
