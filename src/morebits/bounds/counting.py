"""Exact numbers of grid points in a ball, for any product of integer ranges.

    count = 1/(2 pi i) * contour integral of  prod_g theta_g(z)^(c_g) / (z^(T+1) (1 - z)) dz,
    theta_g(z) = sum over the values j that a sample of group g may take, of z^(energy of j).

Samples with the same range form one group: a gray cover has one, the corner has one, and a
photo has at most `2^k`, one for each sample value, so that the count for that very photo
costs hardly more. The same product with other energies counts the messages of a certified
bound (`certified.py`). See `contour.py` for the integral.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from morebits.bounds.contour import MAX_CIRCLE_WORK, log_mass
from morebits.errors import InputError

#: Below this squared radius, or this close to the farthest point, integers are used.
EXACT_LEVEL = 64
#: Up to three samples are counted by listing, while the list is no longer than this.
MAX_LIST = 5_000_000
#: Fewer samples than this make a slow integral when each has very many values.
FEW_SAMPLES = 12


@dataclass(frozen=True)
class Log2Count:
    """`bits = log2(count)`, its stated error in bits and how it was found."""

    bits: float
    error: float
    method: str


@dataclass(frozen=True)
class Family:
    """Groups of samples that step through one sequence of energies.

    `energies[i]` is the energy of the (i+1)-th value away from the cover, on either side;
    staying at the cover costs 0. Group `g` has `below[g]` values on one side, `above[g]` on
    the other, and `counts[g]` samples. For plain samples `energies = 1, 4, 9, ...`.
    """

    energies: NDArray[np.int64]
    below: NDArray[np.int64]
    above: NDArray[np.int64]
    counts: NDArray[np.float64]


def squares(length: int) -> NDArray[np.int64]:
    """`1, 4, 9, ..., length^2`: the energies of a plain sample."""
    return np.arange(1, length + 1, dtype=np.int64) ** 2


def ranges(low: ArrayLike, high: ArrayLike, counts: ArrayLike) -> Family:
    """The family of samples that may move from `low` (<= 0) to `high` (>= 0).

    >>> log2_count([ranges(-128, 127, 768)], 3150).bits  # 16x16x3 gray at 42 dB
    2348.528572...
    """
    below = -np.atleast_1d(np.asarray(low, np.int64))
    above = np.atleast_1d(np.asarray(high, np.int64))
    if below.min(initial=0) < 0 or above.min(initial=0) < 0:
        raise InputError("range", (low, high), "give low <= 0 <= high, the cover is inside")
    top = int(max(below.max(initial=0), above.max(initial=0)))
    many = np.atleast_1d(np.asarray(counts, np.float64))
    return Family(squares(top), below, above, many)


def log2_count(families: Sequence[Family], squared_radius: float) -> Log2Count:
    """log2 of the number of points whose energies sum to at most `squared_radius`.

    Exact up to the stated error, for 1 to 10^9 samples.
    """
    return log2_counts(families, [squared_radius])[0]


def log2_counts(families: Sequence[Family], squared_radii: Sequence[float]) -> list[Log2Count]:
    """`log2_count` for many radii: each starts from the saddle point of the one before."""
    theta = Theta(families)
    found: list[Log2Count] = []
    start: float | None = None
    for squared_radius in squared_radii:
        if math.isnan(squared_radius) or squared_radius < 0:
            raise InputError("squared_radius", squared_radius, "give a number of at least 0")
        level = math.floor(min(squared_radius, theta.top))
        if level >= theta.top:
            found.append(Log2Count(theta.log2_total, 0.0, "all points are inside"))
        elif theta.whole and level < EXACT_LEVEL:
            bits = _log2_integer(_near(families, level))
            found.append(Log2Count(bits, 0.0, "exact integers"))
        elif theta.whole and theta.top - level <= EXACT_LEVEL and theta.log2_total < 1000:
            inside = 2**theta.log2_total - _far(families, int(theta.top) - level - 1)
            found.append(Log2Count(math.log2(inside), 1e-15, "exact integers, complement"))
        elif theta.whole and theta.samples <= 3 and theta.listable:
            bits = math.log2(_one_by_one(families, level))
            found.append(Log2Count(bits, 0.0, "points listed"))
        elif theta.plain and theta.samples < FEW_SAMPLES and theta.terms * level > MAX_CIRCLE_WORK:
            found.append(_by_volume(families, level))
        else:
            count, start = _by_contour(theta, level, start)
            found.append(count)
    return found


def _by_contour(theta: Theta, level: int, start: float | None) -> tuple[Log2Count, float]:
    """The count by the integral of `contour.py`, and its saddle point."""
    mass = log_mass(theta, level, start)
    rounding = 4e-16 * (abs(mass.log) + theta.samples)
    if not mass.complement:
        error = (mass.error + rounding) / math.log(2)
        return Log2Count(mass.log / math.log(2), error, "contour integral"), mass.saddle
    outside = math.exp(mass.log - theta.log_total)
    bits = theta.log2_total + math.log1p(-outside) / math.log(2)
    error = (mass.error + rounding) * outside / math.log(2) + 2e-16 * theta.log2_total
    return Log2Count(bits, error, "contour integral of the complement"), mass.saddle


def _by_volume(families: Sequence[Family], level: int) -> Log2Count:
    """A handful of samples with very many values: the volume of their unit cells.

    A ball of points lies between balls of cells that are `sqrt(n)/2` smaller and larger in
    radius, which bounds the error. Energies must be squares of distances.
    """
    from morebits.bounds.volumes import log2_box_ball

    below = np.concatenate([f.below for f in families]) + 0.5
    above = np.concatenate([f.above for f in families]) + 0.5
    counts = np.concatenate([f.counts for f in families])
    n = float(counts.sum())
    volume = log2_box_ball(-below, above, counts, math.sqrt(level + n / 12))
    error = n * math.log2(1 + math.sqrt(n) / (2 * math.sqrt(level)))
    return Log2Count(volume.bits, error, "volume of unit cells: too many values to count")


def _one_by_one(families: Sequence[Family], level: int) -> int:
    """Up to three samples: list the points of all but the last, look the last one up."""
    lists = [
        np.sort(np.concatenate([[0], f.energies[:below], f.energies[:above]]))
        for f in families
        for below, above, count in zip(f.below, f.above, f.counts, strict=True)
        for _ in range(round(count))
    ]
    sums = np.zeros(1, np.int64)
    for energies in lists[:-1]:
        sums = np.add.outer(sums, energies).ravel()
    return int(np.searchsorted(lists[-1], level - sums, "right").sum())


def _near(families: Sequence[Family], level: int) -> int:
    """How many points have an energy of at most `level`, in exact integers."""
    groups = [
        ([0, *f.energies[:below], *f.energies[:above]], count)
        for f in (_merged(_within(family, level)) for family in families)
        for below, above, count in zip(f.below, f.above, f.counts, strict=True)
    ]
    return _coefficients(groups, level)


def _far(families: Sequence[Family], deficit: int) -> int:
    """How many points come within `deficit` of the largest energy, in exact integers."""
    groups: list[tuple[list[int], float]] = []
    for f in map(_merged, families):
        for below, above, count in zip(f.below, f.above, f.counts, strict=True):
            energies = [0, *f.energies[:below], *f.energies[:above]]
            groups.append(([max(energies) - e for e in energies], count))
    return _coefficients(groups, deficit)


def _within(family: Family, level: int) -> Family:
    """The family without the moves that cost more than `level` by themselves.

    Most samples then have the same moves left, and count as one group.
    """
    reach = int(np.searchsorted(family.energies, level, "right"))
    below, above = np.minimum(family.below, reach), np.minimum(family.above, reach)
    return Family(family.energies[:reach], below, above, family.counts)


def _merged(family: Family) -> Family:
    """The same family with equal groups put together, so that each is raised once."""
    sides = np.stack([family.below, family.above])
    groups, index = np.unique(sides, axis=1, return_inverse=True)
    counts = np.bincount(index.ravel(), weights=family.counts).astype(np.float64)
    return Family(family.energies, groups[0], groups[1], counts)


def _coefficients(groups: Sequence[tuple[Sequence[int], float]], level: int) -> int:
    """Sum of the coefficients up to `z^level` of `prod (sum z^energy)^count` (FLINT)."""
    from flint import fmpz_poly  # pyright: ignore[reportMissingTypeStubs]

    product = fmpz_poly([1])
    for energies, count in groups:
        theta = [0] * (level + 1)
        for energy in energies:
            if energy <= level:
                theta[int(energy)] += 1
        power = fmpz_poly(theta).pow_trunc(round(count), level + 1)
        product = product.mul_low(power, level + 1)
    return sum(int(c) for c in product.coeffs())


def _log2_integer(number: int) -> float:
    """log2 of an integer of any size to full double precision."""
    shift = max(number.bit_length() - 64, 0)
    return math.log2(number >> shift) + shift


class Theta:
    """`F(u) = prod_g theta_g(e^u)^(c_g)`, the generating function that `contour` integrates."""

    lattice = True

    def __init__(self, families: Sequence[Family]):
        # All energies may share a divisor (steps of 2 give multiples of 4): the circle then
        # has several equal peaks, which _side_peaks finds and the whole circle covers.
        self._families = [_Powers(f) for f in families if f.counts.sum() > 0]
        self.samples = float(sum(f.counts.sum() for f in families))
        self.top = float(sum(f.top for f in self._families))
        self.log2_total = float(sum(f.log2_total for f in self._families))
        self.log_total = self.log2_total * math.log(2)
        #: Whether every group has a whole number of samples (an estimate need not).
        self.whole = all((f.counts == np.round(f.counts)).all() for f in families)
        #: Whether energies are squares of distances, as for plain samples.
        self.plain = all(np.array_equal(f.energies, squares(f.energies.size)) for f in families)
        #: exp(7) is far beyond the point where only the farthest energy matters.
        self.steepest = math.exp(7.0)

    @property
    def listable(self) -> bool:
        """Whether the points of all samples but one are few enough to be listed."""
        return self.terms ** max(self.samples - 1, 0) <= MAX_LIST

    @property
    def terms(self) -> int:
        return sum(f.terms for f in self._families)

    def real(self, u: float) -> tuple[float, float, float]:
        parts = np.sum([f.real(u) for f in self._families], axis=0)
        return float(parts[0]), float(parts[1]), float(parts[2])

    def line(self, u: float, phi: NDArray[np.float64]) -> NDArray[np.complex128]:
        total = np.zeros(phi.size, np.complex128)
        for family in self._families:
            total += family.line(u, phi)
        return total


class _Powers:
    """One family of a `Theta`: all groups share prefix sums of `z^energy`."""

    def __init__(self, family: Family):
        self.energies = family.energies.astype(np.float64)
        self.near = np.minimum(family.below, family.above)
        self.far = np.maximum(family.below, family.above)
        self.counts = family.counts
        self._far_energy = np.concatenate([[0.0], self.energies])[self.far]
        self.top = float(self._far_energy @ self.counts)
        self.log2_total = float(np.log2(self.near + self.far + 1.0) @ self.counts)

    @property
    def terms(self) -> int:
        return self.energies.size + self.counts.size

    def _used(self, u: float) -> int:
        """How many energies matter at `u < 0`: the rest is below 1e-19 of the first."""
        if u >= 0:
            return self.energies.size
        return max(1, int(np.searchsorted(self.energies, 44.0 / -u + self.energies[0])))

    def _overflows(self, u: float) -> bool:
        return bool(self.energies.size) and u * self.energies[-1] > 600.0

    def real(self, u: float) -> tuple[float, float, float]:
        if not self.energies.size:
            return 0.0, 0.0, 0.0
        used = self._used(u)
        e = self.energies[:used]
        if not self._overflows(u):
            powers = np.exp(u * e)
            sums = _prefix(np.stack([powers, powers * e, powers * e * e]))
            parts = sums[:, self.near.clip(max=used)] + sums[:, self.far.clip(max=used)]
            logs = np.log1p(parts[0])
            scaled = parts / (1.0 + parts[0])
        else:
            # Rising powers: sum relative to the farthest value, or they overflow.
            sums = _rising(np.array([u]), e, moments=True)[:, :, 0]
            gap = np.exp(-u * (self._far_energy - np.concatenate([[0.0], e])[self.near]))
            origin = np.exp(-u * self._far_energy)
            parts = sums[:, self.far] + gap * sums[:, self.near]
            parts[0] -= origin  # the cover itself is in both sums
            logs = np.log(parts[0]) + u * self._far_energy
            scaled = parts / parts[0]
        mean = scaled[1]
        variance = scaled[2] - mean**2
        return float(logs @ self.counts), float(mean @ self.counts), float(variance @ self.counts)

    def line(self, u: float, phi: NDArray[np.float64]) -> NDArray[np.complex128]:
        if not self.energies.size:
            return np.zeros(phi.size, np.complex128)
        w = (u + 1j * phi).astype(np.complex128)
        if not self._overflows(u):
            used = self._used(u)
            sums = _prefix(np.exp(w[:, None] * self.energies[:used]))
            near, far = self.near.clip(max=used), self.far.clip(max=used)
            return (np.log1p(sums[:, near] + sums[:, far]) @ self.counts).astype(np.complex128)
        sums = _rising(w, self.energies)[0].T
        near_energy = np.concatenate([[0.0], self.energies])[self.near]
        gap = np.exp(-w[:, None] * (self._far_energy - near_energy))
        inner = sums[:, self.far] + gap * sums[:, self.near]
        inner -= np.exp(-w[:, None] * self._far_energy)
        return (np.log(inner) + w[:, None] * self._far_energy) @ self.counts


def _prefix(powers: NDArray[np.inexact]) -> NDArray[np.inexact]:
    """Sums of the first 0, 1, 2, ... entries along the last axis."""
    sums = np.zeros((*powers.shape[:-1], powers.shape[-1] + 1), powers.dtype)
    np.cumsum(powers, axis=-1, out=sums[..., 1:])
    return sums


def _rising(
    w: NDArray[np.inexact], energies: NDArray[np.float64], *, moments: bool = False
) -> NDArray[np.inexact]:
    """`sum over i <= m of e_i^p exp(w (e_i - e_m))` for `m = 0, 1, ...` and `p = 0 (1, 2)`.

    `e_0 = 0` is the cover itself. The recursion in m never overflows for Re w > 0.
    Shape: (powers, energies + 1, w).
    """
    powers = 3 if moments else 1
    sums = np.zeros((powers, energies.size + 1, w.size), w.dtype)
    sums[0, 0] = 1.0
    previous = 0.0
    for m, energy in enumerate(energies, start=1):
        sums[:, m] = sums[:, m - 1] * np.exp(w * (previous - energy))
        sums[:, m] += np.array([1.0, energy, energy * energy])[:powers, None]
        previous = energy
    return sums
