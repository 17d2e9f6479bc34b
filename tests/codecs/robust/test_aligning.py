"""Small errors of a map are found from the numbers themselves."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.codecs.robust import aligning, equalising, reading
from morebits.codecs.robust.colour import luma
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.rectifying import rectify
from morebits.codecs.robust.tiles import TILE

FRAME = np.array([[0, 0], [335, 0], [0, 239], [335, 239]], np.float64)


def off(matrix: np.ndarray, true: np.ndarray) -> float:
    """Largest distance between two maps at the corners of the picture, in pixels."""
    wrong = FRAME @ (matrix - true)[:, :2].T + (matrix - true)[:, 2]
    return float(np.hypot(*wrong.T).max())


def mended(
    picture: np.ndarray, matrix: np.ndarray, equaliser: equalising.Equaliser | None = None
) -> np.ndarray:
    """The map after one round, from a reading under the map as it is."""
    plane = luma(picture)
    rectified = rectify(plane, np.zeros(plane.shape, np.float32), matrix, "spline")
    assert rectified is not None
    tiles = rectified.tiles(Layout.of("key"), equaliser)
    read = reading.read(tiles, tiles.step())
    origin = rectified.left * TILE, rectified.top * TILE
    return aligning.aligned(rectified.plane, equaliser, read, matrix, origin)


def shifted(x: float, y: float) -> np.ndarray:
    return np.array([[1, 0, x], [0, 1, y]], np.float64)


@pytest.mark.parametrize("shift", [(0.3, 0), (0, -0.3), (0.2, 0.2), (-0.25, 0.1)])
def test_a_shift(marked, shift):
    assert off(mended(marked, shifted(*shift)), np.eye(2, 3)) < 0.12


@pytest.mark.parametrize("shift", [(0.4, -0.3), (0.5, 0.4), (-0.5, 0.5)])
def test_a_larger_shift_in_two_rounds(marked, shift):
    once = mended(marked, shifted(*shift))
    assert off(mended(marked, once), np.eye(2, 3)) < 0.1


def test_a_mirrored_picture(marked):
    """What is found in pixels of the original goes the other way in those received."""
    true = np.array([[-1.0, 0, 335], [0, 1, 0]])
    wrong = true + np.array([[0, 0, 0.25], [0, 0, 0.1]])
    assert off(mended(marked[:, ::-1].copy(), wrong), true) < 0.12


def test_a_stretch_and_a_turn(marked):
    wrong = np.array([[1.001, 0.0006, -0.15], [-0.0006, 0.9992, 0.1]])
    assert off(wrong, np.eye(2, 3)) > 0.2
    assert off(mended(marked, wrong), np.eye(2, 3)) < 0.08


def test_a_map_that_is_right_stays(marked):
    assert off(mended(marked, np.eye(2, 3)), np.eye(2, 3)) < 0.07


def test_a_part_from_the_middle(marked):
    """Where the first tile of the plane is not the first of the original."""
    true = shifted(-60, -50)
    wrong = np.array([[1.0008, 0, -60.3], [0, 1, -49.9]])
    assert off(mended(marked[50:, 60:], wrong), true) < 0.1


def test_a_picture_of_another_size(marked):
    """What is found in pixels of the original is moved by the map."""
    from morebits.attacks import parse

    small = parse("resize:0.75")(marked)
    down, across = small.shape[0] / 240, small.shape[1] / 336
    true = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]])
    wrong = true + np.array([[0.0005, 0, 0.1], [0, 0, -0.15]])
    found = mended(small, wrong, equalising.shrink(down, across))
    assert off(wrong, true) > 0.25
    assert off(found, true) < 0.1


def test_the_score_of_the_step_comes_back(marked):
    plane = luma(marked)
    none = np.zeros(plane.shape, np.float32)

    def score(matrix: np.ndarray) -> float:
        rectified = rectify(plane, none, matrix, "spline")
        assert rectified is not None
        return rectified.tiles(Layout.of("key")).step().score

    wrong = shifted(0.3, -0.2)
    assert score(wrong) < 0.9 * score(np.eye(2, 3))
    assert score(mended(marked, wrong)) > 0.97 * score(np.eye(2, 3))
