"""Maps from phases alone: exact waves in, the simplest edit out."""

from __future__ import annotations

import numpy as np
import pytest

from morebits.codecs.pilot.coherent import Demodulated
from morebits.codecs.pilot.refining import affine, maximise, objective
from morebits.codecs.pilot.snapping import orientations, snapped
from morebits.codecs.pilot.waves import waves

SIZE = (480, 352)


def exact(linear: np.ndarray, origin: np.ndarray, noise: float = 0.0) -> Demodulated:
    """What the waves of a key look like over blocks of 32 pixels under p = linear q + origin."""
    table = waves("key")
    x, y = np.arange(15.5, SIZE[0], 32), np.arange(15.5, SIZE[1], 32)
    places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    # Demodulated for a map that is a little off, as after the search.
    near = linear + np.array([[4e-4, -3e-4], [2e-4, 5e-4]])
    phase = table.cycles @ (places @ (linear - near).T + origin).T
    random = np.random.default_rng(3)
    rough = random.normal(0, noise, (2, *phase.shape))
    sums = np.exp(2j * np.pi * phase) / 10 + rough[0] + 1j * rough[1]
    energy = np.sqrt(table.energy)
    return Demodulated(near, table.cycles, sums.astype(np.complex64), places, energy, table.radians)


def best(linear: np.ndarray, origin: np.ndarray):
    target = objective(exact(linear, origin, noise=0.05))
    near = target.found.linear
    start = np.concatenate([near.ravel(), linear @ target.centre + origin + 0.3])
    return snapped(target, SIZE, start)


def test_the_eight_orientations_are_different_and_orthogonal():
    eight = orientations()
    assert len({tuple(each.ravel()) for each in eight}) == 8
    assert all(np.array_equal(each @ each.T, np.eye(2)) for each in eight)


def test_a_free_map_is_found_exactly():
    linear, origin = np.array([[1.1, 0.2], [-0.1, 0.9]]), np.array([300.2, 50.7])
    target = objective(exact(linear, origin))
    start = np.concatenate([target.found.linear.ravel(), linear @ target.centre + origin + 0.5])
    _, six = maximise(target, affine, start)
    assert six[:4].reshape(2, 2) == pytest.approx(linear, abs=1e-5)
    assert six[4:] - linear @ target.centre == pytest.approx(origin, abs=5e-3)


def test_the_slope_is_the_derivative_of_the_score():
    target = objective(exact(np.eye(2), np.array([12.0, 7.0]), noise=0.1))
    place = target.centre + np.array([12.2, 7.1])
    six = np.array([1.0004, 0.0002, -0.0001, 0.9997, *place])
    _, slope = target.slope(six)
    for index, step in enumerate([1e-5] * 4 + [1e-3] * 2):
        move = step * np.eye(6)[index]
        rise = target.score(six + move) - target.score(six - move)
        assert rise / (2 * step) == pytest.approx(slope[index], rel=0.02, abs=0.05 / step * 1e-3)


@pytest.mark.parametrize(
    ("linear", "origin", "model"),
    [
        (np.eye(2), [0, 0], "identity"),
        (np.eye(2), [57, 131], "crop"),
        (np.diag([-1, 1]), [479, 0], "flip"),
        (np.array([[0, -1], [1, 0]]), [351, 0], "turn"),
        (np.diag([640 / 480, 470 / 352]), [(640 / 480 - 1) / 2, (470 / 352 - 1) / 2], "resize"),
        (np.diag([1.25, 1.252]), [20.5 * 1.25 - 0.5, 30.5 * 1.252 - 0.5], "resize and crop"),
        (np.array([[1.1, 0.2], [-0.1, 0.9]]), [300.2, 50.7], "affine"),
    ],
)
def test_the_simplest_edit_wins(linear, origin, model):
    first = best(np.asarray(linear, np.float64), np.asarray(origin, np.float64))[0]
    assert first.model == model
    assert first.linear == pytest.approx(np.asarray(linear, np.float64), abs=1e-3)
    assert first.origin == pytest.approx(np.asarray(origin, np.float64), abs=0.2)


def test_a_turn_about_the_centre_has_one_number():
    angle = np.radians(17)
    linear = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    middle = (np.array(SIZE) - 1) / 2
    first = best(linear, middle - linear @ middle)[0]
    assert first.model == "rotation"
    assert first.linear == pytest.approx(linear, abs=2e-4)


@pytest.mark.parametrize("origin", [(-240, 10), (20, -176)])
def test_a_frame_whose_middle_is_the_origin_is_no_crop(origin):
    """Where the search may end up in a picture without a mark; there was a division by zero."""
    assert all(np.isfinite(each.merit) for each in best(np.eye(2), np.array(origin)))
