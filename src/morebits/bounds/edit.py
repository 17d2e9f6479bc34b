"""Bounds 10 to 13: capacity of a gray image under a PSNR constraint and a linear edit M.

Bounds 10 to 12 are heuristics from the singular values of M: directions that M collapses
carry nothing, directions that it squeezes lose `log2 sigma` bits, directions that it
stretches gain nothing and may be clipped. Bound 13 is a lower bound by Theorem 2.
Each takes the `Spectrum` of M, which `morebits.linear` computes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from morebits.bounds.counting import log2_count, ranges
from morebits.bounds.psnr import VOLUME_ERROR_PER_SAMPLE, volume_error
from morebits.bounds.radius import check_psnr, epsilon, level, resolve_peak
from morebits.bounds.spectrum import Spectrum
from morebits.bounds.volumes import Log2Volume, log2_ball, log2_box_ball
from morebits.errors import InputError
from morebits.types import Capacity, ImageFormat, Kind

NAMES = {
    "10": "gray image under an edit, high PSNR: volume of the ball (heuristic)",
    "11": "gray image under an edit: exact count (heuristic)",
    "12": "gray image under an edit, medium PSNR: volume of ball and cube (heuristic)",
    "13": "gray image under an edit: preimages boxed in (conservative)",
}


@dataclass(frozen=True)
class _Setting:
    """The numbers that all four bounds start from."""

    format: ImageFormat
    psnr: float
    peak: float | None
    spectrum: Spectrum
    under: str | None

    def __post_init__(self) -> None:
        if self.spectrum.inputs != self.format.samples:
            raise InputError(
                "spectrum",
                f"of an operator on {self.spectrum.inputs:,} samples",
                f"give one for {self.format.text} ({self.format.samples:,} samples)",
            )

    @property
    def eps(self) -> float:
        return epsilon(self.format, check_psnr(self.psnr), peak=self.peak)

    @property
    def mu(self) -> float:
        """`mu = max(sigma_1, ..., sigma_n, 1)`."""
        return max(self.spectrum.largest, 1.0)

    @property
    def limit(self) -> float:
        """`rho / (2 mu)`: a ball up to this radius stays inside the cube after the edit."""
        return self.format.rho / (2 * self.mu)

    @property
    def limit_db(self) -> float:
        peak = resolve_peak(self.format, self.peak)
        return 20 * math.log10(peak * math.sqrt(self.format.samples) / self.limit)

    def result(
        self, bound: str, bits: float, kind: Kind, valid: bool, reason: str,
        *, method: str, error: float, started: float,
    ) -> Capacity:  # fmt: skip
        spectrum = self.spectrum
        # A code with no message at all is always there.
        bits = max(bits, 0.0)
        return Capacity(
            bits=bits,
            bpp=bits / self.format.samples,
            bound=bound,
            name=NAMES[bound],
            kind=kind,
            valid=valid,
            reason=reason,
            method=f"{method}; singular values: {spectrum.method}",
            error=error,
            psnr=check_psnr(self.psnr),
            peak=resolve_peak(self.format, self.peak),
            format=self.format,
            under=self.under,
            seconds=time.perf_counter() - started,
            details={
                "rank": spectrum.rank,
                "rank_error": spectrum.rank_error,
                "rank_tolerance": spectrum.tolerance,
                "log2_xi": spectrum.log2_xi,
                "log2_xi_error": spectrum.log2_xi_error,
                "largest_singular_value": spectrum.largest,
            },
        )


def bound_10(
    format: ImageFormat, psnr: float, spectrum: Spectrum,
    *, peak: float | None = None, under: str | None = None,
) -> Capacity:  # fmt: skip
    """Bound 10: `log2 Vol B_rank[epsilon] + log2 xi_M`, when `epsilon <= rho / (2 mu)`."""
    started = time.perf_counter()
    at = _Setting(format, psnr, peak, spectrum, under)
    rank, eps = spectrum.rank, at.eps
    off = volume_error(rank, eps) if rank else 0.0
    valid = eps <= at.limit and off <= VOLUME_ERROR_PER_SAMPLE * format.samples
    if eps > at.limit:
        reason = (
            f"epsilon = {eps:.6g} > rho/(2 mu) = {at.limit:.6g}: "
            f"it needs PSNR >= {at.limit_db:.2f} dB"
        )
    elif not valid:
        reason = f"the ball is too small for its volume to stand for a count ({off:.3g} bits off)"
    else:
        reason = f"the ball is inside the cube before and after, epsilon <= {at.limit:.6g}"
    bits = log2_ball(rank, eps) + spectrum.log2_xi
    error = off + _spread(at)
    return at.result(
        "10", bits, "heuristic", valid, reason, method="closed form", error=error, started=started
    )


def bound_11(
    format: ImageFormat, psnr: float, spectrum: Spectrum,
    *, peak: float | None = None, under: str | None = None,
) -> Capacity:  # fmt: skip
    """Bound 11: `log2 (points of the rank-dimensional ball) + log2 xi_M`.

    The paper counts the whole ball and needs `epsilon <= rho / (2 mu)`. Here the points are
    counted inside the box of bound 12, `|x_i| <= rho / (2 max(1, sigma_i))`, so the bound
    holds at every PSNR and equals the paper's where that is valid.
    """
    started = time.perf_counter()
    at = _Setting(format, psnr, peak, spectrum, under)
    if not spectrum.values.size:
        bits, error, method = 0.0, 0.0, "the edit keeps nothing"
    else:
        stretch = np.maximum(spectrum.values, 1.0)
        reach = np.floor(np.stack([format.mid, format.rho - format.mid])[:, None] / stretch)
        groups, index = np.unique(reach.astype(np.int64), axis=1, return_inverse=True)
        counts = np.bincount(index.ravel(), weights=spectrum.counts)
        found = log2_count(
            [ranges(-groups[0], groups[1], counts)], level(format, at.psnr, peak=peak)
        )
        bits, method = found.bits + spectrum.log2_xi, found.method
        error = found.error + _spread(at)
    reason = "counted inside the cube that the edit leaves unclipped, holds at every PSNR"
    return at.result(
        "11", bits, "heuristic", True, reason, method=method, error=error, started=started
    )


def bound_12(
    format: ImageFormat, psnr: float, spectrum: Spectrum,
    *, peak: float | None = None, under: str | None = None,
) -> Capacity:  # fmt: skip
    """Bound 12: `log2 Vol(prod [+-rho/(2 max(1, sigma_i))] and B_rank[epsilon]) + log2 xi_M`."""
    started = time.perf_counter()
    at = _Setting(format, psnr, peak, spectrum, under)
    valid = at.eps > at.limit
    reason = (
        f"epsilon = {at.eps:.6g} {'>' if valid else '<='} rho/(2 mu) = {at.limit:.6g}: "
        f"it needs PSNR < {at.limit_db:.2f} dB"
    )
    half = format.rho / (2 * np.maximum(spectrum.values, 1.0))
    found = (
        log2_box_ball(-half, half, spectrum.counts, at.eps)
        if half.size
        else Log2Volume(0.0, 0.0, "the edit keeps nothing")
    )
    return at.result(
        "12", found.bits + spectrum.log2_xi, "heuristic", valid, reason,
        method=found.method, error=found.error + _spread(at), started=started,
    )  # fmt: skip


@dataclass(frozen=True)
class Box:
    """Half-sides of a box around the preimage of a rounding cell, where the edit is not blind."""

    half: NDArray[np.float64]
    counts: NDArray[np.float64]
    basis: str


def bound_13(
    format: ImageFormat,
    psnr: float,
    spectrum: Spectrum,
    *,
    peak: float | None = None,
    under: str | None = None,
    boxes: Sequence[Box] = (),
) -> Capacity:
    """Bound 13: `log2 N - log2 K`, with K a bound on how many images fall together.

    Theorem 2 encloses the preimage of a rounding cell, inside the ball, in the box with
    half-sides `beta_i = ||u_i||_1 / (2 sigma_i)` (and epsilon where `sigma_i = 0`). Any
    orthonormal basis of a repeated singular value is valid; `Spectrum.left_l1` holds a good
    one. `boxes` are boxes in other bases (`linear.boxes`): the smallest K wins, and the
    details keep the singular vectors' figure. As in the paper, N and K are both volumes.
    """
    started = time.perf_counter()
    at = _Setting(format, psnr, peak, spectrum, under)
    if spectrum.left_l1 is None:
        raise InputError(
            "spectrum", spectrum.method, "bound 13 needs left singular vectors: use a smaller size"
        )
    eps, half = at.eps, format.rho / 2
    svd = Box(spectrum.left_l1 / (2 * spectrum.values), spectrum.counts, "singular vectors")
    free = log2_box_ball(-half, half, format.samples, eps)
    found = [(box, _together(box, format.samples, eps)) for box in (svd, *boxes)]
    best, together = min(found, key=lambda pair: pair[1].bits)
    result = at.result(
        "13",
        free.bits - max(together.bits, 0.0),
        "lower",
        True,
        "Theorem 2 holds for every linear edit",
        method=f"{together.method}, basis: {best.basis}",
        error=free.error + together.error,
        started=started,
    )
    svd_bits = max(free.bits - max(found[0][1].bits, 0.0), 0.0)
    details = {**result.details, "basis": best.basis, "svd_basis_bits": svd_bits}
    return replace(result, details=details)


def _together(box: Box, samples: int, eps: float) -> Log2Volume:
    """log2 of the volume of images that may fall together: the box, and all it says nothing of."""
    blind = samples - float(box.counts.sum())
    if blind <= 0:
        return log2_box_ball(-box.half, box.half, box.counts, eps)
    half, counts = np.append(box.half, eps), np.append(box.counts, blind)
    return log2_box_ball(-half, half, counts, eps)


def _spread(at: _Setting) -> float:
    """What an estimated spectrum adds to the error, in bits."""
    spectrum = at.spectrum
    if not spectrum.rank_error:
        return spectrum.log2_xi_error
    per_dimension = log2_ball(spectrum.rank + 1, at.eps) - log2_ball(spectrum.rank, at.eps)
    return spectrum.log2_xi_error + abs(per_dimension) * spectrum.rank_error
