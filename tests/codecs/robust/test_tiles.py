"""Numbers of tiles against plain inner products."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from morebits.codecs.robust import tiles
from morebits.codecs.robust.tiles import NUMBERS, TILE

sides = st.integers(1, 4)


def noise(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    plane = np.random.default_rng(seed).normal(100, 50, (rows * TILE, columns * TILE))
    return plane.astype(np.float32)


def close(a: np.ndarray, b: np.ndarray, most: float = 2e-3) -> bool:
    return a.shape == b.shape and float(np.abs(a - b).max()) < most


class TestBasis:
    def test_is_orthonormal(self):
        basis = tiles.basis().astype(np.float64)
        assert np.abs(basis @ basis.T - np.eye(NUMBERS)).max() < 1e-5

    def test_does_not_see_the_mean(self):
        assert np.abs(tiles.basis().sum(axis=1)).max() < 1e-4

    def test_waves_fade_out_at_both_ends(self):
        waves = tiles.waves()
        assert np.abs(waves @ waves.T - np.eye(7)).max() < 1e-9
        assert np.abs(waves[:, [0, -1]]).max() < 0.7 * np.abs(waves).max()
        assert (waves[:, 0] > 0.005).all()  # far enough from 0 for its sign to be safe

    def test_waves_have_one_to_seven_half_periods(self):
        crossings = (np.diff(np.sign(tiles.waves()), axis=1) != 0).sum(axis=1)
        assert crossings.tolist() == list(range(7))

    def test_waves_have_the_least_slope_and_curvature(self):
        """The force of a bent and stretched beam, clamped beyond the tile, is along each wave."""
        stiffness = []
        for wave in tiles.waves():
            bend = np.convolve(np.convolve(wave, [1, -2, 1]), [1, -2, 1], "valid")
            stretch = np.convolve(np.convolve(wave, [1, -1]), [-1, 1], "valid")
            force = bend + 0.6 * stretch
            stiffness.append(force @ wave)
            assert np.abs(force - stiffness[-1] * wave).max() < 1e-9
        assert stiffness == sorted(stiffness)
        assert stiffness[0] > 0

    def test_is_made_of_the_lowest_products(self):
        pairs = tiles.pairs()
        assert len({tuple(pair) for pair in pairs.tolist()}) == NUMBERS + 1
        taken = {tuple(pair) for pair in pairs.tolist()}
        highest = max((i + 1) ** 2 + (j + 1) ** 2 for i, j in taken)
        left_out = {(i, j) for i in range(7) for j in range(7)} - taken
        assert min((i + 1) ** 2 + (j + 1) ** 2 for i, j in left_out) >= highest
        assert (np.diff(tiles.frequencies()) >= 0).all()

    def test_spectrum_stays_low(self):
        """Hardly any energy above a quarter of a cycle a pixel, where edits destroy it."""
        spectrum = np.abs(np.fft.fft2(tiles.basis().reshape(NUMBERS, TILE, TILE), (96, 96))) ** 2
        cycles = np.abs(np.fft.fftfreq(96))
        high = np.maximum(cycles[:, None], cycles) > 0.25
        assert spectrum[:, high].sum() < 0.01 * spectrum.sum()

    @pytest.mark.parametrize("angle", [0.02, 0.2, 2])
    def test_is_as_close_as_can_be_to_dropping_the_first_product(self, angle):
        """Any rotation of it is farther away."""
        dropping = np.eye(NUMBERS + 1)[1:]
        here = np.linalg.norm(tiles.turn() - dropping)
        for seed in range(5):
            skew = np.random.default_rng(seed).normal(0, angle, (NUMBERS, NUMBERS))
            other = expm(skew - skew.T) @ tiles.turn()
            assert np.linalg.norm(other - dropping) > here


class TestAnalyse:
    @given(sides, sides, st.integers(0, 99))
    @settings(max_examples=15)
    def test_is_inner_products_with_the_basis(self, rows, columns, seed):
        plane = noise(rows, columns, seed)
        direct = np.empty((rows, columns, NUMBERS))
        for i in range(rows):
            for j in range(columns):
                tile = plane[i * TILE : (i + 1) * TILE, j * TILE : (j + 1) * TILE]
                direct[i, j] = tiles.basis() @ tile.ravel()
        assert close(tiles.analyse(plane), direct)
        assert close(tiles.split(plane) @ tiles.basis().T, direct)

    def test_does_not_see_brightness(self):
        plane = noise(2, 2)
        assert close(tiles.analyse(plane + np.float32(40)), tiles.analyse(plane), 0.01)

    def test_takes_planes_that_are_not_contiguous(self):
        plane = noise(4, 4)
        part = plane[TILE : 3 * TILE, TILE : 4 * TILE]
        assert close(tiles.analyse(part), tiles.analyse(plane)[1:3, 1:4])


class TestEverywhere:
    @pytest.mark.parametrize("shape", [(72, 96), (24, 24), (24, 61), (50, 24), (31, 47)])
    def test_is_inner_products_with_the_basis(self, shape):
        plane = np.random.default_rng(1).normal(100, 50, shape).astype(np.float32)
        cut = np.lib.stride_tricks.sliding_window_view(plane, (TILE, TILE))
        direct = cut.reshape(*cut.shape[:2], -1) @ tiles.basis().T
        assert close(tiles.everywhere(plane), direct)

    def test_is_the_numbers_of_the_tiles(self):
        plane = noise(3, 4)
        every = tiles.everywhere(plane)
        assert every.shape == (49, 73, NUMBERS)
        assert close(every[::TILE, ::TILE], tiles.analyse(plane))
        assert close(every[5::TILE, 7::TILE], tiles.analyse(plane[5:53, 7:79]))

    def test_takes_planes_that_are_not_contiguous(self):
        plane = noise(3, 4)
        assert close(tiles.everywhere(plane.T), tiles.everywhere(plane.T.copy()))
        assert close(tiles.everywhere(plane[::2, 1::2]), tiles.everywhere(plane[::2, 1::2].copy()))


class TestSynthesise:
    @given(st.integers(1, 40), sides, st.integers(0, 99))
    @settings(max_examples=15)
    def test_gives_the_numbers_back(self, rows, columns, seed):
        numbers = np.random.default_rng(seed).normal(0, 9, (rows, columns, NUMBERS))
        numbers = numbers.astype(np.float32)
        assert close(tiles.analyse(tiles.synthesise(numbers)), numbers, 1e-3)

    def test_is_the_smallest_plane(self):
        """What remains of a plane is at right angles to it."""
        plane = noise(2, 3)
        shadow = tiles.synthesise(tiles.analyse(plane))
        assert abs(float(np.vdot(shadow, plane - shadow))) < 1e-4 * float(np.vdot(shadow, shadow))

    def test_costs_what_the_numbers_cost(self):
        numbers = np.random.default_rng(1).normal(0, 3, (3, 2, NUMBERS)).astype(np.float32)
        assert np.square(tiles.synthesise(numbers)).sum() == pytest.approx(
            np.square(numbers).sum(), rel=1e-4
        )


def test_split_leaves_out_parts_of_tiles():
    plane = np.arange(50 * 75).reshape(50, 75)
    cells = tiles.split(plane)
    assert cells.shape == (2, 3, TILE * TILE)
    assert np.array_equal(cells[1, 2].reshape(TILE, TILE), plane[24:48, 48:72])
