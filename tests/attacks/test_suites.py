"""The suites against the tables of the paper."""

from __future__ import annotations

import pytest

from morebits.attacks import SUITES, labels, parse, suite
from morebits.errors import InputError, UnknownName

#: The rows of the table "Extended results of Chunky Seal on SA-1B", as printed.
PRINTED = """
Bit Acc. | Bit Acc. (Horizontal Flip)
Bit Acc. (Rotate 5°) | Bit Acc. (Rotate 10°) | Bit Acc. (Rotate 30°) | Bit Acc. (Rotate 45°)
Bit Acc. (Rotate 90°)
Bit Acc. (Resize 32%) | Bit Acc. (Resize 45%) | Bit Acc. (Resize 55%) | Bit Acc. (Resize 63%)
Bit Acc. (Resize 71%) | Bit Acc. (Resize 77%) | Bit Acc. (Resize 84%) | Bit Acc. (Resize 89%)
Bit Acc. (Resize 95%)
Bit Acc. (Crop 32%) | Bit Acc. (Crop 45%) | Bit Acc. (Crop 55%) | Bit Acc. (Crop 63%)
Bit Acc. (Crop 71%) | Bit Acc. (Crop 77%) | Bit Acc. (Crop 84%) | Bit Acc. (Crop 89%)
Bit Acc. (Crop 95%)
Bit Acc. (Brightness 10%) | Bit Acc. (Brightness 25%) | Bit Acc. (Brightness 50%)
Bit Acc. (Brightness 75%) | Bit Acc. (Brightness 125%) | Bit Acc. (Brightness 150%)
Bit Acc. (Brightness 175%) | Bit Acc. (Brightness 200%)
Bit Acc. (Contrast 10%) | Bit Acc. (Contrast 25%) | Bit Acc. (Contrast 50%)
Bit Acc. (Contrast 75%) | Bit Acc. (Contrast 125%) | Bit Acc. (Contrast 150%)
Bit Acc. (Contrast 175%) | Bit Acc. (Contrast 200%)
Bit Acc. (Hue -0.2) | Bit Acc. (Hue -0.1) | Bit Acc. (Hue 0.1) | Bit Acc. (Hue 0.2)
Bit Acc. (JPEG 40) | Bit Acc. (JPEG 50) | Bit Acc. (JPEG 60) | Bit Acc. (JPEG 70)
Bit Acc. (JPEG 80) | Bit Acc. (JPEG 90)
Bit Acc. (Gaussian Blur 3) | Bit Acc. (Gaussian Blur 5) | Bit Acc. (Gaussian Blur 9)
Bit Acc. (Gaussian Blur 13) | Bit Acc. (Gaussian Blur 17)
"""


def test_the_paper_has_56_rows_in_its_order():
    printed = [row.strip() for line in PRINTED.strip().splitlines() for row in line.split("|")]
    ours = suite("paper")
    assert len(ours) == 56
    rows = [f"Bit Acc. ({attack.label})" for attack in ours]
    assert ["Bit Acc. (Identity)", *printed[1:]] == rows


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("Rotate 90°", "rotate:90"),
        ("Resize 32%", "resize:0.32"),
        ("Crop 95%", "crop:0.95"),
        ("Brightness 200%", "brightness:2"),
        ("Contrast 10%", "contrast:0.1"),
        ("Hue -0.2", "hue:-0.2"),
        ("Gaussian Blur 17", "blur:17"),
    ],
)
def test_labels_by_hand(label, text):
    assert labels.PAPER[label] == text
    assert parse(text).label == label


def test_the_compact_suite_is_behind_overall():
    """Counts of the rows "Rotate (<= 10°)", "Resize (71-95 %)", ... of the paper's main table."""
    compact = suite("paper-compact")
    families = [attack.family for attack in compact]
    counts = {family: families.count(family) for family in families}
    assert counts == {
        "identity": 1, "flip": 1, "rotate": 2, "resize": 5, "crop": 4,
        "brightness": 4, "contrast": 4, "jpeg": 4, "blur": 3,
    }  # fmt: skip
    assert set(compact) < set(suite("paper"))
    ends = {
        "rotate": (5, 10), "resize": (0.71, 0.95), "crop": (0.77, 0.95), "brightness": (0.5, 1.5),
        "contrast": (0.5, 1.5), "jpeg": (50, 80), "blur": (3, 9),
    }  # fmt: skip
    for family, (low, high) in ends.items():
        strengths = [attack.strength for attack in compact if attack.family == family]
        assert (min(strengths), max(strengths)) == (low, high)


def test_texts_are_canonical_and_labels_are_different():
    for texts in SUITES.values():
        assert [parse(text).text for text in texts] == list(texts)
        assert len(set(texts)) == len(texts)
    assert not set(labels.PAPER) & set(labels.WILD)
    assert len(labels.BY_TEXT) == len(labels.PAPER) + len(labels.WILD)


def test_the_combinations_of_the_wild():
    wild = SUITES["wild"]
    for text in (
        "crop:0.71|brightness:1.2|jpeg:60",
        "rotate:30|jpeg:60",
        "resize:0.71|jpeg:60",
        "crop:0.45|jpeg:60",
    ):
        assert text in wild


def test_every_suite_begins_with_the_identity():
    assert {texts[0] for texts in SUITES.values()} == {"none"}


class TestSuite:
    def test_of_several(self):
        found = suite(["quick", "jpeg:50", "crop:0.8 | jpeg:50", parse("hflip")])
        assert [attack.text for attack in found] == [
            *SUITES["quick"], "crop:0.8|jpeg:50", "hflip",
        ]  # fmt: skip

    def test_names_in_any_case(self):
        assert suite(" Paper ") == suite("paper")

    def test_unknown(self):
        with pytest.raises(UnknownName, match="unknown attack or suite 'papers': use one of paper"):
            suite("papers")

    @pytest.mark.parametrize("what", [[], (), 5, None])
    def test_nothing(self, what):
        with pytest.raises(InputError, match="suite"):
            suite(what)

    def test_a_bad_one_among_several(self):
        with pytest.raises(InputError, match="1 to 100"):
            suite(["paper", "jpeg:500"])
        with pytest.raises(InputError):
            suite(["paper", 5])
