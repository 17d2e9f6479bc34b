"""The network as a codec: bytes in, bytes out, whatever the size of the picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import distortion, images
from morebits.attacks.attack import eight_bits
from morebits.bounds import radius
from morebits.codecs import compact, keys
from morebits.codecs.bits import check_bits
from morebits.codecs.budget import allowed_error
from morebits.codecs.robust import sizes
from morebits.codecs.seconds import check_seconds
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.images import Picture
from morebits.neural.mosaic import network as networks
from morebits.neural.mosaic.layout import DENSITIES, Layout
from morebits.neural.mosaic.network import Network
from morebits.neural.mosaic.searching import search
from morebits.neural.mosaic.tiles import TILE
from morebits.neural.mosaic.writing import Canvas
from morebits.types import Embedding, Extraction

#: Fewest tiles that a picture needs.
_FEWEST_TILES = 9
#: How much of the squared error that a PSNR allows is used: all, and less where a mark does not
#: come back (0.1 dB at most).
_SHARES = (1.0, 0.996, 0.992, 0.988, 0.984, 0.98, 0.976)


class Mosaic:
    """Hide bytes with a small trained network whose capacity grows with the pixels.

    A `psnr` in dB is reached after rounding, and passed by 0.1 dB at most. Short messages are
    spread over the whole picture and survive JPEG, blur, resizing, crops and light; the longer they
    are, the less they survive, up to what `capacity` says, which only an untouched file keeps. What
    `embed` returns was read back untouched.

    Whoever has the `key` reads the message without the cover, within `seconds`. Messages are whole
    bytes, sealed with their own check. It needs neither torch nor a file of yours.

    >>> y, x = np.mgrid[0:240, 0:320]
    >>> noise = np.random.default_rng(1).normal(0, 8, (240, 320))
    >>> cover = np.rint(120 + 60 * np.sin(x / 25) * np.cos(y / 31) + noise).astype(np.uint8)
    >>> codec = Mosaic(psnr=42, key="secret")
    >>> marked = codec.embed(cover, np.unpackbits(np.frombuffer(b"made by me", np.uint8)))
    >>> codec.extract(marked.image[32:, 20:]).payload
    b'made by me'
    """

    name = "mosaic"
    seals = True
    survive: tuple[str, ...] = ()  # only the untouched picture is read back

    def __init__(self, *, psnr: float = 45.0, key: keys.Key = None, seconds: float = 10.0):
        self.psnr = radius.check_psnr(psnr)
        self.key = keys.check_key(key)
        self.seconds = check_seconds(seconds)

    def __repr__(self) -> str:
        return f"Mosaic(psnr={self.psnr:g})"

    @property
    def network(self) -> Network:
        """The trained network."""
        return networks.trained()

    def capacity(self, cover: Any, /) -> int:
        """Payload bits that an untouched file keeps, found by trying one payload.

        Another payload may have worse luck, so it is one density less than what came back.
        Payloads that compress may be longer.
        """
        picture = images.read(cover)
        tiles = _tiles(picture)
        if tiles < _FEWEST_TILES:
            return 0
        lengths = [_longest(each, tiles) for each in range(len(DENSITIES))]
        low, high = -1, len(lengths)  # the fullest density that holds, and the next one
        while high - low > 1:
            middle = (low + high) // 2
            trial = _trial_payload(lengths[middle])
            holds = lengths[middle] >= 0 and self._holds(picture, trial, middle)
            low, high = (middle, high) if holds else (low, middle)
        return 8 * max(lengths[: max(low, 1)]) if low >= 0 else 0

    def embed(self, cover: Any, bits: Any, /) -> Embedding:
        """Hide a message of whole bytes; DoesNotFit when it does not come back."""
        picture, message = images.read(cover), check_bits(bits)
        if message.size % 8:
            wanted = "give whole bytes, a multiple of 8 bits"
            raise InputError("bits", f"{message.size} long", wanted)
        tiles = _tiles(picture)
        if tiles < _FEWEST_TILES:
            height, width = picture.array.shape[:2]
            least = 3 * TILE
            problem = f"has {width}x{height} pixels, too few for mosaic"
            raise ImageError(picture.name, problem, f"use one with at least {least}x{least}")
        payload = np.packbits(message).tobytes()
        density = _density(payload, tiles)
        if density is None or (marked := self._marked(picture, payload, density)) is None:
            fits = self.capacity(picture)
            fits = fits if fits < message.size else 8 * int(0.8 * message.size / 8)
            fix = "shorten the message, or ask for a lower PSNR (psnr)"
            raise DoesNotFit(f"the message, at {self.psnr:g} dB,", message.size, fits, "bits", fix)
        psnr = distortion.psnr(picture.array, marked, peak=picture.format.rho)
        return Embedding(marked, psnr, message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        """The message, whatever was done to the picture; falsy when there is none."""
        picture = images.read(image)
        if picture.array[..., 0].size < _FEWEST_TILES * TILE**2:
            return Extraction("nothing", self.name)
        found = search(eight_bits(picture.array), self.key, self.network, seconds=self.seconds)
        return compact.extraction(self.name, found.opened, found.tries, found.details)

    def _holds(self, picture: Picture, payload: bytes, density: int) -> bool:
        """Whether a payload comes back at once; what is promised must not need any luck."""
        return self._marked(picture, payload, density, _SHARES[:1]) is not None

    def _marked(
        self, picture: Picture, payload: bytes, density: int,
        shares: tuple[float, ...] = _SHARES,
    ) -> NDArray[Any] | None:  # fmt: skip
        """The marked samples, or None when the payload does not come back from them.

        Rounding may be bad luck, in small pictures above all; a little fainter, it is another one.
        """
        for share in shares:
            marked = mark(picture, payload, density, self.network, self.key, self.psnr, share)
            image = eight_bits(marked)
            found = search(image, self.key, self.network, seconds=self.seconds, moved=False)
            if found.opened is not None and found.opened.payload == payload:
                return marked
        return None


def mark(
    picture: Picture, payload: bytes, density: int, network: Network, key: keys.Key, psnr: float,
    share: float = 1.0,
) -> NDArray[Any]:  # fmt: skip
    """The samples of a picture with a payload; whether they can be read is not known.

    `share` is that of the squared error at this PSNR that is used.
    """
    index = sizes.class_of(8 * compact.size(payload)) or 0
    packed = compact.pack(payload, key=key, size=sizes.message_bits(index) // 8)
    canvas = Canvas.of(picture, network, key, psnr)
    window = Layout.of(key).window(0, 0, *canvas.shape)
    coded = window.code(density, index).encode(np.unpackbits(np.frombuffer(packed, np.uint8)))
    places = window.places(density, window.told(density)[index] > 0, coded)
    budget = allowed_error(picture.format, psnr, peak=None, samples=picture.array.size)
    alphas = window.shares(density, networks.ALPHA)
    return canvas.write(window.dither + places, alphas, int(share * budget))[0]


def _tiles(picture: Picture) -> int:
    height, width = picture.array.shape[:2]
    return (height // TILE) * (width // TILE)


def _density(payload: bytes, tiles: int) -> int | None:
    """The safest density whose map fits into so many tiles."""
    index = sizes.class_of(8 * compact.size(payload))
    if index is None:
        return None
    bits = sizes.message_bits(index)
    fits = (each for each, one in enumerate(DENSITIES) if one.blocks(bits) <= tiles)
    return next(fits, None)


def _longest(density: int, tiles: int) -> int:
    """Bytes of the longest payload whose map fits into so many tiles; -1 for none."""
    fits = (
        sizes.payload_bytes(index)
        for index in range(sizes.CLASSES)
        if DENSITIES[density].blocks(sizes.message_bits(index)) <= tiles
    )
    return max(fits, default=-1)


def _trial_payload(size: int) -> bytes:
    """Bytes that do not compress, the same ones everywhere."""
    seed = keys.derive(None, bytes(keys.SALT_BYTES), b"mosaic-trial", 32)
    return keys.keystream(seed, max(size, 0))
