"""Bounds 1 to 9: capacity under a PSNR constraint alone.

One function a bound, named after the paper. Each returns a `Capacity` that says whether the
paper's condition holds here and why. Bounds 4 and 8 go further than the paper: its algorithms
cannot count inside a cube, the contour integral can, so both are exact at every PSNR.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from morebits.bounds.counting import log2_counts
from morebits.bounds.covers import Cover, corner, gray
from morebits.bounds.radius import check_psnr, epsilon, level, resolve_peak
from morebits.bounds.volumes import log2_ball, log2_box_ball
from morebits.types import Capacity, ImageFormat, Kind

NAMES = {
    "1": "absolute capacity of the image",
    "2": "gray image, low PSNR: the cube is in the ball",
    "3": "gray image, high PSNR: volume of the ball",
    "4": "gray image: exact count",
    "5": "gray image, medium PSNR: volume of ball and cube",
    "6": "gray image, medium PSNR: the smaller of bounds 2 and 3",
    "7": "any image, high PSNR: volume of the ball in a corner",
    "8": "any image: exact count",
    "9": "any image, medium PSNR: volume of ball and cube",
}

#: A count with a larger stated error, in bits, is not called exact.
EXACT_ERROR = 1e-4
#: A volume stands in for a count while it is off by at most this many bits a sample.
VOLUME_ERROR_PER_SAMPLE = 1e-2


def bound_1(format: ImageFormat, psnr: float, *, peak: float | None = None) -> Capacity:
    """Bound 1: `c w h k` bits, the uncompressed size. Valid always."""
    bits = float(format.samples * format.depth)
    return _result("1", bits, "upper", True, "holds at every PSNR", format, psnr, peak)


def bound_2(format: ImageFormat, psnr: float, *, peak: float | None = None) -> Capacity:
    """Bound 2: `c w h k` when the ball holds the whole cube, `epsilon >= rho/2 sqrt(n)`."""
    eps, limit = epsilon(format, psnr, peak=peak), _half(format) * math.sqrt(format.samples)
    valid = eps >= limit
    reason = (
        f"epsilon = {eps:.6g} {'>=' if valid else '<'} rho/2 sqrt(n) = {limit:.6g}, "
        f"that is PSNR {'<=' if valid else '>'} {_decibels(format, limit, peak):.2f} dB"
    )
    bits = float(format.samples * format.depth)
    # Gray is at 2^(k-1), a little off the centre: its farthest corner needs a little more.
    kind = "exact" if eps >= format.mid * math.sqrt(format.samples) else "upper"
    return _result("2", bits, kind, valid, reason, format, psnr, peak)


def bound_3(format: ImageFormat, psnr: float, *, peak: float | None = None) -> Capacity:
    """Bound 3: `log2 Vol B_n[epsilon]` when the ball is in the cube and not too small.

    "Not too small" is taken as `volume_error` below `VOLUME_ERROR_PER_SAMPLE` bits a sample.
    """
    eps = epsilon(format, psnr, peak=peak)
    valid, reason, error = _ball_in_cube(format, eps, peak)
    bits = log2_ball(format.samples, eps)
    return _result("3", bits, "approximation", valid, reason, format, psnr, peak, error=error)


def bound_4(format: ImageFormat, psnr: float, *, peak: float | None = None) -> Capacity:
    """Bound 4: log2 of the number of images within `epsilon` of gray, counted exactly.

    The paper counts the whole ball with Mitchell's recursion and needs `epsilon <= rho/2`.
    Here the count is of ball and cube together, so there is no such condition.

    >>> round(bound_4(ImageFormat(3, 256, 256, 8), 42).bits, 2)
    602672.58
    """
    return exact_counts(gray(format), [psnr], peak)[0]


def bound_5(format: ImageFormat, psnr: float, *, peak: float | None = None) -> Capacity:
    """Bound 5: `log2 Vol( [-rho/2, rho/2]^n and B_n[epsilon] )`, partial overlap."""
    eps = epsilon(format, psnr, peak=peak)
    valid, reason = _overlap(format, eps, peak)
    return _volume("5", gray(format), psnr, peak, valid, reason)


def bound_6(format: ImageFormat, psnr: float, *, peak: float | None = None) -> Capacity:
    """Bound 6: `min(bound 2, bound 3)`, never below bound 5 and easy at any resolution.

    Both are volumes, and fall short of the count where the ball is small.
    """
    eps = epsilon(format, psnr, peak=peak)
    valid, reason = _overlap(format, eps, peak)
    bits = min(float(format.samples * format.depth), log2_ball(format.samples, eps))
    return _result("6", bits, "approximation", valid, reason, format, psnr, peak)


def bound_7(
    format: ImageFormat, psnr: float, *, peak: float | None = None, cover: Cover | None = None
) -> Capacity:
    """Bound 7: `log2 Vol B_n[epsilon] - n`: a corner keeps 1/2^n of the ball."""
    eps = epsilon(format, psnr, peak=peak)
    valid, reason, error = _ball_in_cube(format, eps, peak)
    bits = log2_ball(format.samples, eps) - format.samples
    cover = cover or corner(format)
    return _result(
        "7", bits, "approximation", valid, reason, format, psnr, peak, cover=cover, error=error
    )


def bound_8(
    format: ImageFormat, psnr: float, *, peak: float | None = None, cover: Cover | None = None
) -> Capacity:
    """Bound 8: log2 of the number of images within `epsilon` of any cover, counted exactly.

    Without `cover` it is the corner, the worst case. With a photo it is the exact count for
    that photo, from the ranges `[-v, rho - v]` of its own samples.
    """
    return exact_counts(cover or corner(format), [psnr], peak)[0]


def bound_9(
    format: ImageFormat, psnr: float, *, peak: float | None = None, cover: Cover | None = None
) -> Capacity:
    """Bound 9: the volume of ball and cube around the corner (or a photo)."""
    eps, half = epsilon(format, psnr, peak=peak), _half(format)
    valid = eps >= half
    reason = (
        f"epsilon = {eps:.6g} {'>=' if valid else '<'} rho/2 = {half:g}, "
        f"that is PSNR {'<=' if valid else '>'} {_decibels(format, half, peak):.2f} dB"
    )
    return _volume("9", cover or corner(format), psnr, peak, valid, reason)


def _half(format: ImageFormat) -> float:
    return format.rho / 2


def _decibels(format: ImageFormat, radius: float, peak: float | None) -> float:
    """The PSNR at which epsilon equals `radius`."""
    return 20 * math.log10(resolve_peak(format, peak) * math.sqrt(format.samples) / radius)


def _ball_in_cube(format: ImageFormat, eps: float, peak: float | None) -> tuple[bool, str, float]:
    """The condition of bounds 3 and 7, in words, and how far the volume is off (bits)."""
    half = _half(format)
    error = volume_error(format.samples, eps)
    if eps > half:
        limit = _decibels(format, half, peak)
        reason = f"epsilon = {eps:.6g} > rho/2 = {half:g}: it needs PSNR >= {limit:.2f} dB"
        return False, reason, error
    if error > VOLUME_ERROR_PER_SAMPLE * format.samples:
        return False, _too_small(error), error
    return True, f"the ball is inside the cube, epsilon = {eps:.6g} <= rho/2 = {half:g}", error


def _too_small(error: float) -> str:
    return (
        "the ball is too small for its volume to stand for a count "
        f"(up to {error:.3g} bits off): it needs a lower PSNR"
    )


def volume_error(dimension: float, eps: float) -> float:
    """How far `log2 volume` may be from `log2 count`, in bits, to first order.

    The dual grid adds `2 exp(-2 pi^2 epsilon^2 / n)` a sample, and squared norms are whole
    numbers, so that the ball is effectively up to 1 smaller in epsilon^2.
    """
    dual = dimension * 2 * math.exp(-2 * math.pi**2 * eps**2 / dimension)
    steps = 0.5 * dimension / max(eps**2, 1.0)
    return (dual + steps) * math.log2(math.e)


def _overlap(format: ImageFormat, eps: float, peak: float | None) -> tuple[bool, str]:
    """The condition of bounds 5 and 6: neither contains the other."""
    half = _half(format)
    far = half * math.sqrt(format.samples)
    low, high = _decibels(format, far, peak), _decibels(format, half, peak)
    span = f"{low:.2f} to {high:.2f} dB"
    error = volume_error(format.samples, eps)
    if error > VOLUME_ERROR_PER_SAMPLE * format.samples:
        return False, _too_small(error)
    if half <= eps <= far:
        return True, f"ball and cube overlap in part, PSNR is within {span}"
    return False, f"ball and cube do not overlap in part: it needs PSNR within {span}"


def exact_counts(cover: Cover, psnrs: Sequence[float], peak: float | None) -> list[Capacity]:
    """Bound 4 (gray) or 8 (any other cover) at many PSNRs, each warm-started by the last."""
    started = time.perf_counter()
    format, bound = cover.format, "4" if cover.name == "gray" else "8"
    levels = [level(format, check_psnr(psnr), peak=peak) for psnr in psnrs]
    counts = log2_counts([cover.family], levels)
    seconds = (time.perf_counter() - started) / max(len(levels), 1)
    where = {"gray": "gray", "corner": "a saturated corner", "photo": "this very picture"}
    reason = f"counts every image within epsilon of {where[cover.name]}, holds at every PSNR"
    return [
        _result(
            bound, count.bits, "exact" if count.error < EXACT_ERROR else "approximation",
            True, reason, format, psnr, peak,
            cover=cover, method=count.method, error=count.error, seconds=seconds,
        )
        for psnr, count in zip(psnrs, counts, strict=True)
    ]  # fmt: skip


def _volume(
    bound: str, cover: Cover, psnr: float, peak: float | None, valid: bool, reason: str
) -> Capacity:
    started = time.perf_counter()
    found = log2_box_ball(*cover.sides, epsilon(cover.format, psnr, peak=peak))
    seconds = time.perf_counter() - started
    return _result(
        bound, found.bits, "approximation", valid, reason, cover.format, psnr, peak,
        cover=cover, method=found.method, error=found.error, seconds=seconds,
    )  # fmt: skip


def _result(
    bound: str,
    bits: float,
    kind: Kind,
    valid: bool,
    reason: str,
    format: ImageFormat,
    psnr: float,
    peak: float | None,
    *,
    cover: Cover | None = None,
    method: str = "closed form",
    error: float = 0.0,
    seconds: float = 0.0,
) -> Capacity:
    return Capacity(
        bits=bits,
        bpp=bits / format.samples,
        bound=bound,
        name=NAMES[bound],
        kind=kind,
        valid=valid,
        reason=reason,
        method=method,
        error=error,
        psnr=check_psnr(psnr),
        peak=resolve_peak(format, peak),
        format=format,
        cover=cover.name if cover else "gray",
        seconds=seconds,
    )
