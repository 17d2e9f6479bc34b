"""The collision argument against brute force on tiny edits."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.bounds.collisions import log2_outputs, reduce_block


def distinct_outputs(matrix: np.ndarray, level: int, reach: int) -> int:
    """How many rounded outputs there are over all moves inside the ball, one by one."""
    axis = range(-reach, reach + 1)
    moves = np.array(list(itertools.product(axis, repeat=matrix.shape[1])))
    moves = moves[(moves**2).sum(1) <= level]
    return len(np.unique(np.floor(moves @ matrix.T + 0.5), axis=0))


@settings(max_examples=25)
@given(entries=st.lists(st.floats(-1.5, 1.5), min_size=9, max_size=9), level=st.integers(1, 30))
def test_never_more_than_brute_force(entries: list[float], level: int):
    matrix = np.array(entries).reshape(3, 3)
    bound = log2_outputs([reduce_block(matrix, 1, 1e-9)], level, 5)
    assert bound <= math.log2(distinct_outputs(matrix, level, 5)) + 1e-9


def test_the_identity_loses_little_where_samples_move_far():
    """At large radius the loss tends to 2.05 bits a sample: 1/2 log2(2 pi e)."""
    reduced = reduce_block(np.eye(20), 1, 1e-9)
    lost = 0.5 * math.log2(2 * math.pi * math.e)
    from morebits.bounds.counting import log2_count, ranges

    free = log2_count([ranges(-100, 100, 20)], 20_000).bits
    assert log2_outputs([reduced], 20_000, 100) == pytest.approx(free - 20 * lost, abs=0.2)


def test_copies_multiply():
    matrix = np.random.default_rng(0).normal(size=(6, 6))
    one = [reduce_block(matrix, 3, 1e-9)]
    three = [reduce_block(matrix, 1, 1e-9)] * 3
    assert log2_outputs(one, 5000, 60) == pytest.approx(log2_outputs(three, 5000, 60))


def test_a_zero_edit_carries_nothing():
    assert log2_outputs([reduce_block(np.zeros((4, 4)), 1, 1e-9)], 100, 5) == 0.0
