"""Received pictures on the tiles of the original."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.robust import tiles
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.rectifying import Rectified, rectify, ways
from morebits.codecs.robust.tiles import TILE

ORIGINAL = np.random.default_rng(0).normal(120, 40, (144, 192)).astype(np.float32)
CROP = st.tuples(st.integers(0, 90), st.integers(0, 130))


def whole(plane: np.ndarray, matrix: object, way: str = "copied") -> Rectified:
    found = rectify(plane, np.zeros(plane.shape, np.float32), np.array(matrix, np.float64), way)
    assert found is not None
    return found


def agrees(found: Rectified, exactly: bool = True) -> bool:
    """Whether every tile that lies wholly in the picture is that of the original."""
    for i, j in np.argwhere(found.usable & (found.lost == 0)):
        top, left = (found.top + i) * TILE, (found.left + j) * TILE
        here = found.plane[i * TILE : (i + 1) * TILE, j * TILE : (j + 1) * TILE]
        there = ORIGINAL[top : top + TILE, left : left + TILE]
        if here.shape != there.shape or np.abs(here - there).max() > (0 if exactly else 0.05):
            return False
    return True


def shown(first: int, end: int) -> int:
    """Tiles along one side of a part that begins and ends here: they may reach out by 4 pixels."""
    return (end + 4) // TILE - -(-(first - 4) // TILE)


class TestWays:
    @pytest.mark.parametrize(
        "matrix",
        [
            [[1, 0, 0], [0, 1, 0]],
            [[1, 0, -31], [0, 1, 12]],
            [[-1, 0, 191], [0, 1, 0]],
            [[0, 1, 0], [-1, 0, 191]],
        ],
    )
    def test_whole_pixels_are_copied(self, matrix):
        assert ways(np.array(matrix, np.float64)) == ("copied",)

    @pytest.mark.parametrize("degrees", [0.5, 7, 45, 120])
    def test_rotations_took_the_nearest_pixel_or_not(self, degrees):
        cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        for mirror in (1, -1):
            matrix = np.array([[mirror * cos, sin, 3.3], [-mirror * sin, cos, 1.4]])
            assert ways(matrix) == ("nearest", "spline")

    @pytest.mark.parametrize(
        "matrix", [[[0.7, 0, 0], [0, 0.7, 0]], [[2, 0, 0.5], [0, 2, 0.5]], [[1, 0.1, 0], [0, 1, 0]]]
    )
    def test_anything_else_is_a_spline(self, matrix):
        assert ways(np.array(matrix, np.float64)) == ("spline",)


class TestRectify:
    def test_the_picture_itself(self):
        found = whole(ORIGINAL, np.eye(2, 3))
        assert (found.top, found.left) == (0, 0)
        assert found.usable.shape == (6, 8)
        assert found.usable.all()
        assert np.array_equal(found.plane, ORIGINAL)

    @given(CROP)
    @settings(max_examples=40)
    def test_a_crop_keeps_the_tiles_that_it_shows(self, corner):
        top, left = corner
        found = whole(ORIGINAL[top:, left:], [[1, 0, -left], [0, 1, -top]])
        assert agrees(found)
        assert found.usable.sum() == shown(top, 144) * shown(left, 192)

    @given(st.integers(0, 60), st.integers(0, 90), st.integers(48, 84), st.integers(48, 100))
    @settings(max_examples=40)
    def test_a_part_from_the_middle(self, top, left, height, width):
        found = whole(
            ORIGINAL[top : top + height, left : left + width], [[1, 0, -left], [0, 1, -top]]
        )
        assert agrees(found)
        assert found.usable.sum() == shown(top, top + height) * shown(left, left + width)

    @pytest.mark.parametrize(
        ("received", "matrix"),
        [
            (ORIGINAL[:, ::-1], [[-1, 0, 191], [0, 1, 0]]),
            (ORIGINAL[::-1], [[1, 0, 0], [0, -1, 143]]),
            (np.rot90(ORIGINAL), [[0, 1, 0], [-1, 0, 191]]),
            (np.rot90(ORIGINAL, 3), [[0, -1, 143], [1, 0, 0]]),
            (ORIGINAL.T, [[0, 1, 0], [1, 0, 0]]),
        ],
        ids=["mirror", "upside down", "left turn", "right turn", "transposed"],
    )
    def test_turns_and_mirrors(self, received, matrix):
        found = whole(np.ascontiguousarray(received), matrix)
        assert found.usable.sum() == 48
        assert agrees(found)

    def test_a_spline_of_the_same_pixels(self):
        found = whole(ORIGINAL[5:, 7:], [[1, 0, -7], [0, 1, -5]], "spline")
        assert found.usable.sum() == 5 * 7
        assert agrees(found, exactly=False)

    def test_a_canvas_around_the_picture(self):
        """Tiles of the original keep their numbers, those beyond it have some of their own."""
        padded = np.pad(ORIGINAL, ((30, 0), (50, 0)))
        found = whole(padded, [[1, 0, 50], [0, 1, 30]])
        assert (found.top, found.left) == (-2, -3)
        assert np.array_equal(found.plane[2 * TILE : 8 * TILE, 3 * TILE : 11 * TILE], ORIGINAL)

    @pytest.mark.parametrize("scale", [0.4, 2.0])
    def test_an_enlarged_or_reduced_picture_has_all_its_tiles(self, scale):
        height, width = int(144 * scale), int(192 * scale)
        down, across = height / 144, width / 192
        matrix = [[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]]
        found = whole(np.zeros((height, width), np.float32), matrix, "spline")
        assert found.usable.sum() == 48

    def test_nothing_where_no_tile_fits(self):
        small = np.zeros((30, 200), np.float32)
        assert rectify(small, small, np.array([[1.0, 0, 0], [0, 1, 12]]), "copied") is None

    def test_nothing_where_the_map_is_absurd(self):
        plane = np.zeros((100, 100), np.float32)
        assert rectify(plane, plane, np.array([[1e-4, 0, 0], [0, 1e-4, 0]]), "spline") is None

    def test_clipped_pixels_are_counted_where_they_were(self):
        clipped = np.zeros(ORIGINAL.shape, np.float32)
        clipped[24:48, 48:54] = 1
        clipped[72:96, 0:24] = 1
        mirrored, lost = ORIGINAL[:, ::-1].copy(), clipped[:, ::-1].copy()
        found = rectify(mirrored, lost, np.array([[-1.0, 0, 191], [0, 1, 0]]), "copied")
        assert found is not None
        assert found.lost[1, 2] == pytest.approx(0.25)
        assert found.lost[3, 0] == 1
        assert found.lost.sum() == pytest.approx(1.25)
        assert np.argwhere(~found.usable).tolist() == [[3, 0]]


def test_tiles_know_what_they_carry():
    layout = Layout.of("key")
    found = whole(ORIGINAL[30:, 60:], [[1, 0, -60], [0, 1, -30]])
    seen = found.tiles(layout)
    direct = layout.window(0, 0, 6, 8)
    assert seen.count == 4 * 5
    inner = (slice(2, 6), slice(3, 8))
    assert np.array_equal(seen.dither.reshape(4, 5, -1), direct.dither[inner])
    assert np.array_equal(seen.roles.reshape(4, 5, -1), direct.roles[inner])
    numbers = tiles.analyse(ORIGINAL)[inner]
    assert np.allclose(seen.values.reshape(4, 5, -1), numbers, atol=1e-3)
