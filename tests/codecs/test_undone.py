"""From maps to words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.codecs import undone

FLIP, UPSIDE_DOWN = np.diag([-1.0, 1.0]), np.diag([1.0, -1.0])


def turn(degrees):
    """As a viewer sees it: counter-clockwise, rows go down."""
    angle = math.radians(degrees)
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def words(linear, shift=(0, 0), **details):
    matrix = np.column_stack([linear, shift]).tolist()
    return undone.edits({"matrix": matrix, **details})


@pytest.mark.parametrize(
    ("linear", "expected"),
    [
        (np.eye(2), []),
        (turn(7), ["rotation 7.0 degrees"]),
        (turn(-30), ["rotation -30.0 degrees"]),
        (turn(90), ["rotation 90.0 degrees"]),
        (turn(180), ["rotation 180.0 degrees"]),
        (FLIP, ["horizontal flip"]),
        (UPSIDE_DOWN, ["vertical flip"]),
        (turn(5) @ FLIP, ["horizontal flip", "rotation 5.0 degrees"]),
        (turn(-5) @ UPSIDE_DOWN, ["vertical flip", "rotation -5.0 degrees"]),
        (0.71 * np.eye(2), ["resize to 71 %"]),
        (2.5 * turn(10), ["rotation 10.0 degrees", "resize to 250 %"]),
        (np.diag([0.5, 0.8]), ["resize to 50 % x 80 %"]),
        (np.array([[1, 0.1], [0, 1]]), ["rotation 2.9 degrees", "skew"]),
        (np.diag([1.001, 0.9995]), []),
        (turn(0.03), []),
    ],
)
def test_the_words_of_a_map(linear, expected):
    assert words(linear) == expected


@given(
    st.floats(-134, 134).filter(lambda angle: abs(angle) > 0.06),
    st.floats(0.2, 4).filter(lambda size: abs(size - 1) > 0.01),
    st.booleans(),
)
def test_angle_and_size_are_read_off(angle, size, flipped):
    found = words(size * turn(angle) @ (FLIP if flipped else np.eye(2)), (30, -20))
    assert ("horizontal flip" in found) == flipped
    assert float(found[-2].split()[1]) == pytest.approx(angle, abs=0.051)
    assert float(found[-1].split()[2]) == pytest.approx(100 * size, rel=0.006)


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        ((-8, -9), ["crop of 8 pixels at the left and 9 at the top"]),
        ((0, -9), ["crop of 0 pixels at the left and 9 at the top"]),
        ((-0.3, 0.2), []),
        ((5, -9), []),  # something was added at the left: no crop
    ],
)
def test_a_crop(shift, expected):
    assert words(np.eye(2), shift) == expected


def test_a_crop_is_in_pixels_of_the_original():
    found = words(0.5 * np.eye(2), (-10, -20))
    assert found == ["resize to 50 %", "crop of 20 pixels at the left and 40 at the top"]
    assert words(turn(7), (-10, -20)) == ["rotation 7.0 degrees"]


def test_what_is_not_geometry():
    assert undone.edits({}) == []
    assert undone.edits({"undone": "blur 1.2"}) == ["blur 1.2"]
    assert words(0.5 * np.eye(2), undone="resize") == ["resize to 50 %"]
    assert words(np.eye(2), undone="") == []
