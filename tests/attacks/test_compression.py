"""Lossy files are real files."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, JpegImagePlugin

from morebits.attacks import compression, parse
from morebits.errors import ImageError, InputError

WORDS = ("jpeg", "webp", "avif")


@pytest.mark.parametrize("quality", [1, 50, 100])
def test_jpeg_is_pillows_default_file(colour, gray, quality):
    """Pillow's default is 4:2:0 for any quality, which is what the paper used."""
    for picture in (colour, gray):
        target = io.BytesIO()
        Image.fromarray(picture.squeeze()).save(target, "JPEG", quality=quality)
        with Image.open(io.BytesIO(target.getvalue())) as image:
            expected = np.asarray(image).reshape(picture.shape)
        assert np.array_equal(parse(f"jpeg:{quality}")(picture), expected)


def test_jpeg_has_half_the_chroma(colour):
    with Image.open(io.BytesIO(compression.encode(colour, "jpeg", 90))) as image:
        assert JpegImagePlugin.get_sampling(image) == 2  # 4:2:0


@pytest.mark.parametrize("word", WORDS)
def test_what_is_decoded_is_what_others_decode(colour, word):
    data = compression.encode(colour, word, 60)
    with Image.open(io.BytesIO(data)) as image:
        assert image.format == word.upper()
        assert np.array_equal(parse(f"{word}:60")(colour), np.asarray(image))


@pytest.mark.parametrize("word", WORDS)
def test_gray_stays_gray(gray, word):
    found = parse(f"{word}:90")(gray)
    assert found.shape == gray.shape
    assert np.abs(found.astype(int) - gray).mean() < 6


@pytest.mark.parametrize("word", WORDS)
def test_more_quality_less_error_and_larger_files(colour, word):
    def error(quality):
        change = parse(f"{word}:{quality}")(colour).astype(float) - colour
        return (change**2).mean()

    assert error(20) > error(60) > error(95) > 0
    sizes = [len(compression.encode(colour, word, quality)) for quality in (20, 60, 95)]
    assert sizes == sorted(sizes)


def test_a_second_jpeg_is_one_more_generation(colour):
    twice = parse("jpeg:50|jpeg:80")(colour)
    assert np.array_equal(twice, parse("jpeg:80")(parse("jpeg:50")(colour)))
    assert not np.array_equal(twice, parse("jpeg:50")(colour))


def test_sides_that_a_format_cannot_have():
    with pytest.raises(ImageError, match="16,383 a side"):
        parse("webp:50")(np.zeros((1, 16384, 3), np.uint8))


def test_a_pillow_without_the_format(colour, monkeypatch):
    from PIL import features

    monkeypatch.setattr(features, "check", lambda name: False)
    with pytest.raises(InputError, match="without AVIF"):
        parse("avif:50")(colour)
