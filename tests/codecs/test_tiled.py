"""Tiles with messages of their own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.box import Box
from morebits.codecs.registry import codec
from morebits.codecs.shaped import Shaped
from morebits.codecs.tiled import Tiled
from morebits.errors import DoesNotFit, ImageError, InputError, UnknownName
from morebits.types import Codec, Embedding, Extraction


def gray(height=64, width=64, channels=3, dtype=np.uint8):
    return np.full((height, width, channels), np.iinfo(dtype).max // 2 + 1, dtype)


def message(count: int, seed: int = 0):
    return np.random.default_rng(seed).integers(0, 2, count, np.uint8)


class LastBit:
    """A blind codec of the tests: the lowest bit of each sample, the first one says "mine"."""

    name = "last-bit"

    def capacity(self, cover) -> int:
        return cover.size - 1

    def embed(self, cover, bits) -> Embedding:
        flat = cover.reshape(-1) & 0xFE
        flat[0] |= 1
        flat[1 : bits.size + 1] |= bits
        return Embedding(flat.reshape(cover.shape), 48.0, bits.size, self.name)

    def extract(self, image) -> Extraction:
        flat = image.reshape(-1) & 1
        if not flat[0]:
            return Extraction("nothing", self.name)
        soft = (2 * flat[1:] - 1.0).astype(np.float32)
        return Extraction("found", self.name, flat[1:], soft=soft, p_value=0.5)


def test_the_papers_tiling():
    """64 tiles of 32 px make 256 px; each is a codec of its own (line 898 of the paper)."""
    tiled, cover = Tiled("box", 32, psnr=42), gray(256, 256)
    one = Box(psnr=42).capacity(gray(32, 32))
    assert tiled.capacity(cover) == 64 * one
    sent = message(64 * one)
    marked = tiled.embed(cover, sent)
    assert (marked.bits, marked.codec) == (sent.size, "tiled")
    assert marked.psnr >= 42
    found = tiled.extract(marked.image)
    assert found.status == "found"
    assert np.array_equal(found.bits, sent)
    # The third tile from the left in the second row is the eleventh part of the message.
    part = Box(psnr=42).extract(marked.image[32:64, 64:96]).bits
    assert np.array_equal(part, sent[10 * one : 11 * one])


@settings(max_examples=30)
@given(st.integers(16, 60), st.integers(16, 60), st.data())
def test_a_codec_that_tells_the_end_gives_the_message(height, width, data):
    tiled, cover = Tiled(Shaped(psnr=40), 16), gray(height, width)
    most = tiled.capacity(cover)
    assert most == (height // 16) * (width // 16) * Shaped(psnr=40).capacity(gray(16, 16))
    sent = message(data.draw(st.integers(0, most)))
    marked = tiled.embed(cover, sent)
    assert marked.psnr >= 40
    found = tiled.extract(marked.image)
    assert np.array_equal(found.bits, sent)
    assert found.p_value == 2.0**-32
    rest = marked.image.copy()
    rest[: height // 16 * 16, : width // 16 * 16] = 128
    assert np.array_equal(rest, cover)


def test_a_codec_that_does_not_gives_zeros_after_it():
    tiled, cover = Tiled("box", 16, psnr=42), gray()
    sent = message(3000)
    found = tiled.extract(tiled.embed(cover, sent).image).bits
    assert found is not None
    assert found.size == tiled.capacity(cover)
    assert np.array_equal(found[:3000], sent)
    assert not found[3000:].any()


def test_any_codec_on_any_picture():
    photo = np.random.default_rng(4).integers(0, 256, (20, 33, 1)).astype(np.uint8)
    tiled = Tiled(LastBit(), 8)
    assert tiled.capacity(photo) == 2 * 4 * 63
    sent = message(504)
    found = tiled.extract(tiled.embed(photo, sent).image)
    assert np.array_equal(found.bits, sent)
    assert found.soft is not None
    assert np.array_equal(found.soft > 0, sent == 1)
    assert found.p_value == 0.5


def test_sixteen_bits():
    tiled, cover = Tiled("box", 8, psnr=60), gray(16, 16, dtype=np.uint16)
    sent = message(tiled.capacity(cover))
    assert np.array_equal(tiled.extract(tiled.embed(cover, sent).image).bits, sent)


def test_one_tile_that_lost_its_mark_is_an_alteration():
    tiled, cover = Tiled("box", 16, psnr=42), gray()
    marked = tiled.embed(cover, message(5000)).image
    broken = marked.copy()
    broken[20:30, 20:30] = 0
    found = tiled.extract(broken)
    assert (found.status, found.bits, found.p_value) == ("altered", None, 1.0)
    assert not found
    assert tiled.extract(cover).status == "nothing"
    assert tiled.extract(gray(8, 8)).status == "nothing"


def test_by_name():
    made = codec("tiled", codec="box", size=32, psnr=42)
    assert isinstance(made, Codec)
    assert made.name == "tiled"
    assert made.capacity(gray(32, 32)) == 7132
    assert codec("tiled", codec=LastBit(), size=4).capacity(gray(4, 4)) == 47


def test_errors():
    tiled = Tiled("box", 32, psnr=42)
    with pytest.raises(DoesNotFit, match="28,529 bits, 28,528 fit; shorten the message"):
        tiled.embed(gray(), message(28529))
    assert tiled.capacity(gray(31, 64)) == 0
    with pytest.raises(ImageError, match="is 64x31, smaller than a tile of 32x32; choose"):
        tiled.embed(gray(31, 64), message(0))
    with pytest.raises(UnknownName, match="bxo"):
        Tiled("bxo", 32)
    with pytest.raises(InputError, match="give a codec or the name of one"):
        Tiled(42, 32)
    with pytest.raises(InputError, match="give them to the codec itself"):
        Tiled(LastBit(), 32, psnr=42)
    for size in (0, -1, 3.0, True, "32"):
        with pytest.raises(InputError, match="side of a tile"):
            Tiled("box", size, psnr=42)
