"""The answer: coordinates, the rectified picture, the drawing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from morebits.codecs.pilot import Located
from morebits.errors import InputError


def located(matrix: object, size: tuple[int, int]) -> Located:
    return Located(np.array(matrix, np.float64), 9.0, 1e-9, "test", "test", 0.0, True, size)


@given(
    st.lists(st.floats(-2, 2), min_size=6, max_size=6).filter(
        lambda m: abs(m[0] * m[4] - m[1] * m[3]) > 0.1
    )
)
def test_original_undoes_the_matrix(numbers):
    found = located(np.reshape(numbers, (2, 3)), (64, 48))
    points = np.array([[0.0, 0.0], [63.0, 5.0], [10.5, 47.0]])
    received = points @ found.matrix[:, :2].T + found.matrix[:, 2]
    assert found.original(received) == pytest.approx(points, abs=1e-9)


def test_whole_pixel_maps_are_undone_exactly():
    random = np.random.default_rng(1)
    original = random.integers(0, 256, (40, 60, 3), np.uint8)
    for matrix, received in [
        ([[1, 0, 0], [0, 1, 0]], original),
        ([[-1, 0, 59], [0, 1, 0]], original[:, ::-1]),
        ([[0, 1, 0], [-1, 0, 59]], np.rot90(original)),
        ([[1, 0, -7], [0, 1, -5]], original[5:30, 7:50]),
    ]:
        found = located(matrix, (received.shape[1], received.shape[0]))
        left, top, width, height = found.area
        expected = original[top : top + height, left : left + width]
        assert np.array_equal(found.rectify(received), expected)


def test_a_turned_picture_comes_back():
    y, x = np.mgrid[:120, :160]
    smooth = (128 + 60 * np.sin(x / 9) * np.cos(y / 7)).astype(np.float32)
    angle = np.radians(10)
    linear = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    middle = np.array([79.5, 59.5])
    matrix = np.column_stack([linear, middle - linear @ middle])
    back = np.linalg.inv(linear)
    swapped = back[::-1, ::-1]  # scipy counts rows first
    turned = ndimage.affine_transform(smooth, swapped, (middle - back @ middle)[::-1], order=3)
    received = np.repeat(np.rint(turned.clip(0, 255)).astype(np.uint8)[..., None], 3, axis=2)
    found = located(matrix, (160, 120))
    left, top, _, _ = found.area
    inner = found.rectify(received)[40 - top : 80 - top, 50 - left : 110 - left, 0]
    assert np.abs(inner - smooth[40:80, 50:110]).max() < 3


def test_the_drawing_has_the_size_of_the_picture_and_lines_where_the_grid_is():
    received = np.zeros((100, 200, 3), np.uint8)
    drawn = np.asarray(located([[1, 0, -32], [0, 1, 0]], (200, 100)).show(received))
    assert drawn.shape == received.shape
    assert drawn[10, 32].any()
    assert not drawn[10, 40].any()


def test_another_picture_is_refused():
    found = located([[1, 0, 0], [0, 1, 0]], (200, 100))
    with pytest.raises(InputError, match="200x100"):
        found.rectify(np.zeros((100, 100, 3), np.uint8))
