"""The largest message under a squared-error budget, in a few trials."""

from __future__ import annotations

import math
from collections.abc import Callable

#: A trial whose error is below the target by at most this fraction is good enough.
_CLOSE = 6e-4
#: A bracket narrower than the samples over this power of two is narrow enough.
_FINE = 14
_TRIALS = 16


def largest(error_at: Callable[[int], float], target: float, *, limit: int, samples: int) -> int:
    """Most bits, at most `limit`, whose error stays at or below the target, nearly.

    The error grows about like `4^(bits / samples)` at high rates, and like a power of the bits
    at low ones: Newton's steps with that slope, or halving where they leave the bracket of what
    fitted and what did not. `error_at` and `target` are for all samples together.

    >>> largest(lambda bits: 4 ** (bits / 1000) / 17, 4.0, limit=9000, samples=1000)
    3043
    """
    low, high = 0, limit + 1
    bits = int(samples * 0.5 * math.log2(1 + 2 * math.pi * math.e * target / samples))
    for _ in range(_TRIALS):
        if not low < bits < high:
            bits = (low + high) // 2
        if high - low <= max(1, samples >> _FINE):
            break
        error = error_at(bits)
        if error <= target:
            low = bits
            if error >= target * (1 - _CLOSE):
                break
        else:
            high = bits
        slope = max(2 / samples, 1.66 / bits)
        bits += math.floor(math.log2(target * (1 - _CLOSE / 2) / max(error, 1e-300)) / slope)
    return low
