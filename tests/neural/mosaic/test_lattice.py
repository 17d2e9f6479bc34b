from __future__ import annotations

import numpy as np
import pytest

from morebits.neural.mosaic import lattice


@pytest.mark.parametrize("bits", [1, 2, 3, 6])
def test_bits_come_back_from_their_places(bits):
    sent = lattice.labels(bits)
    cells = lattice.places(sent) + np.float32(3)
    small = np.float32(0.1 / (1 << bits))
    soft = lattice.soft_values(cells, small, np.float32(1e-3), bits)
    assert ((soft > 0) == sent).all()


def test_neighbouring_symbols_differ_in_one_bit():
    labels = lattice.labels(4).astype(int)
    assert (np.abs(labels - np.roll(labels, 1, axis=0)).sum(axis=1) == 1).all()


def test_soft_values_are_the_chances_that_they_claim():
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2, 200_000)
    cells = (bits / 2 + rng.normal(0, 0.15, bits.size)).astype(np.float32)
    lost = rng.random(bits.size) < 0.1
    cells[lost] = rng.random(int(lost.sum()))
    soft = lattice.soft_values(cells, np.float32(0.15), np.float32(0.1), 1)[:, 0]
    for low, high in ((0.2, 0.4), (1.0, 1.4), (2.0, 2.6)):
        near = (soft > low) & (soft < high)
        said = 1 / (1 + np.exp(-soft[near].astype(float)))
        assert bits[near].mean() == pytest.approx(said.mean(), abs=0.02)


def test_a_number_in_the_middle_says_nothing():
    middle = lattice.soft_values(np.float32([0.25, 0.75]), np.float32(0.1), np.float32(0.1), 1)
    assert np.abs(middle).max() < 1e-5
