"""Points of a ball by number, against all points listed one by one."""

import itertools

import gmpy2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.singular.ball import Ball, zigzag
from morebits.errors import InputError


def squares(scales, count):
    return np.outer(scales, zigzag(count) ** 2).astype(np.int64)


def listed(scales, budget):
    """Every list of digits within the budget, found without the table."""
    reach = range(-int(budget**0.5), int(budget**0.5) + 1)
    return {
        digits
        for digits in itertools.product(reach, repeat=len(scales))
        if sum(s * d * d for s, d in zip(scales, digits, strict=True)) <= budget
    }


@pytest.mark.parametrize(("scales", "budget"), [((1, 1, 1), 9), ((1, 2, 3, 5), 7), ((4,), 3)])
def test_every_number_is_another_point_and_none_is_missing(scales, budget):
    ball = Ball(squares(scales, 9), budget)
    points = [ball.digits(gmpy2.mpz(n)) for n in range(int(ball.size))]
    assert {tuple(p.tolist()) for p in points} == listed(scales, budget)
    assert [int(ball.number(p)) for p in points] == list(range(int(ball.size)))


@given(st.integers(0), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_long_lists_come_back_and_keep_the_budget(number, seed):
    rng = np.random.default_rng(seed)
    scales = np.sort(rng.integers(1, 40, 150))
    ball = Ball(squares(scales, 41), 1200)
    wanted = gmpy2.mpz(number) ** 20 % ball.size
    digits = ball.digits(wanted)
    assert int((scales * digits**2).sum()) <= 1200
    assert ball.number(digits) == wanted


def test_rounding_the_table_costs_next_to_nothing():
    # 400 dimensions, radius^2 1600: 2^1216.04 lattice points (contour integral of `bounds`).
    from morebits.bounds.counting import log2_count, ranges

    ball = Ball(squares(np.ones(400), 81), 1600)
    exact = log2_count([ranges(-40, 40, 400)], 1600).bits
    assert 0 <= exact - float(gmpy2.log2(ball.size)) < 1e-9


def test_lists_outside_have_no_number():
    ball = Ball(squares((1, 1), 5), 2)
    assert ball.number(np.array([2, 0])) is None
    assert ball.number(np.array([1, 1])) is not None
    assert ball.number(np.array([7, 0])) is None


@pytest.mark.parametrize(
    "energies", [np.zeros((2, 4), int), np.ones((2, 3), int), np.zeros(3, int)]
)
def test_energies_are_checked(energies):
    with pytest.raises(InputError):
        Ball(energies, 3)
