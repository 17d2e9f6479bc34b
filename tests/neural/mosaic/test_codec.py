from __future__ import annotations

import numpy as np
import pytest

import morebits as mb
from morebits import attacks
from morebits.codecs import keys
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.neural.mosaic import network, reading
from morebits.neural.mosaic.layout import DENSITIES
from morebits.neural.mosaic.searching import Search, kinds

PAYLOAD = np.unpackbits(np.frombuffer(b"forty bytes of something that is random.", np.uint8))


@pytest.fixture(scope="module")
def cover():
    y, x = np.mgrid[0:320, 0:400]
    rng = np.random.default_rng(5)
    plane = 125 + 50 * np.sin(x / 23) * np.cos(y / 31) + 15 * np.sin(x * y / 900)
    colour = plane[..., None] + np.array([12.0, 0.0, -15.0]) + rng.normal(0, 5, (320, 400, 1))
    return np.clip(np.rint(colour), 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def marked(cover):
    return mb.codec("mosaic", psnr=45, key="k").embed(cover, PAYLOAD)


def test_the_psnr_is_reached_and_hardly_passed(marked):
    assert 45 <= marked.psnr < 45.1
    assert marked.codec == "mosaic"


@pytest.mark.parametrize(
    "edit",
    ["none", "jpeg:40", "blur:9", "resize:0.5", "brightness:0.5", "brightness:1.25",
     "crop:0.7", "hflip", "rotate:10"],
)  # fmt: skip
def test_a_short_message_survives(marked, edit):
    found = mb.codec("mosaic", key="k").extract(attacks.parse(edit)(marked.image, seed=3))
    assert found
    assert (found.bits == PAYLOAD).all()
    assert found.p_value < 1e-9


def test_nothing_is_found_with_another_key_or_without_a_mark(cover, marked):
    codec = mb.codec("mosaic", key="other", seconds=1)
    assert not codec.extract(marked.image)
    assert not codec.extract(cover)
    assert not codec.extract(np.zeros((20, 20, 3), np.uint8))


def test_nothing_is_found_in_a_small_part_after_all_its_places_were_tried(marked):
    assert not mb.codec("mosaic", key="other", seconds=60).extract(marked.image[:48, :48])


def test_many_bits_a_number_are_not_looked_for_where_numbers_are_chance(marked):
    search = Search(marked.image, keys.check_key("other"), network.trained(), 60)
    look = next(search.looks(np.eye(2, 3), sure=False))
    found = kinds(reading.read(look.numbers))
    assert found
    assert max(max(DENSITIES[density].slots) for density, _ in found) <= 2


def test_the_same_key_and_payload_give_the_same_picture(cover, marked):
    again = mb.codec("mosaic", psnr=45, key="k").embed(cover, PAYLOAD)
    assert np.array_equal(again.image, marked.image)


def test_hide_and_reveal(cover, tmp_path):
    marked = mb.hide(cover, b"a note", codec="mosaic", key="k")
    assert (marked.fragile, marked.survives) == (False, ())
    marked.save(tmp_path / "marked.jpg")
    codec = mb.codec("mosaic", key="k")
    assert mb.reveal(tmp_path / "marked.jpg", codec=codec).payload == b"a note"


def test_what_capacity_says_fits_and_grows_with_the_pixels():
    codec = mb.codec("mosaic", psnr=42)
    found = []
    for side in (64, 128):
        gray = np.full((side, side, 3), 128, np.uint8)
        bits = codec.capacity(gray)
        message = np.random.default_rng(side).integers(0, 2, bits, np.uint8)
        assert (codec.extract(codec.embed(gray, message).image).bits == message).all()
        found.append(bits)
    assert 3.5 < found[1] / found[0] < 5.5
    assert found[1] > 2048 / 4  # the linear baseline of the paper


def test_a_small_picture_holds_any_message_of_its_capacity():
    """Sixteen tiles leave no room for bad luck; some of these come back only a little fainter."""
    codec, gray = mb.codec("mosaic", psnr=42), np.full((64, 64, 3), 128, np.uint8)
    bits = codec.capacity(gray)
    # In proportion to a picture of 128 pixels a side, less a density: which of them comes back
    # is luck in so few tiles, and the rounding of this processor's BLAS kernel (592 or 560).
    assert bits >= 2560 / 4 * 0.85
    for seed in range(30):
        message = np.random.default_rng(seed).integers(0, 2, bits, np.uint8)
        done = codec.embed(gray, message)
        assert 42 <= done.psnr < 42.2
        assert (codec.extract(done.image).bits == message).all()


@pytest.mark.parametrize("shape", [(96, 130, 1), (100, 96, 3)])
def test_gray_and_deep_pictures(shape):
    rng = np.random.default_rng(2)
    deep = rng.integers(20_000, 45_000, shape, np.uint16)
    codec = mb.codec("mosaic", psnr=40)
    message = np.unpackbits(np.frombuffer(b"deep", np.uint8))
    done = codec.embed(deep, message)
    assert done.image.dtype == np.uint16
    assert done.image.shape == shape
    assert codec.extract(done.image).payload == b"deep"


def test_errors_say_what_to_do(cover):
    codec = mb.codec("mosaic")
    with pytest.raises(InputError, match="whole bytes"):
        codec.embed(cover, np.ones(7, np.uint8))
    with pytest.raises(ImageError, match="48x48"):
        codec.embed(np.zeros((40, 40, 3), np.uint8), PAYLOAD)
    assert codec.capacity(np.zeros((40, 40, 3), np.uint8)) == 0
    small = cover[:64, :64]
    with pytest.raises(DoesNotFit, match="psnr") as caught:
        codec.embed(small, np.random.default_rng(1).integers(0, 2, 40_000, np.uint8))
    assert caught.value.capacity <= codec.capacity(small)
