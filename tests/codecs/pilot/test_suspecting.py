"""Edits that the pilot suspects: the right one comes first, and what else is asked for follows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from morebits.attacks import parse
from morebits.codecs import pilot
from morebits.codecs.pilot import Suspects, framed
from morebits.codecs.pilot.view import View
from morebits.codecs.pilot.waves import waves

#: Width and height of the picture of the tests.
SIZE = (320, 240)


@pytest.fixture(scope="module")
def original() -> np.ndarray:
    """Noise of little contrast: nothing hides the pilot."""
    return np.random.default_rng(0).integers(90, 154, (SIZE[1], SIZE[0], 3), np.uint8)


@pytest.fixture(scope="module")
def marked(original) -> np.ndarray:
    return pilot.mark(original, "key", psnr=42)


@pytest.fixture(scope="module")
def face(photo) -> np.ndarray:
    """A part of a photo with a good pilot."""
    picture = np.asarray(Image.open(photo).convert("RGB"))[40:280, 120:400]
    return pilot.mark(picture, "key", psnr=44)


def plainly(part: np.ndarray, places: np.ndarray) -> np.ndarray:
    """How well the waves agree when the part's first pixel is at each place of the original.

    Over all waves and pixels, as it is defined.
    """
    table, view = waves("key"), View(part, waves("key"), 800)
    y, x = np.mgrid[: part.shape[0], : part.shape[1]]
    scores = np.zeros(len(places))
    for k, (u, v) in enumerate(table.cycles.tolist()):
        (noise,) = view.spectrum.noise(table.cycles[k : k + 1], table.channel[k : k + 1])
        wave = np.exp(-2j * np.pi * (u * x + v * y) - 1j * table.radians[k])
        total = (view.patch.planes[table.channel[k]] * wave).sum()
        moved = total * np.exp(-2j * np.pi * (places @ (u, v)))
        scores += np.sqrt(table.energy[k] / noise) * moved.real
    return scores


class TestCrops:
    @pytest.mark.parametrize(("left", "top"), [(0, 0), (20, 30), (101, 63), (190, 130)])
    @pytest.mark.parametrize("edit", ["none", "jpeg:70", "grayscale"])
    def test_the_right_place_comes_first(self, marked, left, top, edit):
        part = parse(edit)(marked[top : top + 110, left : left + 130])
        assert Suspects(part, "key").crops(5)[0].tolist() == [left, top]

    def test_in_a_photo(self, face):
        assert Suspects(face[30:190, 41:240], "key").crops(5)[0].tolist() == [41, 30]

    @pytest.mark.parametrize("count", [1, 3, 8, 40])
    def test_four_pixels_of_each_top_and_a_quarter_more_tops(self, marked, count):
        found = Suspects(marked[30:140, 20:150], "key").crops(count)
        assert found.shape == (4 * (count + count // 4), 2)
        assert len(np.unique(found, axis=0)) == len(found)
        for four in found.reshape(-1, 4, 2):
            assert np.ptp(four, axis=0).max() <= 4

    def test_near_ones_before_far_ones(self, marked):
        """Near is three times the width and height, but for the pixels beside a top."""
        found = Suspects(marked[30:140, 20:150], "key").crops(40)
        near, far = found[:160], found[160:]
        assert near.min() >= -4
        assert (near < (3 * 130 + 2, 3 * 110 + 2)).all()
        assert (near > (2.5 * 130, 2.5 * 110)).any(axis=0).all()
        assert ((far < -1).any(axis=1) | (far >= (3 * 130 - 2, 3 * 110 - 2)).any(axis=1)).all()

    def test_more_begin_with_the_same(self, marked):
        suspects = Suspects(marked[30:140, 20:150], "key")
        few, many = suspects.crops(10), suspects.crops(40)
        assert np.array_equal(many[:40], few[:40])
        assert np.array_equal(many[160:168], few[40:])
        assert np.array_equal(suspects.crops(10), few)

    def test_the_pixels_of_a_top_are_those_at_which_the_waves_agree_best(self, marked):
        part = marked[31:111, 21:121]
        around = np.array([(21 + x, 31 + y) for x in range(-1, 2) for y in range(-1, 2)])
        best = around[np.argsort(-plainly(part, around))[:4]]
        assert Suspects(part, "key").crops(1).tolist() == best.tolist()

    def test_the_tops_at_which_they_agree_best_come_first(self, marked):
        part = marked[31:111, 21:121]
        found = Suspects(part, "key").crops(60)[:240]
        scores = plainly(part, found).reshape(-1, 4)
        assert (np.diff(scores, axis=1) <= 1e-3 * scores.max()).all()
        assert scores[0, 0] > 1.5 * scores[1:].max()
        # Tops are found on every second pixel, where they seem lower than they are.
        assert np.mean(scores[1:16, 0]) > np.mean(scores[16:31, 0]) > np.mean(scores[31:46, 0])


class TestPlaces:
    @pytest.mark.parametrize(("left", "top"), [(0, 0), (20, 30), (101, 63), (190, 130)])
    @pytest.mark.parametrize("edit", ["none", "jpeg:70", "grayscale"])
    def test_the_right_place_comes_first(self, marked, left, top, edit):
        part = parse(edit)(marked[top : top + 110, left : left + 130])
        found = Suspects(part, "key").places(7)
        assert found.shape == (7, 2)
        assert found[0].tolist() == [left, top]

    def test_are_those_at_which_the_waves_agree_best(self, marked):
        part = marked[31:71, 21:71]
        every = np.array([(x, y) for x in range(110) for y in range(88)])
        scores = plainly(part, every)
        found = Suspects(part, "key").places(300)
        here = plainly(part, found)
        assert len(np.unique(found, axis=0)) == 300
        assert np.abs(here - np.sort(scores)[::-1][:300]).max() < 1e-3 * here[0]

    def test_are_no_more_than_there_are(self):
        part = np.random.default_rng(1).integers(0, 256, (12, 17, 3), np.uint8)
        found = Suspects(part, "key").places(10**6)
        assert set(map(tuple, found.tolist())) == {(x, y) for x in range(37) for y in range(26)}
        assert len(found) == 37 * 26


class TestSizes:
    @pytest.mark.parametrize("factor", [0.35, 0.5, 0.71, 1, 1.3])
    @pytest.mark.parametrize("edit", ["none", "jpeg:70", "grayscale"])
    def test_the_right_size_comes_first(self, marked, factor, edit):
        received = parse(f"resize:{factor}|{edit}")(marked)
        assert tuple(Suspects(received, "key").sizes(3)[0]) == SIZE

    def test_with_another_shape_by_a_pixel(self, marked):
        received = np.asarray(Image.fromarray(marked).resize((227, 171), Image.Resampling.BICUBIC))
        assert tuple(Suspects(received, "key").sizes(1)[0]) == SIZE

    @pytest.mark.parametrize("factor", [0.5, 0.71, 1.3])
    def test_in_a_photo_it_is_one_of_the_first(self, face, factor):
        received = parse(f"resize:{factor}|jpeg:80")(face)
        assert (280, 240) in set(map(tuple, Suspects(received, "key").sizes(24).tolist()))

    def test_in_a_picture_of_which_only_the_middle_is_looked_at(self):
        """More than 800 pixels a side."""
        noise = np.random.default_rng(2).integers(90, 154, (1101, 1300, 3), np.uint8)
        received = parse("resize:0.71")(pilot.mark(noise, "key", psnr=44))
        assert received.shape[1] > 900
        assert tuple(Suspects(received, "key").sizes(1)[0]) == (1300, 1101)

    def test_come_with_the_best_scores_first(self, marked):
        received = parse("resize:0.71")(marked)
        size = (received.shape[1], received.shape[0])
        found = Suspects(received, "key").sizes(50)
        view, every = View(received, waves("key"), 800), framed.sizes(size)
        scores = framed.resized(view, size, found)
        assert found.shape == (50, 2)
        assert all(one >= other for one, other in pairwise(scores))
        assert scores[-1] == np.sort(framed.resized(view, size, every))[-50]


class TestTurns:
    @pytest.mark.parametrize("degrees", [1, 30, 135, 200, 353])
    @pytest.mark.parametrize("edit", ["none", "jpeg:70", "grayscale"])
    def test_the_right_turn_comes_first(self, marked, degrees, edit):
        received = parse(f"rotate:{degrees}|{edit}")(marked)
        found = Suspects(received, "key").turns(np.arange(360), 4)
        assert len(found) == 4
        assert found[0] == degrees

    def test_in_a_photo(self, face):
        received = parse("rotate:-7|jpeg:80")(face)
        assert Suspects(received, "key").turns(np.arange(-180, 180), 1).tolist() == [-7]

    def test_of_those_asked_for_alone(self, marked):
        suspects = Suspects(parse("rotate:30")(marked), "key")
        assert suspects.turns(np.array([200, 31, 30, 7]), 2).tolist() == [30, 31]
        assert sorted(suspects.turns(np.array([200, 7]), 9).tolist()) == [7, 200]
        assert suspects.turns(np.zeros(0, np.int64), 9).tolist() == []

    def test_come_with_the_best_scores_first(self, marked):
        received, every = parse("rotate:30")(marked), np.arange(360)
        found = Suspects(received, "key").turns(every, 60)
        scores = framed.turned(View(received, waves("key"), 800), SIZE, every.astype(np.float64))
        assert scores[found].tolist() == np.sort(scores)[::-1][:60].tolist()


def everything(image: object, key: str | None = "key", count: int = 9) -> list[list[object]]:
    """The answers to all questions, asked of one picture."""
    suspects = Suspects(image, key)
    answers = (
        suspects.crops(count),
        suspects.places(count),
        suspects.sizes(count),
        suspects.turns(np.arange(1, 360), count),
    )
    return [each.tolist() for each in answers]


class TestAnyPicture:
    @pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (5, 7), (7, 64), (33, 32)])
    @pytest.mark.parametrize("channels", [1, 3])
    def test_tiny(self, shape, channels):
        picture = np.random.default_rng(0).integers(0, 256, (*shape, channels), np.uint8)
        crops, places, sizes, turns = everything(picture)
        assert 4 * 2 <= len(crops) <= 4 * (9 + 2)  # only near ones are few
        assert len(places) == min(9, 4 * shape[0] * shape[1])
        assert len(sizes) == min(9, len(framed.sizes((shape[1], shape[0]))))
        assert len(turns) == 9

    @pytest.mark.parametrize("value", [0, 128, 255])
    def test_in_one_colour(self, value):
        answers = everything(np.full((60, 80, 3), value, np.uint8))
        assert [len(each) for each in answers[1:]] == [9, 9, 9]

    def test_gray(self, marked):
        """With one channel as with three alike."""
        received = parse("resize:0.71|grayscale")(marked)
        answers = everything(received)
        assert everything(received[..., :1]) == answers
        assert tuple(answers[2][0]) == SIZE

    def test_of_sixteen_bits(self, marked):
        assert everything(marked.astype(np.uint16) * 257) == everything(marked)

    def test_a_path_or_an_image(self, marked, tmp_path: Path):
        Image.fromarray(marked[20:, 30:]).save(tmp_path / "cut.png")
        answers = everything(marked[20:, 30:])
        assert everything(tmp_path / "cut.png") == answers
        assert everything(Image.fromarray(marked[20:, 30:])) == answers


@pytest.mark.parametrize("key", ["another", None])
def test_other_keys_find_nothing_right(marked, key):
    """They answer by chance."""
    crops, places, sizes, _ = everything(marked[30:, 20:], key)
    assert [20, 30] not in crops
    assert [20, 30] not in places
    assert [300, 210] not in sizes
    turned = Suspects(parse("rotate:30")(marked), key).turns(np.arange(1, 360), 9)
    assert 30 not in turned.tolist()


def test_no_key_is_a_key(original):
    marked = pilot.mark(original, psnr=42)
    assert Suspects(marked[30:, 20:]).crops(1)[0].tolist() == [20, 30]
    assert Suspects(marked[30:, 20:]).places(1)[0].tolist() == [20, 30]
