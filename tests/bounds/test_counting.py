"""Counts by contour integration against exact whole numbers.

Golden values: `GRAY_16PX` are exact integers made with python-flint's `fmpz_poly.pow_trunc` for
16x16x3 samples of 8 bits around gray (128), `T = floor(768 * 255^2 / 10^(dB/10))`. `GRAY_256PX`
comes from an independent prototype of the contour integral, printed to 0.1 bit.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from count_reference import engine, exact_bits, farthest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from morebits.bounds import counting, oracles
from morebits.bounds.counting import Family, log2_count, log2_counts, ranges, squares
from morebits.bounds.covers import corner, gray, photo
from morebits.bounds.radius import level
from morebits.bounds.volumes import log2_ball
from morebits.errors import InputError
from morebits.types import ImageFormat

GRAY_16PX = {
    60: 307.89407090,
    55: 714.01005959,
    50: 1328.20177118,
    45: 1966.01857789,
    42: 2348.52857236,
    40: 2603.68580405,
    36: 3113.99587233,
    30: 3879.35646568,
}
GRAY_256PX = {
    60: 81013.3,
    55: 184662.2,
    50: 341427.1,
    48: 406737.1,
    45: 504705.0,
    42: 602672.6,
    40: 667984.3,
    38: 733296.1,
    36: 798607.8,
    30: 994543.1,
    20: 1321101.8,
    15: 1482875.5,
    10: 1572864.0,
}
PX_16, PX_256 = ImageFormat(3, 16, 16, 8), ImageFormat(3, 256, 256, 8)

group = st.tuples(st.integers(-9, 0), st.integers(0, 9), st.integers(1, 4))
groups = st.lists(group, min_size=1, max_size=4)


def brute(boxes, squared: float) -> int:
    """List every point of a tiny box."""
    axes = [range(low, high + 1) for low, high, count in boxes for _ in range(count)]
    return sum(sum(x * x for x in point) <= squared for point in itertools.product(*axes))


class TestGolden:
    @pytest.mark.parametrize(("psnr", "bits"), GRAY_16PX.items())
    def test_16_px(self, psnr, bits):
        assert log2_count([gray(PX_16).family], level(PX_16, psnr)).bits == pytest.approx(
            bits, abs=6e-9
        )

    def test_256_px(self):
        found = log2_counts([gray(PX_256).family], [level(PX_256, psnr) for psnr in GRAY_256PX])
        assert [count.bits for count in found] == pytest.approx(list(GRAY_256PX.values()), abs=0.06)

    def test_the_figure_everyone_quotes(self):
        found = log2_count([gray(PX_256).family], level(PX_256, 42))
        assert found.bits == pytest.approx(602_672.58, abs=0.01)
        assert found.error < 1e-8


class TestAgainstExactIntegers:
    @pytest.mark.parametrize("n", [1, 2, 3, 10, 48, 192, 768])
    @pytest.mark.parametrize("psnr", [45, 52, 60, 70])
    def test_gray_and_corner(self, n, psnr):
        format = ImageFormat(n, 1, 1, 8)
        for cover, box in ((gray(format), (-128, 127, n)), (corner(format), (0, 255, n))):
            found = log2_count([cover.family], level(format, psnr))
            assert found.bits == pytest.approx(exact_bits([box], level(format, psnr)), abs=1e-9)
            assert found.error < 1e-9

    @pytest.mark.full
    @pytest.mark.parametrize("n", [1, 2, 3, 5, 12, 48, 147, 192, 300, 432, 600, 768])
    @pytest.mark.parametrize("psnr", range(30, 71, 5))
    def test_whole_grid(self, n, psnr):
        format = ImageFormat(n, 1, 1, 8)
        found = log2_count([gray(format).family], level(format, psnr))
        expected = exact_bits([(-128, 127, n)], level(format, psnr))
        assert found.bits == pytest.approx(expected, abs=1e-9)

    @given(groups, st.floats(0, 1.05))
    def test_random_boxes_at_every_radius(self, boxes, share):
        squared = math.floor(share * farthest(boxes))
        assume(squared != farthest(boxes) - 1)  # see TestNearlyFull
        assert engine(boxes, squared).bits == pytest.approx(exact_bits(boxes, squared), abs=1e-9)

    @pytest.mark.parametrize("depth", [1, 2, 3, 4, 6, 8, 10, 12, 16])
    def test_photos_of_every_depth(self, depth):
        rng = np.random.default_rng(depth)
        format = ImageFormat(3, 5, 4, depth)
        values = rng.integers(0, 2**depth, format.samples)
        cover = photo(format, np.bincount(values, minlength=2**depth))
        boxes = [(-int(v), int(format.rho - v), 1) for v in values]
        for squared in {0, 1, 7, 63, 64, 65, 300, 2000, farthest(boxes) // 3}:
            if squared < 4000:
                found = log2_count([cover.family], squared)
                assert found.bits == pytest.approx(exact_bits(boxes, squared), abs=1e-9)

    @given(st.lists(st.tuples(st.integers(-3, 0), st.integers(0, 3), st.just(1)), min_size=1,
                    max_size=3), st.integers(0, 30))  # fmt: skip
    def test_tiny_boxes_against_a_list_of_points(self, boxes, squared):
        assume(squared != farthest(boxes) - 1)
        assert 2 ** engine(boxes, squared).bits == pytest.approx(brute(boxes, squared))

    @pytest.mark.parametrize("radius", [8.5, 12.0, 20.0])
    def test_the_papers_algorithms(self, radius):
        squared = math.floor(radius**2)
        whole = oracles.mitchell_count(9, radius)
        assert engine([(-99, 99, 9)], squared).bits == pytest.approx(math.log2(whole), abs=1e-9)
        bounded = oracles.bounded_count(radius, [(-3, 8)] * 9)
        assert engine([(-3, 8, 9)], squared).bits == pytest.approx(math.log2(bounded), abs=1e-9)

    @pytest.mark.parametrize("squared", [0, 1, 2, 3, 4, 62, 63, 64, 65, 66, 80])
    def test_tiny_radii_on_both_sides_of_the_switch(self, squared):
        for n in (768, 10**6):
            found = log2_count([ranges(-128, 127, n)], squared)
            if n == 768:
                assert found.bits == pytest.approx(exact_bits([(-128, 127, n)], squared), abs=1e-9)
            if squared <= 3:
                steps = sum(math.comb(n, i) * 2**i for i in range(squared + 1))
                assert found.bits == pytest.approx(math.log2(steps), abs=1e-9)

    def test_switch_to_exact_integers_leaves_no_step(self, monkeypatch):
        by_integers = [engine([(-9, 9, 500)], t).bits for t in range(40, 64)]
        monkeypatch.setattr(counting, "EXACT_LEVEL", 0)
        by_contour = [engine([(-9, 9, 500)], t).bits for t in range(40, 64)]
        assert by_contour == pytest.approx(by_integers, abs=1e-9)


class TestOtherEnergies:
    """A family may step through any energies: certified bounds use multiples of a step."""

    def test_steps_of_two_are_a_smaller_ball(self):
        stepped = Family(4 * squares(20), np.array([20]), np.array([20]), np.array([30.0]))
        for t in (100, 101, 103, 104, 400):
            plain = log2_count([ranges(-20, 20, 30)], t // 4).bits
            assert log2_count([stepped], t).bits == pytest.approx(plain, abs=1e-9)

    def test_families_multiply(self):
        first, second = ranges(-3, 4, 10), ranges(0, 9, 7)
        found = log2_count([first, second], 200).bits
        assert found == pytest.approx(exact_bits([(-3, 4, 10), (0, 9, 7)], 200), abs=1e-9)


class TestNearlyFull:
    BOXES = (
        ((-8, 7, 12),),
        ((-1, 0, 40),),
        ((-20, 43, 2), (-5, 58, 3)),
        ((0, 15, 30),),
        ((-1, 0, 5), (-2, 2, 4), (-60, 3, 2)),
    )

    @pytest.mark.parametrize("boxes", BOXES)
    @pytest.mark.parametrize("missing", [2, 3, 10, 33, 100])
    def test_just_inside_the_farthest_point(self, boxes, missing):
        squared = farthest(boxes) - missing
        if squared >= 0:
            found = engine(boxes, squared).bits
            assert found == pytest.approx(exact_bits(boxes, squared), abs=1e-11)

    @pytest.mark.parametrize("boxes", [BOXES[0], BOXES[2], BOXES[3]])
    def test_one_below_the_farthest_point(self, boxes):
        squared = farthest(boxes) - 1
        assert engine(boxes, squared).bits == pytest.approx(exact_bits(boxes, squared), abs=1e-11)

    @pytest.mark.parametrize("boxes", BOXES)
    def test_at_and_beyond_the_farthest_point(self, boxes):
        everything = sum(c * math.log2(high - low + 1) for low, high, c in boxes)
        for squared in (farthest(boxes), farthest(boxes) + 1, 1e30, math.inf):
            found = engine(boxes, squared)
            assert found.bits == pytest.approx(everything, rel=1e-15)
            assert found.error == 0
            assert found.method == "all points are inside"

    def test_never_above_the_cube(self):
        """At 6 to 10 dB a prototype was 0.02 bit above the cube's own capacity."""
        cube = float(PX_256.samples * 8)
        found = log2_counts([gray(PX_256).family], [level(PX_256, p / 4) for p in range(22, 60)])
        bits = [count.bits for count in found]
        assert max(bits) <= cube
        assert bits == sorted(bits, reverse=True)
        assert bits[0] == cube


class TestProperties:
    @given(groups, st.integers(0, 400), st.integers(0, 400))
    def test_monotone_in_the_radius(self, boxes, one, other):
        low, high = sorted((one, other))
        assume(farthest(boxes) - 1 not in (low, high))
        assert engine(boxes, low).bits <= engine(boxes, high).bits + 1e-12

    @given(groups, st.integers(0, 400))
    def test_splitting_a_group_changes_nothing(self, boxes, squared):
        assume(squared != farthest(boxes) - 1)
        split = [(low, high, 1) for low, high, count in boxes for _ in range(count)]
        assert engine(split, squared).bits == pytest.approx(engine(boxes, squared).bits, abs=1e-12)

    @given(groups, st.integers(0, 400))
    def test_mirrored_ranges_count_the_same(self, boxes, squared):
        """`v -> rho - v`, for some of the samples or for all."""
        assume(squared != farthest(boxes) - 1)
        mirrored = [(-high, -low, count) for low, high, count in boxes[:-1]] + boxes[-1:]
        assert engine(mirrored, squared).bits == pytest.approx(
            engine(boxes, squared).bits, abs=1e-12
        )

    @settings(max_examples=40)
    @given(st.lists(st.integers(0, 15), min_size=4, max_size=40), st.floats(5, 60))
    def test_corner_photo_gray_in_that_order(self, values, psnr):
        format = ImageFormat(1, len(values), 1, 4)
        histogram = np.bincount(values, minlength=16)
        squared = level(format, psnr)
        families = [cover.family for cover in (corner(format), photo(format, histogram))]
        low, mid = (log2_count([f], squared).bits for f in families)
        high = log2_count([gray(format).family], squared).bits
        assert low - 1e-9 <= mid <= high + 1e-9

    def test_sweep_equals_single_calls(self):
        levels = [level(PX_16, p) for p in (70, 20, 55, 8, 30, 41.5)]
        swept = [count.bits for count in log2_counts([gray(PX_16).family], levels)]
        single = [log2_count([gray(PX_16).family], t).bits for t in levels]
        assert swept == pytest.approx(single, abs=1e-10)

    def test_large_balls_have_as_many_points_as_volume(self):
        for n, radius in ((40, 60.0), (100, 90.0), (768, 200.0)):
            count = log2_count([ranges(-1000, 1000, n)], radius**2).bits
            # Squared norms are whole: the ball that is counted is half a unit larger in r^2.
            volume = log2_ball(n, math.sqrt(radius**2 + 0.5))
            assert count == pytest.approx(volume, abs=1e-4)

    @pytest.mark.parametrize("depth", [8, 16])
    def test_a_billion_samples(self, depth):
        format = ImageFormat(1, 10**5, 10**4, depth)
        psnrs = [5, 10, 20, 42, 60, 80, 100]
        found = log2_counts([gray(format).family], [level(format, p) for p in psnrs])
        bits = [count.bits for count in found]
        assert all(0 <= b <= depth * 1e9 * (1 + 1e-15) for b in bits)
        assert bits == sorted(bits, reverse=True)
        assert all(count.error < 0.01 for count in found)

    def test_capacity_a_sample_does_not_depend_on_the_resolution(self):
        one, other = (
            log2_count([gray(f).family], level(f, 42)).bits / f.samples
            for f in (PX_256, ImageFormat(3, 8192, 8192, 8))
        )
        assert one == pytest.approx(other, abs=1e-4)


class TestErrors:
    @pytest.mark.parametrize("squared", [-1, -0.5, math.nan])
    def test_bad_radius(self, squared):
        with pytest.raises(InputError, match="at least 0"):
            log2_count([ranges(-1, 1, 3)], squared)

    @pytest.mark.parametrize(("low", "high"), [(1, 2), (-2, -1)])
    def test_range_without_the_cover(self, low, high):
        with pytest.raises(InputError, match="low <= 0 <= high"):
            ranges(low, high, 3)

    def test_samples_that_cannot_move(self):
        assert log2_count([ranges(0, 0, 5)], 100).bits == 0.0


class TestFewSamples:
    """One to eleven samples of 16 bits: listed, or the volume of their cells with its error."""

    @pytest.mark.parametrize("squared", [1e3, 1e6 + 0.5, 4e8])
    def test_one_sample(self, squared):
        found = log2_count([ranges(-32768, 32767, 1)], squared)
        below, above = min(math.isqrt(int(squared)), 32768), min(math.isqrt(int(squared)), 32767)
        assert found.bits == pytest.approx(math.log2(below + above + 1), abs=1e-12)

    def test_two_samples(self):
        found = log2_count([ranges(-32768, 32767, 2)], 10**6)
        points = sum(2 * math.isqrt(10**6 - j * j) + 1 for j in range(-1000, 1001))
        assert found.bits == pytest.approx(math.log2(points), abs=1e-12)

    def test_the_stated_error_of_cells_covers_the_exact_count(self):
        """Four samples of 16 bits at a radius where the points can still be convolved."""
        from morebits.bounds.counting import _by_volume

        family = ranges(-300, 300, 4)
        exact = log2_count([family], 40_000)
        rough = _by_volume([family], 40_000)
        assert 0 < rough.error < 0.1
        assert abs(rough.bits - exact.bits) <= rough.error

    def test_many_values_are_said_to_be_too_many(self):
        found = log2_count([ranges(-32768, 32767, 8)], 8 * 6553**2)
        assert found.method.startswith("volume")
        assert 0 < found.error < 0.01
