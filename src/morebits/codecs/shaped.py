"""The exact count, nearly reached: changes shaped like a Gaussian, for a cover that is known.

Among all pictures within a PSNR of the cover, almost all lie at the rim of the ball, and their
changes look Gaussian. So the message is *decoded* by an entropy coder as if it were the coded
form of Gaussian changes (`rans`), steered to spend just the energy that the PSNR allows
(`steering`); the decoder, who knows the cover, encodes the changes and has the message again.

What the coder is given is `message, 1, 0, 0, ...`, whitened with ChaCha20 under a public key
that follows from the tag, and it starts from a state that is the tag: 40 bits of BLAKE2b over
the message and a try. A message is tried up to 256 times, each time whitened anew, until all of
it is in before the energy is spent. `capacity` is what four tries with nothing but key stream
took at least, so that most messages need one try, and none fails but by a chance of about
1 in 2^256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from morebits import distortion, images
from morebits.bounds import radius
from morebits.codecs import steering
from morebits.codecs.bits import check_bits
from morebits.codecs.budget import allowed_error
from morebits.codecs.keys import keystream
from morebits.codecs.rans import STATE_BITS, WORD_BITS
from morebits.errors import DoesNotFit, ImageError
from morebits.types import Embedding, Extraction, ImageFormat

_TRIES, _PROBES = 256, 4
_TAG_BYTES = STATE_BITS // 8
#: Any of the tries may match by chance.
_CHANCE = _TRIES / 2.0**STATE_BITS
_NAME = b"morebits shaped"


class Shaped:
    """Gaussian-shaped changes of a cover that the decoder has too; mid-gray unless you say.

    Every message keeps the PSNR (with `peak`, `2^k - 1` by default) at or above `psnr`, and a
    short one costs as much as a full one: raise the PSNR instead. Works for any cover, saturated
    or not, of 8 and 16 bits. About 75 bits of the exact count are lost at any size, so pictures
    below some 60 samples hold nothing.

    >>> cover = np.full((64, 64, 3), 128, np.uint8)
    >>> shaped = Shaped(psnr=42)
    >>> message = np.ones(shaped.capacity(cover), np.uint8)
    >>> marked = shaped.embed(cover, message)
    >>> marked.psnr >= 42, bool((shaped.extract(marked.image).bits == message).all())
    (True, True)
    """

    name: Literal["shaped"] = "shaped"

    def __init__(self, psnr: float, *, cover: object = None, peak: float | None = None):
        self.psnr, self.peak = radius.check_psnr(psnr), peak
        self.cover = None if cover is None else images.read(cover)
        self._capacities: dict[ImageFormat, int] = {}

    def capacity(self, cover: object) -> int:
        """Bits that any message may have; 0 for a cover too small for this PSNR."""
        picture = images.read(cover)
        return max(self._capacity(self._checked(picture), picture.format), 0)

    def embed(self, cover: object, bits: NDArray[np.uint8]) -> Embedding:
        """The cover with the message in Gaussian-shaped changes."""
        picture, message = images.read(cover), check_bits(bits)
        known, format = self._checked(picture), picture.format
        self._check_room(known, picture, message.size)
        layout = self._layout(known, format)
        for tag in _tags(message):
            words = _whitened(message, tag, _word_count(layout, format))
            start = 1 << STATE_BITS | tag
            flat, used = steering.spend(known, layout, format.rho, start, words)
            if message.size < used * WORD_BITS <= words.size * WORD_BITS:
                marked = flat.reshape(picture.array.shape)
                peak = radius.resolve_peak(format, self.peak)
                psnr = distortion.psnr(picture.array, marked, peak=peak)
                return Embedding(marked, psnr, message.size, self.name)
        fix = "shorten the message by a few bits"
        raise DoesNotFit("the message", message.size + 1, message.size, "bits", fix)

    def extract(self, image: object) -> Extraction:
        """The message; nothing when the picture is not this cover with one."""
        picture = images.read(image)
        format = picture.format
        nothing = Extraction("nothing", self.name)
        if self.cover is not None and self.cover.format != format:
            return nothing
        known = self._known(format)
        layout = self._layout(known, format)
        if layout.energy < 0:
            return nothing
        found = steering.regain(
            known, picture.array.reshape(-1), layout, format.rho, _word_count(layout, format)
        )
        if found is None or found[0] >> STATE_BITS != 1:
            return nothing
        tag = found[0] & ((1 << STATE_BITS) - 1)
        message = _unwhitened(found[1], tag)
        if message is None or tag not in _tags(message):
            return nothing
        return Extraction("found", self.name, message, p_value=_CHANCE)

    def _known(self, format: ImageFormat) -> images.Samples:
        """The cover that the decoder knows, flat."""
        if self.cover is not None:
            return self.cover.array.reshape(-1)
        kind = np.uint8 if format.depth == 8 else np.uint16
        return np.full(format.samples, format.mid, kind)

    def _checked(self, picture: images.Picture) -> images.Samples:
        """The known cover, after a check that `picture` is just that."""
        if self.cover is None:
            known = self._known(picture.format)
            problem = f"is not gray, with {picture.format.mid} everywhere"
        else:
            known = self._known(self.cover.format)
            problem = "is not the cover that this codec was made with"
        if not np.array_equal(known, picture.array.reshape(-1)):
            fix = "make it with cover=, or use the trellis codec, whose decoder needs no cover"
            raise ImageError(picture.name, problem, fix)
        return known

    def _layout(self, known: images.Samples, format: ImageFormat) -> steering.Layout:
        allowed = allowed_error(format, self.psnr, peak=self.peak, samples=known.size)
        # Beyond this every picture is allowed, and integers of 64 bits may end.
        return steering.lay_out(known, min(allowed, known.size * format.rho**2), format.rho)

    def _check_room(self, known: images.Samples, picture: images.Picture, needed: int) -> None:
        room = self._capacity(known, picture.format)
        if room < 0:
            problem = f"{known.size} samples hold no message at {self.psnr:g} dB"
            raise ImageError(picture.name, problem, "lower the PSNR, or use a larger picture")
        if needed > room:
            fix = f"lower the PSNR of {self.psnr:g} dB, or shorten the message"
            raise DoesNotFit("the message", needed, room, "bits", fix)

    def _capacity(self, known: images.Samples, format: ImageFormat) -> int:
        """Bits for a message; -1 when not even the end of one fits."""
        if format not in self._capacities:
            layout = self._layout(known, format)
            self._capacities[format] = -1
            if layout.energy >= 0:
                count = _word_count(layout, format)
                used = [_probe(known, layout, format.rho, count, i) for i in range(_PROBES)]
                self._capacities[format] = min(used) * WORD_BITS - 1
        return self._capacities[format]


def _word_count(layout: steering.Layout, format: ImageFormat) -> int:
    """More words than go in: a sample has at most `depth` bits to give."""
    return layout.body * format.depth // WORD_BITS + 64


def _probe(known: images.Samples, layout: steering.Layout, rho: int, count: int, i: int) -> int:
    """Words that go in when they are key stream."""
    words = np.frombuffer(keystream(_key(b"probe", i), 2 * count), ">u2").astype(np.uint16)
    return steering.spend(known, layout, rho, 1 << STATE_BITS, words)[1]


def _key(purpose: bytes, number: int) -> bytes:
    """A public key for ChaCha20."""
    return hashlib.blake2b(
        purpose + number.to_bytes(8, "big"), digest_size=32, person=_NAME
    ).digest()


def _tags(message: NDArray[np.uint8]) -> Iterator[int]:
    """The tags of a message, one a try."""
    length = message.size.to_bytes(8, "big")
    digest = hashlib.blake2b(length + np.packbits(message).tobytes(), person=_NAME).digest()
    for i in range(_TRIES):
        tag = hashlib.blake2b(digest + bytes([i]), digest_size=_TAG_BYTES, person=_NAME)
        yield int.from_bytes(tag.digest(), "big")


def _whitened(message: NDArray[np.uint8], tag: int, count: int) -> NDArray[np.uint16]:
    """`message, 1, 0, 0, ...` as words, with the key stream of the tag over it."""
    stream = np.frombuffer(bytearray(keystream(_key(b"stream", tag), 2 * count)), np.uint8)
    packed = np.packbits(np.append(message, np.uint8(1)))
    stream[: packed.size] ^= packed
    return stream.view(">u2").astype(np.uint16)


def _unwhitened(words: NDArray[np.uint16], tag: int) -> NDArray[np.uint8] | None:
    """The message in these words; None when no 1 ends it."""
    stream = np.frombuffer(words.astype(">u2").tobytes(), np.uint8)
    plain = stream ^ np.frombuffer(keystream(_key(b"stream", tag), stream.size), np.uint8)
    bits = np.unpackbits(plain)
    end = bits.size - 1 - int(np.argmax(bits[::-1])) if bits.any() else -1
    return None if end < 0 else bits[:end]
