"""p-values: against simulated phases, and in their limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from morebits.codecs.pilot.chance import log_chance, log_chance_unselected, p_value
from morebits.codecs.pilot.coherent import Demodulated, positions
from morebits.codecs.pilot.waves import waves

WAVES = waves("chance")


def demodulated(sums: np.ndarray, cycles: np.ndarray = WAVES.cycles) -> Demodulated:
    return Demodulated(
        np.eye(2),
        cycles,
        sums.astype(np.complex64)[:, None],
        np.zeros((1, 2)),
        np.sqrt(WAVES.energy),
        WAVES.radians,
    )


@pytest.mark.parametrize("kind", ["alike", "as in photos", "luma only"])
def test_random_phases_have_uniform_p_values(kind):
    """Of the whole search at one map: it must find the summit, and know how rare it is."""
    random = np.random.default_rng(5)
    values = []
    for _ in range(150):
        strength = np.ones(42) if kind == "alike" else np.sqrt(random.exponential(size=42))
        if kind == "luma only":
            strength *= WAVES.channel == 0
        plain = demodulated(strength * np.exp(2j * np.pi * random.uniform(size=42)))
        best = min(
            log_chance(found, positions(found, 1)[0][0]) for found in (plain, plain.turned())
        )
        values.append(p_value(best, 1))
    assert stats.kstest(values, "uniform").pvalue > 0.01


def test_noise_has_no_small_p_values_where_strength_counts():
    """Two tests share the chance, so the p-values may be too large, not too small."""
    random = np.random.default_rng(6)
    values = []
    for _ in range(150):
        noise = random.normal(size=(2, 42)) / np.sqrt(2)
        plain = demodulated(noise[0] + 1j * noise[1])
        best = min(
            log_chance_unselected(found, positions(found, 1)[0][0])
            for found in (plain, plain.turned())
        )
        values.append(p_value(best, 1))
    assert stats.kstest(values, "uniform", alternative="greater").pvalue > 0.01


def test_a_higher_score_is_less_likely():
    found = demodulated(np.ones(42))
    scores = np.linspace(-1, 12, 60)
    for chance in (log_chance, log_chance_unselected):
        falling = np.diff([chance(found, score) for score in scores])
        assert (falling <= 1e-9).all()
        assert falling.min() < -1


def test_the_chance_does_not_depend_on_how_strong_the_waves_are():
    one, ten = demodulated(np.ones(42)), demodulated(10 * np.ones(42))
    assert log_chance(one, 6.0) == pytest.approx(log_chance(ten, 60.0), rel=1e-4)


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_a_few_waves_are_no_evidence(count):
    found = demodulated((np.arange(42) < count).astype(float))
    for score in (0.0, 1.0, 5.0):
        assert p_value(log_chance(found, score), 1) == 1.0


def test_waves_that_run_one_way_are_no_evidence():
    found = demodulated(np.ones(42), np.linspace(0.09, 0.16, 42)[:, None] * [1.0, 0.5])
    assert p_value(log_chance(found, 7.0), 1) == 1.0


def test_more_maps_make_the_same_score_less_special():
    values = [p_value(-9.0, maps) for maps in (1, 10, 100)]
    assert values == sorted(values)
    assert 0 < values[0] < 1e-3
    assert p_value(10.0, 1) == 1.0
