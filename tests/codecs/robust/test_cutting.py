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


@pytest.mark.parametrize(("top", "left"), [(0, 0), (31, 47), (60, 101), (24, 48)])
@pytest.mark.parametrize("edit", ["none", "jpeg:70", "brightness:0.6"])
def test_the_right_place_comes_first(marked, top, left, edit):
    part = parse(edit)(marked[top : top + 150, left : left + 200])
    places = np.concatenate([others(), [[left, top]], others(5) + 7])
    best = cutting.likeliest(luma(part), LAYOUT, places, 3)
    assert best.shape == (3, 2)
    assert best[0].tolist() == [left, top]


def test_a_place_one_pixel_beside_is_none(marked):
    part = marked[31:181, 47:247]
    beside = np.array([[47 + x, 31 + y] for x in (-1, 0, 1) for y in (-1, 0, 1)])
    assert cutting.likeliest(luma(part), LAYOUT, beside, 1).tolist() == [[47, 31]]


def test_whole_periods_make_no_difference(marked):
    part = luma(marked[31:181, 47:247])
    places = np.concatenate([others(50), [[47 - 2304, 31 + 2 * 2304]]])
    assert cutting.likeliest(part, LAYOUT, places, 1).tolist() == [[47 - 2304, 31 + 2 * 2304]]


@pytest.mark.parametrize("shape", [(23, 100), (100, 20), (24, 24), (5, 5)])
def test_hardly_a_tile(shape):
    plane = np.random.default_rng(0).normal(100, 9, shape).astype(np.float32)
    found = cutting.likeliest(plane, LAYOUT, others(9), 4)
    assert len(found) == (0 if min(shape) < tiles.TILE else 4)


def test_no_places(marked):
    assert len(cutting.likeliest(luma(marked), LAYOUT, np.zeros((0, 2), np.int64), 4)) == 0


def test_numbers_everywhere_are_those_of_the_tiles():
    plane = np.random.default_rng(1).normal(100, 20, (72, 96)).astype(np.float32)
    every = tiles.everywhere(plane)
    assert every.shape == (49, 73, 42)
    assert np.allclose(every[::24, ::24], tiles.analyse(plane), atol=1e-3)
    assert np.allclose(every[5::24, 7::24], tiles.analyse(plane[5:53, 7:79]), atol=1e-3)


def test_none_that_is_not_good_enough(marked):
    part = luma(marked[31:181, 47:247])
    places = np.concatenate([others(), [[47, 31]]])
    assert cutting.likeliest(part, LAYOUT, places, 4, least=6.0).tolist() == [[47, 31]]
    assert len(cutting.likeliest(part, LAYOUT, others(), 4, least=6.0)) == 0
