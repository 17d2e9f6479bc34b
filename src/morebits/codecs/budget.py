"""The squared error that a PSNR allows, as the same whole number on every machine.

`bounds.radius.level` is right to the last digit of a float, and its power of ten may differ
there between two C libraries. A decoder that rebuilds tables from the number cannot live with
that, so it is computed here with MPFR, whose functions are rounded correctly everywhere.
"""

from __future__ import annotations

import gmpy2

from morebits.bounds import radius
from morebits.types import ImageFormat

_PRECISION = 256  # bits; a squared error has at most 64

#: A PSNR is a float, so the error it stands for is known to about this fraction. Whatever
#: error a PSNR was computed from is allowed at that PSNR.
_ROUNDING = 2.0**-49


def allowed_error(format: ImageFormat, psnr: float, *, peak: float | None, samples: int) -> int:
    """The largest sum of squared differences over `samples` samples at this PSNR.

    A product that misses a whole number by the rounding of a PSNR counts as that number.

    >>> allowed_error(ImageFormat(1, 2, 1, 8), 0, peak=None, samples=2)
    130050
    """
    top = radius.resolve_peak(format, peak)
    with gmpy2.context(precision=_PRECISION):
        power = gmpy2.exp10(-gmpy2.mpfr(radius.check_psnr(psnr)) / 10)
        exact = gmpy2.mpfr(top) ** 2 * samples * power
        return int(gmpy2.floor(exact * (1 + gmpy2.mpfr(_ROUNDING))))
