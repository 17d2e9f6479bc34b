"""The step of the lattice, from numbers whose bits are known to be 0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.robust import gain, lattice


def known_numbers(
    step: float, count: int = 300, seed: int = 0, noise: float = 0.08
) -> tuple[np.ndarray, ...]:
    """Numbers, dither, weights and activity; a third of them in calm tiles."""
    random = np.random.default_rng(seed)
    calm = random.random(count) < 1 / 3
    activity = np.where(calm, 0.2, 3.0) * step
    here = np.where(calm, step / 2, step)
    numbers = random.normal(0, 1, count) * activity
    dither = random.random(count)
    cells = numbers / here - dither
    numbers += lattice.ALPHA * (np.rint(cells) - cells) * here
    numbers += random.normal(0, noise, count) * here
    return tuple(each.astype(np.float32) for each in (numbers, dither, np.ones(count), activity))


@given(st.floats(3, 60), st.integers(0, 50))
@settings(max_examples=25)
def test_finds_the_step(step, seed):
    found = gain.search(*known_numbers(step, seed=seed))
    assert found.levels == pytest.approx(step, rel=0.01)
    assert found.score > 8


def test_calm_tiles_have_half_the_step():
    numbers, dither, weights, activity = known_numbers(20)
    busy = activity > 0.5 * 20
    alone = gain.search(numbers[busy], dither[busy], weights[busy], activity[busy])
    assert gain.search(numbers, dither, weights, activity).score > 1.1 * alone.score


@pytest.mark.parametrize("light", [0.3, 0.8, 1.5])
def test_light_changes_the_step_alone(light):
    numbers, dither, weights, activity = known_numbers(20)
    plain = gain.search(numbers, dither, weights, activity)
    light = np.float32(light)
    lit = gain.search(light * numbers, dither, weights, light * activity)
    assert lit.levels == pytest.approx(float(light) * plain.levels, rel=2e-3)
    assert lit.score == pytest.approx(plain.score, rel=0.02)


def test_random_numbers_score_as_chance_does():
    """The best of some 360 steps, hardly ever more than 4 deviations."""
    scores = []
    for seed in range(20):
        numbers, _, weights, activity = known_numbers(20, seed=seed)
        dither = np.random.default_rng(1000 + seed).random(len(numbers)).astype(np.float32)
        scores.append(gain.search(numbers, dither, weights, activity).score)
    assert max(scores) < 4.8
    assert 2 < float(np.mean(scores)) < 3.8


def test_numbers_of_no_weight_do_not_count():
    numbers, dither, weights, activity = known_numbers(20)
    plain = gain.search(numbers, dither, weights, activity)
    wild = np.concatenate([numbers, np.linspace(-500, 500, 900, dtype=np.float32)])
    padded = [
        np.concatenate([each, np.full(900, value, np.float32)])
        for each, value in ((dither, 0.3), (weights, 0), (activity, 9))
    ]
    found = gain.search(wild, *padded)
    assert found.levels == pytest.approx(plain.levels, rel=1e-4)
    assert found.score == pytest.approx(plain.score, rel=1e-3)
