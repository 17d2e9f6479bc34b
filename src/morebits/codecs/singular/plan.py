"""Which digit goes into which coordinate, in which steps: the number that a picture stands for.

A coordinate of gain (singular value) s is read with a noise of about 1/12 from rounding the
edited picture and `s^2 / 12` from rounding the marked one, so its digits are
`STEP sqrt((1 + 1/s^2) / 12)` apart. A sample that the edit treats alone has no noise: its step
is the smallest whole number that the edit keeps apart. Coordinates, the strongest first, are
dealt to frames that all have the same steps, and the digits of a frame fill a ball (`ball.py`).

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

#: Digits are this many standard deviations of the noise apart.
STEP = 3.7
#: How much rounding the marked picture counts, and how much of that a coordinate is spared
#: whose samples are free to move in directions that the edit forgets.
_ROUNDED, _SPARED = 1.3, 1.0
#: Coordinates in whose steps the budget of an average one is shorter than 1/CUT are left out.
CUT = 4.0
#: Most coordinates of a frame.
_FRAME = 512
#: Energies are counted in this many units a coordinate.
_UNITS = 8
#: Digits whose energy is more than this many average ones do not occur.
_PEAK = 40
#: One digit in so many may be wrong.
_PER_ERROR = 192
#: What rounding adds: to a coordinate in use (in squared steps, and at most), to another one.
_USED, _MOST, _FREE = 0.07, 0.6, 0.45


@dataclass(frozen=True, eq=False)
class Plan:
    """Coordinates dealt to frames; `where[frame, slot]` is (block, coordinate, copy).

    `steps[slot]` is the distance of two digits in the picture's own units. A digit is
    `fine * a + b` with `a` from the ball and `b` below `fine`; a slot with a check bit has
    `2 fine` in place of `fine`, and its lowest bit is the check.
    """

    where: Index
    steps: Array
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
        unit = self.budget / (self.frames * self.slots * _UNITS)
        reach = math.sqrt(_PEAK * _UNITS * unit) / (self.steps.min() * self.fine)
        a = zigzag(2 * max(1, math.ceil(reach)) + 1)
        energies = [_energy(w, int(r), a) for w, r in zip(self.steps, self._radix, strict=True)]
        units = np.rint(np.array(energies) / unit).astype(np.int64)
        top = self.slots * _UNITS
        units[units > _PEAK * _UNITS] = top + 1
        return Ball(units, top)

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
            checks = np.zeros(self.frames * self.checks, np.uint8)
            checks[: self.code.check_bits] = self.code.checks(self._data(found))
            found[:, : self.checks] += checks.reshape(self.frames, self.checks)
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

    def corrected(self, digits: Index, nearest: Index) -> Index | None:
        """Digits with up to `errors` replaced by the second nearest; None beyond that."""
        if self.code is None:
            return digits
        bits = (digits[:, : self.checks] & 1).astype(np.uint8).reshape(-1)
        used = self.code.check_bits
        word = np.concatenate([bits[:used], self._data(digits)])
        wrong = self.code.locate(word)
        if wrong is None:
            return None
        where = np.arange(digits.size).reshape(digits.shape)
        places = np.concatenate(
            [where[:, : self.checks].reshape(-1)[:used], where[:, self.checks :].reshape(-1)]
        )
        found = digits.copy().reshape(-1)
        found[places[wrong]] = nearest.reshape(-1)[places[wrong]]
        found = found.reshape(digits.shape)
        found[:, : self.checks].reshape(-1)
        return found

    def _data(self, digits: Index) -> NDArray[np.uint8]:
        """The lowest bits of the digits without a check bit."""
        return (digits[:, self.checks :] & 1).astype(np.uint8).reshape(-1)


def _energy(step: float, radix: int, a: Index) -> Array:
    """Mean energy of the digits `radix a, ..., radix a + radix - 1`, above that of `a = 0`.

    The search leaves a coordinate where it costs least, off the middle of a wide cell.
    """
    k = np.abs(a[:, None] * radix + np.arange(radix))
    inward = min(max(0.1 * (step - 1.2), 0.0), 0.38)
    energy = ((step * np.maximum(k - inward, 0)) ** 2).mean(axis=1)
    return np.maximum(energy - energy[0], 0.0)


def _steps(block: Block) -> Array:
    if block.right.shape[0] == 1:
        left = np.abs(block.left()).sum(axis=0)
        return np.maximum(np.ceil(left / block.gains - 1e-9), 1.0)
    taken = np.einsum("ij,ij->i", block.right, block.right)  # the rest of a sample is free
    rounding = _ROUNDED - _SPARED * (block.right**2).T @ (1 - taken)
    return STEP * np.sqrt(rounding / 12 + block.noise / block.gains**2)


def plan_for(blocks: list[Block], energy: int) -> Plan:
    """The plan for pictures whose change has a squared norm of at most `energy`."""
    rows: list[tuple[Index, Array]] = []
    for b, block in enumerate(blocks):
        i, copy = (part.reshape(-1) for part in np.indices((block.gains.size, block.copies)))
        rows.append((np.stack([np.full(i.size, b), i, copy], axis=1), _steps(block)[i]))
    where = np.concatenate([w for w, _ in rows]) if rows else np.zeros((0, 3), np.int64)
    steps = np.concatenate([s for _, s in rows]) if rows else np.zeros(0)
    # Steps that are equal but for rounding errors must come in the same order everywhere.
    key = np.rint(np.log2(steps) * 2**20).astype(np.int64)
    order = np.lexsort((where[:, 2], where[:, 1], where[:, 0], key))
    order = order[steps[order] <= CUT * math.sqrt(energy / max(steps.size, 1))]
    frames = -(-order.size // _FRAME)
    slots = order.size // max(frames, 1)
    order = order[: frames * slots].reshape(slots, frames).T
    steps = steps[order].max(axis=0, initial=0.0)
    return _with_checks(where[order], steps, energy - _rounding(blocks, where[order], steps))


def _rounding(blocks: list[Block], where: Index, steps: Array) -> float:
    """The energy that rounding to whole samples will add, roughly."""
    mixed = np.array([block.right.shape[0] > 1 for block in blocks], bool)
    live = sum(block.inputs.size for block in blocks if block.right.shape[0] > 1)
    noisy = mixed[where[..., 0]] if where.size else np.zeros(where.shape[:2], bool)
    used = np.minimum(_USED * steps**2, _MOST)
    return float((noisy * used).sum() + _FREE * (live - noisy.sum()))


def _with_checks(where: Index, steps: Array, budget: float) -> Plan:
    frames, slots = where.shape[:2]
    if budget <= 0 or not slots:
        return Plan(where[:, :0], steps[:0], 0, 1, 0.0, None)
    spread = math.sqrt(budget / (frames * slots)) / float(steps.min())
    fine = max(1, math.floor(spread / 12))
    degree = degree_for(frames * slots)
    errors = max(1, frames * slots // _PER_ERROR)
    checks = -(-degree * errors // frames)
    if 2 * checks >= slots:
        return Plan(where, steps, 0, fine, budget, None)
    return Plan(where, steps, checks, fine, budget, Bch(degree, frames * checks // degree))
