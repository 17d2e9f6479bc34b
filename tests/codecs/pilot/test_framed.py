"""Sizes and turns of whole pictures, against sums over all pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from PIL import Image

from morebits.attacks import parse
from morebits.codecs import pilot
from morebits.codecs.pilot import framed
from morebits.codecs.pilot.view import View
from morebits.codecs.pilot.waves import CB, LUMA, waves

TABLE = waves("key")
#: A window that holds the whole of these pictures.
WHOLE = 800
sides = st.integers(40, 3000)


@pytest.fixture(scope="module")
def original(photo) -> np.ndarray:
    """The face, 180 x 240 pixels."""
    return np.asarray(Image.open(photo).convert("RGB"))[40:280, 160:340]


@pytest.fixture(scope="module")
def marked(original) -> np.ndarray:
    return pilot.mark(original, "key", psnr=44)


@pytest.fixture(scope="module")
def grainy() -> np.ndarray:
    """Noise of little contrast, 320 x 240 pixels: nothing hides the pilot."""
    noise = np.random.default_rng(0).integers(90, 154, (240, 320, 3), np.uint8)
    return pilot.mark(noise, "key", psnr=42)


def size_of(picture: np.ndarray) -> tuple[int, int]:
    return picture.shape[1], picture.shape[0]


def slowly(view: View, linear: np.ndarray, origin: np.ndarray) -> float:
    """The sum of the waves in phase where pixel q comes from linear · q + origin.

    Over all pixels and waves, as it is defined: in standard deviations, if there is no pilot.
    """
    height, width = view.patch.planes.shape[1:]
    y, x = np.mgrid[:height, :width]
    q = np.stack([x + view.patch.left, y + view.patch.top], axis=2)
    p = q @ linear.T + origin
    total = energy = 0.0
    for u, phase, channel, share in zip(
        TABLE.cycles, TABLE.radians, TABLE.channel, TABLE.energy, strict=True
    ):
        received = linear.T @ u
        if np.abs(received).max() < 0.47 and np.linalg.norm(received) > 0.03:
            wave = np.exp(-2j * np.pi * (p @ u) - 1j * phase)
            (noise,) = view.spectrum.noise(received[None], np.array([channel]))
            total += np.sqrt(share / noise) * (view.patch.planes[channel] * wave).sum().real
            energy += share
    return total / np.sqrt(energy / 2) if energy else 0.0


def slowly_resized(view: View, size: tuple[int, int], original: np.ndarray) -> float:
    """Both frames are the same rectangle, in which pixels lie half a pixel from the border."""
    scale = original / np.array(size)
    return slowly(view, np.diag(scale), (scale - 1) / 2)


def slowly_turned(view: View, size: tuple[int, int], degrees: float) -> float:
    """Counterclockwise as people see it, with rows that go down, about the middle."""
    angle = np.radians(degrees)
    right = np.array([np.cos(angle), np.sin(angle)])
    down = np.array([-np.sin(angle), np.cos(angle)])
    middle = (np.array(size) - 1) / 2
    linear = np.column_stack([right, down])
    return slowly(view, linear, middle - linear @ middle)


def agree(found: np.ndarray, exact: list[float]) -> bool:
    """The spectrum is looked up in bins: a tenth is lost, and noise differs by half or so."""
    return bool((np.abs(found - exact) < 0.15 * np.abs(exact) + 1.8).all())


def some(scores: np.ndarray, best: int, others: int) -> np.ndarray:
    """The best few, and others by chance."""
    order = np.argsort(-scores)
    chance = np.random.default_rng(0).permutation(order[best:])[:others]
    return np.concatenate([order[:best], chance])


class TestSizes:
    @given(sides, sides, st.floats(0.32, 1.6), st.sampled_from([int, round]))
    @example(640, 480, 0.71, int)
    @example(40, 40, 0.32, int)
    @example(1920, 1080, 0.5, round)
    @example(720, 1280, 0.7, int)
    @example(667, 1000, 0.49, int)
    @example(1080, 1920, 0.46, int)
    @example(578, 688, 0.32, int)
    def test_contain_the_original(self, width, height, factor, whole):
        assume(whole(factor * min(width, height)) > 0)
        received = whole(factor * width), whole(factor * height)
        assume(1 / 1.66 < max(width, height) / max(received) < 3.3)
        assert [width, height] in framed.sizes(received).tolist()

    @given(st.integers(1, 3000), st.integers(1, 3000))
    @example(1, 1)
    @example(1, 3000)
    @example(3000, 1)
    def test_are_some_with_the_shape_of_the_picture(self, width, height):
        every = framed.sizes((width, height))
        assert every.min() > 0
        assert len(np.unique(every, axis=0)) == len(every)
        assert [width, height] in every.tolist()
        short, long = sorted((width, height))
        shorter, longer = np.sort(every, axis=1).T
        assert (np.abs(shorter - longer * (short / long)) <= np.ceil(longer / long) + 0.5).all()
        assert 0.6 * long - 0.5 <= longer.min() <= max(1, 0.6 * long + 0.5)
        assert -0.5 <= longer.max() - 3.3 * long <= 4.5  # squares may be a little wider, too


class TestResized:
    @pytest.mark.parametrize("factor", [0.5, 0.71, 1, 1.3])
    def test_is_the_sum_over_all_pixels(self, marked, factor):
        received = parse(f"resize:{factor}")(marked)
        size, view = size_of(received), View(received, TABLE, WHOLE)
        every = framed.sizes(size)
        scores = framed.resized(view, size, every)
        chosen = some(scores, 4, 12)
        exact = [slowly_resized(view, size, each) for each in every[chosen]]
        assert exact[0] > 12
        assert agree(scores[chosen], exact)
        assert np.corrcoef(scores[chosen], exact)[0, 1] > 0.98

    @pytest.mark.parametrize("window", [100, 101])
    @pytest.mark.parametrize("cut", [0, 1])
    def test_of_the_middle_of_a_picture_alone(self, marked, window, cut):
        """Whose own middle may be half a pixel off that of the picture."""
        received = parse("resize:0.8")(marked)
        received = received[: len(received) - cut, : received.shape[1] - cut]
        size, view = size_of(received), View(received, TABLE, window)
        assert view.patch.planes.shape == (2, window, window)
        every = np.array([(180, 240), (181, 241), (178, 242), (220, 300), (120, 160), (300, 400)])
        exact = [slowly_resized(view, size, each) for each in every]
        assert max(exact) > 8
        assert agree(framed.resized(view, size, every), exact)

    @pytest.mark.parametrize("edits", ["none", "jpeg:80", "grayscale", "brightness:0.7"])
    @pytest.mark.parametrize("factor", [0.5, 0.71, 1.3])
    def test_is_highest_for_the_right_size(self, grainy, marked, factor, edits):
        """In a small photo a side may seem one pixel longer."""
        for picture, most in ((grainy, 0), (marked, 1)):
            received = parse(f"resize:{factor}|{edits}")(picture)
            size = size_of(received)
            every = framed.sizes(size)
            scores = framed.resized(View(received, TABLE, WHOLE), size, every)
            off = np.abs(every - size_of(picture)).max(axis=1)
            assert off[scores.argmax()] <= most
            assert scores[off > 12].max() < 0.5 * scores.max()

    def test_is_chance_without_the_pilot_and_for_other_keys(self, original, marked):
        for picture, key in ((original, "key"), (marked, "another"), (marked, None)):
            received = parse("resize:0.71")(picture)
            size = size_of(received)
            scores = framed.resized(View(received, waves(key), WHOLE), size, framed.sizes(size))
            assert np.abs(scores).max() < 6

    def test_leaves_out_waves_that_the_picture_cannot_show(self, marked):
        """Too fast for its pixels, or nearly as slow as light and shade."""
        view, size = View(marked, TABLE, WHOLE), size_of(marked)
        every = np.array(size) * np.array([[10, 10], [5, 5], [4, 2], [1, 3]])
        every = np.concatenate([every, np.array(size) // [[7, 7], [4, 4], [3, 6]]])
        scores = framed.resized(view, size, every)
        assert agree(scores, [slowly_resized(view, size, each) for each in every])
        assert (scores[[0, 4]] == 0).all()
        assert (scores[[1, 2, 3, 5, 6]] != 0).all()


class TestTurned:
    @pytest.mark.parametrize("degrees", [1, 30, -7, 200])
    def test_is_the_sum_over_all_pixels(self, marked, degrees):
        received = parse(f"rotate:{degrees}")(marked)
        size, view = size_of(received), View(received, TABLE, WHOLE)
        every = np.arange(-40, 360, 1.0)
        scores = framed.turned(view, size, every)
        chosen = some(scores, 4, 12)
        exact = [slowly_turned(view, size, each) for each in every[chosen].tolist()]
        assert exact[0] > 12
        assert agree(scores[chosen], exact)
        assert np.corrcoef(scores[chosen], exact)[0, 1] > 0.98

    def test_of_the_middle_of_a_picture_alone(self, marked):
        received = parse("rotate:30")(marked)[:239]  # less high, and no longer about the middle
        size, view = size_of(received), View(received, TABLE, 121)
        every = np.array([30.0, 29.5, 30.5, 150, -60])
        exact = [slowly_turned(view, size, each) for each in every.tolist()]
        assert agree(framed.turned(view, size, every), exact)

    @pytest.mark.parametrize("edits", ["none", "jpeg:80", "grayscale"])
    @pytest.mark.parametrize("degrees", [1, 30, 135, 353])
    def test_is_highest_for_the_right_turn(self, marked, degrees, edits):
        received = parse(f"rotate:{degrees}|{edits}")(marked)
        view, every = View(received, TABLE, WHOLE), np.arange(360.0)
        scores = framed.turned(view, size_of(received), every)
        assert scores.argmax() == degrees
        assert np.delete(scores, np.arange(degrees - 2, degrees + 3) % 360).max() < 6

    def test_turns_by_what_it_is_asked_for(self, marked):
        """Fractions of a degree, more than a circle, and none at all."""
        view = View(parse("rotate:30")(marked), TABLE, WHOLE)
        angles = np.array([30, 390, -330])
        scores = framed.turned(view, size_of(marked), angles.astype(np.float64))
        assert scores == pytest.approx(np.full(3, scores[0]))
        assert framed.turned(view, size_of(marked), np.zeros(0)).shape == (0,)


class TestLittleToSee:
    @pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (5, 7), (33, 32)])
    def test_tiny_pictures(self, shape):
        picture = np.random.default_rng(0).integers(0, 256, (*shape, 3), np.uint8)
        size, view = size_of(picture), View(picture, TABLE, WHOLE)
        every = framed.sizes(size)
        for scores in (
            framed.resized(view, size, every),
            framed.turned(view, size, np.arange(len(every), dtype=np.float64)),
        ):
            assert scores.shape == (len(every),)
            assert np.isfinite(scores).all()

    @pytest.mark.parametrize("value", [0, 128, 255])
    @pytest.mark.parametrize("channels", [1, 3])
    def test_one_colour_has_no_pilot(self, value, channels):
        picture = np.full((60, 80, channels), value, np.uint8)
        view = View(picture, TABLE, WHOLE)
        assert np.abs(framed.resized(view, (80, 60), framed.sizes((80, 60)))).max() < 1
        assert np.abs(framed.turned(view, (80, 60), np.arange(360.0))).max() < 1

    def test_gray_pictures_show_luma_alone(self, marked):
        """Its waves agree no less for want of the others."""
        received = parse("resize:0.71|grayscale")(marked)[..., :1]
        size, view = size_of(received), View(received, TABLE, WHOLE)
        assert np.abs(view.patch.planes[CB]).max() < 1e-3 * np.abs(view.patch.planes[LUMA]).max()
        every = framed.sizes(size)
        scores = framed.resized(view, size, every)
        best = every[scores.argmax()]
        assert np.abs(best - size_of(marked)).max() <= 1
        assert agree(scores.max(keepdims=True), [slowly_resized(view, size, best)])
