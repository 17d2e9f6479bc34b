"""How well known numbers agree, against plain sums in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.codecs.robust import gain, knowns, lattice, tiles
from morebits.codecs.robust.colour import luma
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.tiles import NUMBERS

LAYOUT = Layout.of("key")
STEPS = knowns.USUAL_STEPS.astype(np.float32)


def noise(rows: int, columns: int, spread: float = 30, seed: int = 0) -> np.ndarray:
    """Numbers of tiles, those of some rows much smaller than of others, so that a part is calm."""
    random = np.random.default_rng(seed)
    numbers = random.normal(0, spread, (rows, columns, NUMBERS))
    return (numbers * random.uniform(0.02, 1, (rows, columns, 1))).astype(np.float32)


def agreement(numbers: np.ndarray, usable: np.ndarray, steps: np.ndarray = STEPS) -> float:
    known, dither = knowns.knowns(LAYOUT)
    activity = lattice.activity(numbers)
    return float(knowns.agreement(numbers, activity, usable, known, dither, steps))


def plainly(numbers: np.ndarray, usable: np.ndarray, steps: np.ndarray = STEPS) -> np.ndarray:
    """The score of each step: of numbers whose role is 0 or 1, of usable tiles, one by one."""
    window = LAYOUT.window(0, 0, *numbers.shape[:2])
    chosen = (window.roles < 2) & usable[..., None]
    busy = np.sqrt((numbers[..., NUMBERS // 4 :].astype(np.float64) ** 2).mean(axis=2))
    busy = np.broadcast_to(busy[..., None], numbers.shape)[chosen]
    values, dither = numbers[chosen].astype(np.float64), window.dither[chosen]
    scores = []
    for step in steps.tolist():
        cells = values / np.where(busy < lattice.CALM * step, step / 2, step)
        trust = 1 / (1 + (cells / 12) ** 2)
        total = (trust * np.cos(2 * np.pi * (cells - dither))).sum()
        scores.append(total / np.sqrt(0.5 * (trust**2).sum()))
    return np.array(scores)


class TestKnowns:
    @pytest.mark.parametrize("key", ["key", None])
    def test_point_to_the_numbers_with_the_first_two_roles(self, key):
        layout = Layout.of(key)
        known, _ = knowns.knowns(layout)
        roles = layout.window(0, 0, 96, 96).roles
        assert known.shape == (96, 96, 2)
        assert (np.take_along_axis(roles, known, axis=2) == [0, 1]).all()

    def test_come_with_their_dither(self):
        known, dither = knowns.knowns(LAYOUT)
        every = LAYOUT.window(0, 0, 96, 96).dither
        assert dither.dtype == np.float32
        assert np.array_equal(dither, np.take_along_axis(every, known, axis=2))
        assert 0 <= dither.min() < 0.01 < 0.99 < dither.max() < 1


class TestAgreement:
    @pytest.mark.parametrize("shape", [(1, 1), (1, 7), (10, 14), (40, 3)])
    @pytest.mark.parametrize("spread", [3, 30, 300])
    def test_is_the_best_score_of_a_plain_sum(self, shape, spread):
        numbers, every = noise(*shape, spread=spread), np.ones(shape, np.bool_)
        assert agreement(numbers, every) == pytest.approx(plainly(numbers, every).max(), abs=0.01)

    def test_is_that_of_each_step(self):
        numbers, every = noise(6, 9), np.ones((6, 9), np.bool_)
        each = [agreement(numbers, every, STEPS[n : n + 1]) for n in range(len(STEPS))]
        assert each == pytest.approx(plainly(numbers, every), abs=0.01)

    def test_leaves_out_tiles_that_are_not_usable(self):
        numbers = noise(8, 11)
        usable = np.random.default_rng(3).random((8, 11)) < 0.4
        wanted = plainly(numbers, usable).max()
        assert agreement(numbers, usable) == pytest.approx(wanted, abs=0.01)
        numbers[~usable] = np.nan
        assert agreement(numbers, usable) == pytest.approx(wanted, abs=0.01)

    def test_of_no_tile_is_none(self):
        assert agreement(noise(2, 3), np.zeros((2, 3), np.bool_)) == 0

    @pytest.mark.parametrize("shape", [(100, 2), (2, 130)])
    def test_begins_again_after_a_period(self, shape):
        numbers, every = noise(*shape), np.ones(shape, np.bool_)
        assert agreement(numbers, every) == pytest.approx(plainly(numbers, every).max(), abs=0.01)


class TestOfAMark:
    def test_is_nearly_what_the_exact_search_says(self, marked):
        numbers = tiles.analyse(luma(marked))
        window = LAYOUT.window(0, 0, *numbers.shape[:2])
        chosen = window.roles < 2
        activity = np.repeat(lattice.activity(numbers)[..., None], NUMBERS, axis=2)[chosen]
        weights = np.ones(len(activity), np.float32)
        exact = gain.search(numbers[chosen], window.dither[chosen], weights, activity)
        every = np.ones(numbers.shape[:2], np.bool_)
        assert exact.score > 12
        assert 0.8 < agreement(numbers, every) / exact.score < 1.02

    def test_is_chance_one_tile_beside(self, marked):
        numbers = tiles.analyse(luma(marked))
        beside = np.ascontiguousarray(numbers[:, 1:])
        every = np.ones(beside.shape[:2], np.bool_)
        assert agreement(beside, every) < 5


def test_steps_are_some_of_those_of_the_exact_search():
    apart = np.diff(np.log(knowns.USUAL_STEPS))
    assert np.isin(knowns.USUAL_STEPS, gain.STEPS).all()
    assert apart == pytest.approx(np.full(len(apart), 0.036))
    assert 6 < knowns.USUAL_STEPS[0] < 6.3
    assert 77 < knowns.USUAL_STEPS[-1] < 80
