from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from morebits.attacks import SUITES
from morebits.bench.records import Sample
from morebits.bench.summary import (
    Worst,
    false_positives,
    overall,
    p_bits,
    quality,
    summary,
)

FAILED = {
    "psnr": None, "ssim": None, "ms_ssim": None, "perceptual": {}, "fraction": None,
    "status": None, "bit_accuracy": None, "exact": None, "capacity": None, "p_value": None,
    "seconds": {}, "error": "picture is broken",
}  # fmt: skip


def test_the_fixture_is_a_record(sample):
    assert set(sample()) == set(Sample.__annotations__)


class TestSummary:
    def test_a_row_a_codec_and_attack_in_order(self, sample):
        records = [
            sample(codec="b", attack="jpeg:50"),
            sample(codec="a", attack="none"),
            sample(codec="b", attack="none"),
            sample(codec="b", options={"psnr": 40}, attack="none"),
            sample(codec="b", attack="jpeg:50", image="b.png"),
            sample(codec="b", attack="unmarked"),
        ]
        rows = summary(records)
        assert [(row.codec, row.attack, row.n) for row in rows] == [
            ("b", "jpeg:50", 2), ("a", "none", 1), ("b", "none", 1), ("b:psnr=40", "none", 1),
        ]  # fmt: skip

    def test_figures(self, sample):
        records = [
            sample(image="a.png"),
            sample(image="b.png", bit_accuracy=0.75, exact=False, capacity=12.0),
            sample(image="c.png", bit_accuracy=0.5, exact=False, capacity=0.0, status="nothing",
                   seed=3),
            sample(image="d.png", bit_accuracy=0.95, exact=False, capacity=44.0, status="altered"),
        ]  # fmt: skip
        (row,) = summary(records)
        assert row.accuracy.value == pytest.approx(0.8)
        assert row.accuracy.low is not None
        assert row.accuracy.low < 0.8
        assert row.accuracy.high == 1
        assert row.worst == Worst(0.5, "c.png", 3)
        assert (row.exact.hits, row.found.hits, row.present.hits, row.errors) == (1, 2, 2, 0)
        assert row.capacity.value == pytest.approx(30)
        assert row.seconds.value == pytest.approx(0.2)

    def test_a_failed_sample_counts_as_nothing_read(self, sample):
        (row,) = summary([sample(), sample(image="bad.png", **FAILED)])
        assert (row.n, row.errors) == (2, 1)
        assert row.accuracy.value == 0.75
        assert row.worst == Worst(0.5, "bad.png", 0)
        assert (row.exact.hits, row.exact.n) == (1, 2)
        assert row.capacity.value == 32
        assert row.seconds.n == 1

    def test_rows_are_json(self, sample):
        rows = summary([sample(), sample(image="bad.png", **FAILED)])
        assert json.loads(json.dumps(asdict(rows[0]), allow_nan=False))["worst"]["value"] == 0.5


class TestQuality:
    def test_a_picture_counts_once(self, sample):
        records = [
            sample(attack=attack, image=image, psnr=psnr, bits=bits)
            for image, psnr, bits in (("a.png", 40.0, 10), ("b.png", 44.0, 20))
            for attack in ("none", "jpeg:50", "crop:0.5")
        ]
        records.append(sample(image="c.png", **FAILED))
        records.append(sample(image="d.png", attack="unmarked", psnr=None, ssim=None))
        (row,) = quality(records)
        assert (row.pictures, row.bits) == (2, (10, 20))
        assert (row.psnr.value, row.psnr.n) == (42, 2)
        assert row.ms_ssim.value is None
        assert row.fraction.value == pytest.approx(0.1)
        assert row.seconds.value == pytest.approx(0.1)

    def test_a_cover_that_did_not_change_has_no_psnr(self, sample):
        (row,) = quality([sample(psnr=None, ssim=1.0, fraction=None), sample(image="b.png")])
        assert (row.pictures, row.psnr.n, row.ssim.n) == (2, 1, 2)

    def test_perceptual_scores(self, sample):
        scores = [{"ssimulacra2": 80.0, "lpips": 0.01}, {"ssimulacra2": 90.0, "lpips": 0.0}, {}]
        records = [
            sample(image=str(number), attack=attack, perceptual=each)
            for number, each in enumerate(scores)
            for attack in ("none", "jpeg:50")
        ]
        (row,) = quality([*records, sample(image="bad.png", **FAILED)])
        assert set(row.perceptual) == {"ssimulacra2", "lpips", "cvvdp"}
        ssimulacra2, lpips = row.perceptual["ssimulacra2"], row.perceptual["lpips"]
        # Student's t with one degree of freedom: 85 +- 63.5, cut to the score of equal pictures.
        assert (ssimulacra2.value, ssimulacra2.high, ssimulacra2.n) == (85, 100, 2)
        assert ssimulacra2.low == pytest.approx(85 - 63.531, abs=1e-3)
        assert (lpips.value, lpips.low, lpips.n) == (0.005, 0, 2)
        assert (row.perceptual["cvvdp"].value, row.perceptual["cvvdp"].n) == (None, 0)
        assert row.pictures == 3

    def test_nothing_but_failures(self, sample):
        (row,) = quality([sample(**FAILED)])
        assert (row.pictures, row.bits, row.psnr.value) == (0, None, None)


class TestFalsePositives:
    def test_rate_and_claim(self, sample):
        records = [
            sample(attack="unmarked", image=str(i), status="found" if i < 3 else "nothing")
            for i in range(1000)
        ]
        records.append(sample(attack="none"))
        records.append(sample(attack="unmarked", image="bad", **FAILED))
        (row,) = false_positives(records)
        assert (row.rate.hits, row.rate.n, row.errors) == (3, 1000, 1)
        assert row.rate.low == pytest.approx(0.0006190999316499173)
        assert row.holds(0.003)
        assert row.holds(0.001)
        assert not row.holds(1e-6)


class TestOverall:
    def test_every_attack_weighs_the_same(self, sample):
        attacks = SUITES["paper-compact"]
        records = [sample(attack=text) for text in attacks[:-1]]
        records += [sample(attack=attacks[-1], image=str(i), bit_accuracy=0.72) for i in range(5)]
        (found,) = overall(summary(records), attacks)
        assert found.value == pytest.approx((27 + 0.72) / 28)
        assert found.worst == Worst(0.72, "0", 0)
        assert found.missing == ()

    def test_needs_all_of_them(self, sample):
        (found,) = overall(summary([sample()]), ("none", "jpeg:50"))
        assert found.value is None
        assert found.missing == ("jpeg:50",)


class TestPBits:
    def test_from_a_record(self, sample):
        assert p_bits(sample(bits=64, bit_accuracy=1.0)) == 2.0**-64
        assert p_bits(sample(bits=10, bit_accuracy=0.7)) == pytest.approx(176 / 1024)
        assert p_bits(sample(**FAILED)) == 1
        assert p_bits(sample(bits=0, bit_accuracy=1.0)) == 1
