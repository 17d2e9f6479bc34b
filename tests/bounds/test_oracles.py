"""The paper's algorithms against brute force, closed forms and each other."""

from __future__ import annotations

import builtins
import itertools
import math

import pytest
from count_reference import exact_count
from hypothesis import given
from hypothesis import strategies as st

from morebits.bounds import oracles
from morebits.bounds.volumes import log2_ball, log2_box_ball
from morebits.errors import InputError, MissingExtra, TooLarge

# Points of Z^3 within r, r = 0 to 10: OEIS A000605.
BALL_3D = [1, 7, 33, 123, 257, 515, 925, 1419, 2109, 3071, 4169]
# Points of Z^2 within r, r = 0 to 10: OEIS A000328 (Gauss circle problem).
DISK = [1, 5, 13, 29, 49, 81, 113, 149, 197, 253, 317]


class TestBruteForce:
    def test_gauss_circle(self):
        assert [oracles.brute_force_count(r, 2) for r in range(11)] == DISK

    def test_three_dimensions(self):
        assert [oracles.brute_force_count(r, 3) for r in range(11)] == BALL_3D

    def test_refuses_before_it_starts(self):
        with pytest.raises(TooLarge, match="mitchell_count"):
            oracles.brute_force_count(10, 9)

    @pytest.mark.parametrize("radius", [math.nan, math.inf, -1.0])
    def test_bad_radius(self, radius):
        with pytest.raises(InputError, match="radius"):
            oracles.brute_force_count(radius, 2)


class TestMitchell:
    @given(st.integers(1, 5), st.floats(0, 4.5))
    def test_equals_brute_force(self, dimension, radius):
        expected = oracles.brute_force_count(radius, dimension)
        assert oracles.mitchell_count(dimension, radius) == expected

    def test_the_case_of_all_coordinates_equal(self):
        """`i = m` of the paper's loop: (1, ..., 1) is in the inner cube, never counted twice."""
        for m in range(1, 7):
            assert oracles.mitchell_count(m, math.sqrt(m) + 1e-9) == exact_count([(-9, 9, m)], m)

    def test_768_dimensions_by_hand(self):
        """Radius 2: up to four steps of 1, or one of 2."""
        steps = sum(math.comb(768, i) * 2**i for i in range(5))
        assert oracles.mitchell_count(768, 2) == steps + 2 * 768

    def test_768_dimensions_against_flint(self):
        assert oracles.mitchell_count(768, 5) == exact_count([(-5, 5, 768)], 25)


class TestBounded:
    @given(
        st.lists(st.tuples(st.integers(-4, 0), st.integers(0, 4)), min_size=1, max_size=4),
        st.floats(0, 9),
    )
    def test_equals_listing_the_box(self, bounds, radius):
        box = itertools.product(*(range(low, high + 1) for low, high in bounds))
        expected = sum(sum(x * x for x in point) <= radius * radius for point in box)
        assert oracles.bounded_count(radius, bounds) == expected

    def test_wide_bounds_give_mitchell(self):
        assert oracles.bounded_count(6, [(-99, 99)] * 7) == oracles.mitchell_count(7, 6)

    def test_real_bounds_are_rounded_inward(self):
        assert oracles.bounded_count(9, [(-1.5, 2.9)]) == 4

    def test_bound_8_as_printed(self):
        """`(0, 2^k)` or `(0, 2^k - 1)`: the same wherever bound 8 is valid."""
        for radius in (3.0, 7.5):
            printed = oracles.bounded_count(radius, [(0, 16)] * 6)
            assert printed == oracles.bounded_count(radius, [(0, 15)] * 6)

    def test_refuses_before_it_starts(self):
        with pytest.raises(TooLarge, match="dimensions"):
            oracles.bounded_count(1, [(0, 1)] * 401)


class TestSeries:
    @pytest.mark.parametrize(("n", "digits"), [(16, 20), (40, 40), (100, 90)])
    def test_a_whole_ball(self, n, digits):
        assert oracles.box_ball_series([-2], [2], [n], 1.5, digits=digits) == pytest.approx(
            log2_ball(n, 1.5), abs=1e-10
        )

    def test_an_orthant_of_a_ball(self):
        found = oracles.box_ball_series([0], [3], [24], 2.0, digits=30)
        assert found == pytest.approx(log2_ball(24, 2.0) - 24, abs=1e-10)

    @pytest.mark.parametrize("low", [-1.0, -0.3, 0.2])
    def test_both_fresnel_conventions_agree(self, low):
        values = [
            oracles.box_ball_series([low, -1.0], [1.0, 1.0], [8, 8], 2.0, terms=40, fresnel=f)
            for f in ("plain", "normalised")
        ]
        assert values[0] == pytest.approx(values[1], abs=1e-12)

    def test_equal_sides_are_grouped_without_a_trace(self):
        apart = oracles.box_ball_series([-1, 0] * 8, [1, 2] * 8, [1] * 16, 2.5, terms=40)
        together = oracles.box_ball_series([-1, 0], [1, 2], [8, 8], 2.5, terms=40)
        assert apart == pytest.approx(together, abs=1e-13)

    def test_terms_that_wave_do_not_stop_it_early(self):
        """|Phi| dips by many orders of magnitude and comes back."""
        sides = ([-127.5], [127.5], [192])
        found = [
            oracles.box_ball_series(*sides, 200.0, digits=digits, terms=terms)
            for digits, terms in ((140, None), (180, None), (160, 1500))
        ]
        assert found == pytest.approx([log2_box_ball(*sides, 200.0).bits] * 3, abs=1e-9)

    def test_refuses_before_it_starts(self):
        with pytest.raises(TooLarge, match="terms"):
            oracles.box_ball_series([-1], [1], [3], 1.0, digits=50)

    def test_box_inside_the_ball(self):
        assert oracles.box_ball_series([-1, 1], [1, 2], [3, 2], 100.0) == pytest.approx(3.0)

    def test_box_outside_the_ball(self):
        assert oracles.box_ball_series([2], [3], [3], 1.0) == -math.inf

    def test_more_terms_come_closer(self):
        exact = log2_ball(10, 1.0)
        errors = [
            abs(oracles.box_ball_series([-1], [1], [10], 1.0, digits=20, terms=t) - exact)
            for t in (20, 80, 320)
        ]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] < 1e-7

    def test_too_few_digits_are_noticed(self):
        with pytest.raises(InputError, match="give more"):
            oracles.box_ball_series([-1], [1], [60], 1.0, digits=20, terms=200)

    @pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (math.nan, 1), (0, math.inf)])
    def test_bad_sides(self, low, high):
        with pytest.raises(InputError, match="side"):
            oracles.box_ball_series([low], [high], [2], 1.0)

    @pytest.mark.parametrize("radius", [0.0, -1.0, math.inf, math.nan])
    def test_bad_radius(self, radius):
        with pytest.raises(InputError, match="radius"):
            oracles.box_ball_series([-1], [1], [2], radius)

    def test_says_when_mpmath_is_missing(self, monkeypatch):
        real = builtins.__import__

        def without(name, *args, **kwargs):
            if name == "mpmath":
                raise ImportError(name)
            return real(name, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(MissingExtra, match=r"morebits\[dev\]"):
            oracles.box_ball_series([-1], [1], [2], 1.0)
