"""Exact counts in whole numbers (FLINT polynomials), made without the code under test."""

from __future__ import annotations

import math
from collections.abc import Sequence

from flint import fmpz_poly

from morebits.bounds.counting import Log2Count, log2_count, ranges

Group = tuple[int, int, int]


def exact_count(groups: Sequence[Group], level: int) -> int:
    """Points of `prod [low, high]^count` with squares up to `level`: one coefficient each."""
    product = fmpz_poly([1])
    for low, high, count in groups:
        theta = [0] * (level + 1)
        for j in range(low, high + 1):
            if j * j <= level:
                theta[j * j] += 1
        product = product.mul_low(fmpz_poly(theta).pow_trunc(count, level + 1), level + 1)
    return sum(int(c) for c in product.coeffs())


def exact_bits(groups: Sequence[Group], level: int) -> float:
    """log2 of `exact_count`, to full double precision for integers of any length."""
    number = exact_count(groups, level)
    shift = max(number.bit_length() - 64, 0)
    return math.log2(number >> shift) + shift


def engine(groups: Sequence[Group], level: float) -> Log2Count:
    """The engine's answer to the same question."""
    low, high, counts = (list(part) for part in zip(*groups, strict=True))
    return log2_count([ranges(low, high, counts)], level)


def farthest(groups: Sequence[Group]) -> int:
    """The largest squared distance of a point."""
    return sum(count * max(-low, high) ** 2 for low, high, count in groups)
