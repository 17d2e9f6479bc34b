"""Bounds 1 to 9: values, kinds, and validity exactly where the paper says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits import bounds
from morebits.bounds.psnr import NAMES, volume_error
from morebits.errors import InputError
from morebits.types import ImageFormat

PX_16, PX_256 = ImageFormat(3, 16, 16, 8), ImageFormat(3, 256, 256, 8)
BOUNDS = {str(i): getattr(bounds, f"bound_{i}") for i in range(1, 10)}
#: 20 log10(2): the ball holds the cube below this. 20 log10(2 sqrt n): it is inside above.
LOW, HIGH = 20 * math.log10(2), 20 * math.log10(2 * math.sqrt(768))
KINDS = {
    "1": "upper", "2": "upper", "3": "approximation", "4": "exact", "5": "approximation",
    "6": "approximation", "7": "approximation", "8": "exact", "9": "approximation",
}  # fmt: skip


class TestValidity:
    """Section 3.2, Appendices D to F: each "Bound validity", at 16 px."""

    @pytest.mark.parametrize("psnr", [-10, LOW, 20, HIGH, 60, 90])
    @pytest.mark.parametrize("bound", ["1", "4", "8"])
    def test_always(self, bound, psnr):
        assert BOUNDS[bound](PX_16, psnr).valid

    @pytest.mark.parametrize(
        ("bound", "limit", "valid_above"),
        [("2", LOW, False), ("3", HIGH, True), ("5", LOW, True), ("5", HIGH, False),
         ("6", LOW, True), ("6", HIGH, False), ("7", HIGH, True), ("9", HIGH, False)],
    )  # fmt: skip
    def test_flips_exactly_at_the_limit(self, bound, limit, valid_above):
        step = 1e-4 if (bound, limit) == ("5", LOW) else 1e-9  # see TestNearlyFull of test_volumes
        above, below = (BOUNDS[bound](PX_16, limit + d) for d in (step, -step))
        assert (above.valid, below.valid) == (valid_above, not valid_above)
        wrong = below if valid_above else above
        assert f"{limit:.2f}" in wrong.reason
        assert "dB" in wrong.reason

    @pytest.mark.parametrize("peak", [256, 100.0, 1000])
    def test_limits_move_with_the_peak(self, peak):
        """The conditions are on epsilon; the PSNR that they mean depends on the peak."""
        shift = 20 * math.log10(peak / 255)
        for bound, limit in (("2", LOW), ("3", HIGH), ("5", HIGH), ("9", HIGH)):
            found = [BOUNDS[bound](PX_16, limit + shift + d, peak=peak) for d in (1e-9, -1e-9)]
            assert found[0].valid != found[1].valid
            wrong = next(item for item in found if not item.valid)
            assert f"{limit + shift:.2f}" in wrong.reason

    @pytest.mark.parametrize("bound", ["3", "7"])
    def test_a_ball_too_small_for_its_volume(self, bound):
        """At 60 dB and 256 px the volume says 14,867 bits, the count 81,013."""
        found = BOUNDS[bound](PX_256, 60)
        assert not found.valid
        assert "too small" in found.reason

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_kind_name_and_numbers_that_belong_together(self, bound):
        found = BOUNDS[bound](PX_16, 30)
        assert (found.bound, found.kind, found.name) == (bound, KINDS[bound], NAMES[bound])
        assert found.bpp == found.bits / 768
        assert (found.psnr, found.peak, found.format) == (30, 255, PX_16)
        assert found.cover == ("corner" if bound in "789" else "gray")
        assert found.under is None
        assert "\n" not in found.reason


class TestValues:
    def test_bounds_1_and_2(self):
        """1.57 Mbit in a 256 px colour image (Section 3.1)."""
        assert bounds.bound_1(PX_256, 42).bits == bounds.bound_2(PX_256, 5).bits == 1_572_864

    def test_bound_3(self):
        assert bounds.bound_3(PX_16, 42).bits == pytest.approx(2348.61, abs=5e-3)
        assert bounds.bound_3(PX_256, 60).bits == pytest.approx(14_866.7, abs=0.06)
        assert bounds.bound_3(PX_256, 55).bits == pytest.approx(178_146.1, abs=0.06)

    def test_bound_4(self):
        """ "At 45 dB roughly 2000 bits", 500,000 at 256 px (Section 3.2)."""
        assert bounds.bound_4(PX_16, 45).bits == pytest.approx(1966.01857789, abs=6e-9)
        assert bounds.bound_4(PX_256, 45).bits == pytest.approx(504_705.0, abs=0.06)

    def test_bound_5_meets_bound_3_where_the_ball_enters_the_cube(self):
        assert bounds.bound_5(PX_16, HIGH).bits == pytest.approx(bounds.bound_3(PX_16, HIGH).bits)

    def test_bound_5_meets_the_cube_where_the_ball_holds_it(self):
        full = bounds.bound_5(PX_16, LOW).bits
        assert full == pytest.approx(768 * math.log2(255), abs=1e-9)

    @pytest.mark.parametrize("psnr", [7, 10, 15, 20, 30])
    def test_bound_5_follows_the_count(self, psnr):
        """The cube is [0, rho]^n for volumes, 2^k values for counts: up to n log2(256/255)."""
        volume, count = bounds.bound_5(PX_16, psnr).bits, bounds.bound_4(PX_16, psnr).bits
        assert volume == pytest.approx(count, abs=768 * math.log2(256 / 255) + 0.1)

    @pytest.mark.parametrize("psnr", [7, 10, 15, 20, 30, 34])
    def test_bound_6_is_the_smaller_and_above_bound_5(self, psnr):
        six = bounds.bound_6(PX_16, psnr).bits
        assert six == min(bounds.bound_2(PX_16, psnr).bits, bounds.bound_3(PX_16, psnr).bits)
        assert six >= bounds.bound_5(PX_16, psnr).bits - 1e-9

    @pytest.mark.parametrize(("psnr", "valid"), [(20, True), (45, True), (50, True), (58, False)])
    def test_bound_6_is_valid_where_volumes_stand_for_counts(self, psnr, valid):
        """The paper's condition ends at 58.96 dB at 256 px; the volume is 34,000 bits off there."""
        six, four = bounds.bound_6(PX_256, psnr), bounds.bound_4(PX_256, psnr)
        assert six.valid is valid
        assert (abs(six.bits - four.bits) < 0.01 * PX_256.samples) is valid

    def test_bound_2_is_exact_once_the_farthest_corner_is_inside(self):
        """Gray is at 128, so that corner is 128 sqrt(n) away, not 127.5 sqrt(n)."""
        assert bounds.bound_2(PX_16, 6.0).kind == "upper"
        assert bounds.bound_2(PX_16, 5.9).kind == "exact"

    def test_bound_7_is_one_bit_a_sample_below_bound_3(self):
        gap = bounds.bound_3(PX_16, 42).bits - bounds.bound_7(PX_16, 42).bits
        assert gap == pytest.approx(768)

    @pytest.mark.parametrize("psnr", [36, 42, 50, 60])
    def test_bound_8_lies_between_bounds_7_and_4(self, psnr):
        """A corner costs at most one bit a sample (Section 3.3)."""
        gap = bounds.bound_4(PX_16, psnr).bits - bounds.bound_8(PX_16, psnr).bits
        assert 0 < gap <= 768
        assert bounds.bound_8(PX_16, psnr).bits >= bounds.bound_7(PX_16, psnr).bits

    def test_bound_9_meets_bound_7(self):
        """Until the ball meets the far faces at epsilon = rho, a corner keeps 1/2^n of it."""
        assert bounds.bound_9(PX_16, HIGH).bits == pytest.approx(bounds.bound_7(PX_16, HIGH).bits)

    def test_bound_9_of_a_photo(self):
        histogram = np.zeros(256)
        histogram[[0, 128, 255]] = 256
        cover = bounds.photo(PX_16, histogram)
        corner, photo = bounds.bound_9(PX_16, 20), bounds.bound_9(PX_16, 20, cover=cover)
        assert corner.bits < photo.bits < bounds.bound_5(PX_16, 20).bits
        assert photo.cover == "photo"

    def test_bound_8_of_a_gray_photo_is_bound_4(self):
        cover = bounds.photo(PX_16, np.eye(256)[128] * 768)
        four, eight = bounds.bound_4(PX_16, 40), bounds.bound_8(PX_16, 40, cover=cover)
        assert eight.bits == four.bits
        assert "this very picture" in eight.reason

    def test_peak_256_is_the_papers_table(self):
        """Flip row of the conservative table: 2,352 bits, 602,353 at 256 px (x 256)."""
        found = bounds.bound_3(PX_16, 42, peak=256).bits
        assert math.floor(found) == 2352
        assert found * 256 == pytest.approx(602_353, abs=3)

    @settings(max_examples=25)
    @given(st.floats(36, 60), st.integers(2, 20))
    def test_volume_error_covers_the_real_one(self, psnr, size):
        format = ImageFormat(3, size, size, 8)
        eps = bounds.epsilon(format, psnr)
        if eps <= 127:
            real = abs(bounds.bound_3(format, psnr).bits - bounds.bound_4(format, psnr).bits)
            if volume_error(format.samples, eps) < 1e-2 * format.samples:
                assert real <= 2 * volume_error(format.samples, eps) + 1e-9


class TestDepths:
    @pytest.mark.parametrize("depth", range(1, 17))
    def test_every_depth(self, depth):
        format = ImageFormat(3, 32, 32, depth)
        for psnr in (10, 42):
            four, eight = bounds.bound_4(format, psnr), bounds.bound_8(format, psnr)
            assert 0 <= eight.bits <= four.bits <= format.samples * depth * (1 + 1e-12)
        assert bounds.bound_4(format, 0).bits == pytest.approx(format.samples * depth)


class TestErrors:
    @pytest.mark.parametrize("psnr", [math.nan, math.inf, True, "42", None, 1000])
    @pytest.mark.parametrize("bound", BOUNDS)
    def test_bad_psnr(self, bound, psnr):
        with pytest.raises(InputError, match="psnr"):
            BOUNDS[bound](PX_16, psnr)

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_bad_peak(self, bound):
        with pytest.raises(InputError, match="peak"):
            BOUNDS[bound](PX_16, 42, peak=-255)

    @pytest.mark.parametrize("field", ["channels", "width", "height", "depth"])
    @pytest.mark.parametrize("value", [0, -1, 2.0, True, "3"])
    def test_bad_format(self, field, value):
        fields = {"channels": 3, "width": 16, "height": 16, "depth": 8, field: value}
        with pytest.raises(InputError, match=field):
            ImageFormat(**fields)

    def test_depth_and_size_limits(self):
        with pytest.raises(InputError, match="1 to 16"):
            ImageFormat(3, 16, 16, 17)
        with pytest.raises(InputError, match="1,000,000,000"):
            ImageFormat(3, 100_000, 100_000)
