"""Light and colour against the definitions, one pixel at a time."""

from __future__ import annotations

import attack_oracles as oracles
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.attacks import colour as room
from morebits.attacks import parse

pixels = st.lists(st.integers(0, 255), min_size=3, max_size=3)


def test_brightness_by_hand():
    picture = np.array([[[0], [3], [100], [200]]], np.uint8)
    assert parse("brightness:1.5")(picture).ravel().tolist() == [0, 4, 150, 255]
    assert parse("brightness:0.25")(picture).ravel().tolist() == [0, 1, 25, 50]
    assert parse("brightness:0")(picture).ravel().tolist() == [0, 0, 0, 0]


def test_contrast_by_hand():
    """Mean gray of (200, 100, 50) and (0, 0, 0): (59.78 + 58.7 + 5.7) / 2 = 62.09."""
    picture = np.array([[[200, 100, 50], [0, 0, 0]]], np.uint8)
    assert parse("contrast:0.5")(picture).tolist() == [[[131, 81, 56], [31, 31, 31]]]
    assert parse("contrast:0")(picture).tolist() == [[[62] * 3, [62] * 3]]


@pytest.mark.parametrize("factor", [0.1, 0.75, 1.25, 2])
def test_contrast_is_the_oracle(colour, gray, factor):
    for picture in (colour, gray):
        exact = oracles.levels(oracles.contrast(picture, factor))
        assert np.array_equal(room.contrast(picture, factor), exact)


@pytest.mark.parametrize("factor", [0, 0.5, 2])
def test_saturation_is_the_oracle(colour, factor):
    exact = oracles.levels(oracles.saturation(colour, factor))
    assert np.array_equal(room.saturation(colour, factor), exact)


def test_grayscale_by_hand():
    """0.2989 * 200 + 0.587 * 100 + 0.114 * 50 = 124.18."""
    picture = np.array([[[200, 100, 50]]], np.uint8)
    assert parse("grayscale")(picture).tolist() == [[[124, 124, 124]]]


@pytest.mark.parametrize("turn", [-0.5, -0.2, -0.1, 0.1, 0.2, 0.5])
def test_hue_is_the_oracle(colour, turn):
    exact = oracles.hue(colour, turn)
    found = room.hue(colour, turn)
    assert np.abs(found - exact).max() <= 0.5 + 1e-9
    assert (found == oracles.levels(exact)).mean() > 0.99


def test_hue_by_hand():
    """A third of the circle takes red to green; gray has no hue."""
    picture = np.array([[[255, 0, 0], [90, 90, 90], [0, 0, 0], [255, 255, 255]]], np.uint8)
    turned = room.hue(picture, 1 / 3)
    assert turned.tolist() == [[[0, 255, 0], [90, 90, 90], [0, 0, 0], [255, 255, 255]]]


@given(pixels, st.sampled_from([-0.5, -0.25, 0.125, 0.25, 0.5]))
def test_hue_keeps_the_largest_and_the_smallest(pixel, turn):
    picture = np.array([[pixel]], np.uint8)
    turned = room.hue(picture, turn)
    assert turned.max() == max(pixel)
    assert turned.min() == min(pixel)
    back = room.hue(turned, -turn).astype(int)
    assert np.abs(back - picture).max() <= 1


@pytest.mark.parametrize("text", ["hue:0.2", "saturation:0", "grayscale"])
def test_gray_has_no_colour_to_change(gray, text):
    assert np.array_equal(parse(text)(gray), gray)


def test_gamma_by_hand():
    """255 * (100 / 255) ** 2 = 39.2; its square root is 159.7."""
    picture = np.array([[[0], [100], [255]]], np.uint8)
    assert parse("gamma:2")(picture).ravel().tolist() == [0, 39, 255]
    assert parse("gamma:0.5")(picture).ravel().tolist() == [0, 160, 255]


@given(st.integers(1, 8), st.integers(0, 255))
def test_posterize_keeps_the_highest_bits(bits, level):
    found = room.posterize(np.array([[[level]]], np.uint8), bits).item()
    assert f"{found:08b}" == f"{level:08b}"[:bits].ljust(8, "0")


@pytest.mark.parametrize(
    "text",
    ["brightness:1", "contrast:1", "saturation:1", "hue:0", "gamma:1", "posterize:8"],
)
def test_neutral_values_change_nothing(colour, text):
    assert np.array_equal(parse(text)(colour), colour)
