"""Places of small parts: the known numbers tell the right one from chance."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.attacks import parse
from morebits.codecs.robust import cutting, tiles
from morebits.codecs.robust.colour import luma
from morebits.codecs.robust.layout import Layout

LAYOUT = Layout.of("key")


def others(count: int = 300) -> np.ndarray:
    return np.random.default_rng(4).integers(0, 2304, (count, 2))


def likeliest(
    picture: np.ndarray, places: np.ndarray, count: int, least: float = 0.0
) -> list[list[int]]:
    """The places that a part which was not asked before gives."""
    found = cutting.Part(luma(picture), LAYOUT).likeliest(places, count, least)
    return [each.tolist() for each in found]


@pytest.mark.parametrize(("top", "left"), [(0, 0), (31, 47), (60, 101), (24, 48)])
@pytest.mark.parametrize("edit", ["none", "jpeg:70", "brightness:0.6"])
def test_the_right_place_comes_first(marked, top, left, edit):
    part = parse(edit)(marked[top : top + 150, left : left + 200])
    places = np.concatenate([others(), [[left, top]], others(5) + 7])
    best = likeliest(part, places, 3)
    assert len(best) == 3
    assert best[0] == [left, top]


def test_a_place_one_pixel_beside_is_none(marked):
    beside = np.array([[47 + x, 31 + y] for x in (-1, 0, 1) for y in (-1, 0, 1)])
    assert likeliest(marked[31:181, 47:247], beside, 1) == [[47, 31]]


def test_whole_periods_make_no_difference(marked):
    places = np.concatenate([others(50), [[47 - 2304, 31 + 2 * 2304]]])
    assert likeliest(marked[31:181, 47:247], places, 1) == [[47 - 2304, 31 + 2 * 2304]]


@pytest.mark.parametrize("shape", [(23, 100), (100, 20), (24, 24), (5, 5)])
def test_hardly_a_tile(shape):
    plane = np.random.default_rng(0).normal(100, 9, shape).astype(np.float32)
    found = cutting.Part(plane, LAYOUT).likeliest(others(9), 4, -100.0)
    assert len(found) == (0 if min(shape) < tiles.TILE else 4)


def test_no_places(marked):
    assert likeliest(marked, np.zeros((0, 2), np.int64), 4) == []


def test_none_that_is_not_good_enough(marked):
    part = marked[31:181, 47:247]
    places = np.concatenate([others(), [[47, 31]]])
    assert likeliest(part, places, 4, 6.0) == [[47, 31]]
    assert likeliest(part, others(), 4, 6.0) == []


class TestAskedAgain:
    """A place that was told is not told again, whatever else is asked."""

    def test_tells_no_place_twice(self, marked):
        part = cutting.Part(luma(marked[31:181, 47:247]), LAYOUT)
        right = np.array([[47, 31]])
        first = part.likeliest(np.concatenate([others(100), right]), 1, 6.0)
        again = part.likeliest(np.concatenate([right, others(100)]), 4)
        assert [each.tolist() for each in first] == [[47, 31]]
        assert len(again) >= 3
        assert [47, 31] not in [each.tolist() for each in again]
        third = part.likeliest(np.concatenate([others(100), right]), 4)
        told = {tuple(each.tolist()) for each in again}
        assert told.isdisjoint(tuple(each.tolist()) for each in third)

    def test_still_tells_what_was_not_good_enough_before(self, marked):
        part = cutting.Part(luma(marked[31:181, 47:247]), LAYOUT)
        right = np.array([[47, 31]])
        assert part.likeliest(right, 1, 1000.0) == []
        assert [each.tolist() for each in part.likeliest(right, 1, 6.0)] == [[47, 31]]

    def test_of_another_part_tells_it_again(self, marked):
        plane, right = luma(marked[31:181, 47:247]), np.array([[47, 31]])
        for _ in range(2):
            assert len(cutting.Part(plane, LAYOUT).likeliest(right, 1, 6.0)) == 1
