"""The robust codec as a whole: exact, at its PSNR, checked, honest about what is not there."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import morebits as mb
from morebits.attacks import parse
from morebits.codecs.robust import Robust, codec, sizes
from morebits.errors import DoesNotFit, ImageError, InputError, UnknownName
from morebits.types import Codec


def scene(height=240, width=320, channels=3, depth=8, seed=0):
    """A synthetic picture: waves, texture that grows to the right, and a white corner."""
    rng = np.random.default_rng(seed)
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    values = 120 + 60 * np.sin(x / 25 + c) * np.cos(y / 31)
    values += rng.normal(0, 1, (height, width, 1)) * (2 + 10 * x / width)
    values[: height // 6, : width // 6] = 255
    values = np.clip(np.rint(values * (2**depth - 1) / 255), 0, 2**depth - 1)
    return values.astype(np.uint8 if depth == 8 else np.uint16)


def as_bits(payload: bytes):
    return np.unpackbits(np.frombuffer(payload, np.uint8))


NOTE = b"16 bytes of note"


@pytest.fixture(scope="module")
def marked():
    return Robust(psnr=42, key="secret").embed(scene(), as_bits(NOTE))


class TestRoundTrip:
    def test_is_a_codec(self):
        assert isinstance(mb.codec("robust", psnr=45), Codec)

    @pytest.mark.parametrize("edit", ["none", "jpeg:70", "crop:0.8", "hflip", "brightness:0.7"])
    def test_comes_back_after_edits(self, marked, edit):
        found = Robust(key="secret").extract(parse(edit)(marked.image, seed=3))
        assert found.payload == NOTE
        assert found.bits is not None
        assert found.bits.tolist() == as_bits(NOTE).tolist()
        assert found.p_value < 1e-9

    @pytest.mark.parametrize("channels", [1, 3])
    @pytest.mark.parametrize("depth", [8, 16])
    def test_gray_and_16_bits(self, channels, depth):
        cover = scene(channels=channels, depth=depth)
        marked = Robust(psnr=42).embed(cover, as_bits(NOTE))
        assert marked.image.dtype == cover.dtype
        assert marked.image.shape == cover.shape
        assert 42 <= marked.psnr < 42.2
        assert Robust().extract(marked.image).payload == NOTE

    def test_marks_of_16_bits_survive_a_file_of_8(self):
        marked = Robust(psnr=42).embed(scene(depth=16), as_bits(NOTE))
        assert Robust().extract(parse("jpeg:80")(marked.image)).payload == NOTE

    def test_alpha_is_left_alone(self):
        alpha = np.full((240, 320, 1), 77, np.uint8)
        cover = Image.fromarray(np.concatenate([scene(), alpha], axis=2))
        marked = Robust(psnr=42).embed(cover, as_bits(NOTE))
        assert marked.image.shape == (240, 320, 3)
        assert Robust().extract(marked.image).payload == NOTE

    def test_an_empty_message(self):
        marked = Robust(psnr=42).embed(scene(), [])
        assert Robust().extract(marked.image).payload == b""

    def test_the_same_picture_every_time(self, marked):
        again = Robust(psnr=42, key="secret").embed(scene(), as_bits(NOTE))
        assert np.array_equal(again.image, marked.image)

    def test_a_picture_that_has_a_mark_gets_another(self, marked):
        codec = Robust(psnr=42, key="secret")
        assert codec.extract(codec.embed(marked.image, as_bits(b"new")).image).payload == b"new"


class TestPilot:
    def test_a_short_message_leaves_it_more_of_the_power(self):
        """It needs little power for itself, and is asked for after harder edits."""
        edit, chances = parse("rotate:7.3|jpeg:60"), []
        for payload in (b"1", bytes(range(40))):
            image = Robust(psnr=44, key="key").embed(scene(), as_bits(payload)).image
            chances.append(mb.locate(edit(image), key="key").p_value)
        assert chances[0] < 0.1 * chances[1]

    def test_a_long_message_and_a_large_picture_leave_it_less(self):
        least, short, long, longest = (sizes.class_of(bits + 56) for bits in (8, 1024, 4096, 16384))
        assert codec._below(least, 480, 640) == pytest.approx(5.34, abs=0.01)
        assert codec._below(short, 480, 640) == pytest.approx(10.4)
        assert codec._below(short, 375, 500) == pytest.approx(10.4)
        assert codec._below(long, 480, 640) == pytest.approx(10.4)
        assert codec._below(long, 375, 500) == pytest.approx(11.5)
        assert codec._below(short, 1920, 2560) == pytest.approx(11.85, abs=0.01)
        assert codec._below(longest, 1365, 2048) == pytest.approx(15.2)


class TestNothing:
    @pytest.mark.parametrize("key", [None, "another"])
    def test_not_with_another_key(self, marked, key):
        found = Robust(key=key, seconds=0.5).extract(marked.image)
        assert (found.status, found.payload, found.p_value) == ("nothing", None, 1.0)

    def test_not_in_an_unmarked_picture(self):
        assert not Robust(seconds=0.5).extract(scene())

    @pytest.mark.parametrize("size", [(1, 1), (24, 24), (5, 300), (47, 48)])
    def test_not_in_a_tiny_one(self, size):
        assert not Robust(seconds=0.5).extract(np.zeros(size, np.uint8))


class TestPsnr:
    @pytest.mark.parametrize("psnr", [38.5, 45, 48])
    def test_is_reached_exactly(self, psnr):
        marked = Robust(psnr=psnr).embed(scene(), as_bits(b"12345678"))
        assert psnr <= marked.psnr < psnr + 0.1
        assert (marked.bits, marked.codec) == (64, "robust")

    def test_quality_first_is_quieter_for_milder_edits(self):
        quiet = Robust(survive=()).embed(scene(), as_bits(NOTE))
        tough = Robust(survive="jpeg:60").embed(scene(), as_bits(NOTE))
        assert 45 <= tough.psnr < quiet.psnr - 1
        assert Robust().extract(parse("jpeg:60")(tough.image)).payload == NOTE

    def test_without_any_wish_the_compact_suite_is_survived(self):
        assert len(Robust().survive) == 28
        assert Robust().psnr is None

    def test_a_psnr_alone_asks_for_the_file_only(self):
        assert [each.text for each in Robust(psnr=45).survive] == ["none"]


class TestCapacity:
    def test_is_whole_bytes_and_less_for_more(self):
        codec, cover = Robust(), scene()
        easy = codec.capacity(cover, psnr=42, survive="jpeg:80")
        hard = codec.capacity(cover, psnr=42, survive=["hflip", "jpeg:40"])
        quiet = codec.capacity(cover, psnr=52, survive="jpeg:80")
        assert easy % 8 == hard % 8 == 0
        assert 0 < hard < easy
        assert 0 < quiet < easy

    def test_what_is_predicted_fits(self):
        codec = Robust(psnr=42, survive="jpeg:60")
        bits = codec.capacity(scene())
        message = np.random.default_rng(1).integers(0, 2, bits, np.uint8)
        marked = codec.embed(scene(), message)
        assert (
            codec.extract(parse("jpeg:60")(marked.image)).payload == np.packbits(message).tobytes()
        )

    def test_a_refusal_names_a_size_that_works(self):
        codec = Robust(psnr=45, survive="jpeg:50", seconds=1)
        with pytest.raises(DoesNotFit, match="at 45 dB, needs 16,000 bits") as caught:
            codec.embed(scene(), np.random.default_rng(1).integers(0, 2, 16_000, np.uint8))
        fits = caught.value.capacity
        assert 0 < fits < 16_000
        assert codec.embed(scene(), np.random.default_rng(2).integers(0, 2, fits, np.uint8))

    def test_refuses_more_than_any_picture_holds(self):
        with pytest.raises(DoesNotFit, match="258,048 fit; hide it with the codec trellis"):
            Robust(psnr=45).embed(
                scene(), np.random.default_rng(1).integers(0, 2, 280_000, np.uint8)
            )

    def test_a_message_that_compresses_may_be_longer(self):
        codec = Robust(psnr=42)
        again = b"again and " * 900
        assert len(again) * 8 > codec.capacity(scene())
        assert codec.extract(codec.embed(scene(), as_bits(again)).image).payload == again


class TestSmall:
    def test_nine_tiles_hold_eight_bytes(self):
        codec, cover = Robust(psnr=45), scene(72, 72)
        assert codec.capacity(cover) >= 64
        marked = codec.embed(cover, as_bits(b"8 bytes!"))
        assert codec.extract(marked.image).payload == b"8 bytes!"

    @pytest.mark.parametrize("seed", range(3))
    def test_four_tiles_hold_a_byte_or_say_that_they_do_not(self, seed):
        codec, cover = Robust(psnr=45, seconds=0.5), scene(48, 48, seed=seed)
        if codec.capacity(cover) < 8:
            with pytest.raises(DoesNotFit):
                codec.embed(cover, as_bits(b"12345678"))
        else:
            assert codec.extract(codec.embed(cover, as_bits(b"1")).image).payload == b"1"

    @pytest.mark.parametrize("size", [(47, 48), (24, 72), (1, 5000)])
    def test_refuses_smaller_ones(self, size):
        with pytest.raises(ImageError, match="use one with at least 48x48"):
            Robust(psnr=42).embed(scene(*size), as_bits(b"1"))

    def test_refuses_a_picture_that_cannot_change(self):
        with pytest.raises(DoesNotFit) as caught:
            Robust(psnr=57, seconds=0.5).embed(np.zeros((144, 144, 3), np.uint8), as_bits(NOTE))
        assert caught.value.capacity == 0


class TestArguments:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"seconds": 0}, "positive number of seconds"),
            ({"seconds": "1"}, "positive number of seconds"),
            ({"psnr": float("nan")}, "finite number of decibels"),
            ({"progress": 1}, "give a function"),
            ({"survive": 5}, "give the name of a suite"),
            ({"survive": "jpeg:500"}, "from 1 to 100"),
        ],
    )
    def test_says_what_to_give(self, options, message):
        with pytest.raises(InputError, match=message):
            Robust(**options)

    def test_knows_suites_and_edits(self):
        with pytest.raises(UnknownName, match="paper-compact"):
            Robust(survive="paper-compat")

    def test_messages_are_whole_bytes(self):
        with pytest.raises(InputError, match="a multiple of 8 bits"):
            Robust(psnr=42).embed(scene(), [1, 0, 1])

    def test_says_what_it_is(self):
        assert repr(Robust(psnr=45)) == "Robust(psnr=45, survive=['none'])"
