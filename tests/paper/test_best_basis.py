"""What the best basis could give bound 13, against bases that are known."""

from __future__ import annotations

import numpy as np
import pytest

from morebits import bounds, linear
from morebits.bounds.spectrum import Spectrum
from morebits.paper import printed
from morebits.paper.best_basis import most_bits
from morebits.types import ImageFormat

FORMAT = ImageFormat(width=16, height=16)
PAPER = {row.edit: row for row in printed.CONSERVATIVE}


def known(edit: str) -> float:
    most = most_bits(linear.parse(edit).at(FORMAT), FORMAT, 42, 256)
    assert most is not None
    return most


@pytest.mark.parametrize("edit", ["crop:0.25", "crop:0.5", "crop:0.75"])
def test_no_known_basis_gives_more(edit):
    operator = linear.parse(edit).at(FORMAT)
    most = known(edit)
    left, values, _ = np.linalg.svd(operator.dense())
    lapack = Spectrum.of(
        values, inputs=768, outputs=768, method="LAPACK", left_l1=np.abs(left).sum(0)
    )
    for spectrum in (operator.spectrum(vectors=True), lapack):
        assert bounds.bound_13(FORMAT, 42, spectrum, peak=256).bits <= most + 1e-6


def test_the_papers_crop_of_a_quarter_is_out_of_reach_and_the_others_are_not():
    """Independent of our choice of a basis: 81 bits are printed, 23.19 can be had at most."""
    most = {edit: known(edit) for edit in PAPER if edit.startswith("crop")}
    assert most["crop:0.25"] == pytest.approx(23.19, abs=0.01)
    assert most["crop:0.25"] < PAPER["crop:0.25"].bits_16px
    assert most["crop:0.5"] > PAPER["crop:0.5"].bits_16px
    assert most["crop:0.75"] > PAPER["crop:0.75"].bits_16px


def test_none_where_the_argument_does_not_apply():
    for edit in ("rotate:30", "linjpeg:8", "grayscale", "hflip"):
        assert most_bits(linear.parse(edit).at(FORMAT), FORMAT, 42, 256) is None
