from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits import images
from morebits.attacks import parse
from morebits.errors import ManifestError
from morebits.provenance.description import PARTS, SIMILAR, compare, describe, grid


@pytest.fixture(scope="module")
def picture(photo):
    return images.read(photo).array


def scaled(image, original):
    """The map of a picture that was only made larger or smaller."""
    (height, width), (h, w) = original.shape[:2], image.shape[:2]
    across, down = w / width, h / height
    return [[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]]


def likeness(picture, image, matrix=None):
    height, width = picture.shape[:2]
    return compare(describe(picture), image, np.eye(2, 3) if matrix is None else matrix,
                   (width, height))  # fmt: skip


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_grids_use_the_room_there_is(width, height):
    rows, columns = grid((width, height))
    assert PARTS // 2 < rows * columns <= PARTS


@pytest.mark.parametrize(
    "edit", ["jpeg:30", "blur:9", "grayscale", "contrast:0.5", "brightness:0.7", "resize:0.4"]
)
def test_edits_leave_it_the_same(picture, edit):
    edited = parse(edit)(picture, seed=1)
    found = likeness(picture, edited, scaled(edited, picture))
    assert (found.outcome, found.off, found.added) == ("same", 0, 0)
    assert found.similarity > 0.98


def test_a_crop_is_compared_where_it_was(picture):
    found = likeness(picture, picture[150:500, 100:400], [[1, 0, -100], [0, 1, -150]])
    assert found.outcome == "same"
    assert 24 <= found.parts < 100


def test_a_crop_at_another_place_is_another_picture(picture):
    found = likeness(picture, picture[150:500, 100:400], [[1, 0, -200], [0, 1, -10]])
    assert found.outcome == "other"


def test_mirrored_upside_down_and_inverted(picture):
    for other in (picture[:, ::-1], picture[::-1], 255 - picture):
        assert likeness(picture, other).outcome == "other"


def test_a_map_that_mirrors(picture):
    width = picture.shape[1]
    found = likeness(picture, picture[:, ::-1], [[-1, 0, width - 1], [0, 1, 0]])
    assert found.outcome == "same"


def test_a_patch_is_noticed(picture):
    patched = picture.copy()
    patched[200:300, 200:300] = 255 - patched[200:300, 200:300]
    found = likeness(picture, patched)
    assert found.outcome == "changed"
    assert 0 < found.off < 10


def test_what_was_added_around_it_is_noticed(picture):
    around = np.pad(picture, ((0, 0), (60, 0), (0, 0)))
    found = likeness(picture, around, [[1, 0, 60], [0, 1, 0]])
    assert (found.outcome, found.off) == ("changed", 0)
    assert found.added == pytest.approx(60 / 572, abs=0.02)


def test_too_little_is_no_answer(picture):
    found = likeness(picture, picture[:150, :150])
    assert (found.outcome, found.parts < PARTS // 8) == ("unknown", True)


def test_a_picture_without_anything_in_it_is_no_answer(picture):
    flat = np.full((100, 100, 3), 128, np.uint8)
    assert likeness(flat, flat).outcome == "unknown"
    assert likeness(picture, np.full_like(picture, 128)).outcome == "other"


def test_sixteen_bits_and_gray_are_the_same(picture):
    deep = picture.astype(np.uint16) * 257
    assert describe(deep) == describe(picture)
    gray = parse("grayscale")(picture, seed=1)[..., :1]
    assert likeness(picture, gray).outcome == "same"


def test_noise_is_never_similar(picture):
    """Of 400 random pictures none comes near the threshold."""
    random = np.random.default_rng(1)
    told, size = describe(picture), (picture.shape[1], picture.shape[0])
    best = 0.0
    for _ in range(400):
        coarse = random.integers(0, 256, (4, 4, 1), np.uint8)
        other = np.kron(coarse, np.ones((15, 13, 1), np.uint8))
        best = max(best, compare(told, other, scaled(other, picture), size).similarity)
    assert 0.2 < best < SIMILAR


@pytest.mark.parametrize(
    "broken",
    [b"", bytes(97), bytes(99), b"\x09\x08" + bytes(96)],
    ids=["empty", "short", "long", "dark above bright"],
)
def test_what_is_no_description(broken):
    with pytest.raises(ManifestError, match="description of the picture"):
        compare(broken, np.zeros((48, 64, 1), np.uint8), np.eye(2, 3), (64, 48))


def test_padding_is_zero():
    """7 x 27 parts: the last half byte is not used."""
    size = (380, 100)
    assert grid(size) == (7, 27)
    told = bytes([0, 255]) + bytes(94) + b"\x01"
    with pytest.raises(ManifestError, match="is none"):
        compare(told, np.zeros((100, 380, 1), np.uint8), np.eye(2, 3), size)
