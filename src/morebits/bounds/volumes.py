"""The volume of a box inside a ball, for any sides and any number of dimensions.

With `X_j` uniform on the side `[a_j, b_j]`, the volume is the box's own volume times
`P(sum of X_j^2 <= r^2)`, and `E exp(u X^2)` is a difference of two error functions. The
contour integral of `contour.py` then replaces the series of Constales and of Aono and Nguyen
(Theorem 1, `oracles.py`), which needs high precision and stops at several hundred dimensions.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from morebits.bounds.contour import log_mass
from morebits.errors import InputError

#: Up to this dimension the integrand falls too slowly; faces are counted in and out instead.
MAX_FACES_DIMENSION = 5
#: More different sides than this are carried over to a grid of this many.
MAX_SIDES = 4096

#: Relative step for slopes on the real axis; they only place the line, so 1e-6 is plenty.
_STEP = 1e-3
_HALF_SQRT_PI = 0.5 * math.sqrt(math.pi)


@dataclass(frozen=True)
class Log2Volume:
    """`bits = log2(volume)`, its stated error in bits and how it was found."""

    bits: float
    error: float
    method: str


def log2_ball(dimension: float, radius: float) -> float:
    """log2 of the volume of a ball: `pi^(n/2) r^n / Gamma(n/2 + 1)` (eq. ball_volume).

    >>> round(log2_ball(768, 255 * 768**0.5 * 10 ** (-42 / 20)), 2)
    2348.61
    """
    if radius <= 0:
        return -math.inf if dimension else 0.0
    log = 0.5 * dimension * math.log(math.pi) + dimension * math.log(radius)
    return (log - math.lgamma(0.5 * dimension + 1.0)) / math.log(2)


def log2_box_ball(low: ArrayLike, high: ArrayLike, counts: ArrayLike, radius: float) -> Log2Volume:
    """log2 of the volume of `prod [low_j, high_j]^(counts_j)` inside the ball of `radius` at 0.

    Exact up to the stated error. -inf when they do not meet.

    >>> round(log2_box_ball(-1, 1, 2, 1.0).bits, 6) == round(math.log2(math.pi), 6)
    True
    """
    box = _Box(low, high, counts)
    if not (math.isfinite(radius) and radius > 0):
        raise InputError("radius", radius, "give a finite number above 0")
    level = radius * radius - box.nearest
    if level <= 0:
        return Log2Volume(-math.inf, 0.0, "the box does not meet the ball")
    if radius * radius >= box.farthest:
        return Log2Volume(box.log_volume / math.log(2), 0.0, "the box is inside the ball")
    if box.dimension <= MAX_FACES_DIMENSION:
        return _by_faces(box, radius * radius)
    box = box.clipped(radius)
    mass = log_mass(_Uniform(box), level)
    log_volume = box.log_volume
    rounding = 4e-16 * (abs(mass.log) + abs(log_volume) + box.dimension)
    # The level is a difference, and a ball that barely touches the box feels its last digits.
    rounding += 1e-16 * box.dimension * radius * radius / level
    if not mass.complement:
        error = (mass.error + rounding) / math.log(2)
        return Log2Volume((log_volume + mass.log) / math.log(2), error, "contour integral")
    outside = math.exp(mass.log)
    bits = (log_volume + math.log1p(-outside)) / math.log(2)
    error = ((mass.error + rounding) * outside / (1 - outside) + rounding) / math.log(2)
    return Log2Volume(bits, error, "contour integral of the complement")


class _Box:
    """Sides `[low, high]` with multiplicities, mirrored so that `high` is the farther end."""

    def __init__(self, low: ArrayLike, high: ArrayLike, counts: ArrayLike):
        a, b, c = np.broadcast_arrays(
            np.asarray(low, np.float64), np.asarray(high, np.float64), np.asarray(counts, float)
        )
        a, b, c = a.ravel(), b.ravel(), c.ravel()
        if not (np.isfinite(a).all() and np.isfinite(b).all() and (a < b).all()):
            raise InputError("sides", (low, high), "give finite sides with low < high")
        mirrored = -a > b
        self.low = np.where(mirrored, -b, a)
        self.high = np.where(mirrored, -a, b)
        self.counts = c
        self.dimension = float(c.sum())
        # A side that does not hold 0 costs at least its near end squared.
        self.near = np.maximum(self.low, 0.0)
        self.nearest = float(self.near**2 @ c)
        self.farthest = float(self.high**2 @ c)
        self.log_volume = float(np.log(self.high - self.low) @ c)

    def clipped(self, radius: float) -> _Box:
        """The same body inside the ball, with no side reaching beyond it, and few sides."""
        ends = np.stack([self.low.clip(min=-radius), self.high.clip(max=radius)])
        sides, index = np.unique(ends, axis=1, return_inverse=True)
        counts = np.bincount(index.ravel(), weights=self.counts).astype(np.float64)
        if sides.shape[1] > MAX_SIDES and np.array_equal(sides[0], -sides[1]):
            half, counts = _regrid(sides[1], counts)
            return _Box(-half, half, counts)
        return _Box(sides[0], sides[1], counts)


def _regrid(
    half: NDArray[np.float64], counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share each side among four neighbours on a geometric grid, by Lagrange's weights.

    What is summed over sides is smooth in log(side), so the error is of fourth order in the
    grid's step, and the sum of log(side) itself is carried over exactly.
    """
    logs = np.log(half)
    grid = np.linspace(logs.min(), logs.max(), MAX_SIDES - 2)
    step = grid[1] - grid[0]
    grid = np.concatenate([[grid[0] - step], grid, [grid[-1] + step]])
    position = (logs - grid[0]) / step
    base = np.clip(position.astype(np.int64) - 1, 0, grid.size - 4)
    x = position - base
    shares = np.zeros(grid.size)
    for i in range(4):
        others = [j for j in range(4) if j != i]
        weight = np.prod([(x - j) / (i - j) for j in others], axis=0)
        shares += np.bincount(base + i, weights=weight * counts, minlength=grid.size)
    return np.exp(grid), shares


class _Uniform:
    """`E exp(u (X^2 - near^2))` over a box, as `contour` wants it."""

    lattice = False

    def __init__(self, box: _Box):
        self.box = box
        self.top = box.farthest - box.nearest
        self.log_total = 0.0
        self.steepest = 1e10 * box.dimension / self.top

    @property
    def terms(self) -> int:
        return self.box.counts.size * 8

    def real(self, u: float) -> tuple[float, float, float]:
        box = self.box
        if u == 0:
            square = (box.low**2 + box.low * box.high + box.high**2) / 3
            return 0.0, float((square - box.near**2) @ box.counts), 0.0
        # Differences of ln F itself: closed forms of its slope cancel far out on the axis.
        h = _STEP * u
        low, log, high = (self._log(np.array([u - h, u, u + h]) + 0j).real @ box.counts).tolist()
        return log, (high - low) / (2 * h), max((high - 2 * log + low) / h**2, 1e-300)

    def line(self, u: float, phi: NDArray[np.float64]) -> NDArray[np.complex128]:
        return self._log((u + 1j * phi).astype(np.complex128)) @ self.box.counts

    def _log(self, u: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """`ln E exp(u (X^2 - near^2))`, shape (u, sides); all `u` have one real part."""
        from scipy.special import dawsn, erf, wofz

        a, b, near = self.box.low, self.box.high, self.box.near
        w = u[:, None]
        if np.abs(u).max() == 0:
            return np.zeros((u.size, b.size), np.complex128)
        if u[0].real > 0:
            # Rising: integral from 0 to x of exp(w t^2) is exp(w x^2) dawsn(x sqrt w) / sqrt w.
            root = np.sqrt(w)
            inner = dawsn(b * root) - np.exp(w * (a * a - b * b)) * dawsn(a * root)
            return np.log(inner / root / (b - a)) + w * (b * b - near**2)
        root = np.sqrt(-w)
        if not near.any():
            inner = _HALF_SQRT_PI * (erf(b * root) - erf(a * root))
            return np.log(inner / root / (b - a))
        # A side that does not hold 0: erf(z) = 1 - exp(-z^2) w(i z), and the ones cancel.
        scaled = wofz(1j * near * root) - np.exp(w * (b * b - near**2)) * wofz(1j * b * root)
        inner = np.where(near > 0, scaled, erf(b * root) - erf(a * root))
        return np.log(_HALF_SQRT_PI * inner / root / (b - a))


def _by_faces(box: _Box, squared_radius: float) -> Log2Volume:
    """Inclusion and exclusion over the box's faces, for a handful of dimensions.

    `integral of exp(-s t^2)` over a side is `A - B_b exp(-s b^2) -+ B_a exp(-s a^2)` with A
    and B free of exponentials. Multiplied out, each term is an inverse Laplace transform that
    vanishes when its faces lie outside the ball and otherwise bends around the negative axis.
    """
    from scipy.special import wofz

    sides = [
        (a, b)
        for a, b, c in zip(box.low, box.high, box.counts, strict=True)
        for _ in range(round(c))
    ]
    nodes = 36
    theta = (np.arange(-nodes, nodes) + 0.5) * (3.0 / nodes)
    total, size = 0.0, 0.0
    for choice in itertools.product(range(3), repeat=len(sides)):
        offset = sum(_piece_energy(side, pick) for side, pick in zip(sides, choice, strict=True))
        level = squared_radius - offset
        if level <= 0:
            continue
        # Weideman and Trefethen's parabola for exp(s level).
        mu = math.pi * nodes / (12.0 * level)
        s = mu * (1j * theta + 1.0) ** 2
        ds = 2j * mu * (1j * theta + 1.0)
        value = np.exp(s * level) / s
        for (a, b), pick in zip(sides, choice, strict=True):
            constant = _HALF_SQRT_PI / np.sqrt(s)
            if pick == 0:
                value = value * constant * (1.0 - np.sign(a))
            else:
                end = b if pick == 1 else abs(a)
                sign = -1.0 if pick == 1 else np.sign(a)
                value = value * constant * sign * wofz(1j * end * np.sqrt(s))
        term = float((value * ds).sum().imag) * (3.0 / nodes) / (2 * math.pi)
        total, size = total + term, size + abs(term)
    if total <= 0:
        return Log2Volume(-math.inf, math.inf, "faces")
    return Log2Volume(math.log2(total), 1e-13 * size / total / math.log(2), "faces")


def _piece_energy(side: tuple[float, float], pick: int) -> float:
    return 0.0 if pick == 0 else side[1] ** 2 if pick == 1 else side[0] ** 2
