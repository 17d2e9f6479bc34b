"""`capacity` and `curve`: which bound they pick, and what they refuse."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from PIL import Image

from morebits import bounds, linear
from morebits.errors import BoundNotValid, InputError, MorebitsError, TooLarge, UnknownName
from morebits.measure import BOUNDS, capacity, curve
from morebits.types import ImageFormat

PX_16, PX_256 = ImageFormat(3, 16, 16, 8), ImageFormat(3, 256, 256, 8)
PICTURE = np.random.default_rng(5).integers(0, 256, (16, 16, 3), np.uint8)


class TestChoice:
    @pytest.mark.parametrize("psnr", [0, 6, 20, 42, 60, 100])
    def test_exact_count_for_a_format(self, psnr):
        found = capacity(PX_16, psnr=psnr)
        assert (found.bound, found.kind, found.valid, found.cover) == ("4", "exact", True, "gray")
        assert found.bits == bounds.bound_4(PX_16, psnr).bits

    def test_256_px_at_42_db(self):
        found = capacity(PX_256, psnr=42)
        assert found.bits == pytest.approx(602_672.58, abs=0.01)
        assert found.bpp == found.bits / 196_608
        assert found.seconds > 0

    def test_corner(self):
        found = capacity(PX_16, psnr=42, cover="corner")
        assert (found.bound, found.cover) == ("8", "corner")
        assert found.bits == bounds.bound_8(PX_16, 42).bits

    def test_heuristic_count_under_an_edit(self):
        found = capacity(PX_16, psnr=42, under="crop:0.5")
        assert (found.bound, found.kind) == ("11", "heuristic")
        assert found.under
        assert found.bits < capacity(PX_16, psnr=42).bits

    def test_edit_as_text_edit_or_operator(self):
        edit = linear.parse("crop:0.5")
        ways = ["crop:0.5", edit, edit.at(PX_16)]
        bits = [capacity(PX_16, psnr=42, under=way).bits for way in ways]
        assert bits[0] == bits[1] == bits[2]

    def test_a_flip_loses_nothing(self):
        free = capacity(PX_16, psnr=42).bits
        assert capacity(PX_16, psnr=42, under="hflip").bits == pytest.approx(free, abs=1e-9)
        assert capacity(PX_16, psnr=42, under="hflip|hflip").bits == pytest.approx(free, abs=1e-9)


class TestPictures:
    def test_the_exact_count_of_that_picture(self):
        found = capacity(PICTURE, psnr=42)
        assert (found.bound, found.cover) == ("8", "photo")
        cover = bounds.photo(PX_16, np.bincount(PICTURE.ravel(), minlength=256))
        assert found.bits == bounds.bound_8(PX_16, 42, cover=cover).bits
        corner, gray = (capacity(PX_16, psnr=42, cover=c).bits for c in ("corner", "gray"))
        assert corner < found.bits < gray

    def test_array_image_and_path_agree(self, tmp_path):
        path = tmp_path / "a.png"
        Image.fromarray(PICTURE).save(path)
        sources = [PICTURE, Image.fromarray(PICTURE), path, str(path)]
        bits = {capacity(source, psnr=40).bits for source in sources}
        assert len(bits) == 1

    def test_negative_has_the_same_capacity(self):
        """Symmetric under v -> rho - v."""
        negative = capacity(255 - PICTURE, psnr=30).bits
        assert negative == pytest.approx(capacity(PICTURE, psnr=30).bits, abs=1e-9)

    def test_order_of_samples_does_not_matter(self):
        assert capacity(PICTURE[::-1].copy(), psnr=30).bits == capacity(PICTURE, psnr=30).bits

    def test_cover_of_a_picture_takes_its_format(self):
        assert capacity(PICTURE, psnr=42, cover="gray").bits == capacity(PX_16, psnr=42).bits

    def test_a_picture_under_an_edit_says_that_gray_is_meant(self):
        found = capacity(PICTURE, psnr=42, under="hflip")
        assert "gray" in found.reason
        assert found.bits <= capacity(PICTURE, psnr=42).bits

    def test_real_photo(self, photo):
        found = capacity(photo, psnr=42)
        assert found.bound == "8"
        assert 2.5 < found.bpp < capacity(found.format, psnr=42).bpp

    def test_16_bits(self):
        deep = np.random.default_rng(1).integers(0, 65536, (16, 16), np.uint16)
        found = capacity(deep, psnr=42)
        assert found.format.depth == 16
        assert 0 < found.bits < 16 * 256


class TestForced:
    @pytest.mark.parametrize(
        ("bound", "psnr"),
        [("1", 42), ("2", 5), ("3", 42), ("4", 42), ("5", 20), ("6", 20), ("7", 42), ("8", 42),
         ("9", 20)],
    )  # fmt: skip
    def test_gives_that_bound(self, bound, psnr):
        found = capacity(PX_16, psnr=psnr, bound=bound)
        assert found.bound == bound
        assert found.bits == getattr(bounds, f"bound_{bound}")(PX_16, psnr).bits
        assert capacity(PX_16, psnr=psnr, bound=int(bound)).bits == found.bits

    @pytest.mark.parametrize(
        ("bound", "psnr", "span"),
        [("2", 42, "6.02 dB"), ("3", 30, "34.87 dB"), ("5", 42, "6.02 to 34.87 dB"),
         ("5", 3, "6.02 to 34.87 dB"), ("6", 42, "6.02 to 34.87 dB"), ("7", 30, "34.87 dB"),
         ("9", 42, "34.87 dB")],
    )  # fmt: skip
    def test_not_valid_says_its_range(self, bound, psnr, span):
        with pytest.raises(BoundNotValid, match="is not valid here") as caught:
            capacity(PX_16, psnr=psnr, bound=bound)
        assert span in str(caught.value)
        assert "\n" not in str(caught.value)
        assert caught.value.bound == bound

    @pytest.mark.parametrize(("bound", "psnr"), [("10", 42), ("11", 42), ("12", 20), ("13", 42)])
    def test_under_an_edit(self, bound, psnr):
        found = capacity(PX_16, psnr=psnr, bound=bound, under="crop:0.5")
        assert found.bound == bound

    @pytest.mark.parametrize(("bound", "psnr"), [("10", 20), ("12", 60)])
    def test_under_an_edit_not_valid_says_its_range(self, bound, psnr):
        with pytest.raises(BoundNotValid, match=r"it needs PSNR .* dB"):
            capacity(PX_16, psnr=psnr, bound=bound, under="crop:0.5")

    def test_certified(self):
        found = capacity(PX_16, psnr=42, bound="certified", under="crop:0.5")
        assert found.kind == "lower"
        assert found.bits > capacity(PX_16, psnr=42, bound=13, under="crop:0.5").bits

    @pytest.mark.parametrize("bound", ["10", "11", "12", "13", "certified"])
    def test_bound_about_an_edit_without_one(self, bound):
        with pytest.raises(BoundNotValid, match="under"):
            capacity(PX_16, psnr=42, bound=bound)

    @pytest.mark.parametrize("bound", ["1", "4", "8", "9"])
    def test_bound_without_an_edit_given_one(self, bound):
        with pytest.raises(BoundNotValid, match="10 to 13"):
            capacity(PX_16, psnr=42, bound=bound, under="hflip")

    @pytest.mark.parametrize("bound", ["2", "3", "4", "5", "6"])
    def test_gray_bounds_of_a_picture(self, bound):
        with pytest.raises(BoundNotValid, match="gray"):
            capacity(PICTURE, psnr=42, bound=bound)

    @pytest.mark.parametrize("bound", ["14", "0", 99, "best", ""])
    def test_unknown_lists_the_known(self, bound):
        with pytest.raises(UnknownName, match="certified") as caught:
            capacity(PX_16, psnr=42, bound=bound)
        assert caught.value.known == BOUNDS


class TestCovers:
    def test_the_papers_vq_example(self):
        """Section 3.5: 1024^(32 x 32) = 2^10240 covers cost 10,240 bits, 0.05 bpp."""
        free, shared = capacity(PX_256, psnr=42), capacity(PX_256, psnr=42, covers_bits=10_240)
        assert free.bits - shared.bits == pytest.approx(10_240)
        assert free.bpp - shared.bpp == pytest.approx(0.05, abs=3e-3)
        assert shared.details["covers_bits"] == 10_240
        assert "covers" in shared.reason

    def test_never_below_zero(self):
        assert capacity(PX_16, psnr=42, covers_bits=1e6).bits == 0

    @pytest.mark.parametrize("value", [-1, math.nan, math.inf])
    def test_bad_number(self, value):
        with pytest.raises(InputError, match="covers_bits"):
            capacity(PX_16, psnr=42, covers_bits=value)


class TestCurve:
    def test_equals_single_calls_in_the_order_asked(self):
        psnrs = [50, 20, 42, 8, 60.5]
        swept = curve(PX_16, psnr=psnrs)
        assert swept.psnr == tuple(psnrs)
        single = [capacity(PX_16, psnr=p).bits for p in psnrs]
        assert swept.bits == pytest.approx(single, abs=1e-9)
        assert [c.psnr for c in swept.capacities] == psnrs

    def test_decreasing(self):
        bits = curve(PX_256, psnr=np.linspace(5, 80, 51).tolist()).bits
        assert bits == sorted(bits, reverse=True)

    def test_numpy_and_generators(self):
        assert (
            curve(PX_16, psnr=np.array([30.0, 40.0])).bits == curve(PX_16, psnr=iter([30, 40])).bits
        )

    def test_under_an_edit_and_of_a_picture(self):
        assert [c.bound for c in curve(PX_16, psnr=[20, 42], under="hflip").capacities] == [
            "11"
        ] * 2
        assert [c.bound for c in curve(PICTURE, psnr=[20, 42]).capacities] == ["8"] * 2

    def test_to_dict_is_json(self):
        points = json.loads(json.dumps(curve(PX_16, psnr=[30, 40], under="crop:0.5").to_dict()))
        assert [p["psnr"] for p in points] == [30, 40]
        assert {"bits", "bpp", "bound", "kind", "valid", "reason", "method", "peak"} <= set(
            points[0]
        )

    @pytest.mark.parametrize("name", ["a.png", "a.svg"])
    def test_plot(self, tmp_path, name):
        figure = curve(PX_16, psnr=[30, 40, 50]).plot(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
        assert "dB" in figure.axes[0].get_xlabel()

    def test_no_points(self):
        with pytest.raises(InputError, match="at least one"):
            curve(PX_16, psnr=[])


class TestErrors:
    @pytest.mark.parametrize("psnr", [math.nan, math.inf, -math.inf, True, "42", None])
    def test_psnr(self, psnr):
        with pytest.raises(InputError, match="psnr"):
            capacity(PX_16, psnr=psnr)

    @pytest.mark.parametrize("peak", [0, -1, math.nan, math.inf, True])
    def test_peak(self, peak):
        with pytest.raises(InputError, match="peak"):
            capacity(PX_16, psnr=42, peak=peak)

    def test_peak_changes_the_radius(self):
        found = capacity(PX_16, psnr=42, peak=256)
        assert found.peak == 256
        shift = 20 * math.log10(256 / 255)
        assert found.bits == pytest.approx(capacity(PX_16, psnr=42 - shift).bits, abs=0.5)

    def test_cover(self):
        with pytest.raises(UnknownName, match="corner, gray"):
            capacity(PX_16, psnr=42, cover="white")

    @pytest.mark.parametrize("under", ["wobble:3", 7, linear.parse("hflip").at(PX_256)])
    def test_under(self, under):
        with pytest.raises(MorebitsError) as caught:
            capacity(PX_16, psnr=42, under=under)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("source", [None, 42, "no such file.png", np.zeros((4, 4, 3))])
    def test_source(self, source):
        with pytest.raises(MorebitsError) as caught:
            capacity(source, psnr=42)
        assert "\n" not in str(caught.value)


def test_a_curve_may_ask_twice_for_the_same_ball():
    """Two PSNRs with one squared radius: the second starts at its own saddle point."""
    tiny = ImageFormat(3, 8, 8, 8)
    assert len(set(curve(tiny, psnr=[45.26, 45.27]).bits)) == 1
    fine = curve(tiny, psnr=[1 + 0.05 * i for i in range(1180)]).bits
    assert all(after <= before + 1e-9 for before, after in itertools.pairwise(fine))


def test_too_large_is_refused_before_it_starts():
    large = ImageFormat(3, 2048, 2048, 8)
    for bound in ("certified", None):
        with pytest.raises(TooLarge, match="use a smaller"):
            capacity(large, psnr=42, under="rotate:10", bound=bound)


@pytest.mark.parametrize("peak", [0, -1, math.nan, math.inf, 1e300, True])
def test_peak(peak):
    with pytest.raises(InputError, match="peak is"):
        capacity(PX_16, psnr=42, peak=peak)
