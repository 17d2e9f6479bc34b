"""High-precision volumes of a box inside a ball, made without the code under test.

- `volume_by_laplace`: the inverse Laplace transform in 300-bit complex arithmetic (FLINT), by
  the trapezoid rule with a step that is halved until two results agree.
- `volume_by_slices`: nested integrals over slices (mpmath), for 1 to 4 dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import mpmath
import numpy as np
from flint import acb, arb, ctx

Side = tuple[float, float, int]


def random_box(rng: np.random.Generator, *, most: int = 400) -> tuple[list[Side], float]:
    """A box of 16 to `most` dimensions in 1 to 6 groups, and a radius that cuts it.

    At least 16 sides are not tiny beside the radius: the integrand of the reference falls only
    as fast as they make it.
    """
    while True:
        sides, radius = _any_box(rng, most)
        if sum(c for a, b, c in sides if max(-a, b) > 0.03 * radius) >= 16:
            return sides, radius


def _any_box(rng: np.random.Generator, most: int) -> tuple[list[Side], float]:
    groups = int(rng.integers(1, 7))
    counts = rng.multinomial(int(rng.integers(16, most + 1)) - groups, [1 / groups] * groups) + 1
    style = rng.choice(["symmetric", "mixed", "outside", "corner"])
    sides: list[Side] = []
    for count in counts:
        size = float(10 ** rng.uniform(-2, 2))
        if style == "symmetric":
            a, b = -size, size
        elif style == "corner":
            a, b = 0.0, size
        elif style == "outside" and rng.random() < 0.5:
            a = size * float(rng.uniform(0.01, 1.0))
            b = a + size
        else:
            a, b = -size * float(rng.uniform(0, 2)), size * float(rng.uniform(0.01, 2))
        if rng.random() < 0.3:
            a, b = -b, -a
        sides.append((a, b, int(count)))
    near = sum(c * max(a, -b, 0.0) ** 2 for a, b, c in sides)
    far = sum(c * max(-a, b) ** 2 for a, b, c in sides)
    share = float(rng.choice([10 ** rng.uniform(-6, 0), rng.uniform(0.1, 1.0)])) * 0.999
    # A radius is a float: so close to the near corner that it decides the result, it is no test.
    share = max(share, 1e-4 * near / far)
    return sides, math.sqrt(near + share * (far - near))


def volume_by_laplace(sides: Sequence[Side], radius: float) -> float:
    """log2 of the volume, by `1/(2 pi i) integral of exp(s r^2) prod_j I_j(s) / s ds`."""
    saved, ctx.prec = ctx.prec, 300
    try:
        squared = arb(radius) ** 2
        near = sum(c * arb(max(a, -b, 0.0)) ** 2 for a, b, c in sides)
        # Any abscissa is valid. When nearly all of the box is inside, the best one is so close
        # to the pole at 0 that steps get tiny: stay away and let the precision pay for it.
        level = float(squared - near)
        c = max(_abscissa(sides, squared, level), 8 / level)
        height = _log_integrand(sides, squared, acb(c)).real
        curvature = _curvature(sides, squared, c)
        step = arb(0.5) / arb(curvature).sqrt()
        last = _trapezoid(sides, squared, c, step, height)
        for _ in range(12):
            step = step / 2
            found = _trapezoid(sides, squared, c, step, height)
            if abs(float(found / last - 1)) < 1e-14:
                return float((found.log() + height) / arb(2).log())
            last = found
        raise AssertionError("the reference did not converge")
    finally:
        ctx.prec = saved


def _log_integrand(sides: Sequence[Side], squared: arb, s: acb) -> acb:
    """`s r^2 - ln s + sum_j c_j ln I_j(s)`, I_j the integral of exp(-s t^2) over side j."""
    root, total = s.sqrt(), s * squared - s.log()
    for a, b, count in sides:
        near, far = min(abs(a), abs(b)), max(abs(a), abs(b))
        if a * b < 0:
            inner = (root * b).erf() - (root * a).erf()
        else:
            inner = (root * near).erfc() - (root * far).erfc()
        total += count * (inner * acb.pi().sqrt() / 2 / root).log()
    return total


def _abscissa(sides: Sequence[Side], squared: arb, level: float) -> float:
    """Where the integrand is smallest on the real axis, roughly: any value would be valid."""
    low, high = math.log(1e-2 / level), math.log(2e3 / level)
    for _ in range(40):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        f_a, f_b = (float(_log_integrand(sides, squared, acb(math.exp(v))).real) for v in (a, b))
        low, high = (low, b) if f_a < f_b else (a, high)
    return math.exp((low + high) / 2)


def _curvature(sides: Sequence[Side], squared: arb, c: float) -> float:
    h = c * 1e-4
    values = [_log_integrand(sides, squared, acb(x)).real for x in (c - h, c, c + h)]
    return float((values[0] - 2 * values[1] + values[2]) / arb(h) ** 2)


def _trapezoid(sides: Sequence[Side], squared: arb, c: float, step: arb, height: arb) -> arb:
    """The sum over nodes at `c + i k step` until they no longer count."""
    total, quiet = arb(0), 0
    for k in range(60_000):
        log = _log_integrand(sides, squared, acb(c, step * k))
        value = (log - height).exp().real * (1 if k == 0 else 2)
        total += value
        # log magnitudes do not oscillate: stop when 1e-16 of the sum cannot be reached again
        size = float(log.real - height)
        quiet = quiet + 1 if size + math.log(k + 1) < math.log(abs(float(total))) - 38 else 0
        if quiet > 8:
            return total * step / (2 * arb.pi())
    raise AssertionError("the reference needs too many nodes")


def volume_by_slices(sides: Sequence[Side], radius: float) -> float:
    """log2 of the volume of up to 4 dimensions, slice by slice."""
    flat = [(a, b) for a, b, c in sides for _ in range(c)]
    with mpmath.workdps(25):
        return float(mpmath.log(_slices(flat, mpmath.mpf(radius) ** 2), 2))


def _slices(sides: list[tuple[float, float]], squared: mpmath.mpf) -> mpmath.mpf:
    if squared <= 0:
        return mpmath.mpf(0)
    root = mpmath.sqrt(squared)
    low, high = max(mpmath.mpf(sides[0][0]), -root), min(mpmath.mpf(sides[0][1]), root)
    if low >= high:
        return mpmath.mpf(0)
    rest = sides[1:]
    if not rest:
        return high - low
    # The slice's volume has a kink where its ball touches a face of the rest.
    energies = {mpmath.mpf(0)}
    for a, b in rest:
        energies |= {e + mpmath.mpf(x) ** 2 for e in energies for x in (a, b)}
    kinks = [k for e in energies if 0 <= e < squared for k in (mpmath.sqrt(squared - e),)]
    points = sorted({low, high, *(p for k in kinks for p in (-k, k) if low < p < high)})
    return mpmath.quad(lambda x: _slices(rest, squared - x * x), points)
