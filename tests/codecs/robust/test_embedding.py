"""Messages into samples: the budget is used and kept, the bits are there, flat places rest."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from morebits import distortion
from morebits.codecs.budget import allowed_error
from morebits.codecs.robust import embedding, lattice, masking, tiles
from morebits.codecs.robust.colour import luma, tint
from morebits.codecs.robust.embedding import Canvas, Content
from morebits.codecs.robust.layout import Layout, Window
from morebits.images import read


def canvas_of(array: np.ndarray, pilot: float = 0.0) -> Canvas:
    """A canvas with a pilot that is noise of this deviation in levels."""
    scale = 257 if array.dtype == np.uint16 else 1
    levels = array.astype(np.float32) / np.float32(scale)
    random = np.random.default_rng(8)
    piloted = levels + random.normal(0, pilot, levels.shape).astype(np.float32)
    return Canvas(array, piloted, masking.mask(luma(levels), 255.0), scale)


def bits_of(canvas: Canvas) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 2, (*canvas.shape, 42), np.uint8)


def embed(
    array: np.ndarray, psnr: float, pilot: float = 0.3
) -> tuple[np.ndarray, float, np.ndarray, Canvas]:
    """The marked samples, the step, the bits and the canvas."""
    canvas = canvas_of(array, pilot)
    budget = allowed_error(read(array).format, psnr, peak=None, samples=array.size)
    bits = bits_of(canvas)
    contents = [Content(window_of(canvas, layer).dither, bits) for layer in range(array.shape[2])]
    marked, step = embedding.embed(canvas, contents, budget)
    return marked, step, bits, canvas


def window_of(canvas: Canvas, layer: int) -> Window:
    return Layout.of("key").window(0, 0, *canvas.shape, layer)


def places(marked: np.ndarray, step: float, canvas: Canvas) -> np.ndarray:
    """Where the numbers lie in their cells; calm tiles are those of the writer."""
    window = Layout.of("key").window(0, 0, *canvas.shape)
    before = tiles.analyse(canvas.inner(luma(canvas.piloted)))
    numbers = tiles.analyse(canvas.inner(luma(marked / np.float32(canvas.scale))))
    calm = lattice.activity(before) < lattice.CALM * step
    return lattice.places(numbers, window.dither, np.where(calm, step / 2, step))


def kind(cover: np.ndarray, name: str) -> np.ndarray:
    if name == "gray":
        return cover[..., :1].copy()
    return cover.astype(np.uint16) * 257 if name == "sixteen" else cover


KINDS = pytest.mark.parametrize("name", ["rgb", "gray", "sixteen"])


class TestBudget:
    @KINDS
    @pytest.mark.parametrize("psnr", [36, 45, 50])
    def test_is_used_up_and_kept(self, cover, name, psnr):
        array = kind(cover, name)
        marked, step, _, _ = embed(array, psnr)
        reached = distortion.psnr(array, marked, peak=int(np.iinfo(array.dtype).max))
        assert marked.dtype == array.dtype
        assert psnr <= reached < psnr + 0.05
        assert step > 0

    def test_the_step_grows_with_it(self, cover):
        steps = [embed(cover, psnr)[1] for psnr in (52, 49, 46, 43, 40)]
        assert all(b > 1.2 * a for a, b in pairwise(steps))

    def test_the_pilot_is_paid_from_it(self, cover):
        assert embed(cover, 45, pilot=0.8)[1] < embed(cover, 45, pilot=0)[1]

    def test_nothing_but_the_pilot_when_it_is_all_spent(self, cover):
        marked, step, _, canvas = embed(cover, 45, pilot=5)
        assert step == 0
        assert np.array_equal(marked, np.rint(canvas.piloted).clip(0, 255))

    @pytest.mark.parametrize("value", [0, 3, 128, 255])
    def test_is_kept_in_one_colour(self, value):
        array = np.full((96, 120, 3), value, np.uint8)
        marked, _, _, _ = embed(array, 45, pilot=0)
        assert distortion.psnr(array, marked, peak=255) >= 45


class TestBits:
    @KINDS
    def test_are_nearest_to_their_points(self, cover, name):
        array = kind(cover, name)
        marked, step, bits, canvas = embed(array, 42)
        where = places(marked, step, canvas)
        read = (np.abs(where - 0.5) < 0.25).astype(np.uint8)
        assert (read == bits).mean() > 0.97

    @pytest.mark.parametrize("which", [0, 1])
    def test_of_the_tints_are_nearest_to_their_points(self, cover, which):
        marked, step, bits, canvas = embed(cover, 42)
        numbers = tiles.analyse(canvas.inner(tint(marked, which)))
        steps = np.full(numbers.shape[:2], step * lattice.TINT)
        where = lattice.places(numbers, window_of(canvas, 1 + which).dither, steps)
        assert ((np.abs(where - 0.5) < 0.25) == bits).mean() > 0.97

    def test_of_the_tints_take_little_of_the_budget(self, cover):
        canvas = canvas_of(cover, 0.3)
        budget = allowed_error(read(cover).format, 45, peak=None, samples=cover.size)
        contents = [Content(window_of(canvas, k).dither, bits_of(canvas)) for k in range(3)]
        alone = embedding.embed(canvas, contents[:1], budget)[1]
        assert 0.97 * alone < embedding.embed(canvas, contents, budget)[1] < alone

    def test_sixteen_bits_carry_the_mark_of_eight(self, cover):
        eight, sixteen = embed(cover, 42)[0], embed(kind(cover, "sixteen"), 42)[0]
        off = sixteen / 257 - eight
        assert abs(off.mean()) < 0.05
        assert np.sqrt(np.square(off).mean()) < 0.9

    def test_do_not_depend_on_what_was_there(self, scene):
        for seed in range(3):
            marked, step, bits, canvas = embed(scene(144, 192, seed), 42)
            read = np.abs(places(marked, step, canvas) - 0.5) < 0.25
            free = canvas.mask.flat_tiles < 0.5  # the others are held down as far as they must be
            assert (read == bits)[free].mean() > 0.97

    def test_borders_beyond_whole_tiles_carry_the_pilot_alone(self, scene):
        marked, _, _, canvas = embed(scene(110, 130), 42)
        assert canvas.shape == (4, 5)
        rounded = np.rint(canvas.piloted).clip(0, 255)
        assert np.array_equal(marked[96:], rounded[96:])
        assert np.array_equal(marked[:, 120:], rounded[:, 120:])
        assert not np.array_equal(marked, rounded)

    def test_black_and_white_do_not_wrap(self, scene):
        array = (scene(120, 144).astype(np.int64) * 2 - 128).clip(0, 255).astype(np.uint8)
        marked, _, _, _ = embed(array, 36)
        assert np.abs(marked.astype(int) - array).max() < 90


def flattest(array: np.ndarray) -> np.ndarray:
    """The quarter of the blocks of 16 x 16 pixels with the least deviation of luma, by pixel."""
    rows, columns = array.shape[0] // 16, array.shape[1] // 16
    blocks = luma(array)[: rows * 16, : columns * 16].reshape(rows, 16, columns, 16)
    order = np.argsort(blocks.std(axis=(1, 3)).ravel())[: rows * columns // 4]
    chosen = np.zeros(rows * columns, bool)
    chosen[order] = True
    return np.kron(chosen.reshape(rows, columns), np.ones((16, 16))).astype(bool)


class TestFlatPlaces:
    @pytest.mark.parametrize("seed", range(3))
    def test_change_by_less_than_a_level_at_45_db(self, scene, seed):
        array = scene(240, 336, seed)
        marked, _, _, _ = embed(array, 45)
        change = (marked.astype(float) - array)[flattest(array)]
        assert np.sqrt(np.mean(change**2)) < 1.0

    def test_are_held_down_in_a_real_photo(self, photo):
        from PIL import Image

        array = np.asarray(Image.open(photo).convert("RGB"))[:480, :480]
        marked, _, _, _ = embed(array, 45)
        change = (marked.astype(float) - array)[flattest(array)]
        assert np.sqrt(np.mean(change**2)) < 1.0

    def test_change_less_than_busy_ones(self, cover):
        """The scene is flat on the left and has grain on the right."""
        marked, _, _, _ = embed(cover, 45)
        change = np.square(marked.astype(float) - cover).mean(axis=(0, 2))
        assert change[:96].mean() < 0.6 * change[-96:].mean()
