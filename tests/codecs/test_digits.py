"""Base conversion against Python's own integers."""

from __future__ import annotations

import gmpy2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.codecs import digits

BASES = st.one_of(st.integers(2, 80), st.sampled_from([255, 2077, 65535, 131071, 2**31 - 1, 2**61]))


def by_hand(number: int, q: int, count: int) -> list[int]:
    return [number // q**i % q for i in range(count)]


@given(BASES, st.integers(1, 200), st.data())
def test_digits_are_those_of_repeated_division(q, count, data):
    number = data.draw(st.integers(0, q**count - 1))
    found = digits.digits_of_number(gmpy2.mpz(number), q, count)
    assert found.tolist() == by_hand(number, q, count)
    assert digits.number_of_digits(found, q) == number


@given(st.lists(st.integers(0, 1), max_size=200))
def test_bits_are_the_binary_digits(bits):
    number = digits.number_of_bits(np.array(bits, np.uint8))
    assert number == sum(bit << i for i, bit in enumerate(bits))
    assert digits.bits_of_number(number, len(bits)).tolist() == bits
    longer = digits.bits_of_number(number, len(bits) + 9).tolist()
    assert longer == bits + [0] * 9


@given(BASES, st.integers(0, 300))
def test_whole_bits_is_the_exact_floor(q, count):
    bits = digits.whole_bits(q, count)
    assert 2**bits <= q**count < 2 ** (bits + 1)


@pytest.mark.parametrize("q", [2, 3, 5, 9, 64, 2077])
@pytest.mark.parametrize("end", ["least", "most"])
def test_a_picture_full_of_digits(q, end):
    """The ends of the range, over a tree of many levels."""
    count = 3 * 61 * 67
    number = gmpy2.mpz(0) if end == "least" else gmpy2.mpz(q) ** count - 1
    found = digits.digits_of_number(number, q, count)
    assert (found == (0 if end == "least" else q - 1)).all()
    assert digits.number_of_digits(found, q) == number
