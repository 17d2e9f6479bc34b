"""p-values: against simulated phases, and in their limits."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.codecs.pilot.chance import log_chance, p_value
from morebits.codecs.pilot.coherent import Demodulated


def demodulated(magnitudes: np.ndarray) -> Demodulated:
    count = len(magnitudes)
    return Demodulated(
        np.eye(2),
        np.full((count, 2), 0.1),
        magnitudes.astype(np.complex64)[:, None],
        np.zeros((1, 2)),
        np.ones(count),
        np.zeros(count),
    )


@pytest.mark.parametrize("alike", [True, False])
def test_the_tail_of_random_phases(alike):
    """One in a thousand simulated sums is above what has a chance of one in a thousand."""
    random = np.random.default_rng(5)
    magnitudes = np.ones(42) if alike else np.sqrt(random.exponential(size=42))
    found = demodulated(magnitudes)
    phases = random.uniform(0, 2 * np.pi, (400_000, 42)).astype(np.float32)
    sums = np.sort(np.cos(phases) @ magnitudes.astype(np.float32))[::-1]
    for rank in (40, 400, 4000):
        score = float(sums[rank]) / found.noise
        assert np.exp(log_chance(found, score)) == pytest.approx(rank / 400_000, rel=0.25)


def test_the_chance_does_not_depend_on_how_strong_the_waves_are():
    one, ten = demodulated(np.ones(42)), demodulated(10 * np.ones(42))
    assert log_chance(one, 6.0) == pytest.approx(log_chance(ten, 60.0), rel=1e-4)


def test_nothing_at_all_is_no_evidence():
    assert log_chance(demodulated(np.zeros(42)), 0.0) == 0.0


def test_more_maps_make_the_same_score_less_special():
    values = [p_value(-25.0, maps) for maps in (1, 10, 100)]
    assert values == sorted(values)
    assert 0 < values[0] < 1e-3
    assert p_value(0.0, 1) == 1.0
