"""The handcrafted codec: the paper's table, the promise, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits import distortion
from morebits.codecs.box import Box
from morebits.codecs.registry import codec
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.types import Codec, ImageFormat


def solid(side=256, value=128, dtype=np.uint8, channels=3):
    return np.full((side, side, channels), value, dtype)


def message(count: int, seed: int = 0):
    return np.random.default_rng(seed).integers(0, 2, count, np.uint8)


@pytest.mark.parametrize(
    ("psnr", "bits"), [(36, 623_232), (38, 551_948), (42, 456_509), (48, 311_616)]
)
def test_the_papers_table_by_a_full_round_trip(psnr, bits):
    """Table tab:gray_image_experiments of the paper, rows "Handcrafted"."""
    cover, box = solid(), Box(psnr=psnr)
    assert box.capacity(cover) == bits
    sent = message(bits, psnr)
    marked = box.embed(cover, sent)
    assert (marked.bits, marked.codec) == (bits, "box")
    assert marked.psnr >= psnr
    assert marked.psnr == distortion.psnr(cover, marked.image, peak=255)
    found = box.extract(marked.image)
    assert found.status == "found"
    assert np.array_equal(found.bits, sent)


def test_it_is_a_codec_with_a_name():
    made = codec("box", psnr=42)
    assert isinstance(made, Codec)
    assert made.name == "box"
    assert made.capacity(solid(8)) == 445


@given(st.floats(8, 48.1), st.integers(0, 1))
def test_no_picture_in_the_box_breaks_the_promise(psnr, deep):
    """The corners are the worst of all messages."""
    format = ImageFormat(3, 8, 8, 16 if deep else 8)
    half = Box(psnr=psnr).half_side(format)
    rho = format.rho
    assert half == math.floor(rho * 10 ** (-psnr / 20) + 1e-9)
    if half:
        assert 20 * math.log10(rho / half) >= psnr - 1e-9


def test_the_other_peak_of_the_paper_breaks_it():
    """2^k still allows two steps at 42.12 dB; measured with 2^k - 1 they are 42.11 dB."""
    format = ImageFormat(3, 8, 8, 8)
    assert Box(psnr=42.12).half_side(format) == 1
    assert Box(psnr=42.12, peak=256).half_side(format) == 2
    assert 20 * math.log10(255 / 2) < 42.12


def test_a_step_that_is_allowed_to_the_last_digit_counts():
    assert Box(psnr=20 * math.log10(255 / 3)).half_side(ImageFormat(3, 8, 8, 8)) == 3


@given(st.data())
def test_short_messages_come_back_with_zeros_and_cost_little(data):
    box, cover = Box(psnr=42), solid(4)
    room = box.capacity(cover)
    sent = np.array(data.draw(st.lists(st.integers(0, 1), max_size=room)), np.uint8)
    marked = box.embed(cover, sent)
    found = box.extract(marked.image).bits
    assert found is not None
    assert found.size == room
    assert np.array_equal(found[: sent.size], sent)
    assert not found[sent.size :].any()
    assert (marked.image != cover).sum() <= sent.size / math.log2(5) + 2
    assert marked.psnr >= 42


@pytest.mark.parametrize("level", [2, 77, 253])
def test_any_level_that_leaves_room(level):
    box, cover = Box(psnr=42, level=level), solid(8, level)
    sent = message(box.capacity(cover))
    assert np.array_equal(box.extract(box.embed(cover, sent).image).bits, sent)


@pytest.mark.parametrize("channels", [1, 3])
def test_sixteen_bits(channels):
    """q = 2 floor(65535 / 10^1.8) + 1 = 2077 digits, beyond the letters of any alphabet."""
    box, cover = Box(psnr=36), solid(16, 1 << 15, np.uint16, channels)
    assert box.capacity(cover) == math.floor(cover.size * math.log2(2077))
    sent = message(box.capacity(cover))
    marked = box.embed(cover, sent)
    assert marked.image.dtype == np.uint16
    assert marked.psnr >= 36
    assert np.array_equal(box.extract(marked.image).bits, sent)


def test_one_pixel():
    box, cover = Box(psnr=42), solid(1, channels=1)
    assert box.capacity(cover) == 2
    for sent in ([0, 0], [1, 0], [0, 1], [1, 1]):
        marked = box.embed(cover, np.array(sent, np.uint8))
        assert np.array_equal(box.extract(marked.image).bits, sent)


def test_what_is_not_a_message_is_nothing():
    box, cover = Box(psnr=42), solid(1, channels=1)
    answers = {value: box.extract(np.array([[value]], np.uint8)).status for value in range(256)}
    # Four messages in a box of five values; the fifth is the untouched cover.
    assert [value for value, status in answers.items() if status == "found"] == [
        126, 127, 129, 130,
    ]  # fmt: skip
    assert box.extract(cover).p_value == 1.0
    assert not box.extract(solid(8, 255))


def test_the_p_value_is_the_share_of_the_box_that_are_messages():
    """By trial: pictures drawn at random from the box."""
    box, draw = Box(psnr=42), np.random.default_rng(5)
    pictures = draw.integers(126, 131, (2000, 3, 3, 3)).astype(np.uint8)
    answers = [box.extract(picture) for picture in pictures]
    expected = 2**62 / 5**27  # 27 samples hold 62 bits
    assert max(each.p_value for each in answers if each) == pytest.approx(expected, rel=1e-12)
    share = sum(map(bool, answers)) / len(answers)
    assert abs(share - expected) < 5 * math.sqrt(expected * (1 - expected) / len(answers))


def test_errors_name_the_way_out():
    box = Box(psnr=42)
    photo = np.arange(64, dtype=np.uint8).reshape(8, 8)
    with pytest.raises(ImageError, match=r"samples from 0 to 63.*trellis"):
        box.capacity(photo)
    with pytest.raises(ImageError, match="level=100"):
        box.embed(solid(8, 100), message(3))
    with pytest.raises(ImageError, match=r"cannot move by 2 both ways at 42 dB.*trellis"):
        Box(psnr=42, level=1).capacity(solid(8, 1))
    with pytest.raises(ImageError, match="cannot move by 143"):
        Box(psnr=5).capacity(solid(8))
    with pytest.raises(DoesNotFit, match="needs 446 bits, 445 fit; lower the PSNR of 42 dB"):
        box.embed(solid(8), message(446))


def test_above_48_db_the_box_is_a_point():
    box, cover = Box(psnr=48.2), solid(8)
    assert box.capacity(cover) == 0
    assert not box.extract(cover)
    with pytest.raises(InputError, match=r"psnr is 48\.2: the box is a single point; lower it"):
        box.embed(cover, message(0))


@pytest.mark.parametrize("level", [True, 1.5, "128", -1, 1 << 16])
def test_levels_that_are_none(level):
    with pytest.raises(InputError, match="level"):
        Box(psnr=42, level=level)


@pytest.mark.parametrize("psnr", [math.nan, math.inf, "42", None])
def test_psnrs_that_are_none(psnr):
    with pytest.raises(InputError, match="psnr"):
        Box(psnr=psnr)
