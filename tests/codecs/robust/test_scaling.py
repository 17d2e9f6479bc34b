"""Sizes of the original: the known numbers tell the right one from chance."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.attacks import parse
from morebits.codecs.pilot import framed
from morebits.codecs.robust import scaling
from morebits.codecs.robust.colour import luma
from morebits.codecs.robust.layout import Layout

LAYOUT = Layout.of("key")
#: Width and height of the picture of the tests.
RIGHT = (336, 240)
ANY = -100.0


def others(received: np.ndarray, count: int = 120) -> np.ndarray:
    """Sizes that an original of that picture might have had, none within two pixels of its own."""
    every = framed.sizes((received.shape[1], received.shape[0]))
    far = every[np.abs(every - RIGHT).max(axis=1) > 2]
    return np.random.default_rng(0).permutation(far)[:count]


def beside(pixels: int) -> np.ndarray:
    """Sizes whose sides are so many pixels more, or less, or as they should be; never both."""
    moves = np.array([(x, y) for x in (-pixels, 0, pixels) for y in (-pixels, 0, pixels)])
    return np.array(RIGHT) + moves[moves.any(axis=1)]


def likeliest(
    picture: np.ndarray, sizes: np.ndarray, count: int, least: float, layout: Layout = LAYOUT
) -> list[tuple[float, float]]:
    """The sizes that the maps come from, width before height."""
    plane = luma(picture)
    found = scaling.likeliest(plane, layout, sizes, count, least)
    assert all(each.shape == (2, 3) for each in found)
    high, wide = plane.shape
    return [(round(wide / each[0, 0], 6), round(high / each[1, 1], 6)) for each in found]


@pytest.mark.parametrize(
    "edits",
    [
        f"resize:{factor}|{edit}"
        for factor, edits in {
            0.71: ("none", "jpeg:70", "brightness:0.6"),
            0.5: ("none", "jpeg:90", "brightness:0.6"),
            0.36: ("none", "jpeg:95", "brightness:0.8"),
            1.3: ("none", "jpeg:70", "brightness:0.6"),
        }.items()
        for edit in edits
    ],
)
def test_the_right_size_comes_first(marked, edits):
    received = parse(edits)(marked)
    sizes = np.concatenate([others(received), beside(1), [RIGHT], beside(2)])
    found = likeliest(received, sizes, 3, ANY)
    assert len(found) == 3
    assert found[0] == RIGHT


@pytest.mark.parametrize(("factor", "least"), [(0.36, 12.0), (0.5, 16.0)])
def test_what_a_resize_smoothed_is_brought_back_first(marked, monkeypatch, factor, least):
    received = parse(f"resize:{factor}")(marked)
    assert likeliest(received, np.array([RIGHT]), 1, least) == [RIGHT]
    monkeypatch.setattr(scaling.equalising, "unshrunk", lambda plane: plane)
    assert likeliest(received, np.array([RIGHT]), 1, least) == []


def test_a_map_is_that_of_its_size(marked):
    received = luma(parse("resize:0.71")(marked))
    sizes = np.concatenate([others(received), [RIGHT]])
    (found,) = scaling.likeliest(received, LAYOUT, sizes, 5, 6.0)
    assert np.array_equal(found, scaling.scale(received.shape, RIGHT))


@pytest.mark.parametrize("key", ["another", None])
def test_none_for_another_key(marked, key):
    received = parse("resize:0.71")(marked)
    sizes = np.concatenate([others(received), [RIGHT]])
    assert likeliest(received, sizes, 2, 6.0) == [RIGHT]
    assert likeliest(received, sizes, 2, 6.0, Layout.of(key)) == []


def test_none_without_a_mark(cover):
    received = parse("resize:0.71")(cover)
    sizes = np.concatenate([others(received), [RIGHT]])
    assert likeliest(received, sizes, 2, 6.0) == []


@pytest.mark.parametrize("factor", [0.5, 0.71, 1.3])
def test_the_best_come_first_and_no_more_than_asked(marked, factor):
    received = parse(f"resize:{factor}")(marked)
    sizes = np.concatenate([others(received, 40), beside(2), [RIGHT]])
    every = likeliest(received, sizes, len(sizes), ANY)
    assert sorted(every) == sorted(map(tuple, sizes.tolist()))
    assert likeliest(received, sizes, 5, ANY) == every[:5]
    # One after the other, without any that was better.
    left = sizes
    for best in every[:3]:
        assert likeliest(received, left, 1, ANY) == [best]
        left = left[(left != best).any(axis=1)]


@pytest.mark.parametrize("factor", [0.5, 0.71, 1.3])
def test_sizes_beside_it_lose(marked, factor):
    """Eight pixels more or less leave nothing but chance, and already one is seen."""
    received = parse(f"resize:{factor}")(marked)
    assert likeliest(received, np.concatenate([beside(1), [RIGHT]]), 1, 6.0) == [RIGHT]
    assert likeliest(received, beside(8), 9, 6.0) == []


@pytest.mark.parametrize("factor", [0.45, 0.71, 1.3, 2])
def test_a_scale_takes_pixels_where_the_attack_takes_them(factor):
    """Slopes show where each pixel comes from: interpolation leaves slopes as they are."""
    height, width = 150, 199
    slopes = np.array([[1.1, 0.137], [0.16, 1.3]])  # askew, so that rounding cancels out
    y, x = np.mgrid[:height, :width]
    levels = np.rint(np.stack([x, y], axis=2) @ slopes.T).astype(np.uint8)
    received = parse(f"resize:{factor}")(np.dstack([levels, levels[..., 0]]))
    high, wide = received.shape[:2]
    there = received[..., :2] @ np.linalg.inv(slopes).T
    matrix = scaling.scale((high, wide), (width, height))
    y, x = np.mgrid[:high, :wide]
    off = there @ matrix[:, :2].T + matrix[:, 2] - np.stack([x, y], axis=2)
    off = off[4:-4, 4:-4] / factor  # in pixels of the original; the border is repeated
    for part in (off[:30], off[-30:], off[:, :30], off[:, -30:]):
        assert np.abs(part.mean(axis=(0, 1))).max() < 0.03


@pytest.mark.parametrize("original", [(64, 48), (48, 64)])
def test_a_scale_of_the_same_size_moves_nothing(original):
    assert np.array_equal(scaling.scale((original[1], original[0]), original), np.eye(2, 3))


class TestTiny:
    def test_no_sizes(self, marked):
        assert likeliest(marked, np.zeros((0, 2), np.int64), 4, ANY) == []

    def test_sizes_without_a_tile_are_left_out(self, marked):
        sizes = np.array([(23, 100), (100, 23), (24, 24), (5, 5), (0, 0), (300, 24)])
        found = likeliest(marked, sizes, 9, ANY)
        assert sorted(found) == [(24, 24), (300, 24)]

    @pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 2), (5, 5), (12, 40), (24, 24)])
    def test_pictures(self, shape):
        """From any picture to any size, whatever its shape."""
        plane = np.random.default_rng(0).normal(100, 9, shape).astype(np.float32)
        sizes = np.concatenate([framed.sizes((shape[1], shape[0]))[::7], [(24, 24), (50, 31)]])
        whole = sizes[(sizes >= 24).all(axis=1)]
        found = scaling.likeliest(plane, LAYOUT, sizes, 10**6, ANY)
        assert len(found) == len(whole)

    def test_parts_of_a_large_original_are_enough(self, marked):
        """What is looked at has an end, and the rest of the original does not matter."""
        wide = np.concatenate([marked, marked[:, ::-1], marked, marked[:, ::-1]], axis=1)
        received = parse("resize:0.71")(wide)
        right = (wide.shape[1], wide.shape[0])
        sizes = np.array(right) + np.array([(-9, 0), (9, 0), (0, 3), (0, 0)])
        assert likeliest(received, sizes, 1, 6.0) == [right]
