"""Bounds 10 to 13, from the singular values of an edit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits import bounds
from morebits.bounds import Spectrum, oracles
from morebits.bounds.edit import NAMES
from morebits.errors import InputError
from morebits.types import ImageFormat

PX_16 = ImageFormat(3, 16, 16, 8)
BOUNDS = {str(i): getattr(bounds, f"bound_{i}") for i in range(10, 14)}
KINDS = {"10": "heuristic", "11": "heuristic", "12": "heuristic", "13": "lower"}


def spectrum(values, counts, *, inputs: int = 768, left_l1=None) -> Spectrum:
    return Spectrum.of(
        values, counts, inputs=inputs, outputs=inputs, method="made up", left_l1=left_l1
    )


IDENTITY = spectrum([1.0], [768], left_l1=[1.0])
#: 700 dimensions kept, half of them squeezed, some stretched by 2: mu = 2.
MIXED = spectrum([2.0, 1.0, 0.5], [100, 250, 350], left_l1=[3.0, 1.0, 2.0])
NOTHING = spectrum([0.0], [768], left_l1=[1.0])


class TestValidity:
    @pytest.mark.parametrize(("edit", "mu"), [(IDENTITY, 1.0), (MIXED, 2.0)])
    @pytest.mark.parametrize("peak", [None, 256])
    def test_flips_exactly_at_the_limit(self, edit, mu, peak):
        """Appendix G: epsilon <= rho/(2 mu) for bound 10, above it for bound 12."""
        limit = 20 * math.log10(2 * mu * math.sqrt(768) * (peak or 255) / 255)
        for bound, valid_above in (("10", True), ("12", False)):
            above, below = (BOUNDS[bound](PX_16, limit + d, edit, peak=peak) for d in (1e-9, -1e-9))
            assert (above.valid, below.valid) == (valid_above, not valid_above)
            wrong = below if valid_above else above
            assert f"{limit:.2f} dB" in wrong.reason

    @pytest.mark.parametrize("psnr", [0, 20, 34, 42, 60, 80])
    @pytest.mark.parametrize("bound", ["11", "13"])
    def test_always(self, bound, psnr):
        assert BOUNDS[bound](PX_16, psnr, MIXED).valid

    def test_a_ball_too_small_for_its_volume(self):
        found = bounds.bound_10(PX_16, 65, MIXED)
        assert not found.valid
        assert "too small" in found.reason

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_kind_name_and_details(self, bound):
        found = BOUNDS[bound](PX_16, 42, MIXED, under="an edit")
        assert (found.bound, found.kind, found.name) == (bound, KINDS[bound], NAMES[bound])
        assert found.under == "an edit"
        assert found.bpp == found.bits / 768
        assert found.details["rank"] == 700
        assert found.details["log2_xi"] == -350
        assert found.details["rank_tolerance"] == pytest.approx(2e-10)
        assert "made up" in found.method


class TestValues:
    def test_bound_10_is_ball_of_the_rank_times_xi(self):
        eps = bounds.epsilon(PX_16, 42)
        expected = bounds.log2_ball(700, eps) - 350
        assert bounds.bound_10(PX_16, 42, MIXED).bits == pytest.approx(expected)

    @pytest.mark.parametrize("psnr", [42, 48, 55, 70])
    def test_identity_loses_nothing(self, psnr):
        free = bounds.bound_4(PX_16, psnr).bits
        assert bounds.bound_11(PX_16, psnr, IDENTITY).bits == pytest.approx(free, abs=1e-9)

    def test_bound_11_is_mitchells_count_times_xi(self):
        """In its range it is the paper's: the whole ball, no cube."""
        format = ImageFormat(1, 4, 4, 8)
        edit = spectrum([2.0, 1.0, 0.25], [4, 4, 2], inputs=16)
        eps = bounds.epsilon(format, 45)
        points = oracles.mitchell_count(10, eps)
        expected = math.log2(points) - 4
        assert bounds.bound_11(format, 45, edit).bits == pytest.approx(expected, abs=1e-9)

    def test_bounds_10_and_11_agree_on_large_balls(self):
        ten, eleven = bounds.bound_10(PX_16, 40, MIXED), bounds.bound_11(PX_16, 40, MIXED)
        assert ten.bits == pytest.approx(eleven.bits, abs=ten.error + 0.1)

    @pytest.mark.parametrize("psnr", [10, 20, 30, 38])
    def test_bounds_11_and_12_agree_where_the_cube_cuts(self, psnr):
        """Counts and volumes of boxes of 127 and of 255 values: a few hundredths a sample."""
        eleven, twelve = bounds.bound_11(PX_16, psnr, MIXED), bounds.bound_12(PX_16, psnr, MIXED)
        assert twelve.bits == pytest.approx(eleven.bits, abs=10)

    def test_bound_12_of_the_identity_is_bound_5(self):
        five = bounds.bound_5(PX_16, 20).bits
        assert bounds.bound_12(PX_16, 20, IDENTITY).bits == pytest.approx(five, abs=1e-9)

    def test_bound_13_of_a_flip_with_peak_256(self):
        """Conservative table, flip: 2,352 bits. One unit cube falls on each image: K = 1."""
        assert math.floor(bounds.bound_13(PX_16, 42, IDENTITY, peak=256).bits) == 2352

    def test_bound_13_by_hand(self):
        """Theorem 2 with beta = l1 / (2 sigma) inside the ball: the box is a plain product."""
        edit = spectrum([1.0, 0.5], [700, 68], left_l1=[1.0, 1.2])
        box = 68 * math.log2(2 * 1.2)
        expected = bounds.bound_3(PX_16, 42).bits - box
        assert bounds.bound_13(PX_16, 42, edit).bits == pytest.approx(expected, abs=1e-6)

    def test_bound_13_is_below_the_heuristic(self):
        assert bounds.bound_13(PX_16, 42, MIXED).bits < bounds.bound_11(PX_16, 42, MIXED).bits

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_an_edit_that_keeps_nothing(self, bound):
        assert BOUNDS[bound](PX_16, 42, NOTHING).bits == 0

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_never_negative(self, bound):
        tiny = spectrum([1e-6], [768], left_l1=[27.0])
        assert BOUNDS[bound](PX_16, 42, tiny).bits == 0

    @settings(max_examples=25)
    @given(st.floats(36, 60), st.floats(36, 60))
    def test_bound_11_monotone(self, one, other):
        low, high = sorted((one, other))
        assert (
            bounds.bound_11(PX_16, high, MIXED).bits
            <= bounds.bound_11(PX_16, low, MIXED).bits + 1e-9
        )

    def test_an_estimate_states_its_error(self):
        rough = Spectrum.of(
            [1.0, 0.5], [400.5, 300.2], inputs=768, outputs=768, method="estimate",
            log2_xi_error=3.0, rank_error=2.0,
        )  # fmt: skip
        found = bounds.bound_11(PX_16, 42, rough)
        step = bounds.log2_ball(701.7, bounds.epsilon(PX_16, 42)) - bounds.log2_ball(
            700.7, bounds.epsilon(PX_16, 42)
        )
        assert found.error == pytest.approx(3 + 2 * step, rel=1e-6)

    def test_fractional_counts_have_no_step_at_tiny_radii(self):
        rough = spectrum([1.0], [500.9])
        bits = [
            bounds.log2_count([bounds.ranges(-127, 127, rough.counts)], t).bits for t in (63, 64)
        ]
        whole = [bounds.log2_count([bounds.ranges(-127, 127, 501)], t).bits for t in (63, 64)]
        assert bits[1] - bits[0] == pytest.approx(whole[1] - whole[0], abs=1e-3)


class TestErrors:
    @pytest.mark.parametrize("bound", BOUNDS)
    def test_operator_of_another_size(self, bound):
        with pytest.raises(InputError, match="768 samples"):
            BOUNDS[bound](PX_16, 42, spectrum([1.0], [100], inputs=100, left_l1=[1.0]))

    def test_bound_13_without_vectors(self):
        with pytest.raises(InputError, match="left singular vectors"):
            bounds.bound_13(PX_16, 42, spectrum([1.0], [768]))

    @pytest.mark.parametrize("bound", BOUNDS)
    @pytest.mark.parametrize("psnr", [math.nan, math.inf, True, "42"])
    def test_bad_psnr(self, bound, psnr):
        with pytest.raises(InputError, match="psnr"):
            BOUNDS[bound](PX_16, psnr, IDENTITY)

    def test_bad_peak(self):
        with pytest.raises(InputError, match="peak"):
            bounds.bound_11(PX_16, 42, IDENTITY, peak=np.nan)
