"""The robust codec: blind, training-free, exact payloads after real edits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import images
from morebits.bounds import radius
from morebits.codecs import compact, keys, pilot
from morebits.codecs.bits import check_bits
from morebits.codecs.budget import allowed_error
from morebits.codecs.robust import decoding, embedding, masking, sizes
from morebits.codecs.robust.colour import luma
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.tiles import TILE
from morebits.distortion import psnr as measured
from morebits.types import Embedding, Extraction

#: PSNR of the pilot alone, over that of the whole mark.
PILOT = 6.0


class Robust:
    name = "robust"

    def __init__(self, *, psnr: float = 45.0, key: keys.Key = None, seconds: float = 10.0):
        self.psnr = radius.check_psnr(psnr)
        self.key = keys.check_key(key)
        self.seconds = seconds

    def embed(self, cover: Any, bits: Any, /) -> Embedding:
        picture, message = images.read(cover), check_bits(bits)
        payload = np.packbits(message).tobytes()
        index = sizes.class_of(8 * compact.size(payload))
        packed = compact.pack(payload, key=self.key, size=sizes.message_bits(index) // 8)
        coded = np.unpackbits(np.frombuffer(packed, np.uint8))
        array = picture.array
        scale = 257 if array.dtype == np.uint16 else 1
        levels = array.astype(np.float32) / np.float32(scale)
        mask = masking.mask(luma(levels), 255.0)
        piloted = pilot.add(levels, self.key, psnr=self.psnr + PILOT, mask=mask.pixels)
        canvas = embedding.Canvas(array, piloted, mask, scale)
        rows, columns = canvas.shape
        window = Layout.of(self.key).window(0, 0, rows, columns)
        budget = allowed_error(picture.format, self.psnr, peak=None, samples=array.size)
        marked, _ = embedding.embed(canvas, window.dither, window.bits(index, coded), budget)
        return Embedding(marked, measured(array, marked, peak=picture.format.rho), message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        picture = images.read(image)
        levels = _eight_bits(picture.array)
        found = decoding.decode(levels, self.key, seconds=self.seconds)
        if found.decoded is None:
            return Extraction("nothing", self.name)
        payload = found.decoded.opened.payload
        bits = np.unpackbits(np.frombuffer(payload, np.uint8))
        p_value = min(1.0, compact.P_VALUE * max(1, found.tries))
        return Extraction("found", self.name, bits, payload, p_value=p_value)


def _eight_bits(array: NDArray[Any]) -> NDArray[np.uint8]:
    if array.dtype == np.uint16:
        return ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    return array
