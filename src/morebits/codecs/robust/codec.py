"""The robust codec: blind, training-free, exact payloads after real edits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import distortion, images
from morebits.bounds import radius
from morebits.codecs import compact, keys, pilot
from morebits.codecs.bits import check_bits
from morebits.codecs.budget import allowed_error
from morebits.codecs.robust import decoding, embedding, masking, sizes
from morebits.codecs.robust.colour import luma
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.tiles import TILE
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.images import Picture
from morebits.types import Embedding, Extraction

#: PSNR in dB without a wish: what the eye does not see.
DEFAULT_PSNR = 45.0
#: How far the pilot lies below the whole mark, in dB.
_PILOT = 6.0
#: Fewest tiles that a picture needs.
_FEWEST_TILES = 4


class Robust:
    """Hide bytes so that JPEG, blur, resizing, crops, rotation, flips and light leave them there.

    `psnr` in dB is reached exactly, after rounding. Whoever has the `key` reads the message
    without the cover, also from an edited copy, within `seconds`. Messages are whole bytes: they
    are sealed with their own check, so that what `extract` finds is what `embed` hid.

    >>> from morebits.demo import picture
    >>> codec = Robust(key="secret")
    >>> message = np.unpackbits(np.frombuffer(b"made by me", np.uint8))
    >>> marked = codec.embed(picture.photo(), message)
    >>> codec.extract(marked.image[30:, 20:]).payload
    b'made by me'
    """

    name = "robust"
    seals = True

    def __init__(
        self, *, psnr: float = DEFAULT_PSNR, key: keys.Key = None, seconds: float = 10.0
    ):  # fmt: skip
        self.psnr = radius.check_psnr(psnr)
        self.key = keys.check_key(key)
        self.seconds = _check_seconds(seconds)

    def __repr__(self) -> str:
        return f"Robust(psnr={self.psnr:g})"

    def embed(self, cover: Any, bits: Any, /) -> Embedding:
        """Hide a message of whole bytes."""
        picture, message = images.read(cover), check_bits(bits)
        payload = _payload(message)
        index = self._class(payload)
        packed = compact.pack(payload, key=self.key, size=sizes.message_bits(index) // 8)
        canvas = self._canvas(picture)
        window = Layout.of(self.key).window(0, 0, *canvas.shape)
        coded = window.bits(index, np.unpackbits(np.frombuffer(packed, np.uint8)))
        budget = allowed_error(picture.format, self.psnr, peak=None, samples=picture.array.size)
        marked, _ = embedding.embed(canvas, window.dither, coded, budget)
        psnr = distortion.psnr(picture.array, marked, peak=picture.format.rho)
        return Embedding(marked, psnr, message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        """The message, whatever was done to the picture; falsy when there is none."""
        picture = images.read(image)
        found = decoding.decode(_eight_bits(picture.array), self.key, seconds=self.seconds)
        if found.decoded is None:
            return Extraction("nothing", self.name, details=found.details)
        payload = found.decoded.opened.payload or b""
        return Extraction(
            "found", self.name, np.unpackbits(np.frombuffer(payload, np.uint8)), payload,
            p_value=min(1.0, compact.P_VALUE * found.tries), details=found.details,
        )  # fmt: skip

    def _class(self, payload: bytes) -> int:
        needed = compact.size(payload)
        index = sizes.class_of(8 * needed)
        if index is None:
            most = sizes.payload_bytes(sizes.CLASSES - 1)
            fix = "hide it in a larger picture with the codec trellis, which edits destroy"
            raise DoesNotFit("the message", 8 * len(payload), 8 * most, "bits", fix)
        return index

    def _canvas(self, picture: Picture) -> embedding.Canvas:
        """The cover with its pilot and its mask."""
        array = picture.array
        height, width = array.shape[:2]
        if (height // TILE) * (width // TILE) < _FEWEST_TILES:
            problem = f"has {width}x{height} pixels, too few for the robust codec"
            least = 2 * TILE
            raise ImageError(picture.name, problem, f"use one with at least {least}x{least}")
        scale = 257 if array.dtype == np.uint16 else 1
        levels = array.astype(np.float32) / np.float32(scale)
        mask = masking.mask(luma(levels), 255.0)
        colours = np.broadcast_to(levels, (height, width, 3))
        piloted = pilot.add(colours, self.key, psnr=self.psnr + _PILOT, mask=mask.pixels)
        if array.shape[2] == 1:
            piloted = luma(piloted)[..., None]
        return embedding.Canvas(array, piloted, mask, scale)


def _payload(message: NDArray[np.uint8]) -> bytes:
    if message.size % 8:
        raise InputError("bits", f"{message.size} long", "give whole bytes, a multiple of 8 bits")
    return np.packbits(message).tobytes()


def _check_seconds(seconds: float) -> float:
    if not isinstance(seconds, (int, float)) or not 0 < seconds < float("inf"):
        raise InputError("seconds", seconds, "give a positive number of seconds")
    return float(seconds)


def _eight_bits(array: NDArray[Any]) -> NDArray[np.uint8]:
    if array.dtype == np.uint16:
        return ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    return array
