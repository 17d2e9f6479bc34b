"""Bits in numbers, and soft values against numbers drawn at random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from morebits.codecs.robust import lattice, tiles
from morebits.codecs.robust.lattice import ALPHA, BINS, MODELS

floats = arrays(np.float32, (2, 6), elements=st.floats(-900, 900, width=32))
steps = arrays(np.float32, 2, elements=st.floats(2, 80, width=32))
bits = arrays(np.uint8, (2, 6), elements=st.integers(0, 1))
dithers = arrays(np.float32, (2, 6), elements=st.integers(0, 255).map(lambda n: n / 256))


def from_point(places: np.ndarray, bit: np.ndarray) -> np.ndarray:
    """How far each place is from the points of its bit, in cells."""
    off = places - np.float32(0.5) * bit
    return np.abs(off - np.rint(off))


class TestMoves:
    @given(floats, dithers, bits, steps)
    @settings(max_examples=40)
    def test_lead_to_a_point_of_the_bit(self, numbers, dither, bit, step):
        moved = numbers + lattice.moves(numbers, dither, bit, step)
        assert from_point(lattice.places(moved, dither, step), bit).max() < 1e-3

    @given(floats, dithers, bits, steps)
    @settings(max_examples=40)
    def test_are_never_longer_than_half_a_step(self, numbers, dither, bit, step):
        moves = lattice.moves(numbers, dither, bit, step)
        assert (np.abs(moves) <= step[:, None] * 0.5001).all()

    @given(floats, dithers, bits, steps, st.floats(0.3, 1))
    @settings(max_examples=40)
    def test_a_share_of_the_way_leaves_the_rest(self, numbers, dither, bit, step, alpha):
        moved = numbers + np.float32(alpha) * lattice.moves(numbers, dither, bit, step)
        off = from_point(lattice.places(moved, dither, step), bit)
        assert off.max() <= (1 - alpha) / 2 + 1e-3

    def test_cost_a_twelfth_of_a_squared_step(self):
        random = np.random.default_rng(0)
        numbers = random.normal(0, 60, (2000, 42)).astype(np.float32)
        dither = random.random((2000, 42), np.float32)
        bit = random.integers(0, 2, (2000, 42), np.uint8)
        moves = lattice.moves(numbers, dither, bit, np.full(2000, 20.0))
        assert np.square(moves).mean() == pytest.approx(20**2 / 12, rel=0.02)


@given(floats, dithers, steps)
@settings(max_examples=40)
def test_places_are_in_the_cell(numbers, dither, step):
    places = lattice.places(numbers, dither, step)
    assert places.min() >= 0
    assert places.max() <= 1
    bins = lattice.bins(places)
    assert bins.min() >= 0
    assert bins.max() < BINS


def test_bins_have_equal_widths():
    middles = ((np.arange(BINS) + 0.5) / BINS).astype(np.float32)
    assert np.array_equal(lattice.bins(middles), np.arange(BINS))
    assert lattice.bins(np.float32([0, 1])).tolist() == [0, 0]


def received(model: int, bit: int, count: int = 400_000) -> np.ndarray:
    """Bins of a bit that was written, and went through the noise of a model."""
    sigma, lost = MODELS[model]
    random = np.random.default_rng(model)
    place = 0.5 * bit + (random.random(count) - 0.5) * (1 - ALPHA)
    place += random.normal(0, sigma, count)
    place = np.where(random.random(count) < lost, random.random(count), place)
    return lattice.bins((place - np.floor(place)).astype(np.float32))


some_models = pytest.mark.parametrize("model", [12, 30, 48, 68, 90, 130])


class TestModels:
    def test_are_chances(self):
        chances = lattice.densities()
        assert chances.shape == (len(MODELS), BINS)
        assert chances.min() > 0
        assert np.abs(chances.sum(axis=1) - 1).max() < 0.01

    @some_models
    def test_chances_are_those_of_numbers_drawn_at_random(self, model):
        drawn = np.bincount(received(model, 0), minlength=BINS) / 400_000
        assert np.abs(drawn - lattice.densities()[model]).sum() < 0.03

    @some_models
    def test_soft_values_are_those_of_numbers_drawn_at_random(self, model):
        zeros = np.bincount(received(model, 0), minlength=BINS).astype(float)
        ones = np.bincount(received(model, 1), minlength=BINS).astype(float)
        often = (zeros > 500) & (ones > 500)
        drawn = np.log(ones[often] / zeros[often])
        assert often.sum() > 10
        assert np.abs(drawn - lattice.soft_values(lattice.densities())[model][often]).max() < 0.25

    def test_soft_values_change_sign_with_the_bit(self):
        soft = lattice.soft_values(lattice.densities())
        assert np.allclose(np.roll(soft, BINS // 2, axis=1), -soft, atol=1e-5)
        assert (soft[:, [0, -1]] < 0).all()
        assert (soft[:, BINS // 2] > 0).all()

    def test_more_noise_means_softer_values(self):
        """In the middle of a cell, along deviations and along losses."""
        sizes = -lattice.soft_values(lattice.densities())[:, 0].reshape(-1, 19)
        assert (np.diff(sizes[:, 8:], axis=1) < 0).all()
        assert (np.diff(sizes[:, :8], axis=0) < 0).all()

    def test_an_unknown_bit_is_a_mixture(self):
        known, unknown = np.exp(lattice.known_likelihoods()), np.exp(lattice.unknown_likelihoods())
        assert np.allclose(unknown, (known + np.roll(known, BINS // 2, axis=1)) / 2)

    @pytest.mark.parametrize("harmonic", [1, 2])
    def test_sharpness_is_the_mean_cosine_of_the_noise(self, harmonic):
        random = np.random.default_rng(1)
        for model in (3, 40, 100):
            sigma, lost = MODELS[model]
            place = random.normal(0, sigma, 200_000)
            place[: int(lost * 200_000)] = random.random(int(lost * 200_000))
            cosine = np.cos(2 * np.pi * harmonic * place).mean()
            assert lattice.sharpness(harmonic)[model] == pytest.approx(cosine, abs=0.01)


class TestActivity:
    def test_is_the_deviation_of_upper_numbers(self):
        numbers = np.random.default_rng(0).normal(0, 7, (500, 42)).astype(np.float32)
        assert lattice.activity(numbers).mean() == pytest.approx(7, rel=0.02)

    def test_grows_with_light(self):
        numbers = np.random.default_rng(0).normal(0, 7, (4, 5, 42)).astype(np.float32)
        assert np.allclose(lattice.activity(numbers * 2), 2 * lattice.activity(numbers))

    def test_sees_less_of_a_slope_than_of_grain(self):
        y, x = np.mgrid[0:48, 0:48].astype(np.float32)
        numbers = tiles.analyse(3 * x + 2 * y)
        assert lattice.activity(numbers).max() < 0.5 * np.sqrt(np.square(numbers).mean())
