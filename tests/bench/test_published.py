from __future__ import annotations

import zipfile

import pytest

from morebits.attacks import SUITES, suite
from morebits.bench.published import MARK, published
from morebits.paper import printed

METHODS = ["Chunky Seal", "Video Seal 256", "Video Seal 96", "HiDDeN", "MBRS", "TrustMark", "WAM"]


def one(method: str, photos: str):
    return next(each for each in published() if (each.method, each.photos) == (method, photos))


def test_both_tables_with_every_method():
    assert [each.method for each in published()] == METHODS * 2
    assert [each.photos for each in published()] == ["SA-1B"] * 7 + ["COCO"] * 7
    assert [each.bits for each in published()] == [1024, 256, 96, 48, 256, 100, 32] * 2


@pytest.mark.parametrize("entry", published(), ids=lambda each: f"{each.method}-{each.photos}")
class TestEntry:
    def test_the_56_rows_are_the_suite_in_order(self, entry):
        assert list(entry.accuracy) == [attack.text for attack in suite("paper")]
        labels = [label for label in entry.printed if label.startswith("Bit Acc.")]
        words = [attack.label for attack in suite("paper")]
        assert labels == ["Bit Acc.", *(f"Bit Acc. ({each})" for each in words[1:])]

    def test_figures_are_possible(self, entry):
        assert len(entry.printed) == 63
        assert all(0.4 < value <= 1 for value in entry.accuracy.values())
        assert 0.8 < entry.ssim <= 1
        assert 0.9 < entry.ms_ssim <= 1
        assert 0 < entry.lpips < 0.3
        assert 0 <= entry.extract_seconds < 1
        assert 0 < entry.embed_seconds < 1

    def test_says_whose_photos(self, entry):
        assert entry.mark == MARK == "published, their photos"
        assert MARK in entry.label
        assert "We Can Hide More Bits" in entry.source
        assert f"Extended results of Chunky Seal on {entry.photos}" in entry.source

    def test_bits_and_psnr_are_those_of_the_teaser(self, entry):
        (method,) = (each for each in printed.METHODS if each.name == entry.method)
        psnr = {"SA-1B": method.psnr_sa1b, "COCO": method.psnr_coco}
        assert (entry.bits, entry.psnr) == (method.bits, psnr[entry.photos])

    def test_cannot_be_changed(self, entry):
        with pytest.raises(TypeError):
            entry.accuracy["none"] = 1.0


class TestOverall:
    # SA-1B: printed in the table "Chunky Seal" (line 1023 of the LaTeX source). COCO: the same
    # rule on the appendix table.
    @pytest.mark.parametrize(
        ("method", "photos", "percent"),
        [
            ("Chunky Seal", "SA-1B", 99.15),
            ("Video Seal 256", "SA-1B", 99.31),
            ("Chunky Seal", "COCO", 95.96),
            ("Video Seal 256", "COCO", 99.09),
        ],
    )
    def test_mean_of_28(self, method, photos, percent):
        assert len(SUITES["paper-compact"]) == 28
        assert round(100 * one(method, photos).overall, 2) == percent

    # The other rows of the table "Chunky Seal" (lines 1013-1021), means of some of the 28 each.
    @pytest.mark.parametrize(
        ("family", "chunky", "video"),
        [
            ("none", 99.74, 99.90),
            ("hflip", 99.65, 99.89),
            ("rotate", 98.27, 98.84),
            ("resize", 99.74, 99.90),
            ("crop", 98.25, 98.04),
            ("brightness", 98.99, 98.67),
            ("contrast", 99.54, 99.56),
            ("jpeg", 98.79, 99.74),
            ("blur", 99.74, 99.90),
        ],
    )
    def test_rows_of_the_short_table(self, family, chunky, video):
        texts = [text for text in SUITES["paper-compact"] if text.split(":")[0] == family]
        for method, percent in (("Chunky Seal", chunky), ("Video Seal 256", video)):
            accuracy = one(method, "SA-1B").accuracy
            found = 100 * sum(accuracy[text] for text in texts) / len(texts)
            assert found == pytest.approx(percent, abs=0.0101)


# Of the 56 percentages of a column: their sum, and their sum weighted with 1 to 56, as awk adds
# them up from the LaTeX source (lines 2461-2516 and 2538-2593).
SUMS = {
    "SA-1B": [
        (5279.88, 154865.41), (5226.96, 153455.84), (5004.68, 146492.90), (4452.23, 131191.90),
        (4640.79, 141701.86), (4985.21, 149489.28), (5374.87, 157381.56),
    ],
    "COCO": [
        (5112.39, 147556.23), (5197.60, 152684.03), (4952.19, 143898.78), (4305.83, 125577.94),
        (4572.40, 138874.83), (5019.71, 150364.13), (5352.82, 156768.49),
    ],
}  # fmt: skip


@pytest.mark.parametrize("photos", SUMS)
def test_every_figure_counts(photos):
    for method, sums in zip(METHODS, SUMS[photos], strict=True):
        percent = [100 * value for value in one(method, photos).accuracy.values()]
        weighted = sum(i * value for i, value in enumerate(percent, start=1))
        assert (sum(percent), weighted) == pytest.approx(sums, abs=5e-3)


def test_single_figures():
    """First, last and middle of both tables, read from the page."""
    assert one("WAM", "COCO").accuracy["blur:17"] == pytest.approx(0.9938)
    assert one("Chunky Seal", "COCO").printed["Bit Acc. (JPEG 50)"] == 72.47
    assert one("MBRS", "SA-1B").printed["Bit Acc. (Hue -0.2)"] == 95.39
    assert one("HiDDeN", "SA-1B").lpips == 0.2021
    assert one("TrustMark", "COCO").ssim == 0.9921
    assert one("Video Seal 96", "SA-1B").embed_seconds == 0.06


def test_is_in_the_wheel(root, tmp_path):
    from hatchling.builders.wheel import WheelBuilder

    wheel = next(iter(WheelBuilder(str(root)).build(directory=str(tmp_path))))
    names = zipfile.ZipFile(wheel).namelist()
    assert {f"morebits/bench/published/{name}.json" for name in ("sa1b", "coco")} <= set(names)
