"""Digits of numbers: every number comes back, from any place with an error."""

import gmpy2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits import linear
from morebits.codecs.singular.bch import Bch
from morebits.codecs.singular.blocks import blocks_of
from morebits.codecs.singular.plan import Plan, plan_for
from morebits.types import ImageFormat


def made(fine, mixed):
    """7 frames of 60; 35 slots for check bits, of which the code uses 27."""
    where = np.zeros((7, 60, 3), np.int64)
    steps = np.linspace(1, 3, 60)
    budget = 7 * 60 * 40.0 * fine**2
    return Plan(where, steps, np.full(60, mixed), 127, 5, fine, budget, Bch(9, 3))


@pytest.mark.parametrize("mixed", [True, False])
@pytest.mark.parametrize("fine", [1, 3])
def test_an_error_in_any_place_is_corrected(fine, mixed):
    plan = made(fine, mixed)
    number = plan.size * 2 // 3
    digits = plan.digits(number)
    assert plan.number(digits) == number
    for place in range(digits.size):
        read = digits.copy()
        read.reshape(-1)[place] -= 1
        fixed = plan.corrected(read, read + 1)
        assert (fixed == digits).all(), place


@given(st.integers(0), st.sampled_from([1, 4]), st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_numbers_come_back_through_errors(number, fine, seed):
    plan, rng = made(fine, True), np.random.default_rng(seed)
    number = gmpy2.mpz(number) ** 30 % plan.size
    digits = plan.digits(number)
    read = digits.reshape(-1).copy()
    wrong = rng.choice(read.size, plan.errors, replace=False)
    read[wrong] += rng.choice([-1, 1], plan.errors)
    second = read.copy()
    second[wrong] = digits.reshape(-1)[wrong]
    fixed = plan.corrected(read.reshape(7, 60), second.reshape(7, 60))
    assert fixed is not None
    assert plan.number(fixed) == number


def test_samples_that_the_edit_treats_alone_keep_their_energy_exactly():
    blocks = blocks_of(linear.hflip().at(ImageFormat(3, 16, 16)))
    plan = plan_for(blocks, 3150, 127, 3.7)
    assert plan.code is None
    assert (plan.steps == 1).all()
    for number in (1, plan.size // 3, plan.size - 1):
        assert int((plan.digits(gmpy2.mpz(number)) ** 2).sum()) <= 3150


def test_coordinates_are_used_once():
    blocks = blocks_of(linear.rotation(30).at(ImageFormat(3, 16, 16)))
    plan = plan_for(blocks, 3150, 127, 3.7)
    flat = plan.where.reshape(-1, 3)
    assert len(np.unique(flat, axis=0)) == len(flat) == plan.frames * plan.slots
    assert (np.diff(plan.steps) >= 0).all()


def test_no_budget_no_coordinates():
    blocks = blocks_of(linear.rotation(30).at(ImageFormat(1, 4, 4)))
    plan = plan_for(blocks, 0, 127, 3.7)
    assert (plan.slots, plan.size) == (0, 1)
