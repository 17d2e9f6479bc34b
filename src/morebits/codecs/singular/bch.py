"""A binary BCH code: finds up to t wrong bits in a long row of bits.

The check bits are the remainder of the row, as a polynomial over GF(2), modulo the generator
whose roots are `a, a^2, ..., a^(2t)` in GF(2^m); `m t` of them at most. Errors are found with
Berlekamp and Massey's algorithm and a search for roots. Lin and Costello, "Error control
coding", chapter 6.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from morebits.errors import InputError

#: A primitive polynomial of each degree (Lin and Costello, table 2.7), as bits.
_PRIMITIVE = {
    3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001, 8: 0b100011101,
    9: 0b1000010001, 10: 0b10000001001, 11: 0b100000000101, 12: 0b1000001010011,
    13: 0b10000000011011, 14: 0b100010001000011, 15: 0b1000000000000011,
    16: 0b10001000000001011, 17: 0b100000000000001001, 18: 0b1000000000010000001,
}  # fmt: skip


def degree_for(bits: int) -> int:
    """The smallest m whose code is `bits` long or more, check bits included.

    >>> degree_for(216), degree_for(10_000)
    (8, 14)
    """
    degree = max(3, bits.bit_length())
    if degree > max(_PRIMITIVE):
        raise InputError("bits", bits, f"give fewer than 2^{max(_PRIMITIVE)} bits")
    return degree


class Bch:
    """Corrects up to `errors` wrong bits in rows of up to `2^degree - 1`, check bits included.

    >>> code = Bch(degree=5, errors=2)
    >>> row = np.array([1, 0, 1, 1, 0, 0, 1], np.uint8)
    >>> whole = np.concatenate([code.checks(row), row])
    >>> whole[[3, 12]] ^= 1
    >>> code.locate(whole).tolist()
    [3, 12]
    """

    def __init__(self, degree: int, errors: int):
        self.degree, self.errors, self.order = degree, errors, (1 << degree) - 1
        power = np.zeros(2 * self.order, np.int64)
        value = 1
        for i in range(self.order):
            power[i] = power[i + self.order] = value
            value <<= 1
            if value >> degree:
                value ^= _PRIMITIVE[degree]
        self._power = power
        self._log = np.zeros(self.order + 1, np.int64)
        self._log[power[: self.order]] = np.arange(self.order)

    @cached_property
    def generator(self) -> int:
        """The generator polynomial as bits, lowest power first."""
        product, seen = 1, set[int]()
        for root in range(1, 2 * self.errors, 2):
            conjugates = {root * 2**i % self.order for i in range(self.degree)}
            if conjugates.isdisjoint(seen):
                seen |= conjugates
                product = _multiply(product, self._minimal(sorted(conjugates)))
        return product

    @property
    def check_bits(self) -> int:
        """How many check bits a row has."""
        return self.generator.bit_length() - 1

    def checks(self, row: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The check bits, which go in front of the row."""
        count, generator = self.check_bits, self.generator
        if count + row.size > self.order:
            raise InputError("row", f"of {row.size} bits", f"give up to {self.order - count}")
        rest, top = 0, 1 << count
        for bit in row[::-1].tolist():
            rest = (rest << 1) ^ (bit << count)
            if rest & top:
                rest ^= generator
        return np.array([rest >> i & 1 for i in range(count)], np.uint8)

    def locate(self, whole: NDArray[np.uint8]) -> NDArray[np.int64] | None:
        """Where check bits and row together are wrong; None for more errors than `errors`."""
        ones = np.flatnonzero(whole)
        syndromes = [
            int(np.bitwise_xor.reduce(self._power[ones * j % self.order], initial=0))
            for j in range(1, 2 * self.errors + 1)
        ]
        if not any(syndromes):
            return np.zeros(0, np.int64)
        locator = self._locator(syndromes)
        count = len(locator) - 1
        place = np.arange(whole.size)
        value = np.zeros(whole.size, np.int64)
        for i, factor in enumerate(locator):
            if factor:
                value ^= self._power[(self._log[factor] - place * i) % self.order]
        found = np.flatnonzero(value == 0)
        return found if found.size == count <= self.errors else None

    def _locator(self, syndromes: list[int]) -> list[int]:
        """The polynomial whose roots are the inverse places of the errors."""
        current, previous, length, gap, last = [1], [1], 0, 1, 1
        for n, syndrome in enumerate(syndromes):
            off = syndrome
            for i in range(1, length + 1):
                if i < len(current):
                    off ^= self._times(current[i], syndromes[n - i])
            if not off:
                gap += 1
                continue
            factor = self._times(off, int(self._power[(-self._log[last]) % self.order]))
            shifted = [0] * gap + [self._times(factor, each) for each in previous]
            before = current
            size = max(len(current), len(shifted))
            current = [
                (current[i] if i < len(current) else 0) ^ (shifted[i] if i < len(shifted) else 0)
                for i in range(size)
            ]
            if 2 * length <= n:
                length, previous, last, gap = n + 1 - length, before, off, 1
            else:
                gap += 1
        while current[-1] == 0:
            current.pop()
        return current

    def _times(self, a: int, b: int) -> int:
        return int(self._power[self._log[a] + self._log[b]]) if a and b else 0

    def _minimal(self, exponents: list[int]) -> int:
        """The polynomial over GF(2) with these powers of `a` as roots."""
        factors = [1]
        for exponent in exponents:
            root = int(self._power[exponent])
            factors = [
                (factors[i - 1] if i else 0)
                ^ (self._times(factors[i], root) if i < len(factors) else 0)
                for i in range(len(factors) + 1)
            ]
        return sum(bit << i for i, bit in enumerate(factors))


def _multiply(a: int, b: int) -> int:
    """The product of two polynomials over GF(2)."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = a << 1, b >> 1
    return product
