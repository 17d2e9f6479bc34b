"""A message as a number, and the number in base q: exact, both ways, any q.

Bit i of a message stands for `2^i` and digit i for `q^i`, so zeros at the end of a message
change nothing. Half a million bits take milliseconds: a tree of divisions (or products) of
large integers down to blocks that fit 64 bits, which numpy takes apart all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import gmpy2
import numpy as np
from numpy.typing import NDArray

#: Blocks of digits stay below this, so that 64-bit integers hold them.
_BLOCK_LIMIT = 1 << 63


@lru_cache(maxsize=8)
def power(q: int, count: int) -> gmpy2.mpz:
    """`q^count`, how many numbers `count` digits can write.

    >>> int(power(5, 4))
    625
    """
    return gmpy2.mpz(q) ** count


def whole_bits(q: int, count: int) -> int:
    """`floor(count log2 q)`, exact: the bits that `count` digits can always hold.

    >>> whole_bits(5, 3 * 256 * 256)
    456509
    """
    return power(q, count).bit_length() - 1


def number_of_bits(bits: NDArray[np.uint8]) -> gmpy2.mpz:
    """The number whose binary digits, lowest first, are `bits`.

    >>> int(number_of_bits(np.array([1, 0, 1], np.uint8)))
    5
    """
    return gmpy2.mpz.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def bits_of_number(number: gmpy2.mpz, count: int) -> NDArray[np.uint8]:
    """The lowest `count` binary digits of a number below `2^count`, lowest first.

    >>> bits_of_number(gmpy2.mpz(5), 4).tolist()
    [1, 0, 1, 0]
    """
    raw = np.frombuffer(number.to_bytes(-(-count // 8), "little"), np.uint8)
    return np.unpackbits(raw, count=count, bitorder="little")


def digits_of_number(number: gmpy2.mpz, q: int, count: int) -> NDArray[np.int64]:
    """The `count` base-q digits of a number below `q^count`, lowest first.

    >>> digits_of_number(gmpy2.mpz(38), 5, 4).tolist()
    [3, 2, 1, 0]
    """
    width = _block_width(q)
    blocks = -(-count // width)
    pieces = [number]
    for divisor in reversed(_divisors(q, width, blocks)):
        pieces = [half for piece in pieces for half in gmpy2.f_divmod(piece, divisor)[::-1]]
    rest = np.fromiter(map(int, pieces), np.int64, blocks)
    digits = np.empty((blocks, width), np.int64)
    for i in range(width):  # numpy divides by one number without dividing; its divmod does not
        left = rest // q
        digits[:, i] = rest - left * q
        rest = left
    return digits.reshape(-1)[:count]


def number_of_digits(digits: NDArray[np.int64], q: int) -> gmpy2.mpz:
    """The number whose base-q digits, lowest first, are `digits`.

    >>> int(number_of_digits(np.array([3, 2, 1, 0]), 5))
    38
    """
    width = _block_width(q)
    blocks = -(-digits.size // width)
    table = np.zeros(blocks * width, np.int64)
    table[: digits.size] = digits
    table = table.reshape(blocks, width)
    value = np.zeros(blocks, np.int64)
    for i in reversed(range(width)):
        value = value * q + table[:, i]
    pieces: Sequence[gmpy2.mpz] = [gmpy2.mpz(each) for each in value.tolist()]
    for factor in _divisors(q, width, blocks):
        pieces = [*pieces, gmpy2.mpz(0)] if len(pieces) % 2 else pieces
        pieces = [low + high * factor for low, high in zip(pieces[::2], pieces[1::2], strict=True)]
    return pieces[0] if pieces else gmpy2.mpz(0)


def _block_width(q: int) -> int:
    """The most digits whose numbers all fit 63 bits."""
    width = 1
    while q ** (width + 1) <= _BLOCK_LIMIT:
        width += 1
    return width


@lru_cache(maxsize=8)
def _divisors(q: int, width: int, blocks: int) -> tuple[gmpy2.mpz, ...]:
    """`q^width` squared again and again: what splits a tree over this many blocks."""
    found: list[gmpy2.mpz] = []
    for depth in range(max(blocks - 1, 0).bit_length()):
        found.append(found[-1] ** 2 if depth else gmpy2.mpz(q) ** width)
    return tuple(found)
