"""What codecs with a fixed number of bits on 8-bit colour need: networks, and other people's.

Pictures and messages checked, an optional package loaded, an answer wrapped.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from morebits import distortion, images
from morebits.codecs.bits import check_bits
from morebits.errors import BrokenPackage, DoesNotFit, ImageError, InputError, MissingExtra
from morebits.images import Picture
from morebits.types import Embedding, Extraction

#: (H, W, 3), red first unless said otherwise.
Pixels: TypeAlias = NDArray[np.uint8]


def load(module: str, package: str, extra: str | None) -> ModuleType:
    """The module of a package, or the error that says how to install it.

    >>> load("math", "math", "peers").__name__
    'math'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        other = error.name is not None and error.name.partition(".")[0] != module.partition(".")[0]
        raise MissingExtra(str(error.name) if other else package, extra) from None
    except (ImportError, OSError, RuntimeError) as error:
        # A library of the system that is absent, or packages that were not built for each other.
        raise BrokenPackage(package, " ".join(str(error).split())) from error


def check_count(bits: int) -> int:
    """How many bits a codec is asked to carry: a whole number of at least 1."""
    if isinstance(bits, bool) or not isinstance(bits, int) or bits < 1:
        raise InputError("bits", bits, "give the length of the message, such as 32")
    return bits


def colour(cover: Any) -> Pixels:
    """A cover of three 8-bit channels; ImageError for gray and for 16 bits.

    >>> colour(np.zeros((2, 3, 3), np.uint8)).shape
    (2, 3, 3)
    """
    picture = images.read(cover)
    pixels = _samples(picture)
    if picture.array.shape[2] == 1:
        problem = "is gray, and this watermarker marks colour"
        raise ImageError(picture.name, problem, "convert it to RGB first")
    return pixels


def as_colour(image: Any) -> Pixels:
    """A picture to read from: RGB; gray becomes three equal channels.

    >>> as_colour(np.full((1, 1), 7, np.uint8)).tolist()
    [[[7, 7, 7]]]
    """
    pixels = _samples(images.read(image))
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels


def flipped(pixels: Pixels) -> Pixels:
    """RGB as BGR, which OpenCV wants, and back.

    >>> flipped(np.array([[[1, 2, 3]]], np.uint8)).tolist()
    [[[3, 2, 1]]]
    """
    return np.ascontiguousarray(pixels[..., ::-1])


def check_message(bits: Any, size: int, room: int, too_small: str) -> NDArray[np.uint8]:
    """A message of exactly `size` bits for a cover that has room for it.

    `room` is the capacity of the cover: `size` or, when the codec refuses it, 0; `too_small`
    says why.
    """
    message = check_bits(bits)
    if message.size > size:
        fix = f"shorten the message to {size:,} bits"
        raise DoesNotFit("the message", message.size, size, "bits", fix)
    if message.size < size:
        expected = f"give exactly {size:,}: this watermarker does not mark where a message ends"
        raise InputError("bits", f"{message.size:,} zeros and ones", expected)
    if room < size:
        raise DoesNotFit("the message", message.size, room, "bits", too_small)
    return message


def embedding(cover: Pixels, marked: Pixels, bits: int, codec: str) -> Embedding:
    """What `embed` returns, with the PSNR as it is measured."""
    return Embedding(marked, distortion.psnr(cover, marked, peak=255), bits, codec)


def unclaimed(
    codec: str, bits: NDArray[Any], soft: NDArray[np.float32] | None = None
) -> Extraction:
    """Bits without a claim that there is a mark: the p-value is 1."""
    return Extraction("found", codec, np.asarray(bits, np.uint8), soft=soft)


def to_samples(values: NDArray[np.floating[Any]]) -> Pixels:
    """Floats of [0, 255] as the nearest samples.

    >>> to_samples(np.array([-1.0, 0.6, 300.0])).tolist()
    [0, 1, 255]
    """
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def _samples(picture: Picture) -> Pixels:
    if picture.depth > 8:
        problem = f"has {picture.depth} bits a sample, and this watermarker knows 8"
        raise ImageError(picture.name, problem, "convert it to 8 bits first")
    return picture.array.astype(np.uint8, copy=False)
