"""Every measure of quality and of accuracy in the project: plain functions of arrays.

Quality: `psnr` (of `morebits.distortion`), `ssim`, `ms_ssim`, and `perceptual` for those of
others. Accuracy: how much of the message came back, how many bits that is worth, how that
compares with what this very photo can hold, and how likely it is by chance. Intervals and
averages are in `statistics` and `summary`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.bench.ssim import ms_ssim, ssim
from morebits.codecs.bits import check_bits
from morebits.distortion import psnr
from morebits.errors import InputError
from morebits.measure import capacity

__all__ = [
    "binary_entropy",
    "binomial_p_value",
    "bit_accuracy",
    "capacity_bits",
    "fraction_of_bound",
    "is_exact",
    "ms_ssim",
    "presence_p_value",
    "psnr",
    "ssim",
]

#: Below the last digit of any measured PSNR: its ball holds the marked picture after rounding.
_ROUNDING_DB = 1e-9


def bit_accuracy(sent: Any, got: Any | None) -> float:
    """Share of the message that came back right, 0 to 1.

    A place that only one of the two has, because the codec gave too few bits or too many,
    counts 1/2: a reader who had to guess would do as well. None, when nothing was read, is 1/2.

    >>> bit_accuracy([1, 0, 1, 1], [1, 1, 1, 1]), bit_accuracy([1, 0, 1, 1], [1, 0])
    (0.75, 0.75)
    >>> bit_accuracy([1, 0], [1, 0, 0, 1]), bit_accuracy([1, 0], None)
    (0.75, 0.5)
    """
    message = _message(sent)
    if got is None:
        return 0.5
    right, compared, longest = _compared(message, check_bits(got))
    return (right + (longest - compared) / 2) / longest


def is_exact(sent: Any, got: Any | None) -> bool:
    """Whether every bit came back, no more and no fewer.

    >>> is_exact([1, 0], [1, 0]), is_exact([1, 0], [1, 0, 0]), is_exact([1, 0], None)
    (True, False, False)
    """
    message = _message(sent)
    return got is not None and np.array_equal(message, check_bits(got))


def binary_entropy(error: float) -> float:
    """`H2(p)` in bits.

    >>> binary_entropy(0.5), binary_entropy(0)
    (1.0, 0.0)
    """
    if not 0 <= error <= 1:
        raise InputError("error", error, "give a share from 0 to 1")
    if error in (0, 1):
        return 0.0
    return -(error * math.log2(error) + (1 - error) * math.log2(1 - error))


def capacity_bits(bits: int, error: float) -> float:
    """`bits (1 - H2(error))`: what a perfect error correction would leave of the message.

    An error of 1 is worth as much as 0, since every bit can be turned round.

    >>> capacity_bits(1024, 0), round(capacity_bits(1024, 0.11), 1), capacity_bits(1024, 0.5)
    (1024.0, 512.1, 0.0)
    """
    return bits * (1 - binary_entropy(error))


def fraction_of_bound(picture: object, bits: float, psnr: float | None) -> float | None:
    """Bits at the bound: `bits` over the exact capacity of this very picture at this PSNR.

    `picture` is the cover (anything that `images.read` takes), `psnr` in dB was measured with
    peak `2^k - 1`. None when nothing changed (infinite PSNR, or None): there is no bound to be
    a part of. One count a picture, some milliseconds.

    >>> gray = np.full((16, 16, 3), 128, np.uint8)
    >>> fraction_of_bound(gray, 235.0, 42)
    0.10006...
    """
    if psnr is None or math.isinf(psnr):
        return None
    holds = capacity(picture, psnr=psnr - _ROUNDING_DB).bits
    return bits / holds if holds > 0 else None


def binomial_p_value(right: int, bits: int) -> float:
    """Chance that `right` or more of `bits` coin tosses come up right: the exact tail.

    Below 1e-308 it is 0.

    >>> binomial_p_value(32, 32) == 2.0**-32, binomial_p_value(16, 32), binomial_p_value(0, 32)
    (True, 0.569..., 1.0)
    """
    from scipy.special import betainc

    if not 0 <= right <= bits:
        raise InputError("right", right, f"give a number from 0 to the {bits} bits")
    return float(betainc(right, bits - right + 1, 0.5)) if right else 1.0


def presence_p_value(sent: Any, got: Any | None) -> float:
    """Chance that a picture without a mark gives this many bits of a message that is known.

    For a reader who asks "is it this message?"; a codec's own p-value (`Extraction.p_value`)
    answers the reader who knows no message, and is another number. Places that only one of the
    two has say nothing; None gives 1.

    >>> presence_p_value([1, 0, 1, 1], [1, 0, 1, 1]), presence_p_value([1, 0, 1, 1], None)
    (0.0625, 1.0)
    """
    message = _message(sent)
    if got is None:
        return 1.0
    right, compared, _ = _compared(message, check_bits(got))
    return binomial_p_value(right, compared)


def _message(sent: Any) -> NDArray[np.uint8]:
    message = check_bits(sent)
    if message.size == 0:
        raise InputError("sent", "empty", "give a message of at least one bit")
    return message


def _compared(sent: NDArray[np.uint8], got: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Places that are right, places that both have, places that one of them has."""
    both = min(sent.size, got.size)
    right = int(np.count_nonzero(sent[:both] == got[:both]))
    return right, both, max(sent.size, got.size)
