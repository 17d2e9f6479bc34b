"""Turns by whole degrees: the known numbers tell the right one from chance."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.attacks import parse
from morebits.codecs.robust import turning
from morebits.codecs.robust.colour import luma
from morebits.codecs.robust.layout import Layout

LAYOUT = Layout.of("key")
LEAST = 4.5


@pytest.mark.parametrize("degrees", [1, 30, -7, 135, 200])
@pytest.mark.parametrize("edit", ["none", "jpeg:70", "brightness:0.6"])
def test_the_right_turn_comes_first(marked, degrees, edit):
    turned = luma(parse(f"rotate:{degrees}|{edit}")(marked))
    found = turning.likeliest(turned, LAYOUT, turning.DEGREES, 2, LEAST)
    assert np.array_equal(found[0], turning.turn(turned.shape, degrees % 360))
    assert len(found) <= 2


@pytest.mark.parametrize("key", ["another", None])
def test_none_for_another_key(marked, key):
    turned = luma(parse("rotate:30")(marked))
    assert turning.likeliest(turned, Layout.of(key), turning.DEGREES, 2, 6.0) == []


def test_none_without_a_mark(cover):
    turned = luma(parse("rotate:30")(cover))
    assert turning.likeliest(turned, LAYOUT, turning.DEGREES, 2, 6.0) == []


def test_degrees_are_all_whole_ones_that_keep_the_frame():
    assert len(turning.DEGREES) == 356
    assert set(range(360)) - set(turning.DEGREES.tolist()) == {0, 90, 180, 270}


def test_other_degrees_are_not_looked_at(marked):
    turned = luma(parse("rotate:30")(marked))
    some = np.array([200, 30, 7, 330])
    best = turning.likeliest(turned, LAYOUT, some, 4, -100.0)
    angles = [np.degrees(np.arctan2(each[0, 1], each[0, 0])) % 360 for each in best]
    assert angles[0] == pytest.approx(30)
    assert sorted(angles) == pytest.approx(sorted(some))
    assert len(turning.likeliest(turned, LAYOUT, some, 4, 6.0)) == 1
    assert turning.likeliest(turned, LAYOUT, some[some != 30], 4, 6.0) == []
    assert turning.likeliest(turned, LAYOUT, some[:0], 4, -100.0) == []


def test_a_turn_one_degree_beside_is_none(marked):
    turned = luma(parse("rotate:30")(marked))
    best = turning.likeliest(turned, LAYOUT, np.array([28, 29, 30, 31, 32]), 5, 6.0)
    assert [each.tolist() for each in best] == [turning.turn(turned.shape, 30).tolist()]


def test_a_turn_takes_pixels_where_the_attack_takes_them(cover):
    """The map of the original's pixels to the received ones, by another way."""
    turned = parse("rotate:30")(cover)
    matrix = turning.turn(cover.shape, 30)
    random = np.random.default_rng(0)
    places = random.uniform((90, 120), (150, 210), (300, 2))[:, ::-1]  # (x, y) in the middle
    there = np.rint(places @ matrix[:, :2].T + matrix[:, 2]).astype(int)
    back = np.linalg.inv(matrix[:, :2])
    here = np.rint((there - matrix[:, 2]) @ back.T).astype(int)
    assert np.array_equal(turned[there[:, 1], there[:, 0]], cover[here[:, 1], here[:, 0]])


@pytest.mark.parametrize("degrees", [1, 30, 45, 100, 200, 271])
@pytest.mark.parametrize("shape", [(240, 336), (301, 170), (47, 60)])
def test_usable_tiles_are_those_that_are_seen_whole(degrees, shape):
    matrix = turning.turn(shape, degrees)
    y, x = np.mgrid[: shape[0] // 24 * 24, : shape[1] // 24 * 24]
    there = np.stack([x, y], axis=2) @ matrix[:, :2].T + matrix[:, 2]
    seen = ((there >= 0) & (there <= (shape[1] - 1, shape[0] - 1))).all(axis=2)
    whole = seen.reshape(shape[0] // 24, 24, shape[1] // 24, 24).all(axis=(1, 3))
    assert np.array_equal(turning._usable(shape, matrix), whole)


@pytest.mark.parametrize("shape", [(23, 100), (100, 20), (5, 5)])
def test_not_a_tile(shape):
    plane = np.random.default_rng(0).normal(100, 9, shape).astype(np.float32)
    assert turning.likeliest(plane, LAYOUT, turning.DEGREES, 2, -100.0) == []


@pytest.mark.parametrize("shape", [(24, 24), (30, 200)])
def test_hardly_a_tile(shape):
    plane = np.random.default_rng(0).normal(100, 9, shape).astype(np.float32)
    assert len(turning.likeliest(plane, LAYOUT, turning.DEGREES, 2, -100.0)) == 2
