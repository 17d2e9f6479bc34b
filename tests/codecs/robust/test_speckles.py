"""Black and white pixels that noise made, and those that belong to the picture."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.attacks import parse
from morebits.codecs.robust import decoding, speckles
from morebits.codecs.robust.codec import Robust


@pytest.fixture
def quiet(scene):
    """A picture without pure black and white."""
    return scene(120, 160).clip(30, 225)


@pytest.mark.parametrize("fraction", [0.002, 0.01, 0.05])
@pytest.mark.parametrize("channels", [1, 3])
def test_salt_and_pepper_are_gone(quiet, fraction, channels):
    picture = quiet[..., :channels]
    noisy = parse(f"saltpepper:{fraction}")(picture, seed=3)
    clean = speckles.removed(noisy)
    assert clean is not None
    assert not np.isin(clean, (0, 255)).any()
    same = (noisy == picture).all(axis=2)
    assert np.array_equal(clean[same], picture[same])
    error = np.square(clean[~same].astype(float) - picture[~same]).mean()
    assert error < 0.02 * np.square(noisy[~same].astype(float) - picture[~same]).mean()


def test_a_picture_without_speckles_is_left_alone(quiet):
    assert speckles.removed(quiet) is None


@pytest.mark.parametrize("value", [0, 255])
def test_black_and_white_parts_are_no_speckles(quiet, value):
    quiet[10:40, 20:50] = value
    assert speckles.removed(quiet) is None


def test_extremes_beside_their_like_are_no_speckles(quiet):
    """A highlight that is cut off grows out of bright pixels."""
    ramp = np.minimum(236 + np.arange(120) // 4 % 21, 255).astype(np.uint8)
    quiet[:] = ramp[:, None, None]
    assert speckles.removed(quiet) is None


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 40, 1), (3, 2, 3)])
@pytest.mark.parametrize("value", [0, 128, 255])
def test_tiny_pictures(shape, value):
    assert speckles.removed(np.full(shape, value, np.uint8)) is None


def test_corners_have_fewer_neighbours(quiet):
    noisy = quiet.copy()
    for y, x in ((0, 0), (0, -1), (-1, 0), (-1, -1), (0, 7), (60, 0), (50, 50), (70, 70)):
        noisy[y, x] = 255
    clean = speckles.removed(noisy)
    assert clean is not None
    assert clean.max() < 255


@pytest.mark.parametrize("edit", ["saltpepper:0.01", "crop:0.9|saltpepper:0.02"])
def test_a_message_is_read_through_them(scene, edit):
    message = np.unpackbits(np.frombuffer(b"sixteen bytes ..", np.uint8))
    marked = Robust(psnr=42, key="key").embed(scene(240, 336), message).image
    found = decoding.decode(parse(edit)(marked, seed=1), "key", seconds=20)
    assert found.decoded is not None
    assert found.details["undone"] == "speckles"
