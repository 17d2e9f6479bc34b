"""Gaussian-shaped changes of a known cover: capacity, promise, and honest answers."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import morebits as mb
from morebits import distortion
from morebits.codecs import shaped as room
from morebits.codecs.registry import codec
from morebits.codecs.shaped import Shaped
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.types import Codec, ImageFormat


def solid(side=256, value=128, dtype=np.uint8, channels=3):
    return np.full((side, side, channels), value, dtype)


def message(count: int, seed: int = 0):
    return np.random.default_rng(seed).integers(0, 2, count, np.uint8)


def check(made: Shaped, cover, sent, psnr: float):
    marked = made.embed(cover, sent)
    peak = 255 if cover.dtype == np.uint8 else 65535
    assert marked.psnr == distortion.psnr(cover, marked.image, peak=peak) >= psnr
    assert marked.image.dtype == cover.dtype
    assert (marked.bits, marked.codec) == (sent.size, "shaped")
    found = made.extract(marked.image)
    assert found.status == "found"
    assert np.array_equal(found.bits, sent)
    return marked


@pytest.mark.parametrize("psnr", [36, 38, 42, 48])
def test_gray_holds_nearly_the_exact_count(psnr):
    """At least 0.999 of it was asked for; the promise for random and for plain messages."""
    made, cover = Shaped(psnr=psnr), solid()
    bits = made.capacity(cover)
    exact = mb.capacity(ImageFormat(width=256, height=256), psnr=psnr).bits
    assert 0.9997 < bits / exact < 1
    for sent in (message(bits, psnr), np.zeros(bits, np.uint8), np.ones(bits, np.uint8)):
        check(made, cover, sent, psnr)


def test_it_is_a_codec_with_a_name():
    made = codec("shaped", psnr=42)
    assert isinstance(made, Codec)
    assert made.name == "shaped"


@settings(max_examples=40)
@given(st.floats(4, 58), st.integers(1, 30), st.integers(1, 30), st.data())
def test_any_message_up_to_the_capacity(psnr, height, width, data):
    cover = np.full((height, width, 1), 128, np.uint8)
    made = Shaped(psnr=psnr)
    most = made.capacity(cover)
    if most:
        size = data.draw(st.integers(0, most))
        check(made, cover, message(size, size), psnr)


def saturated(dtype) -> np.ndarray:
    """Values at both ends and in between, in patches, so that blocks differ."""
    draw, top = np.random.default_rng(3), np.iinfo(dtype).max
    cover = draw.integers(0, top + 1, (64, 64, 3)).astype(dtype)
    cover[:20], cover[40:, :30], cover[40:, 40:50] = 0, top, 3
    return cover


@pytest.mark.parametrize("psnr", [30, 42, 50])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_saturated_samples_spend_what_they_can(dtype, psnr):
    cover = saturated(dtype)
    made = Shaped(psnr=psnr, cover=cover)
    bits = made.capacity(cover)
    assert bits > 0.99 * mb.capacity(cover, psnr=psnr).bits
    marked = check(made, cover, message(bits), psnr)
    assert marked.psnr < psnr + 0.02


@pytest.mark.parametrize("value", [0, 255])
def test_black_and_white(value):
    cover = solid(64, value)
    made = Shaped(psnr=42, cover=cover)
    assert made.capacity(cover) > 0.99 * mb.capacity(cover, psnr=42).bits
    check(made, cover, message(made.capacity(cover)), 42)


@pytest.mark.parametrize("psnr", [-100, 0, 6])
def test_where_every_picture_is_allowed_a_sample_has_all_its_bits(psnr):
    cover = solid(32, 128, np.uint16)
    made = Shaped(psnr=psnr, cover=cover)
    assert 0.99 * 16 * cover.size < made.capacity(cover) < 16 * cover.size
    check(made, cover, message(made.capacity(cover)), psnr)


def test_the_cover_must_be_the_known_one():
    cover = saturated(np.uint8)
    other = cover.copy()
    other[5, 5, 0] += 1
    made = Shaped(psnr=42, cover=cover)
    with pytest.raises(ImageError, match="not the cover that this codec was made with; make it"):
        made.embed(other, message(9))
    with pytest.raises(ImageError, match=r"not gray, with 128 everywhere; .*trellis"):
        Shaped(psnr=42).capacity(cover)
    with pytest.raises(ImageError, match="not the cover"):
        made.capacity(cover[:9])
    with pytest.raises(InputError, match="picture"):
        Shaped(psnr=42, cover=17)


def test_what_is_not_a_message_is_nothing():
    cover = saturated(np.uint8)
    made = Shaped(psnr=42, cover=cover)
    marked = made.embed(cover, message(1000)).image
    altered = marked.copy()
    altered[30, 30, 1] ^= 1
    noise = cover.astype(int) + np.random.default_rng(0).integers(-1, 2, cover.shape)
    for picture in (cover, altered, np.clip(noise, 0, 255).astype(np.uint8), solid(64), solid(9)):
        found = made.extract(picture)
        assert (found.status, found.bits, found.p_value) == ("nothing", None, 1.0)
    found = made.extract(marked)
    assert found.p_value == 2.0**-32
    assert not Shaped(psnr=42.5, cover=cover).extract(marked)
    assert not Shaped(psnr=42).extract(solid(1))


def test_every_sample_counts():
    """One sample off by one, anywhere, also among the digits of the last state."""
    made = Shaped(psnr=42)
    marked = made.embed(solid(64), message(20_000)).image
    for place in (*range(0, 12288, 1371), *range(12270, 12288)):
        changed = marked.reshape(-1).astype(int)
        changed[place] += 1 if changed[place] < 128 else -1
        assert not made.extract(changed.astype(np.uint8).reshape(marked.shape))


def test_messages_that_do_not_fit():
    made, cover = Shaped(psnr=42), solid(32)
    most = made.capacity(cover)
    with pytest.raises(DoesNotFit, match=f"{most + 1:,} bits, {most:,} fit; lower the PSNR of 42"):
        made.embed(cover, message(most + 1))
    assert made.capacity(solid(1)) == 0
    with pytest.raises(ImageError, match="3 samples hold no message at 42 dB; lower the PSNR"):
        made.embed(solid(1), message(0))
    with pytest.raises(ImageError, match="3072 samples hold no message at 90 dB"):
        Shaped(psnr=90).embed(cover, message(0))


def test_a_try_that_falls_short_is_followed_by_another(monkeypatch):
    """Messages a little longer than promised: some tries fail, and it goes on."""
    made, cover, tries = Shaped(psnr=42), solid(32), []
    longer = made.capacity(cover) + 16
    monkeypatch.setattr(Shaped, "_capacity", lambda *_: longer)
    spend = room.steering.spend
    monkeypatch.setattr(room.steering, "spend", lambda *all: tries.append(1) or spend(*all))
    for seed in range(10):
        check(made, cover, message(longer, seed), 42)
    assert len(tries) > 10


def test_the_end_of_patience_is_an_error(monkeypatch):
    made, cover = Shaped(psnr=42), solid(32)
    longer = made.capacity(cover) + 999
    monkeypatch.setattr(Shaped, "_capacity", lambda *_: longer)
    with pytest.raises(DoesNotFit, match="shorten the message"):
        made.embed(cover, message(longer))


def test_golden_picture():
    """From this very code: the picture is the same on every machine and in later versions."""
    made, cover = Shaped(psnr=42), solid(64)
    marked = made.embed(cover, np.arange(1000, dtype=np.uint8) % 2)
    assert hashlib.sha256(marked.image.tobytes()).hexdigest()[:16] == "792b05bb472656b2"
    ramp = np.arange(64 * 64, dtype=np.uint16).reshape(64, 64)
    marked = Shaped(psnr=60, cover=ramp).embed(ramp, np.ones(77, np.uint8))
    assert (
        hashlib.sha256(marked.image.astype("<u2").tobytes()).hexdigest()[:16] == "773027120acd0b39"
    )


@pytest.mark.full
@pytest.mark.parametrize("psnr", [36, 38, 42, 48])
def test_the_promise_in_1000_of_1000(psnr):
    made, cover = Shaped(psnr=psnr), solid()
    bits = made.capacity(cover)
    for seed in range(1000):
        check(made, cover, message(bits, seed), psnr)
