"""Which digit goes into which coordinate, in which steps: the number that a picture stands for.

A coordinate of gain (singular value) s is read with a noise of about 1/12 from rounding the
edited picture and `s^2 / 12` from rounding the marked one, so its digits are
`step sqrt((1 + 1/s^2) / 12)` apart, roughly. A sample that the edit treats alone has no noise:
its step is the smallest whole number that the edit keeps apart. Coordinates, the strongest
first, are dealt to frames that all have the same steps, and the digits of a frame fill a ball
(`ball.py`).

The lowest bits of all digits are a word of a BCH code, so up to `errors` digits may come out
one step off: some coordinates of each frame, the strongest, hold the check bits, and the rest
of those digits is as free as all others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import gmpy2
import numpy as np
from numpy.typing import NDArray

from morebits.codecs import digits as radix
from morebits.codecs.singular.ball import Ball, zigzag
from morebits.codecs.singular.bch import Bch, degree_for
from morebits.codecs.singular.blocks import Block

Array = NDArray[np.float64]
Index = NDArray[np.int64]

#: How much rounding the marked picture counts, and how much of that a coordinate is spared
#: whose samples are free to move in directions that the edit forgets.
_ROUNDED, _SPARED = 1.3, 1.0
#: Coordinates in whose steps the budget of an average one is shorter than 1/CUT are left out.
CUT = 4.0
#: Samples move by this part of their reach, root mean square, at most.
_CLIP = 4.5
#: Most coordinates of a frame.
_FRAME = 512
#: Energies are counted in this many units a coordinate.
_UNITS = 8
#: Digits whose energy is more than this many average ones do not occur.
_PEAK = 40
#: One digit in so many may be wrong.
_PER_ERROR = 160
#: What rounding adds: to a coordinate in use (in squared steps, and at most), to another one.
_USED, _MOST, _FREE = 0.07, 0.6, 0.3


@dataclass(frozen=True, eq=False)
class Plan:
    """Coordinates dealt to frames; `where[frame, slot]` is (block, coordinate, copy).

    `steps[slot]` is the distance of two digits in the picture's own units, and `mixed[slot]`
    says that no coordinate of the slot is a sample which the edit treats alone; such samples
    move by at most `reach`. All frames together have the energy `budget`. A digit is
    `fine * a + b` with `a` from the ball and `b` below `fine`; a slot with a check bit has
    `2 fine` in place of `fine`, and its lowest bit is the check.
    """

    where: Index
    steps: Array
    mixed: NDArray[np.bool_]
    reach: int
    checks: int
    fine: int
    budget: float
    code: Bch | None

    @property
    def errors(self) -> int:
        """How many digits may be wrong."""
        return 0 if self.code is None else self.code.errors

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return self.where.shape[0]

    @property
    def slots(self) -> int:
        """Digits a frame."""
        return self.where.shape[1]

    @cached_property
    def _radix(self) -> Index:
        return np.where(np.arange(self.slots) < self.checks, 2 * self.fine, self.fine)

    @cached_property
    def ball(self) -> Ball:
        """The ball that the digits of a frame fill."""
        share, least = self.budget / self.frames, float(self.steps.min()) ** 2
        widest = math.sqrt(max(_PEAK * share / self.slots, least) / least)
        a = zigzag(2 * math.ceil(widest / self.fine) + 1)
        energies = np.stack([self._energies(slot, a) for slot in range(self.slots)])
        share -= float(energies[:, 0].sum())  # of the digit 0: paid for in advance
        energies -= energies[:, :1]
        if share <= 0:
            return Ball(np.zeros((self.slots, 1), np.int64), 0)
        unit = share / (self.slots * _UNITS)
        if least > unit:  # whole steps have whole energies
            unit = least / round(least / unit)
        top = math.floor(share / unit)
        units = energies / unit
        units = np.where(self.mixed[:, None], np.rint(units), np.ceil(units - 1e-6))
        return Ball(np.minimum(units, top + 1).astype(np.int64), top)

    def _energies(self, slot: int, a: Index) -> Array:
        """What the digits `radix a, ..., radix a + radix - 1` of a slot cost, for each `a`.

        A sample that the edit treats alone: at most that, exactly, and infinitely much beyond
        its reach. Else on average: the search leaves a coordinate where it costs least, off
        the middle of a wide cell.
        """
        step, radix = float(self.steps[slot]), int(self._radix[slot])
        k = np.abs(a[:, None] * radix + np.arange(radix))
        if not self.mixed[slot]:
            energy = ((step * k) ** 2).max(axis=1)
            return np.where((step * k).max(axis=1) > self.reach, np.inf, energy)
        small = np.minimum(k, 2)
        inward = 0.075 * small * min(max(step - 1.1, 0.0), 1.0)
        inward += min(max(0.12 * (step - 2.2), 0.0), 0.3)
        saved = small**2 - np.maximum(small - inward, 0) ** 2
        return (step**2 * (k**2 - saved)).mean(axis=1)

    @cached_property
    def size(self) -> gmpy2.mpz:
        """How many numbers there are."""
        if not self.where.size:
            return gmpy2.mpz(1)
        return self.ball.size**self.frames * gmpy2.mpz(self.fine) ** self.where[..., 0].size

    def digits(self, number: gmpy2.mpz) -> Index:
        """The digits (frames x slots) of a number below `size`."""
        free = gmpy2.mpz(self.fine) ** self.where[..., 0].size
        number, rest = gmpy2.f_divmod(number, free)
        low = np.zeros((self.frames, self.slots), np.int64)
        if self.fine > 1:
            low = radix.digits_of_number(rest, self.fine, low.size).reshape(low.shape)
        coarse = np.zeros_like(low)
        for frame in range(self.frames):
            number, own = gmpy2.f_divmod(number, self.ball.size)
            coarse[frame] = self.ball.digits(own)
        low[:, : self.checks] *= 2
        found = coarse * self._radix + low
        if self.code is not None:
            # The last check slots may be one too many: theirs is a 0 in the row itself.
            own, row = self._places
            flat = found.reshape(-1)
            flat[own] += self.code.checks((flat[row] & 1).astype(np.uint8))
        return found

    def number(self, digits: Index) -> gmpy2.mpz | None:
        """The number of digits without errors; None for digits that are no number's."""
        coarse, low = np.divmod(digits, self._radix)
        low[:, : self.checks] //= 2
        number = gmpy2.mpz(0)
        for frame in reversed(range(self.frames)):
            own = self.ball.number(coarse[frame])
            if own is None:
                return None
            number = number * self.ball.size + own
        if self.fine > 1:
            free = gmpy2.mpz(self.fine) ** low.size
            number = number * free + radix.number_of_digits(low.reshape(-1), self.fine)
        return number

    def corrected(self, digits: Index, second: Index) -> Index | None:
        """Digits with up to `errors` replaced by the `second` nearest; None beyond that."""
        if self.code is None:
            return digits
        places = np.concatenate(self._places)
        wrong = self.code.locate((digits.reshape(-1)[places] & 1).astype(np.uint8))
        if wrong is None:
            return None
        found = digits.reshape(-1).copy()
        found[places[wrong]] = second.reshape(-1)[places[wrong]]
        return found.reshape(digits.shape)

    @cached_property
    def _places(self) -> tuple[Index, Index]:
        """Where the check bits are, and where the row of bits is that they check."""
        used = 0 if self.code is None else self.code.check_bits
        where = np.arange(self.frames * self.slots).reshape(self.frames, self.slots)
        head, tail = where[:, : self.checks].reshape(-1), where[:, self.checks :].reshape(-1)
        return head[:used], np.concatenate([head[used:], tail])


def _steps(block: Block, step: float) -> Array:
    if block.right.shape[0] == 1:
        left = np.abs(block.left()).sum(axis=0)
        return np.maximum(np.ceil(left / block.gains - 1e-9), 1.0)
    taken = np.einsum("ij,ij->i", block.right, block.right)  # the rest of a sample is free
    rounding = _ROUNDED - _SPARED * (block.right**2).T @ (1 - taken)
    return step * np.sqrt(rounding / 12 + block.noise / block.gains**2)


def plan_for(blocks: list[Block], energy: float, reach: int, step: float) -> Plan:
    """The plan for changes of a picture of squared norm up to `energy`, `reach` a sample."""
    mixed = np.array([block.right.shape[0] > 1 for block in blocks], bool)
    if mixed.any():  # else few samples are clipped
        energy = min(energy, (reach / _CLIP) ** 2 * sum(block.inputs.size for block in blocks))
    rows: list[tuple[Index, Array]] = []
    for b, block in enumerate(blocks):
        i, copy = (part.reshape(-1) for part in np.indices((block.gains.size, block.copies)))
        rows.append((np.stack([np.full(i.size, b), i, copy], axis=1), _steps(block, step)[i]))
    where = np.concatenate([w for w, _ in rows]) if rows else np.zeros((0, 3), np.int64)
    steps = np.concatenate([s for _, s in rows]) if rows else np.zeros(0)
    order = np.lexsort((where[:, 2], where[:, 1], where[:, 0], _ranks(steps)))
    weak = mixed[where[order, 0]] & (steps[order] > CUT * math.sqrt(energy / max(steps.size, 1)))
    order = order[~weak]
    frames = -(-order.size // _FRAME)
    slots = order.size // max(frames, 1)
    order = order[: frames * slots].reshape(slots, frames).T
    steps = steps[order].max(axis=0, initial=0.0)
    where = where[order]
    live = sum(block.inputs.size for block in blocks if block.right.shape[0] > 1)
    noisy = mixed[where[..., 0]] if where.size else np.zeros(where.shape[:2], bool)
    # What rounding to whole samples will add, roughly.
    rounding = float((noisy * np.minimum(_USED * steps**2, _MOST)).sum())
    rounding += _FREE * (live - int(noisy.sum()))
    budget = energy - rounding
    slots *= budget > 0
    return _with_checks(where[:, :slots], steps[:slots], noisy[:, :slots], reach, budget)


def _ranks(steps: Array) -> Index:
    """Ranks in rising order; steps that are equal but for rounding errors have the same one."""
    order = np.argsort(steps)
    rising = steps[order]
    ranks = np.zeros(steps.size, np.int64)
    ranks[order[1:]] = np.cumsum(np.diff(rising) > 1e-9 * rising[1:])
    return ranks


def _with_checks(
    where: Index, steps: Array, noisy: NDArray[np.bool_], reach: int, budget: float
) -> Plan:
    """The plan with as many check bits as `noisy` coordinates need."""
    frames, slots = where.shape[:2]
    mixed = np.asarray(noisy.all(axis=0))
    if not slots:
        return Plan(where, steps, mixed, reach, 0, 1, 0.0, None)
    spread = math.sqrt(budget / (frames * slots)) / float(steps.min())
    fine = max(1, math.floor(spread / 12))
    degree = degree_for(frames * slots)
    checks = -(-degree * -(-int(noisy.sum()) // _PER_ERROR) // frames)
    if not checks or 2 * checks >= slots:
        return Plan(where, steps, mixed, reach, 0, fine, budget, None)
    code = Bch(degree, frames * checks // degree)
    return Plan(where, steps, mixed, reach, checks, fine, budget, code)
