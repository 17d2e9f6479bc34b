"""Quantised edits on tiny images: the paper's two figures and what they tend to."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.bounds.quantised import PAPER_RADIUS, Survivors, rotation, survivors, vladimirov
from morebits.errors import InputError, TooLarge, UnknownName

STRETCH = np.diag([2.0, 0.5])


def listed(matrix, radius: float) -> Survivors:
    """The same count with plain loops."""
    reach, points, seen = math.floor(radius), 0, set()
    for x in itertools.product(range(-reach, reach + 1), repeat=len(matrix)):
        if sum(v * v for v in x) <= radius * radius:
            points += 1
            seen.add(tuple(math.floor(np.dot(row, x) + 0.5) for row in matrix))
    return Survivors(points, len(seen))


class TestPaperFigures:
    """Captions of the figures quantization_ellipsoid and quantization_sphere."""

    def test_disk(self):
        """1 at 0 degrees, 0.837 at 45."""
        assert survivors(np.eye(2), PAPER_RADIUS).factor == 1.0
        assert survivors(rotation(45), PAPER_RADIUS).factor == pytest.approx(0.837, abs=5e-4)

    def test_ellipse(self):
        """0.5 predicted at every angle, 0.60 seen at 45 degrees."""
        turned = survivors(rotation(45) @ STRETCH, PAPER_RADIUS)
        assert turned == Survivors(441, 265)
        assert turned.factor == pytest.approx(0.60, abs=5e-3)

    def test_the_printed_order_of_the_product_gives_another_number(self):
        assert survivors(STRETCH @ rotation(45), PAPER_RADIUS).factor > 0.7

    def test_large_disk(self):
        assert survivors(STRETCH, 300).factor == pytest.approx(0.5, abs=2e-3)
        assert survivors(rotation(45) @ STRETCH, 300).factor == pytest.approx(0.583, abs=2e-3)
        assert survivors(STRETCH @ rotation(45), 300).factor == pytest.approx(0.707, abs=2e-3)


class TestVladimirov:
    @pytest.mark.parametrize("degrees", [0, 15, 30, 45, 70, 90])
    def test_large_disks_follow_the_formula(self, degrees):
        found = survivors(rotation(degrees), 300).factor
        assert found == pytest.approx(vladimirov(degrees), abs=2e-3)

    def test_ends_and_middle(self):
        assert vladimirov(0) == pytest.approx(1)
        assert vladimirov(90) == pytest.approx(1)
        assert vladimirov(45) == pytest.approx(1 - (math.sqrt(2) - 1) ** 2)

    @pytest.mark.parametrize("degrees", [-1, 91, math.nan])
    def test_bad_angle(self, degrees):
        with pytest.raises(InputError, match="0 to 90"):
            vladimirov(degrees)


class TestSurvivors:
    @given(st.lists(st.floats(-3, 3), min_size=4, max_size=4), st.floats(0, 6))
    def test_equals_plain_loops_in_2d(self, entries, radius):
        matrix = np.array(entries).reshape(2, 2)
        found, expected = survivors(matrix, radius), listed(matrix, radius)
        assert found.points == expected.points
        # A product may round to either side of a half: matrix products sum in another order.
        assert abs(found.images - expected.images) <= 0.02 * found.points

    def test_equals_plain_loops_in_3d(self):
        matrix = np.random.default_rng(3).normal(size=(3, 3))
        assert survivors(matrix, 4.2) == listed(matrix, 4.2)

    def test_rotation_in_space_about_an_axis_keeps_what_the_plane_keeps(self):
        turn = np.eye(3)
        turn[:2, :2] = rotation(45)
        assert survivors(turn, 40).factor == pytest.approx(vladimirov(45), abs=0.01)

    @given(st.permutations([0, 1, 2]), st.lists(st.sampled_from([-1, 1]), min_size=3, max_size=3))
    def test_signed_permutations_lose_nothing(self, order, signs):
        assert survivors(np.eye(3)[order] * signs, 4).factor == 1.0

    def test_zero_matrix_keeps_one_image(self):
        assert survivors(np.zeros((2, 2)), 5).images == 1

    def test_floor_and_round_agree_in_the_limit(self):
        matrix = rotation(20) @ STRETCH
        floor = survivors(matrix, 300, quantiser="floor").factor
        assert floor == pytest.approx(survivors(matrix, 300).factor, abs=2e-3)

    @pytest.mark.parametrize(
        "matrix", [np.eye(4), [[1, 2]], [[math.nan, 0], [0, 1]], [[1e9, 0], [0, 1]]]
    )
    def test_bad_matrix(self, matrix):
        with pytest.raises(InputError, match="matrix"):
            survivors(matrix, 3)

    @pytest.mark.parametrize("radius", [-1.0, math.nan, math.inf])
    def test_bad_radius(self, radius):
        with pytest.raises(InputError, match="radius"):
            survivors(np.eye(2), radius)

    def test_too_large(self):
        with pytest.raises(TooLarge, match="smaller radius"):
            survivors(np.eye(3), 500)

    def test_unknown_quantiser(self):
        with pytest.raises(UnknownName, match="floor, round"):
            survivors(np.eye(2), 3, quantiser="up")  # pyright: ignore[reportArgumentType]
