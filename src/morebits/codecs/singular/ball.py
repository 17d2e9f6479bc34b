"""Points of a ball by number: every number below `size` is one list of digits, and back.

All lists of whole numbers whose energies add up to at most a budget are numbered in order
(enumerative coding), so digits are shaped like a Gaussian and no fraction of a bit is lost.
How many lists start at a slot with an energy left over is a table; its entries are rounded
down to 48 bits and an exponent, which loses less than 2^-40 of the lists and keeps every
number in use decodable. Whole numbers only: the same digits on every machine.
"""

from __future__ import annotations

from functools import cached_property

import gmpy2
import numpy as np
from numpy.typing import NDArray

from morebits.errors import InputError

#: Bits of an entry of the table.
_MANTISSA = 48


def zigzag(count: int) -> NDArray[np.int64]:
    """Digits in the order in which they are numbered.

    >>> zigzag(5).tolist()
    [0, 1, -1, 2, -2]
    """
    index = np.arange(count)
    return np.where(index % 2, (index + 1) // 2, -(index // 2))


class Ball:
    """Lists of digits, one a slot, of total energy up to `budget`.

    `energies[slot, i]` is the energy of the digit `zigzag(...)[i]`, a whole number; above the
    budget the digit does not occur. The digit 0 must have energy 0.

    >>> ball = Ball(np.array([[0, 1, 1, 4, 4]] * 3), budget=2)
    >>> int(ball.size)
    19
    >>> digits = ball.digits(gmpy2.mpz(7))
    >>> int((digits**2).sum()) <= 2, int(ball.number(digits))
    (True, 7)
    """

    def __init__(self, energies: NDArray[np.int64], budget: int):
        if energies.ndim != 2 or energies.shape[1] % 2 == 0 or energies[:, 0].any():
            raise InputError("energies", energies.shape, "give an odd number a slot, first 0")
        self.slots, self.budget = energies.shape[0], budget
        self._energies = energies
        self._order = zigzag(energies.shape[1]).tolist()
        self._mantissa = np.zeros((self.slots + 1, budget + 1), np.int64)
        self._exponent = np.zeros((self.slots + 1, budget + 1), np.int32)
        self._mantissa[-1] = 1
        for slot in reversed(range(self.slots)):
            self._fill(slot)

    def _fill(self, slot: int) -> None:
        """The row of a slot from the row after it: the sum over its digits, rounded down."""
        after, shift = self._mantissa[slot + 1], self._exponent[slot + 1]
        total = np.zeros_like(after)
        for energy in self._energies[slot].tolist():
            if energy <= self.budget:
                stop = after.size - energy
                # Counts grow with the energy left, so the digit 0 has the largest exponent.
                down = np.minimum(shift[energy:] - shift[:stop], 63)
                total[energy:] += after[:stop] >> down
        excess = np.maximum(np.frexp(total)[1] - _MANTISSA, 0).astype(np.int32)
        self._mantissa[slot], self._exponent[slot] = total >> excess, shift + excess

    def _count(self, slot: int, energy: int) -> gmpy2.mpz:
        mantissa, exponent = self._mantissa[slot, energy], self._exponent[slot, energy]
        return gmpy2.mpz(int(mantissa)) << int(exponent)

    @cached_property
    def size(self) -> gmpy2.mpz:
        """How many numbers there are."""
        return self._count(0, self.budget)

    def digits(self, number: gmpy2.mpz) -> NDArray[np.int64]:
        """The list with this number, which is below `size`."""
        left, found = self.budget, np.zeros(self.slots, np.int64)
        for slot in range(self.slots):
            for digit, energy in zip(self._order, self._energies[slot].tolist(), strict=True):
                if energy > left:
                    continue
                count = self._count(slot + 1, left - energy)
                if number < count:
                    found[slot], left = digit, left - energy
                    break
                number -= count
        return found

    def number(self, digits: NDArray[np.int64]) -> gmpy2.mpz | None:
        """The number of a list; None for a list that `digits` never gives."""
        left, total = self.budget, gmpy2.mpz(0)
        for slot, wanted in enumerate(digits.tolist()):
            for digit, energy in zip(self._order, self._energies[slot].tolist(), strict=True):
                if energy > left:
                    if digit == wanted:
                        return None
                    continue
                if digit == wanted:
                    left -= energy
                    break
                total += self._count(slot + 1, left - energy)
            else:
                return None
        return total if total < self.size else None
