"""How sure a mean or a rate is: intervals of 95 % unless told otherwise.

Means: Student's t, cut to the range that the quantity can take. Rates: Wilson's interval, which
has sense at 0 % and 100 %, too. False positives: Clopper and Pearson's, which never promises
too much (its coverage is at least what it says, for every rate and every number of samples).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from morebits.errors import InputError

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Mean:
    """A mean of `n` values with its interval; None where there is too little to say."""

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Rate:
    """`hits` of `n`, with the interval of the rate; no value without samples."""

    value: float | None
    low: float
    high: float
    hits: int
    n: int


def mean(
    values: Iterable[float | None],
    *,
    least: float = -math.inf,
    most: float = math.inf,
    confidence: float = CONFIDENCE,
) -> Mean:
    """The mean of what was measured (None is left out) with Student's t interval.

    `least` and `most` are the ends of what the quantity can be. One value alone has no
    interval.

    >>> found = mean([0.9, 1.0, 0.95, None], least=0, most=1)
    >>> round(found.value, 3), round(found.low, 3), found.high, found.n
    (0.95, 0.826, 1, 3)
    """
    from scipy.special import stdtrit

    known = [value for value in values if value is not None]
    n = len(known)
    if n == 0:
        return Mean(None, None, None, 0)
    centre = math.fsum(known) / n
    if n == 1 or not math.isfinite(centre):
        return Mean(centre, None, None, n)
    spread = math.sqrt(math.fsum((value - centre) ** 2 for value in known) / (n - 1))
    half = float(stdtrit(n - 1, (1 + _checked(confidence)) / 2)) * spread / math.sqrt(n)
    return Mean(centre, max(centre - half, least), min(centre + half, most), n)


def wilson(hits: int, n: int, *, confidence: float = CONFIDENCE) -> Rate:
    """A rate with Wilson's score interval; without samples it can be anything.

    >>> found = wilson(24, 24)
    >>> found.value, round(found.low, 3), found.high
    (1.0, 0.862, 1.0)
    """
    from scipy.special import ndtri

    _check_counts(hits, n)
    if n == 0:
        return Rate(None, 0.0, 1.0, 0, 0)
    z = float(ndtri((1 + _checked(confidence)) / 2))
    rate, shrink = hits / n, 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    low = 0.0 if hits == 0 else centre - half
    high = 1.0 if hits == n else centre + half
    return Rate(rate, low, high, hits, n)


def clopper_pearson(hits: int, n: int, *, confidence: float = CONFIDENCE) -> Rate:
    """A rate with the exact interval of Clopper and Pearson.

    >>> found = clopper_pearson(0, 1000)
    >>> found.value, found.low, round(found.high, 5)
    (0.0, 0.0, 0.00368)
    """
    from scipy.special import betaincinv

    _check_counts(hits, n)
    if n == 0:
        return Rate(None, 0.0, 1.0, 0, 0)
    tail = (1 - _checked(confidence)) / 2
    low = float(betaincinv(hits, n - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - tail)) if hits < n else 1.0
    return Rate(hits / n, low, high, hits, n)


def _checked(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise InputError("confidence", confidence, "give a share between 0 and 1, such as 0.95")
    return confidence


def _check_counts(hits: int, n: int) -> None:
    if not 0 <= hits <= n:
        raise InputError("hits", hits, f"give a number from 0 to the {n} samples")
