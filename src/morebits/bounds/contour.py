"""How much mass lies below a level: contour integration through the saddle point.

Counting grid points in a ball and measuring the volume of a box inside a ball are one
problem. A non-negative energy `S = sum of squares` has the generating function
`F(u) = sum over points of exp(u S)`, and

    mass(S <= t) = 1/(2 pi i) * integral of  exp(ln F(u) - u t) k(u) du,   Re u = u0 < 0,

with the kernel `k(u) = 1 / (1 - exp(u))` on the integer grid (one turn of the circle
`z = exp(u)`) and `k(u) = -1 / u` for a volume (a whole line). With `u0 > 0` and the sign
of `k` turned, the same integral gives the complement `mass(S > t)`, which is what keeps
its digits when nearly everything is inside.

`u0` is the saddle point, where the integrand is a bump of width `1/sd` without
cancellation. The trapezoid rule with period `D` sums the wanted mass plus its aliases at
`t +- D, t +- 2 D, ...`, each damped by `exp(u0 D)`; Chernoff's bound on the aliases picks
`D`, so the error is controlled rather than hoped for. Everything is in log space.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from morebits.errors import TooLarge

#: Aliases, and nodes that are left out, are below exp(-CUT) of the result.
CUT = 42.0
#: A complement below exp(-NEGLIGIBLE) of the whole is not worth integrating.
NEGLIGIBLE = 60.0
#: The sum stops when all that is left is below this fraction of it.
TAIL = 1e-13
#: Most nodes a single integral may use.
MAX_NODES = 4_000_000
#: Nodes evaluated at once are chosen so that node x term arrays stay below this size.
MAX_BLOCK = 2_000_000
#: Relative size of other peaks on the circle above which the whole circle is integrated.
MAX_SIDE_PEAKS = 1e-10
#: Node x term evaluations that a whole circle may cost before its error is stated instead.
MAX_CIRCLE_WORK = 2e8


class Generating(Protocol):
    """`ln F` of a non-negative energy, on the real axis and along a vertical line."""

    @property
    def lattice(self) -> bool:
        """True when energies are integers."""
        ...

    @property
    def terms(self) -> int:
        """Work for one node, for choosing block sizes."""
        ...

    @property
    def top(self) -> float:
        """The largest energy."""
        ...

    @property
    def log_total(self) -> float:
        """`ln F(0)`, all the mass."""
        ...

    @property
    def steepest(self) -> float:
        """The largest `|u|` at which the moments still have their digits."""
        ...

    def real(self, u: float) -> tuple[float, float, float]:
        """`ln F(u)`, its mean `F'/F` and its variance `(ln F)''`."""
        ...

    def line(self, u: float, phi: NDArray[np.float64]) -> NDArray[np.complex128]:
        """`ln F(u + i phi)`."""
        ...


@dataclass(frozen=True)
class LogMass:
    """`log` of the mass below the level (or above it, when `complement`).

    `error` is the stated relative error of the mass and `saddle` the point the line went
    through (a good start for a nearby level).
    """

    log: float
    error: float
    complement: bool
    saddle: float


def log_mass(f: Generating, level: float, start: float | None = None) -> LogMass:
    """The log of the mass of `f` at energies up to `level` (natural logarithm).

    Returns the complement instead when `level` is above the mean energy.
    """
    complement = level > f.real(0.0)[1]
    side = 1.0 if complement else -1.0
    # A start from the other side of 0 says nothing about this one.
    near = start if start is not None and start * side > 0 else None
    u = _saddle(f, level, side, near)
    peak = _Peak(f, level, u, side)
    if complement and peak.height - f.log_total < -NEGLIGIBLE:
        # Chernoff: the complement is smaller than this, and nothing beside the whole.
        return LogMass(peak.height, 0.0, complement, u)
    period = _period(peak)
    total, error = _trapezoid(peak, period)
    return LogMass(peak.height + math.log(total), error, complement, u)


def _log_kernel(u: float, lattice: bool) -> float:
    """`ln |k(u)|` on the real axis."""
    return -math.log(abs(math.expm1(u))) if lattice else -math.log(abs(u))


def _kernel_slopes(u: float, lattice: bool) -> tuple[float, float]:
    """First and second derivative of `_log_kernel`."""
    if not lattice:
        return -1.0 / u, 1.0 / u**2
    # d/du of -ln|e^u - 1| is -e^u/(e^u - 1) = 1/expm1(-u); written to survive large |u|.
    slope = 1.0 / math.expm1(-u) if u > -700 else 0.0
    return slope, slope * (slope + 1.0)


def _saddle(f: Generating, level: float, side: float, start: float | None) -> float:
    """The `u` on the given side of 0 where the log of the integrand has its minimum.

    Newton's method in `v = ln |u|`, kept inside a bracket that shrinks as it goes.
    """

    def slope(v: float) -> tuple[float, float]:
        u = side * math.exp(v)
        _, mean, variance = f.real(u)
        first, second = _kernel_slopes(u, f.lattice)
        gradient = mean - level + first
        return gradient * u, (variance + second) * u * u + gradient * u

    v = math.log(abs(start)) if start else -math.log(max(level, 1.0) + 1.0)
    low, high = -80.0, math.log(f.steepest)
    v = min(v, high)
    for _ in range(100):
        value, derivative = slope(v)
        # The slope in v is negative below the minimum: convex in u, and u = side * e^v.
        if value < 0:
            low = v
        else:
            high = v
        # Short steps: far out on the axis the moments lose their digits.
        newton = -value / derivative if derivative > 0 else -math.copysign(3.0, value)
        step = max(-3.0, min(3.0, newton))
        if abs(step) < 1e-6:
            break
        v = v + step if low < v + step < high else 0.5 * (low + high)
        if high - low < 1e-9:
            break
    return side * math.exp(v)


class _Peak:
    """The integrand, normalised to 1 at the saddle point."""

    def __init__(self, f: Generating, level: float, u: float, side: float):
        self.f, self.level, self.u, self.side = f, level, u, side
        log, _, variance = f.real(u)
        self.height = log - u * level + _log_kernel(u, f.lattice)
        self.curvature = variance + _kernel_slopes(u, f.lattice)[1]

    def rise(self, u: float) -> float:
        """How much higher the log of the integrand is at another real `u`."""
        log = self.f.real(u)[0]
        return log - u * self.level + _log_kernel(u, self.f.lattice) - self.height

    def __call__(self, phi: NDArray[np.float64]) -> NDArray[np.complex128]:
        w = self.u + 1j * phi
        kernel = -np.expm1(w) if self.f.lattice else -w
        log = self.f.line(self.u, phi) - w * self.level - self.height
        return (np.exp(log) / (-self.side * kernel)).astype(np.complex128)


def _period(peak: _Peak) -> float:
    """The smallest `D` for which Chernoff's bound puts every alias below exp(-CUT)."""
    u, spread = abs(peak.u), 1.0 / math.sqrt(peak.curvature)
    allowance = CUT + 0.5 * math.log(2 * math.pi * peak.curvature)

    def reach(direction: float) -> float:
        toward_zero = direction != peak.side
        limit = 0.98 * u if toward_zero else max(16 * spread, 2 * u)
        shifts = np.geomspace(min(0.5 * spread, limit / 2), limit, 8)
        rises = [max(peak.rise(peak.u + direction * d), 0.0) for d in shifts]
        return float(np.min((np.array(rises) + allowance) / shifts))

    below, level, top = peak.side < 0, peak.level, peak.f.top
    # Beyond these shifts an alias is exactly zero: no negative energies, none above the top.
    up = reach(1.0) if below else min(reach(1.0), top - level + 1)
    down = min(reach(-1.0), level + 1) if below else reach(-1.0)
    return max(up, down)


def _trapezoid(peak: _Peak, period: float) -> tuple[float, float]:
    """`1/D * sum over nodes of the integrand`, and the relative error."""
    f = peak.f
    if f.lattice:
        period = math.ceil(period)
    last = math.inf if not f.lattice else period // 2
    width = period / (2 * math.pi) * math.sqrt(2 * CUT / peak.curvature)
    most = max(16, MAX_BLOCK // max(f.terms, 1))
    block = min(int(1.2 * width) + 16, most)
    side_peaks = _side_peaks(peak) if f.lattice else 0.0
    whole = side_peaks > MAX_SIDE_PEAKS and last * f.terms <= MAX_CIRCLE_WORK
    total, done, rest = 0.0, 0, 0.0
    while done <= last:
        k = np.arange(done, min(done + block, last + 1))
        values = peak(k * (2 * math.pi / period)).real
        weights = np.where((k == 0) | (2 * k == period), 1.0, 2.0)
        total += float(values @ weights)
        done = int(k[-1]) + 1
        rest = float(np.abs(values[-8:]).max()) * done / abs(total)
        if not whole and rest < TAIL:
            break
        if done > MAX_NODES:
            raise TooLarge("this integral", done, MAX_NODES, "nodes", "use more dimensions")
        block = min(2 * block, most)
    if done > last:
        rest = 0.0
    return total / period, max(0.0 if whole else side_peaks, rest, 1e-15)


def _side_peaks(peak: _Peak) -> float:
    """Sum of the integrand at the rational turns `p/q`, where theta functions peak again.

    `|sum of z^(j^2)|` near a root of unity of order q is about `1/sqrt(q)` of its value at 1
    (a Gauss sum), raised to the number of samples: nothing for images, not for tiny ones.
    """
    turns = sorted({p / q for q in range(2, 17) for p in range(1, q // 2 + 1)})
    return float(2 * np.abs(peak(2 * math.pi * np.array(turns))).sum())
