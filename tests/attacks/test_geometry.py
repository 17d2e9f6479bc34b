"""Flips, turns, sizes and parts against loops that follow the definitions."""

from __future__ import annotations

import attack_oracles as oracles
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits import linear
from morebits.attacks import geometry, parse
from morebits.errors import ImageError, TooLarge
from morebits.types import ImageFormat


def test_flips_by_hand():
    picture = np.array([[[1], [2], [3]], [[4], [5], [6]]], np.uint8)
    assert parse("hflip")(picture)[..., 0].tolist() == [[3, 2, 1], [6, 5, 4]]
    assert parse("vflip")(picture)[..., 0].tolist() == [[4, 5, 6], [1, 2, 3]]


class TestRotate:
    @pytest.mark.parametrize("degrees", [5, 10, 30, 45, -7, 200.5])
    @pytest.mark.parametrize("size", [(48, 64), (31, 20)])
    def test_is_the_oracle(self, colour, degrees, size):
        picture = colour[: size[0], : size[1]]
        expected, either = oracles.rotate(picture, degrees)
        same = (geometry.rotate(picture, degrees) == expected).all(axis=2)
        assert (same | either).all()
        assert same.mean() > 0.97

    def test_quarter_turns_are_counterclockwise_and_turn_the_canvas(self):
        picture = np.array([[[1], [2], [3]], [[4], [5], [6]]], np.uint8)
        assert parse("rotate:90")(picture)[..., 0].tolist() == [[3, 6], [2, 5], [1, 4]]
        assert parse("rotate:-270")(picture)[..., 0].tolist() == [[3, 6], [2, 5], [1, 4]]
        assert parse("rotate:180")(picture)[..., 0].tolist() == [[6, 5, 4], [3, 2, 1]]
        assert parse("rotate:360")(picture)[..., 0].tolist() == [[1, 2, 3], [4, 5, 6]]

    def test_a_small_turn_goes_the_same_way(self):
        """The right end of a bar rises."""
        picture = np.zeros((41, 41, 1), np.uint8)
        picture[20, 20:] = 255
        turned = parse("rotate:30")(picture)[..., 0]
        assert turned[:19].sum() > 0
        assert turned[22:].sum() == 0

    def test_corners_are_black_and_the_canvas_stays(self, colour):
        turned = parse("rotate:45")(np.maximum(colour, 1))
        assert turned.shape == colour.shape
        assert not turned[0, 0].any()
        assert turned[24, 32].any()


class TestResize:
    @pytest.mark.parametrize("ratio", [0.32, 0.71, 0.95, 1.0, 1.7])
    def test_is_the_oracle(self, colour, ratio):
        height, width = int(ratio * 48), int(ratio * 64)
        found = geometry.resize(colour, ratio)
        exact = oracles.resize(colour, width, height)
        assert found.shape == (height, width, 3)
        # Pillow computes with 24 bits: a value half way between two levels may go either way.
        assert np.abs(found - exact).max() <= 0.5 + 1e-4
        assert (found == oracles.levels(exact)).mean() > 0.99

    def test_sides_are_cut_not_rounded(self, colour):
        """The paper's code takes int(ratio * side): 0.77 of 48 x 64 is 36.96 x 49.28."""
        assert parse("resize:0.77")(colour).shape == (36, 49, 3)

    def test_rescale_returns_to_the_size(self, gray):
        small = geometry.resize(gray, 0.5)
        back = oracles.levels(oracles.resize(small, 64, 48))
        found = parse("rescale:0.5")(gray)
        assert found.shape == gray.shape
        assert np.abs(found.astype(int) - back).max() <= 1

    @pytest.mark.parametrize(
        ("shape", "side", "expected"),
        [
            ((48, 64), 32, (24, 32)),
            ((64, 48), 32, (32, 24)),
            ((48, 64), 64, (48, 64)),
            ((48, 64), 999, (48, 64)),
            ((1, 64), 8, (1, 8)),
        ],
    )
    def test_fit(self, shape, side, expected):
        picture = np.zeros((*shape, 3), np.uint8)
        assert parse(f"fit:{side}")(picture).shape == (*expected, 3)

    def test_too_large(self):
        wide = np.broadcast_to(np.uint8(0), (4000, 8000, 1))
        with pytest.raises(TooLarge, match="pixels") as caught:
            geometry.resize(wide, 4)
        assert caught.value.needed == 16_000 * 32_000


class TestCrop:
    def test_is_a_part_of_the_picture(self):
        """Every pixel of this picture is its own address."""
        rows, columns = np.indices((48, 64), np.uint8)
        picture = np.stack([columns, rows, columns], axis=2)
        part = parse("crop:0.45")(picture, seed=3)
        assert part.shape == (21, 28, 3)
        left, top = part[0, 0, :2]
        assert np.array_equal(part, picture[top : top + 21, left : left + 28])

    def test_places_are_uniform(self):
        """1000 seeds over 5 x 5 places: chi-square with 24 degrees of freedom, 99.9 % is 51.2."""
        picture = np.arange(81, dtype=np.uint8).reshape(9, 9, 1)
        attack = parse("crop:0.6")
        firsts = [int(attack(picture, seed=seed)[0, 0, 0]) for seed in range(1000)]
        places, counts = np.unique(firsts, return_counts=True)
        assert places.tolist() == [9 * row + column for row in range(5) for column in range(5)]
        assert ((counts - 40) ** 2 / 40).sum() < 51.2

    def test_all_of_it(self, colour):
        assert np.array_equal(parse("crop:1")(colour), colour)

    @pytest.mark.parametrize("name", ["crop", "resize", "rescale"])
    def test_nothing_is_left(self, name):
        with pytest.raises(ImageError, match=f"nothing is left of 64x2 pixels after {name}:0.3"):
            parse(f"{name}:0.3")(np.zeros((2, 64, 3), np.uint8))


class TestTranslate:
    @given(st.integers(-9, 9), st.integers(-9, 9))
    def test_is_the_linear_edit(self, dx, dy):
        picture = np.arange(7 * 5 * 3, dtype=np.uint8).reshape(5, 7, 3)
        operator = linear.translation(dx, dy).at(ImageFormat(width=7, height=5))
        found = parse(f"translate:{dx},{dy}")(picture)
        assert np.array_equal(found, operator.apply(picture))


class TestPerspective:
    @pytest.mark.parametrize("distortion", [0.1, 0.5, 0.9])
    def test_is_the_oracle(self, colour, distortion):
        picture = colour[:24, :32]
        random, again = (np.random.Generator(np.random.PCG64(5)) for _ in range(2))
        wide, high = int(distortion * 16), int(distortion * 12)
        inwards = again.integers([0, 0], [wide + 1, high + 1], size=(4, 2))
        seen = [
            (inwards[0, 0], inwards[0, 1]),
            (31 - inwards[1, 0], inwards[1, 1]),
            (31 - inwards[2, 0], 23 - inwards[2, 1]),
            (inwards[3, 0], 23 - inwards[3, 1]),
        ]
        found = geometry.perspective(picture, distortion, random)
        exact = oracles.perspective(picture, seen)
        assert np.abs(found - exact).max() <= 0.5 + 1e-6

    def test_none_of_it_changes_nothing(self, colour):
        assert np.array_equal(parse("perspective:0")(colour), colour)

    def test_a_line_is_refused(self):
        with pytest.raises(ImageError, match="2 a side"):
            parse("perspective:0.3")(np.zeros((1, 9, 3), np.uint8))
