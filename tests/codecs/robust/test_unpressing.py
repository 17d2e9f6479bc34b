"""Rotation and JPEG undone together: nearer to the original than the pixels put back."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter

from morebits.attacks import parse
from morebits.codecs.robust import resampling, tiles, unpressing
from morebits.codecs.robust.colour import luma


def turned(degrees: float, shape: tuple[int, ...]) -> np.ndarray:
    """The map of the attack `rotate`: original pixels to received ones."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    linear = np.array([[cos, sin], [-sin, cos]])
    middle = np.array([shape[1] - 1, shape[0] - 1]) / 2
    return np.column_stack([linear, middle - linear @ middle])


@pytest.mark.parametrize("quality", [20, 35, 50, 75, 90, 95])
def test_the_table_is_that_of_pillow(quality):
    file = io.BytesIO()
    Image.new("L", (8, 8)).save(file, "JPEG", quality=quality)
    # Pillow keeps the table in the order of rows.
    assert unpressing.table(quality).ravel().tolist() == Image.open(file).quantization[0]


class TestQuality:
    @pytest.mark.parametrize("quality", [30, 50, 60, 75, 85])
    def test_is_found(self, cover, quality):
        """Or one whose table differs only where the picture has nothing, as 49 from 50."""
        found = unpressing.quality(luma(parse(f"jpeg:{quality}")(cover)))
        assert found is not None
        assert np.abs(unpressing.table(found) - unpressing.table(quality)).max() <= 2

    def test_of_a_picture_that_was_never_compressed(self, cover):
        assert unpressing.quality(luma(cover)) is None

    def test_of_one_that_was_moved_afterwards(self, cover):
        assert unpressing.quality(luma(parse("jpeg:60")(cover)[3:, 5:])) is None

    @pytest.mark.parametrize("shape", [(8, 8), (3, 50), (40, 40)])
    def test_of_next_to_nothing(self, shape):
        assert unpressing.quality(np.full(shape, 90, np.float32)) is None


class TestUnturned:
    @pytest.mark.parametrize("degrees", [30, -17, 45])
    @pytest.mark.parametrize("seed", [1, 2])
    def test_is_nearer_to_the_original_in_what_carries_the_message(self, scene, degrees, seed):
        """Texture as strong as grass, where putting pixels back is at its worst."""
        random = np.random.default_rng(seed)
        grass = gaussian_filter(random.normal(0, 1, (240, 168)), 1)
        levels = scene(240, 168, seed).mean(axis=2) / 2 + 64 + grass * (25 / grass.std())
        original = np.rint(levels).clip(0, 255).astype(np.uint8)[..., None].repeat(3, axis=2)
        received = luma(parse(f"rotate:{degrees}|jpeg:60")(original))
        matrix = turned(degrees, original.shape)
        start = resampling.scatter(received, matrix, received.shape)
        found = unpressing.unturned(received, matrix, start, 60)
        inner = slice(3, 7), slice(2, 5)
        true = tiles.analyse(luma(original))[inner]
        errors = [np.square(tiles.analyse(each)[inner] - true).mean() for each in (start, found)]
        assert errors[1] < 0.9 * errors[0]

    def test_explains_what_was_received(self, scene):
        """Sides that are no multiples of 8, and a frame that is larger than the original."""
        original = scene(101, 131)
        received = luma(parse("rotate:10|jpeg:80")(original))
        matrix = turned(10, original.shape)
        larger = np.column_stack([matrix[:, :2], matrix[:, 2] - matrix[:, :2] @ [24, 24]])
        start = resampling.scatter(received, larger, (168, 192))
        found = unpressing.unturned(received, larger, start, 80)
        assert found.shape == start.shape
        assert np.isfinite(found).all()
        inside = np.s_[50:90, 60:110]
        assert np.abs(found[inside] - luma(original)[26:66, 36:86]).mean() < 6
