"""Things on a picture: as large as asked, where the seed says, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.attacks import parse


def changed(text: str, picture: np.ndarray, seed: int = 0) -> np.ndarray:
    """Which pixels the attack changed."""
    return (parse(text)(picture, seed=seed) != picture).any(axis=2)


def box(mask: np.ndarray) -> tuple[int, int]:
    """Height and width of what is true."""
    rows, columns = np.nonzero(mask)
    return int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1


@pytest.fixture
def flat() -> np.ndarray:
    return np.full((120, 200, 3), 101, np.uint8)


@pytest.mark.parametrize("area", [0.01, 0.1, 0.5, 1])
@pytest.mark.parametrize("seed", range(4))
def test_a_rectangle_covers_the_area(flat, area, seed):
    mask = changed(f"rectangle:{area}", flat, seed)
    height, width = box(mask)
    assert mask.sum() == height * width
    assert mask.mean() == pytest.approx(area, rel=0.08)


def test_a_rectangle_has_one_colour(flat):
    found = parse("rectangle:0.1")(flat, seed=1)
    assert len(np.unique(found[changed("rectangle:0.1", flat, 1)], axis=0)) == 1


def test_text_is_white_with_a_black_rim(flat):
    found = parse("text:0.2")(flat)
    height, width = box(changed("text:0.2", flat))
    assert {0, 101, 255} <= set(np.unique(found))
    assert 12 <= height <= 34
    assert width > 3 * height


def test_an_emoji_is_a_disc(flat):
    mask = changed("emoji:0.5", flat)
    assert box(mask) == (60, 60)
    assert mask.sum() == pytest.approx(np.pi * 30**2, rel=0.05)


def test_a_logo_lets_the_picture_through(flat):
    dark, light = (
        parse("logo:0.3")(np.full_like(flat, level))[changed("logo:0.3", flat)].max(axis=0)
        for level in (0, 101)
    )
    # 160 of 255 opaque: 160 over black, 160 + 101 * 95 / 255 = 198 over gray.
    assert dark.tolist() == [160] * 3
    assert light.tolist() == [198] * 3


def test_a_logo_sits_in_each_corner(flat):
    places = set()
    for seed in range(30):
        rows, columns = np.nonzero(changed("logo:0.2", flat, seed))
        places.add((bool(rows.mean() > 60), bool(columns.mean() > 100)))
        assert min(rows.min(), columns.min(), 119 - rows.max(), 199 - columns.max()) >= 3
    assert len(places) == 4


@pytest.mark.parametrize("name", ["rectangle", "text", "emoji", "logo"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (3, 5)])
@pytest.mark.parametrize("size", [0.001, 0.5, 1])
def test_tiny_pictures(name, shape, size):
    for channels in (1, 3):
        picture = np.full((*shape, channels), 9, np.uint8)
        found = parse(f"{name}:{size}")(picture)
        assert found.shape == picture.shape


def test_gray_gets_the_gray_of_the_colour(flat):
    colourful = parse("emoji:0.5|grayscale")(flat)[..., 0].astype(int)
    plain = parse("emoji:0.5")(flat[..., :1])[..., 0]
    assert np.abs(colourful - plain).max() <= 1
