"""The BCH code against the definition of its generator, and against errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.singular.bch import Bch, degree_for
from morebits.errors import InputError


def places(code, whole):
    found = code.locate(whole)
    assert found is not None
    return found.tolist()


def test_generators_of_the_textbook():
    # Lin and Costello, "Error control coding", example 6.1: the (15, 7) and (15, 5) codes.
    assert Bch(4, 2).generator == 0b111010001
    assert Bch(4, 3).generator == 0b10100110111
    # Appendix C: the (63, 45) code, octal 1701317.
    assert Bch(6, 3).generator == 0o1701317


@given(st.integers(5, 11), st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_errors_up_to_the_limit_are_found(degree, errors, seed):
    rng = np.random.default_rng(seed)
    code = Bch(degree, errors)
    row = rng.integers(0, 2, rng.integers(1, code.order - code.check_bits + 1)).astype(np.uint8)
    whole = np.concatenate([code.checks(row), row])
    assert places(code, whole) == []
    wrong = np.sort(rng.choice(whole.size, rng.integers(0, errors + 1), replace=False))
    whole[wrong] ^= 1
    assert places(code, whole) == wrong.tolist()


def test_many_errors_are_seen_as_too_many():
    rng = np.random.default_rng(0)
    code = Bch(13, 20)
    row = rng.integers(0, 2, 6000).astype(np.uint8)
    whole = np.concatenate([code.checks(row), row])
    whole[rng.choice(whole.size, 200, replace=False)] ^= 1
    assert code.locate(whole) is None


def test_every_polynomial_is_primitive():
    for degree in range(3, 19):
        code = Bch(degree, 1)
        assert len(np.unique(code._power[: code.order])) == code.order, degree


def test_sizes_are_checked():
    assert [degree_for(bits) for bits in (1, 7, 8, 255, 256)] == [3, 3, 4, 8, 9]
    with pytest.raises(InputError):
        degree_for(1 << 18)
    with pytest.raises(InputError):
        Bch(4, 2).checks(np.zeros(8, np.uint8))
