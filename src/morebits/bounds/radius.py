"""PSNR, mean squared error and the radius of the ball: one constraint, three names.

`PSNR >= tau` is `||x - x'||_2 <= epsilon(tau)` with `epsilon = peak sqrt(n) 10^(-tau/20)`
(eq. psnr_radius, Appendix A). `peak` is `rho = 2^k - 1` unless told otherwise; some of the
paper's tables were made with `2^k`, so it is an argument everywhere.
"""

from __future__ import annotations

import math
from numbers import Real

from morebits.errors import InputError
from morebits.types import ImageFormat

#: Far above any sample value, and far below where squares overflow.
MAX_PEAK = 1e9


def resolve_peak(format: ImageFormat, peak: float | None) -> float:
    """`peak` as given, or `2^k - 1`."""
    if peak is None:
        return float(format.rho)
    return _positive("peak", peak)


def check_psnr(psnr: float) -> float:
    """A finite number of decibels, or an error that says what to give."""
    if isinstance(psnr, bool) or not isinstance(psnr, Real) or not math.isfinite(psnr):
        raise InputError("psnr", psnr, "give a finite number of decibels, such as 42")
    if abs(psnr) > 400:
        raise InputError("psnr", psnr, "give a number of decibels between -400 and 400")
    return float(psnr)


def mse(psnr: float, *, peak: float) -> float:
    """Mean squared error at a PSNR: `peak^2 10^(-tau/10)`.

    >>> mse(20, peak=255)
    650.25
    """
    return _positive("peak", peak) ** 2 / 10 ** (check_psnr(psnr) / 10)


def squared_epsilon(format: ImageFormat, psnr: float, *, peak: float | None = None) -> float:
    """`epsilon(tau)^2`, the largest sum of squared differences at PSNR `tau`."""
    return mse(psnr, peak=resolve_peak(format, peak)) * format.samples


def epsilon(format: ImageFormat, psnr: float, *, peak: float | None = None) -> float:
    """`epsilon(tau) = peak sqrt(c w h) 10^(-tau/20)` in sample values.

    >>> round(epsilon(ImageFormat(3, 16, 16, 8), 42), 3)
    56.133
    """
    return math.sqrt(squared_epsilon(format, psnr, peak=peak))


def level(format: ImageFormat, psnr: float, *, peak: float | None = None) -> int:
    """`T = floor(epsilon^2)`: a grid point is inside when its squares sum to at most T.

    A product that misses a whole number by a rounding error counts as that number.

    >>> level(ImageFormat(1, 2, 1, 8), 0)
    130050
    """
    return math.floor(squared_epsilon(format, psnr, peak=peak) * (1 + 4e-16))


def psnr_of_mse(value: float, *, peak: float) -> float:
    """PSNR in dB of a mean squared error; infinite for 0.

    >>> psnr_of_mse(650.25, peak=255)
    20.0
    """
    if not (math.isfinite(value) and value >= 0):
        raise InputError("mse", value, "give a finite number of at least 0")
    return math.inf if value == 0 else 10 * math.log10(_positive("peak", peak) ** 2 / value)


def psnr_of_radius(format: ImageFormat, radius: float, *, peak: float | None = None) -> float:
    """The PSNR whose ball has this radius: the inverse of `epsilon`.

    >>> fmt = ImageFormat(3, 16, 16, 8)
    >>> round(psnr_of_radius(fmt, epsilon(fmt, 42)), 9)
    42.0
    """
    if not (math.isfinite(radius) and radius >= 0):
        raise InputError("radius", radius, "give a finite number of at least 0")
    return psnr_of_mse(radius * radius / format.samples, peak=resolve_peak(format, peak))


def _positive(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(name, value, "give a finite number above 0")
    if not 0 < value <= MAX_PEAK:
        raise InputError(name, value, f"give a number above 0, at most {MAX_PEAK:g}")
    return float(value)
