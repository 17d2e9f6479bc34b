"""Lossy files: real ones, written and read again with Pillow, chroma at half resolution.

All settings that could depend on the machine are fixed: AVIF is cut into tiles by the number of
threads unless it is told not to.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from morebits.attacks.samples import Image8, size_text
from morebits.errors import ImageError, InputError
from morebits.images import pillow


@dataclass(frozen=True)
class Lossy:
    """A lossy file format: the word of the grammar, its suffixes, and Pillow's settings."""

    word: str
    name: str
    suffixes: tuple[str, ...]
    longest: int  # pixels of a side
    settings: dict[str, Any] = field(default_factory=dict[str, Any])


FORMATS = (
    Lossy("jpeg", "JPEG", (".jpg", ".jpeg", ".jpe", ".jfif"), 65500, {"subsampling": "4:2:0"}),
    Lossy("webp", "WebP", (".webp",), 16383, {"method": 4}),
    Lossy(
        "avif", "AVIF", (".avif",), 65536,
        {"subsampling": "4:2:0", "speed": 6, "max_threads": 1, "autotiling": False},
    ),
)  # fmt: skip
BY_WORD = {each.word: each for each in FORMATS}
BY_SUFFIX = {suffix: each for each in FORMATS for suffix in each.suffixes}


def encode(image: Image8, word: str, quality: int, **metadata: Any) -> bytes:
    """The bytes of the file; `metadata` are Pillow's `icc_profile`, `exif` and `dpi`."""
    from PIL import Image, features

    chosen = BY_WORD[word]
    if word != "jpeg" and not features.check(word):
        expected = f"this Pillow was built without {chosen.name}, install one from pip"
        raise InputError("attack", word, expected)
    if max(image.shape[:2]) > chosen.longest:
        problem = f"has {size_text(image)} pixels, {chosen.name} at most {chosen.longest:,} a side"
        raise ImageError("picture", problem, "use a smaller picture")
    target = io.BytesIO()
    plain = image[..., 0] if image.shape[2] == 1 else image
    Image.fromarray(np.ascontiguousarray(plain)).save(
        target, chosen.name.upper(), quality=quality, **chosen.settings, **metadata
    )
    return target.getvalue()


def decode(data: bytes, channels: int) -> Image8:
    """The samples of the file; gray again where the picture was and the file has three channels."""
    from PIL import Image

    array = pillow.from_file(io.BytesIO(data), "compressed picture", 2**31).array
    if array.shape[2] != channels:
        array = np.asarray(Image.fromarray(array).convert("L"))[..., None]
    return np.asarray(array, np.uint8)


def jpeg(image: Image8, quality: int) -> Image8:
    """Through a JPEG file, 4:2:0."""
    return decode(encode(image, "jpeg", quality), image.shape[2])


def webp(image: Image8, quality: int) -> Image8:
    """Through a lossy WebP file."""
    return decode(encode(image, "webp", quality), image.shape[2])


def avif(image: Image8, quality: int) -> Image8:
    """Through an AVIF file, 4:2:0."""
    return decode(encode(image, "avif", quality), image.shape[2])
