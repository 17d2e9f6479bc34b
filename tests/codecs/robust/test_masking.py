"""Weights: less where the eye sees more."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.robust import masking


def grain(deviation: float, level: float = 128, shape: tuple[int, int] = (96, 120)) -> np.ndarray:
    random = np.random.default_rng(0)
    return random.normal(level, deviation, shape).clip(0, 255).astype(np.float32)


class TestPixels:
    def test_busy_places_may_change_more(self):
        means = [
            masking.mask(grain(deviation), 255).pixels.mean() for deviation in (0, 2, 6, 15, 30)
        ]
        assert all(a < b for a, b in pairwise(means))
        assert means[-1] < 8 * means[0]

    def test_a_wall_beside_an_edge_is_still_a_wall(self):
        luma = np.full((96, 96), 100, np.float32)
        luma[:, 48:] = 180
        weights = masking.mask(luma, 255).pixels
        assert weights[:, :42].max() == pytest.approx(weights[0, 0])
        assert weights[:, 54:].max() == pytest.approx(weights[0, 0])

    @pytest.mark.parametrize("level", [0, 1, 254, 255])
    def test_black_and_white_hardly_change(self, level):
        gray = masking.mask(np.full((48, 48), 128, np.float32), 255).pixels
        end = masking.mask(np.full((48, 48), level, np.float32), 255).pixels
        assert end.max() < 0.5 * gray.min()
        assert end.min() > 0

    @given(st.integers(8, 60))
    @settings(max_examples=10)
    def test_brightness_alone_does_not_matter(self, light):
        luma = grain(5, 100)
        here, there = masking.mask(luma, 255), masking.mask(luma + np.float32(light), 255)
        assert np.allclose(here.pixels, there.pixels, rtol=1e-3)
        assert np.array_equal(here.flat, there.flat)

    def test_a_mirror_image_has_the_mirrored_mask(self, scene):
        luma = scene(96, 144)[..., 1].astype(np.float32)
        here, mirrored = masking.mask(luma, 255), masking.mask(luma[:, ::-1].copy(), 255)
        assert np.allclose(mirrored.pixels, here.pixels[:, ::-1], rtol=1e-3)
        assert np.array_equal(mirrored.flat, here.flat[:, ::-1])


class TestFlat:
    def test_is_the_quarter_with_the_least_deviation(self, scene):
        luma = scene(112, 176)[..., 0].astype(np.float32)
        flat = masking.mask(luma, 255).flat
        blocks = luma.reshape(7, 16, 11, 16).transpose(0, 2, 1, 3).reshape(77, -1).std(axis=1)
        chosen = flat.reshape(7, 16, 11, 16).transpose(0, 2, 1, 3).reshape(77, -1)
        assert (chosen == chosen[:, :1]).all()
        inside = chosen[:, 0] > 0
        assert inside.sum() in (19, 20)
        assert blocks[inside].max() <= blocks[~inside].min()

    def test_leaves_out_the_rest_beyond_whole_blocks(self, scene):
        flat = masking.mask(scene(110, 170)[..., 0].astype(np.float32), 255).flat
        assert flat.shape == (110, 170)
        assert not flat[96:].any()
        assert not flat[:, 160:].any()

    @pytest.mark.parametrize("shape", [(10, 40), (40, 10), (1, 1)])
    def test_pictures_without_a_block_have_none(self, shape):
        found = masking.mask(np.full(shape, 99, np.float32), 255)
        assert not found.flat.any()
        assert found.pixels.shape == shape


class TestTiles:
    def test_lie_between_the_least_pixel_and_the_mean(self, scene):
        found = masking.mask(scene(96, 144)[..., 0].astype(np.float32), 255)
        assert found.tiles.shape == (4, 6)
        for i in range(4):
            for j in range(6):
                part = found.pixels[24 * i : 24 * i + 24, 24 * j : 24 * j + 24]
                assert part.min() <= found.tiles[i, j] <= part.mean() * 1.0001

    def test_know_their_share_of_the_flat_quarter(self, scene):
        found = masking.mask(scene(96, 144)[..., 0].astype(np.float32), 255)
        assert found.flat_tiles.sum() * 24 * 24 == pytest.approx(found.flat.sum())
