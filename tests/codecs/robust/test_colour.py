"""Luma, the smallest change of it, and channels rebuilt where they were cut off."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from morebits.codecs.robust import colour


class TestLuma:
    def test_is_that_of_jpeg(self, scene):
        picture = scene(40, 50)
        ours = colour.luma(picture)
        theirs = np.asarray(Image.fromarray(picture).convert("L"), np.float32)
        assert ours.dtype == np.float32
        assert np.abs(ours - theirs).max() <= 1

    @pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
    def test_of_gray_is_the_samples(self, dtype):
        gray = np.arange(200, 224).reshape(4, 6, 1).astype(dtype)
        assert np.array_equal(colour.luma(gray), gray[..., 0].astype(np.float32))

    def test_of_equal_channels_is_their_value(self):
        levels = np.repeat(np.arange(256, dtype=np.uint8).reshape(1, -1, 1), 3, axis=2)
        assert np.allclose(colour.luma(levels)[0], np.arange(256), atol=1e-3)


class TestDirections:
    @given(st.tuples(*[st.floats(-3, 3)] * 2))
    def test_no_other_change_of_one_level_is_smaller(self, amounts):
        ours = colour.directions(3).astype(np.float64)
        red, green, blue = (float(weight) for weight in colour.WEIGHTS)
        # All changes that luma does not see.
        unseen = np.array([[green, -red, 0], [blue, 0, -red]])
        other = ours + amounts @ unseen
        assert other @ (red, green, blue) == pytest.approx(1, abs=1e-5)
        assert other @ other >= ours @ ours - 1e-6

    def test_is_smaller_than_a_change_of_gray_by_1_27_db(self):
        ours = colour.directions(3)
        assert 10 * np.log10(3 / float(ours @ ours)) == pytest.approx(1.27, abs=0.01)


class TestTints:
    def test_are_at_right_angles_to_luma_and_to_each_other(self):
        all_three = np.vstack([colour.directions(3) / np.linalg.norm(colour.directions(3)),
                               colour.TINTS])  # fmt: skip
        assert np.allclose(all_three @ all_three.T, np.eye(3), atol=1e-6)

    def test_a_change_of_luma_leaves_them_alone(self, scene):
        picture = scene(30, 40).astype(np.float32)
        lighter = picture + 5 * colour.directions(3)
        for which in (0, 1):
            assert np.allclose(colour.tint(lighter, which), colour.tint(picture, which), atol=1e-3)
        tinted = picture + 5 * colour.TINTS[0]
        assert np.allclose(colour.luma(tinted), colour.luma(picture), atol=1e-3)
        assert np.allclose(colour.tint(tinted, 0) - colour.tint(picture, 0), 5, atol=1e-3)


def coloured(height: int = 80, width: int = 90) -> np.ndarray:
    """A picture whose channels are linear functions of one another, partly beyond 0 and 255."""
    y, x = np.mgrid[0:height, 0:width]
    base = 128 + 75 * np.sin(x / 9) * np.cos(y / 11)
    return np.stack([1.6 * base - 20, base, 160 - 0.8 * base], axis=2)


class TestRestored:
    def test_rebuilds_what_is_linear(self):
        true = coloured()
        seen = np.rint(true).clip(0, 255).astype(np.uint8)
        cut = (seen == 0) | (seen == 255)
        assert 0.1 < cut.any(axis=2).mean() < 0.9
        assert not cut.all(axis=2).any()
        result, doubt = colour.restored(seen)
        before = np.abs(seen - true)[cut]
        after = np.abs(result - true)[cut]
        assert before.max() > 40
        assert np.sqrt(np.mean(after**2)) < 0.1 * np.sqrt(np.mean(before**2))
        assert np.array_equal(result[~cut], seen[~cut])
        assert np.array_equal(doubt > 0, cut.any(axis=2))
        assert doubt.max() < 1

    def test_goes_beyond_the_end_never_back(self, scene):
        bright = (scene(80, 90).astype(np.float32) * 1.6).clip(0, 255).astype(np.uint8)
        result, _ = colour.restored(bright)
        assert (result[bright == 255] >= 255).all()
        assert (result[bright == 0] <= 0).all()

    def test_pixels_without_a_channel_are_lost(self):
        picture = np.rint(coloured()).clip(1, 254).astype(np.uint8)
        picture[10:20, 30:40] = 255
        picture[40:44, 5:9] = (0, 255, 0)
        result, doubt = colour.restored(picture)
        assert (doubt[10:20, 30:40] == 1).all()
        assert (doubt[40:44, 5:9] == 1).all()
        assert doubt.sum() == 100 + 16
        assert np.isfinite(result).all()

    @pytest.mark.parametrize("value", [0, 128, 255])
    def test_one_colour_stays(self, value):
        picture = np.full((40, 40, 3), value, np.uint8)
        result, doubt = colour.restored(picture)
        assert np.array_equal(result, picture)
        assert (doubt == (value != 128)).all()


def test_clipped_are_pixels_with_a_channel_at_an_end():
    picture = np.full((3, 4, 3), 100, np.uint8)
    picture[0, 1, 2] = 255
    picture[2, 3, 0] = 0
    picture[1, 1] = (1, 254, 1)
    assert np.argwhere(colour.clipped(picture)).tolist() == [[0, 1], [2, 3]]
