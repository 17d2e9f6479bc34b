"""The handcrafted codec in the paper's table and figure: run, not only computed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from morebits.codecs.box import Box
from morebits.errors import MorebitsError
from morebits.paper import handcrafted, printed
from morebits.paper.bench import Bench, Scale
from morebits.types import Embedding, Extraction, ImageFormat


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench(Scale(large=32, step=10.0), lambda _: None)


@pytest.mark.parametrize("peak", [None, 255, 256])
@pytest.mark.parametrize("psnr", printed.HANDCRAFTED)
def test_the_formula_with_either_peak_of_the_paper(psnr, peak):
    ours = handcrafted.box_bits(ImageFormat(width=256, height=256), psnr, peak)
    assert math.floor(ours) == printed.HANDCRAFTED[psnr].value


def test_a_round_trip_at_the_papers_size():
    """A uniform digit of q = 5 has a mean square of (q^2 - 1) / 12 = 2: 45.12 dB."""
    bits, measured = handcrafted.round_trip(Box(psnr=42), ImageFormat(width=256, height=256))
    assert bits == printed.HANDCRAFTED[42.0].value
    assert measured == pytest.approx(10 * math.log10(255**2 / 2), abs=0.02)


def test_the_table_has_the_measured_psnr_and_both_codecs(bench):
    table = handcrafted.table(bench)
    for row, psnr in zip(table.rows, printed.HANDCRAFTED, strict=True):
        box = Box(psnr=psnr).capacity(np.full((32, 32, 3), 128, np.uint8))
        assert row.ours == box
        more = {key: value or 0.0 for key, value in row.more.items()}
        assert psnr <= more["its PSNR"] < psnr + 0.1 < more["measured PSNR"]
        assert box < more["shaped"] < more["exact count"]
        assert more["of it"] == box / more["exact count"]


def test_the_figure(bench):
    data = handcrafted.figure(bench)
    exact = dict(zip(data["exact"]["psnr"], data["exact"]["bits"], strict=True))
    box = dict(zip(data["box"]["psnr"], data["box"]["bits"], strict=True))
    assert all(box[psnr] < bits for psnr, bits in exact.items())
    assert box[60] == 0
    for name in ("box", "shaped"):
        points = data["measured"][name]
        assert [each["asked"] for each in points] == list(printed.HANDCRAFTED)
        assert all(each["psnr"] >= each["asked"] for each in points)
    assert [each["bits"] for each in data["trained"]] == [512, 2048, 32_768]


def test_a_codec_that_loses_a_message_does_not_get_into_a_table():
    class Lossy:
        name = "lossy"

        def capacity(self, cover) -> int:
            return 5

        def embed(self, cover, bits) -> Embedding:
            return Embedding(cover, 50.0, bits.size, self.name)

        def extract(self, image) -> Extraction:
            return Extraction("found", self.name, np.zeros(5, np.uint8))

    with pytest.raises(MorebitsError, match="lossy lost a message of 5 bits"):
        handcrafted.round_trip(Lossy(), ImageFormat(width=4, height=4))
