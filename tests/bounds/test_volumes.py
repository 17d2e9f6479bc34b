"""Volumes of a box inside a ball against high-precision references and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from volume_reference import random_box, volume_by_laplace, volume_by_slices

from morebits.bounds import oracles
from morebits.bounds.volumes import log2_ball, log2_box_ball
from morebits.errors import InputError

side = st.tuples(st.floats(-3, 2.5), st.floats(0.1, 3), st.integers(1, 12))


def engine(sides, radius: float):
    low, high, counts = (list(part) for part in zip(*sides, strict=True))
    return log2_box_ball(low, high, counts, radius)


def box(drawn) -> list[tuple[float, float, int]]:
    return [(a, a + size, count) for a, size, count in drawn]


def ends(sides) -> tuple[float, float]:
    """Squared distances of the nearest and the farthest point."""
    near = sum(c * max(a, -b, 0.0) ** 2 for a, b, c in sides)
    return near, sum(c * max(-a, b) ** 2 for a, b, c in sides)


class TestBall:
    @pytest.mark.parametrize(
        ("n", "volume"),
        [
            (0, 1),
            (1, 2),
            (2, math.pi),
            (3, 4 * math.pi / 3),
            (4, math.pi**2 / 2),
            (6, math.pi**3 / 6),
        ],
    )
    def test_closed_forms(self, n, volume):
        assert 2 ** log2_ball(n, 1.0) == pytest.approx(volume)
        assert log2_ball(n, 3.0) == pytest.approx(math.log2(volume) + n * math.log2(3))

    def test_the_paper_at_42_db(self):
        """16x16x3 with both peaks; 2,352 is the flip row of the paper's conservative table."""
        radius = math.sqrt(768) * 10 ** (-42 / 20)
        assert log2_ball(768, 255 * radius) == pytest.approx(2348.61, abs=5e-3)
        assert log2_ball(768, 256 * radius) == pytest.approx(2352.95, abs=5e-3)

    def test_nothing_in_an_empty_ball(self):
        assert log2_ball(5, 0.0) == -math.inf
        assert log2_ball(0, 0.0) == 0.0


class TestAgainstHighPrecision:
    @pytest.mark.parametrize("seed", range(40))
    def test_random_boxes(self, seed):
        self.check(seed)

    @pytest.mark.full
    @pytest.mark.parametrize("seed", range(40, 240))
    def test_two_hundred_more(self, seed):
        self.check(seed)

    @staticmethod
    def check(seed: int) -> None:
        sides, radius = random_box(np.random.default_rng(seed))
        found = engine(sides, radius)
        assert found.bits == pytest.approx(volume_by_laplace(sides, radius), abs=1e-9)
        assert found.error < 1e-9

    @pytest.mark.parametrize("seed", range(8))
    def test_up_to_three_dimensions_slice_by_slice(self, seed):
        rng = np.random.default_rng(seed)
        low = rng.uniform(-2, 0.5, seed % 3 + 1)
        sides = [
            (float(a), float(a + s), 1) for a, s in zip(low, rng.uniform(0.2, 3, 3), strict=False)
        ]
        near, far = ends(sides)
        radius = math.sqrt(near + (far - near) * float(rng.uniform(0.05, 0.95)))
        assert engine(sides, radius).bits == pytest.approx(
            volume_by_slices(sides, radius), abs=1e-9
        )

    @pytest.mark.parametrize("n", [3, 4, 5])
    def test_few_dimensions_add_up(self, n):
        """A side cut in two gives two boxes whose volumes sum to that of the whole."""
        rest = [(-1.0, 0.7, n - 2), (0.2, 1.5, 1)]
        parts = [[*rest, (-2.0, -0.4, 1)], [*rest, (-0.4, 0.9, 1)]]
        whole = engine([*rest, (-2.0, 0.9, 1)], 1.6).bits
        assert math.log2(sum(2 ** engine(part, 1.6).bits for part in parts)) == pytest.approx(
            whole, abs=1e-10
        )

    def test_four_dimensions_in_closed_form(self):
        """The ball of radius 1 is `pi^2 / 2`; a corner of the cube holds a sixteenth of it."""
        assert engine([(-1.0, 1.0, 4)], 1.0).bits == pytest.approx(math.log2(math.pi**2 / 2))
        assert engine([(0.0, 1.0, 4)], 1.0).bits == pytest.approx(math.log2(math.pi**2 / 32))

    @pytest.mark.parametrize(
        "sides",
        [[(-1.0, 1.0, 6)], [(-1.0, 2.0, 7)], [(0.0, 1.0, 4), (-2.0, 2.0, 5)], [(0.3, 1.0, 8)]],
    )
    def test_few_dimensions_by_the_papers_series(self, sides):
        """6 to 9 dimensions: terms fall like k^(-n/2 - 1), so 700 give ten digits."""
        near, far = ends(sides)
        low, high, counts = (list(part) for part in zip(*sides, strict=True))
        radius = math.sqrt(near + 0.5 * (far - near))
        series = oracles.box_ball_series(low, high, counts, radius, digits=18, terms=700)
        assert engine(sides, radius).bits == pytest.approx(series, abs=1e-9)

    @pytest.mark.parametrize("radius", [2.0, 4.0, 5.5])
    def test_the_papers_series_in_100_dimensions(self, radius):
        series = oracles.box_ball_series([-1, 0], [1, 0.8], [60, 40], radius, digits=100)
        assert engine([(-1, 1, 60), (0, 0.8, 40)], radius).bits == pytest.approx(series, abs=1e-9)


class TestClosedForms:
    @pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 12, 100, 768, 196_608])
    @pytest.mark.parametrize("radius", [0.5, 1.0])
    def test_ball_in_the_box(self, n, radius):
        expected = log2_ball(n, radius)
        tolerance = 1e-9 if n < 1000 else 1e-14 * abs(expected)
        assert engine([(-1.0, 1.0, n)], radius).bits == pytest.approx(expected, abs=tolerance)

    @pytest.mark.parametrize("n", [1, 2, 5, 6, 40, 768])
    def test_orthant(self, n):
        assert engine([(0.0, 9.0, n)], 4.0).bits == pytest.approx(log2_ball(n, 4.0) - n, abs=1e-9)

    def test_box_in_the_ball(self):
        found = engine([(-1, 1, 30), (1, 5, 10)], 100.0)
        assert found.bits == 50
        assert found.method == "the box is inside the ball"

    def test_box_beside_the_ball(self):
        assert engine([(1, 2, 30)], 5.0).bits == -math.inf


class TestNearlyFull:
    def test_corners_that_stick_out_are_seen(self):
        sides = [(-1.0, 1.0, 8)]
        bits = [engine(sides, math.sqrt(8) - gap).bits for gap in (0.5, 0.3, 0.1, 0.0)]
        assert bits == sorted(bits)
        assert bits[0] < 8
        assert bits[-1] == 8

    @pytest.mark.parametrize("share", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
    @pytest.mark.parametrize("n", [6, 20, 768])
    def test_a_sliver_is_missing(self, n, share):
        found = engine([(-1.0, 1.0, n)], math.sqrt(n * (1 - share)))
        assert n - 1e-3 <= found.bits <= n

    def test_next_to_nothing_is_missing(self):
        for share in (1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14):
            for n in (6, 20, 768):
                assert engine([(-1.0, 1.0, n)], math.sqrt(n * (1 - share))).bits == pytest.approx(n)


class TestProperties:
    @settings(max_examples=30)
    @given(st.lists(side, min_size=1, max_size=4), st.floats(0.02, 0.98), st.floats(0.02, 0.98))
    def test_monotone_in_the_radius(self, drawn, one, other):
        sides = box(drawn)
        near, far = ends(sides)
        low, high = sorted((one, other))
        radii = (math.sqrt(near + share * (far - near)) for share in (low, high))
        small, large = (engine(sides, radius).bits for radius in radii)
        assert small <= large + 1e-9

    @settings(max_examples=30)
    @given(st.lists(side, min_size=1, max_size=4), st.floats(0.05, 0.95))
    def test_mirror_images_are_as_large(self, drawn, share):
        sides = box(drawn)
        near, far = ends(sides)
        radius = math.sqrt(near + share * (far - near))
        mirrored = [(-b, -a, c) for a, b, c in sides[:-1]] + sides[-1:]
        assert engine(mirrored, radius).bits == pytest.approx(engine(sides, radius).bits, abs=1e-10)

    @settings(max_examples=30)
    @given(st.lists(side, min_size=1, max_size=3), st.floats(0.1, 0.9), st.floats(0.1, 10))
    def test_scaling(self, drawn, share, scale):
        """eq. conversion_to_unit_ball."""
        sides = box(drawn)
        near, far = ends(sides)
        radius = math.sqrt(near + share * (far - near))
        n = sum(c for _, _, c in sides)
        scaled = [(a * scale, b * scale, c) for a, b, c in sides]
        expected = engine(sides, radius).bits + n * math.log2(scale)
        assert engine(scaled, radius * scale).bits == pytest.approx(expected, abs=1e-9)

    @settings(max_examples=30)
    @given(st.lists(side, min_size=1, max_size=3), st.floats(0.1, 0.9), st.floats(0.1, 0.9))
    def test_two_halves_make_the_whole(self, drawn, share, cut):
        (a, b, count), *rest = box(drawn)
        rest = [*rest, (a, b, count - 1)] if count > 1 else rest
        near, far = ends([(a, b, 1), *rest])
        radius = math.sqrt(near + share * (far - near))
        middle = a + cut * (b - a)
        whole = 2 ** engine([(a, b, 1), *rest], radius).bits
        assume(whole > 1e-12)
        parts = (engine([(*part, 1), *rest], radius).bits for part in ((a, middle), (middle, b)))
        assert sum(2**bits for bits in parts) == pytest.approx(whole, rel=1e-9)

    def test_many_different_sides(self):
        """Beyond 4096 different sides they are carried over to a grid."""
        half = np.geomspace(0.5, 2.0, 6000)
        fine = log2_box_ball(-half, half, 1, 50.0).bits
        coarse = log2_box_ball(-half[::2], half[::2], 2, 50.0).bits
        middle = math.sqrt(half[1] / half[0])
        assert fine == pytest.approx(coarse, abs=6000 * math.log2(middle))
        pairs = np.sqrt(half[::2] * half[1::2])
        assert fine == pytest.approx(log2_box_ball(-pairs, pairs, 2, 50.0).bits, abs=1e-3)


class TestErrors:
    @pytest.mark.parametrize("radius", [0.0, -1.0, math.nan, math.inf])
    def test_bad_radius(self, radius):
        with pytest.raises(InputError, match="radius"):
            log2_box_ball(-1, 1, 3, radius)

    @pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (math.nan, 1), (-math.inf, 1)])
    def test_bad_sides(self, low, high):
        with pytest.raises(InputError, match="low < high"):
            log2_box_ball(low, high, 3, 1.0)
