"""Covers: how far each sample may move."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.bounds.covers import corner, gray, named, photo
from morebits.errors import InputError, UnknownName
from morebits.types import ImageFormat

FORMAT = ImageFormat(1, 4, 3, 3)


class TestRanges:
    def test_gray_is_off_the_centre_by_half_a_step(self):
        family = gray(FORMAT).family
        assert (family.below, family.above, family.counts) == ([4], [3], [12])

    def test_gray_volume_is_centred_as_in_the_paper(self):
        low, high, counts = gray(FORMAT).sides
        assert (low, high, counts) == ([-3.5], [3.5], [12])

    def test_corner(self):
        family = corner(FORMAT).family
        assert (family.below, family.above, family.counts) == ([0], [7], [12])

    def test_photo(self):
        cover = photo(FORMAT, [5, 0, 0, 4, 0, 0, 0, 3])
        assert cover.family.below.tolist() == [0, 3, 7]
        assert cover.family.above.tolist() == [7, 4, 0]
        assert cover.family.counts.tolist() == [5, 4, 3]
        low, high, _ = cover.sides
        assert low.tolist() == [0, -3, -7]
        assert high.tolist() == [7, 4, 0]

    def test_a_gray_photo_is_the_gray_cover(self):
        cover = photo(FORMAT, np.eye(8)[FORMAT.mid] * 12)
        assert cover.family.below == gray(FORMAT).family.below

    @pytest.mark.parametrize("depth", range(1, 17))
    def test_every_depth_spans_the_grid(self, depth):
        format = ImageFormat(1, 2, 2, depth)
        for cover in (gray(format), corner(format)):
            assert cover.family.below + cover.family.above + 1 == 2**depth


class TestErrors:
    @pytest.mark.parametrize(
        "histogram", [[12], [0] * 8, [13] + [0] * 7, [13, -1, 0, 0, 0, 0, 0, 0], [12] + [0] * 8]
    )
    def test_bad_histogram(self, histogram):
        with pytest.raises(InputError, match="8 counts that sum to 12"):
            photo(FORMAT, histogram)

    def test_unknown_name_lists_the_known(self):
        with pytest.raises(UnknownName, match="corner, gray"):
            named("grey", FORMAT)

    def test_names(self):
        assert named("gray", FORMAT).name == "gray"
        assert named("corner", FORMAT).name == "corner"
