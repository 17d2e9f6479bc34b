"""Cells: the digits a cell can show, and what they cost at most."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.bounds.cells import SAFE, candidates, energies

LUMA = (0.299, 0.587, 0.114)


def digit_costs(functional: tuple[float, ...], center: float, reach: int) -> list[int]:
    """The cost of each digit for one center, straight from the definition."""
    values, norms, _ = candidates(functional, reach)
    seen: dict[int, int] = {}
    for value, norm in zip(values, norms, strict=True):
        seen.setdefault(math.floor(center + value + 0.5), int(norm))
    return list(seen.values())


def test_a_plain_sample_costs_its_square():
    assert energies((1.0,), 3).tolist() == [1, 1, 4, 4, 9, 9]


def test_a_stretched_sample_shows_every_change():
    assert energies((1.7,), 3).tolist() == [1, 1, 4, 4, 9, 9]


def test_half_weight_shows_one_value_more_for_each_step():
    # 2 Y(t) = floor(sqrt t): digit j needs a change by j.
    assert energies((0.5,), 4).tolist() == [1, 4, 9, 16]


@pytest.mark.parametrize("functional", [(0.75,), (0.5,), (0.31,), (0.9999,), (-0.62,), LUMA])
@given(center=st.one_of(st.floats(-3, 3), st.integers(-24, 24).map(lambda k: k / 8)))
def test_no_center_costs_more_than_promised(functional: tuple[float, ...], center: float):
    exact = functional in [(0.75,), (0.5,)]
    promised = energies(tuple(abs(x) * (1 if exact else SAFE) for x in functional), 12)
    paid = digit_costs(functional, center, 12)
    # Digit 0 stays at the cover. Digits come in order of cost, so the lists compare in place.
    assert paid[0] == 0
    assert len(paid) > promised.size
    assert all(cost <= most for cost, most in zip(paid[1:], promised, strict=False))


def test_the_promise_is_tight_for_some_center():
    """At the worst center the last of the first few digits costs exactly what is promised."""
    promised = energies((0.75,), 12)
    worst = np.max(
        [digit_costs((0.75,), c, 12)[1 : promised.size + 1] for c in np.arange(0, 1, 1 / 64)],
        axis=0,
    )
    assert worst.tolist() == promised.tolist()


def test_several_samples_are_cheaper_than_the_best_one_alone():
    alone, together = energies((0.587,), 30), energies(LUMA, 30)
    assert (together[: alone.size] <= alone).all()
    assert together.size > alone.size
    # Far out a step of the luma costs 1/||l||^2 a unit squared: digit j needs Y = j/2.
    assert together[19] == pytest.approx(100 / sum(x * x for x in LUMA), rel=0.05)


def test_candidates_ascend_and_stay_in_reach():
    _, norms, vectors = candidates(LUMA, 20)
    assert (np.diff(norms) >= 0).all()
    assert np.abs(vectors).max() == 20
    assert len(np.unique(vectors, axis=0)) == len(vectors)


def test_nothing_to_show_without_reach():
    assert energies((0.4,), 1).size == 0
