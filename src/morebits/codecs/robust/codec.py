"""The robust codec: blind, training-free, exact payloads after real edits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import distortion, images
from morebits.attacks import Attack
from morebits.attacks.attack import eight_bits
from morebits.bounds import radius
from morebits.codecs import compact, keys, pilot
from morebits.codecs.bits import check_bits
from morebits.codecs.budget import allowed_error
from morebits.codecs.robust import decoding, embedding, masking, planning, sizes
from morebits.codecs.robust.colour import luma
from morebits.codecs.robust.layout import BLOCK, LAYERS, Layout
from morebits.codecs.robust.planning import Planner, Survive
from morebits.codecs.robust.tiles import TILE
from morebits.codecs.seconds import check_seconds
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.images import Picture
from morebits.types import Embedding, Extraction

#: What a mark survives where neither a PSNR nor edits are asked for.
DEFAULT_SURVIVE = "paper-compact"
#: How far the pilot lies below the whole mark, in dB, by the load (bits of the message for each
#: number that carries some): the longer a message the more of the power it needs, and the less of
#: the picture may go anyway.
_PILOT = ((0.0, 0.05, 0.21, 0.28), (5.0, 10.4, 10.4, 11.5))
#: Every pixel adds to the pilot, and it is enough in a photo of so many pixels: in larger ones it
#: is as much fainter, and at most by so many dB, since no more than a part is searched at first.
_PILOT_LARGE = (500_000, 6.5)
#: It is never fainter than this.
_PILOT_FAINTEST = 15.2
#: Fewest tiles that a picture needs.
_FEWEST_TILES = 4


class Robust:
    """Hide bytes so that JPEG, blur, resizing, crops, rotation, flips and light leave them there.

    What `embed` returns was read back after each of the edits in `survive`: a suite, a text such
    as `crop:0.8|jpeg:50`, or several of them; `()` is the untouched picture alone. A `psnr` in dB
    is reached exactly, after rounding. Without one the mark is as quiet as these edits allow, from
    45 to 56 dB, and with neither it survives `paper-compact`. A `psnr` alone is quick: only the
    untouched picture is read back.

    Whoever has the `key` reads the message without the cover, within `seconds`. Messages are whole
    bytes: they are sealed with their own check, so that what `extract` finds is what `embed` hid.
    `progress` is called with the fraction done.

    >>> y, x = np.mgrid[0:240, 0:320]
    >>> noise = np.random.default_rng(1).normal(0, 8, (240, 320))
    >>> cover = np.rint(120 + 60 * np.sin(x / 25) * np.cos(y / 31) + noise).astype(np.uint8)
    >>> codec = Robust(psnr=42, key="secret")
    >>> message = np.unpackbits(np.frombuffer(b"made by me", np.uint8))
    >>> marked = codec.embed(cover, message)
    >>> codec.extract(marked.image[30:, 20:]).payload
    b'made by me'
    """

    name = "robust"
    seals = True

    def __init__(
        self, *, psnr: float | None = None, survive: Survive | None = None, key: keys.Key = None,
        seconds: float = 10.0, progress: Callable[[float], None] | None = None,
    ):  # fmt: skip
        self.psnr = None if psnr is None else radius.check_psnr(psnr)
        if survive is None:
            survive = DEFAULT_SURVIVE if psnr is None else ()
        self.survive = planning.edits(survive)
        self.key = keys.check_key(key)
        self.seconds = check_seconds(seconds)
        if progress is not None and not callable(progress):
            raise InputError("progress", progress, "give a function, or None")
        self.progress = progress

    def __repr__(self) -> str:
        psnr = "" if self.psnr is None else f"psnr={self.psnr:g}, "
        return f"Robust({psnr}survive={[each.text for each in self.survive]})"

    def capacity(
        self, cover: Any, /, *, psnr: float | None = None, survive: Survive | None = None
    ) -> int:
        """Payload bits that survive all edits at a PSNR (45 dB if none is given), predicted.

        The codec's own `psnr` and `survive` count where none are given here. Payloads that
        compress may be longer.
        """
        wanted = self.psnr if psnr is None else radius.check_psnr(psnr)
        edits = self.survive if survive is None else planning.edits(survive)
        planner = self._planner(images.read(cover), edits)
        return planner.capacity(planning.LOWEST if wanted is None else wanted).bits

    def embed(self, cover: Any, bits: Any, /) -> Embedding:
        """Hide a message of whole bytes; DoesNotFit when it does not survive what was asked."""
        picture, message = images.read(cover), check_bits(bits)
        payload = _payload(message)
        planner = self._planner(picture, self.survive)
        if self.psnr is None:
            marked = planner.quietest(payload)
        else:
            marked = planner.checked(payload, self.psnr)
        psnr = distortion.psnr(picture.array, marked, peak=picture.format.rho)
        return Embedding(marked, psnr, message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        """The message, whatever was done to the picture; falsy when there is none."""
        picture = images.read(image)
        if picture.array[..., 0].size < _FEWEST_TILES * TILE**2:
            return Extraction("nothing", self.name)
        found = decoding.decode(eight_bits(picture.array), self.key, seconds=self.seconds)
        opened = None if found.decoded is None else found.decoded.opened
        return compact.extraction(self.name, opened, found.tries, found.details)

    def _planner(self, picture: Picture, edits: tuple[Attack, ...]) -> Planner:
        def at(payload: bytes, psnr: float) -> NDArray[Any]:
            return mark(picture, payload, self.key, psnr)

        return Planner(at, self.key, edits, seconds=self.seconds, progress=self.progress)


def mark(picture: Picture, payload: bytes, key: keys.Key, psnr: float) -> NDArray[Any]:
    """The samples of a picture with a payload, at a PSNR; whether they can be read is not known."""
    index = _class(payload)
    packed = compact.pack(payload, key=key, size=sizes.message_bits(index) // 8)
    canvas = _canvas(picture, key, psnr, index)
    message = np.unpackbits(np.frombuffer(packed, np.uint8))
    layout, layers = Layout.of(key), LAYERS if picture.array.shape[2] == 3 else 1
    windows = [layout.window(0, 0, *canvas.shape, layer) for layer in range(layers)]
    contents = [embedding.Content(each.dither, each.bits(index, message)) for each in windows]
    budget = allowed_error(picture.format, psnr, peak=None, samples=picture.array.size)
    return embedding.embed(canvas, contents, budget)[0]


def _class(payload: bytes) -> int:
    index = sizes.class_of(8 * compact.size(payload))
    if index is None:
        most = sizes.payload_bytes(sizes.CLASSES - 1)
        fix = "hide it with the codec trellis, which edits destroy"
        raise DoesNotFit("the message", 8 * len(payload), 8 * most, "bits", fix)
    return index


def _canvas(picture: Picture, key: keys.Key, psnr: float, index: int) -> embedding.Canvas:
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
    piloted = pilot.add(colours, key, psnr=psnr + _below(index, height, width), mask=mask.pixels)
    if array.shape[2] == 1:
        piloted = luma(piloted)[..., None]
    return embedding.Canvas(array, piloted, mask, scale)


def _below(index: int, height: int, width: int) -> float:
    """How far the pilot lies below the mark for a class of messages in a picture, in dB."""
    load = sizes.message_bits(index) / ((height // TILE) * (width // TILE) * BLOCK)
    below = float(np.interp(load, *_PILOT))
    enough, limit = _PILOT_LARGE
    below += min(max(10 * math.log10(height * width / enough), 0), limit)
    return min(below, _PILOT_FAINTEST)


def _payload(message: NDArray[np.uint8]) -> bytes:
    if message.size % 8:
        raise InputError("bits", f"{message.size} long", "give whole bytes, a multiple of 8 bits")
    return np.packbits(message).tobytes()
