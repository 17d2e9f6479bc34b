"""The paper's figures: complete, placed, and consistent among themselves."""

from __future__ import annotations

import math
import re

import pytest

from morebits import linear
from morebits.paper import printed

N = {16: 3 * 16 * 16, 256: 3 * 256 * 256}


@pytest.mark.parametrize("row", printed.CONSERVATIVE, ids=lambda row: row.edit)
def test_columns_of_the_conservative_table_agree(row):
    """Bits at 256 px are bits a sample times 196,608, and 256 times the bits at 16 px."""
    assert math.floor(row.bits_256px / 256) == row.bits_16px
    assert row.bits_256px / N[256] == pytest.approx(row.bpp, abs=0.00051)
    assert linear.parse(row.edit).text == row.edit


def test_every_figure_has_a_place():
    figures = [*printed.TEXT.values(), *printed.HANDCRAFTED.values(), printed.ELLIPSE_45,
               printed.ELLIPSE_XI, printed.DISK_45, printed.DISK_XI]  # fmt: skip
    for each in (*figures, *printed.CONSERVATIVE, *printed.METHODS, *printed.TRAINED):
        assert re.search(r"lines? \d+", each.place)
    assert all(each.value > 0 for each in figures)


def test_methods():
    names = [each.name for each in printed.METHODS]
    assert names == [
        "HiDDeN", "MBRS", "TrustMark", "WAM", "Video Seal 96", "Video Seal 256", "Chunky Seal",
    ]  # fmt: skip
    chunky = printed.METHODS[-1]
    assert chunky.bits / N[256] == pytest.approx(printed.TEXT["chunky_bpp"].value, abs=5e-5)
    assert all(30 < each.psnr_sa1b < 54 and 30 < each.psnr_coco < 54 for each in printed.METHODS)
