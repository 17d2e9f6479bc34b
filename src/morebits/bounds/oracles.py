"""The paper's own algorithms, as it prints them, for small cases.

They are slow and simple on purpose: independent of the contour integral of `counting.py` and
`volumes.py`, they are what the tests hold it against and what the benchmarks race it with.
All counts are Python integers. What differs from the printed pseudo-code is said in each
function; none of it changes a result that the paper states.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from morebits.errors import InputError, MissingExtra, TooLarge

if TYPE_CHECKING:
    from mpmath import mpc, mpf  # pyright: ignore[reportMissingTypeStubs]

Fresnel = Literal["plain", "normalised"]

#: Points that brute force may visit.
MAX_POINTS = 20_000_000
#: Dimensions that the recursion with bounds may go through, one call inside another.
MAX_DEPTH = 400
#: Terms of the series before it is refused.
MAX_TERMS = 100_000


def brute_force_count(radius: float, dimension: int) -> int:
    """BruteForceCount (Algorithm 1): visit every grid point of the enclosing cube.

    >>> brute_force_count(2, 2)
    13
    """
    squared, reach = _squared(radius), math.floor(radius)
    points = (2 * reach + 1) ** dimension
    if points > MAX_POINTS:
        raise TooLarge("brute force", points, MAX_POINTS, "points", "use mitchell_count")
    axis = range(-reach, reach + 1)
    return sum(
        sum(p * p for p in point) <= squared for point in itertools.product(axis, repeat=dimension)
    )


def mitchell_count(dimension: int, radius: float) -> int:
    """PointsInHypersphereMitchell (Algorithm 2): grid points in a ball, no cube.

    `S(m, Z, J)` counts points of m coordinates below J in size, with squares up to Z. It
    takes the cube of side `2N + 1` inside the ball whole; every other point has a largest
    coordinate `J_m > N`, which occurs i times.

    The printed inner loop stops at `i = m - 1`. That is right: `i = m` would need
    `m J_m^2 <= Z`, which `J_m > N = floor(sqrt(Z / m))` rules out, so its range is empty. For
    the same reason `N < J` always holds and the cube needs no clipping. Radii are squared and
    rounded down once, so that whole-number square roots decide instead of rounded ones.

    >>> mitchell_count(3, 10), mitchell_count(768, 2)
    (4169, 230723420673)
    """
    cache: dict[tuple[int, int, int], int] = {}

    def s(m: int, z: int, j: int) -> int:
        if m == 0:
            return int(z >= 0)
        key = (m, z, j)
        if key not in cache:
            n = math.isqrt(z // m)
            total = (2 * n + 1) ** m
            for i in range(1, m):
                largest = min(math.isqrt(z // i), j - 1)
                if largest <= n:
                    break  # shorter still for every larger i
                for value in range(n + 1, largest + 1):
                    total += math.comb(m, i) * 2**i * s(m - i, z - i * value * value, value)
            cache[key] = total
        return cache[key]

    squared = _squared(radius)
    return s(dimension, squared, squared + 2)


def bounded_count(radius: float, bounds: Sequence[tuple[float, float]]) -> int:
    """PointsInHypersphereWithBounds (Algorithm 3): grid points of a box inside a ball at 0.

    `bounds` holds a real interval for each dimension. Results are cached by what is left of
    the squared radius and of the dimensions. Bound 8 calls this with `(0, 2^k)`, one more than
    the largest step `2^k - 1`; where it is valid, `epsilon <= rho / 2`, that changes nothing.

    >>> bounded_count(2, [(0, 255)] * 2)
    6
    """
    if len(bounds) > MAX_DEPTH:
        raise TooLarge(
            "the recursion with bounds", len(bounds), MAX_DEPTH, "dimensions", "use log2_count"
        )
    whole = [(math.ceil(low), math.floor(high)) for low, high in bounds]
    cache: dict[tuple[int, int], int] = {}

    def count(squared: int, at: int) -> int:
        if at == len(whole):
            return 1
        key = (squared, at)
        if key not in cache:
            reach = math.isqrt(squared)
            low, high = max(-reach, whole[at][0]), min(reach, whole[at][1])
            cache[key] = sum(count(squared - i * i, at + 1) for i in range(low, high + 1))
        return cache[key]

    return count(_squared(radius), 0)


def box_ball_series(
    low: Sequence[float],
    high: Sequence[float],
    counts: Sequence[int],
    radius: float,
    *,
    digits: int = 50,
    terms: int | None = None,
    fresnel: Fresnel = "normalised",
) -> float:
    """BallCubeIntersection (Algorithm 4): log2 of the volume of a box inside a ball at 0.

    The series of Constales, generalised by Aono and Nguyen (Theorem 1). Side j is
    `[low_j, high_j]`, `counts_j` times over. `digits` is the working precision: the share of
    the box that lies in the ball must be far above `10^-digits`, or an error says so. `terms`
    cuts the sum off; by default it stops when the rest is below that precision. `fresnel`
    picks the definition of the Fresnel integrals, which must not matter.

    The printed algorithm leaves out that nothing is left when the sides do not reach the
    ball, and the case `l <= 1` of the theorem, where the box is inside it; both are here.

    >>> round(2 ** box_ball_series([-1], [1], [20], 1.0, digits=20), 6)  # pi^10 / 10!
    0.025807
    """
    mp = _mpmath()
    with mp.workdps(digits):
        sides = _unit_sides(mp, low, high, counts, radius)
        if any(a >= b for a, b in sides):
            return -math.inf
        span = mp.fsum(c * max(-a, b) ** 2 for (a, b), c in sides.items())
        scale = mp.fsum(c * mp.log(b - a, 2) for (a, b), c in sides.items())
        scale += sum(sides.values()) * mp.log(mp.mpf(radius), 2)
        if span <= 1:
            return float(scale)
        mean = mp.fsum(c * (a * a + b * b + a * b) for (a, b), c in sides.items()) / 3
        terms = terms or _terms_needed(sides, span, digits)
        tail = _series_tail(mp, sides, span, terms, fresnel)
        share = mp.mpf(1) / 2 - mean / span + 1 / span + tail / mp.pi
        if share <= mp.mpf(10) ** (8 - digits):
            raise InputError("digits", digits, "too few for so small a share of the box: give more")
        return float(mp.log(share, 2) + scale)


def _series_tail(
    mp: Any, sides: Counter[tuple[mpf, mpf]], span: mpf, terms: int, fresnel: Fresnel
) -> mpf:
    """`Im sum over k of Phi(-2 pi k / l) / k * exp(2 pi i k / l)`."""
    total = mp.mpf(0)
    for k in range(1, terms + 1):
        phi = _phi(mp, -2 * mp.pi * k / span, sides, fresnel)
        total += mp.im(phi * mp.expjpi(2 * k / span)) / k
    return total


def _terms_needed(sides: Counter[tuple[mpf, mpf]], span: mpf, digits: int) -> int:
    """How many terms it takes until `|Phi|` stays below `10^-digits`.

    `|Phi|` waves up and down by many orders of magnitude, so a small term says nothing about
    the next. Its envelope decides: the integral of `exp(i t^2)` from x on is at most
    `1/(2x) + 1/(2x^3)`, and all of it from 0 is `sqrt(pi)/2`.
    """
    floats = [(float(a), float(b), count) for (a, b), count in sides.items()]

    def envelope(k: int) -> float:
        root = math.sqrt(2 * math.pi * k / float(span))
        log = 0.0
        for a, b, count in floats:
            most = sum(
                0.5 / x + 0.5 / x**3 for x in (abs(a) * root, abs(b) * root) if x > 0
            ) + math.sqrt(math.pi) * (1.0 if a < 0 < b else 0.5 if a * b == 0 else 0.0)
            log += count * min(0.0, math.log10(most / ((b - a) * root)))
        return log

    high = 1
    while envelope(high) > -digits:
        high *= 2
        if high > 2 * MAX_TERMS:
            raise TooLarge("the series", high, MAX_TERMS, "terms", "give terms or fewer digits")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if envelope(middle) > -digits else (low, middle)
    return high


def _phi(mp: Any, omega: mpf, sides: Counter[tuple[mpf, mpf]], fresnel: Fresnel) -> mpc:
    """`Phi(omega)`: one factor for each different side, to the power of its multiplicity."""
    root, sign = mp.sqrt(abs(omega)), mp.sign(omega)
    result = mp.mpc(1)
    for (a, b), count in sides.items():
        if a == -b:
            c, s = (2 * part for part in _fresnel(mp, b * root, fresnel))
        else:
            (c_b, s_b), (c_a, s_a) = (_fresnel(mp, end * root, fresnel) for end in (b, a))
            c, s = c_b - c_a, s_b - s_a
        result *= (mp.mpc(c, sign * s) / ((b - a) * root)) ** count
    return result


def _fresnel(mp: Any, x: mpf, convention: Fresnel) -> tuple[mpf, mpf]:
    """`C(x)` and `S(x)`, the integrals of `cos t^2` and `sin t^2` from 0 to x."""
    if convention == "plain":
        # C + iS is the integral of exp(i t^2): an error function on the diagonal.
        turn = mp.expjpi(mp.mpf(1) / 4)
        value = mp.sqrt(mp.pi) / 2 * turn * mp.erf(x / turn)
        return mp.re(value), mp.im(value)
    stretch = mp.sqrt(2 / mp.pi)
    return mp.fresnelc(stretch * x) / stretch, mp.fresnels(stretch * x) / stretch


def _unit_sides(
    mp: Any, low: Sequence[float], high: Sequence[float], counts: Sequence[int], radius: float
) -> Counter[tuple[mpf, mpf]]:
    """The sides over the radius, cut to [-1, 1], equal ones together (ApplyWithGrouping)."""
    if not (math.isfinite(radius) and radius > 0):
        raise InputError("radius", radius, "give a finite number above 0")
    sides: Counter[tuple[mpf, mpf]] = Counter()
    for a, b, count in zip(low, high, counts, strict=True):
        if not (math.isfinite(a) and math.isfinite(b) and a < b):
            raise InputError("side", (a, b), "give finite sides with low < high")
        r = mp.mpf(radius)
        sides[max(mp.mpf(-1), mp.mpf(a) / r), min(mp.mpf(1), mp.mpf(b) / r)] += count
    return sides


def _squared(radius: float) -> int:
    """`floor(radius^2)`: squared norms of grid points are whole numbers."""
    if not (math.isfinite(radius) and radius >= 0):
        raise InputError("radius", radius, "give a finite number of at least 0")
    return math.floor(radius * radius)


def _mpmath() -> Any:
    try:
        import mpmath  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise MissingExtra("mpmath", "dev") from None
    return mpmath
