"""Planes under maps, against scipy and against the attack that turned them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import map_coordinates

from morebits.attacks import geometry
from morebits.codecs.robust import resampling

maps = st.tuples(
    st.floats(-0.5, 0.5), st.floats(0.55, 1.15), st.floats(-0.1, 0.1), st.floats(-20, 40),
    st.floats(-20, 40),
)  # fmt: skip


def matrix(turn: float, scale: float, shear: float, x: float, y: float) -> np.ndarray:
    cos, sin = scale * np.cos(turn), scale * np.sin(turn)
    return np.array([[cos, sin + shear, x], [-sin, cos, y]])


def noise(height: int = 61, width: int = 83) -> np.ndarray:
    return np.random.default_rng(0).normal(100, 40, (height, width)).astype(np.float32)


def places(map_: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Where each place of the grid is in the plane, (2, height, width), x first."""
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    return np.einsum("kc,cij->kij", map_, np.stack([x, y, np.ones_like(x)]).astype(np.float64))


class TestSpline:
    @given(maps)
    @settings(max_examples=25)
    def test_is_the_one_of_scipy(self, parameters):
        plane, map_ = noise(), matrix(*parameters)
        x, y = places(map_, (50, 70))
        wanted = map_coordinates(
            plane.astype(np.float64), [y.clip(0, 60), x.clip(0, 82)], order=3, mode="mirror"
        )
        assert np.abs(resampling.spline(plane, map_, (50, 70)) - wanted).max() < 0.02

    def test_goes_through_the_samples(self):
        plane = noise()
        assert np.abs(resampling.spline(plane, np.eye(2, 3), plane.shape) - plane).max() < 0.01

    def test_beyond_the_border_is_as_it_ends(self):
        plane = noise()
        moved = resampling.spline(plane, np.array([[1.0, 0, -10], [0, 1, -7]]), (20, 30))
        assert np.abs(moved[:8, :11] - plane[0, 0]).max() < 0.01

    def test_what_a_coarse_grid_cannot_show_is_smoothed_away(self):
        y, x = np.mgrid[0:120, 0:120]
        checks = (100 + 50 * (-1.0) ** (x + y)).astype(np.float32)
        small = resampling.spline(checks, np.array([[2.5, 0, 0.3], [0, 2.5, 0.4]]), (40, 40))
        assert np.abs(small[3:-3, 3:-3] - 100).max() < 5

    def test_a_coarse_grid_still_shows_slopes(self):
        y, x = np.mgrid[0:120, 0:120].astype(np.float32)
        small = resampling.spline(2 * x + y, np.array([[2.5, 0, 0], [0, 2.5, 0]]), (40, 40))
        rows, columns = np.mgrid[5:35, 5:35] * 2.5
        assert np.abs(small[5:35, 5:35] - (2 * columns + rows)).max() < 0.05


@given(maps)
@settings(max_examples=25)
def test_nearest_is_the_sample_nearby(parameters):
    plane, map_ = noise(), matrix(*parameters)
    x, y = np.rint(places(map_, (50, 70))).astype(int)
    inside = (x >= 0) & (x < 83) & (y >= 0) & (y < 61)
    wanted = np.where(inside, plane[y.clip(0, 60), x.clip(0, 82)], 0)
    assert np.array_equal(resampling.nearest(plane, map_, (50, 70)), wanted)


def turned(degrees: float, height: int, width: int) -> np.ndarray:
    """The map of `attacks.geometry.rotate`: original to received pixels."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    linear = np.array([[cos, sin], [-sin, cos]])
    middle = np.array([width - 1, height - 1]) / 2
    return np.column_stack([linear, middle - linear @ middle])


class TestScatter:
    @pytest.mark.parametrize("degrees", [3, 10, 30, 44, -77])
    def test_puts_every_pixel_back(self, degrees):
        """Exactly, wherever a pixel of the original is in the turned picture at all.

        Sides are even: else a turn by 30 degrees has ties (as one by 45 has).
        """
        numbers = np.arange(1, 60 * 84 + 1).reshape(60, 84, 1)
        received = geometry.rotate(numbers, degrees)[..., 0]
        shown = np.isin(numbers[..., 0], received)
        assert shown.mean() > 0.6
        back = resampling.scatter(received.astype(np.float32), turned(degrees, 60, 84), (60, 84))
        assert np.array_equal(back[shown], numbers[shown, 0])

    def test_mends_holes_of_a_smooth_picture(self):
        y, x = np.mgrid[0:90, 0:100]
        smooth = 120 + 60 * np.sin(x / 12) * np.cos(y / 14)
        received = geometry.rotate(smooth[..., None], 30)[..., 0].astype(np.float32)
        back = resampling.scatter(received, turned(30, 90, 100), (90, 100))
        inner = back[25:65, 25:75] - smooth[25:65, 25:75]
        holes = np.abs(inner) > 1e-4
        assert 0.05 < holes.mean() < 0.3
        assert np.abs(inner).max() < 0.5

    def test_several_pixels_of_one_place_give_their_mean(self):
        received = np.arange(64, dtype=np.float32).reshape(8, 8)
        back = resampling.scatter(received, np.array([[2.0, 0, 0.5], [0, 2, 0.5]]), (4, 4))
        assert np.allclose(back, received.reshape(4, 2, 4, 2).mean(axis=(1, 3)))


@pytest.mark.parametrize("shape", [(60, 80), (5, 7), (1, 3)])
@pytest.mark.parametrize(
    "linear", [[[0.7, 0], [0, 0.9]], [[-1.1, 0], [0, 1]], [[0, 0.8], [-0.6, 0]], [[0, 1], [1, 0]]]
)
def test_upright_splines_are_splines(shape, linear):
    """Rows and columns one after the other, against all at once: hardly turned at all."""
    plane = np.random.default_rng(3).normal(0, 50, shape).astype(np.float32)
    upright = np.column_stack([linear, [3.3, 20.7]])
    turned = upright + np.array([1e-9, 1e-9, 0])
    found = resampling.spline(plane, upright, (48, 72))
    assert found.shape == (48, 72)
    assert np.abs(found - resampling.spline(plane, turned, (48, 72))).max() < 1e-3
