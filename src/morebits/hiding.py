"""Hide a payload in a picture, and reveal it: the two verbs that most people need."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from morebits import images
from morebits.codecs import container, keys, registry
from morebits.codecs.keys import Key, check_key
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.images import Picture, Samples
from morebits.types import Codec, Extraction

#: What `hide` uses unless told otherwise.
DEFAULT_CODEC = "trellis"
DEFAULT_PSNR = 42.0

#: The codecs that `reveal` finds by itself.
_FOUND_OUT = ("trellis", "box")
#: A codec with a smaller p-value knows that the mark is its own.
_SURE = 1e-9
#: The PSNR of `fill`: none at all, since no picture is farther from another than its own range.
_NO_PSNR = 0.0


@dataclass(frozen=True, eq=False)
class Marked:
    """A picture with a payload in it.

    `image` (H, W, C) has the cover's dtype; `psnr` in dB is measured; `bits` is the length of
    the message (container included) and `payload_bytes` that of the payload.
    """

    image: Samples = field(repr=False)
    psnr: float
    bits: int
    codec: str
    payload_bytes: int
    cover: Picture = field(repr=False)
    key: Key = field(repr=False)
    payload: bytes = field(repr=False)
    reader: Codec | None = field(repr=False)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> tuple[str, ...]:
        """Write the picture with the cover's metadata, read it back and reveal it.

        Returns notes on what the file format could not keep. An existing file needs `force`;
        a format that would lose the mark is refused.
        """

        def check(written: Path) -> None:
            again = images.read(written, max_pixels=max(images.MAX_PIXELS, self.image.size))
            if reveal(again, key=self.key, codec=self.reader).payload != self.payload:
                problem = "the payload did not come back from the written file, which was removed"
                raise ImageError(path, problem, "write a PNG instead, and report this")

        return images.write(path, self.image, like=self.cover, force=force, check=check)


def hide(
    cover: Any,
    payload: bytes,
    *,
    psnr: float = DEFAULT_PSNR,
    fill: bool = False,
    key: Key = None,
    codec: str | Codec = DEFAULT_CODEC,
    **options: Any,
) -> Marked:
    """Hide bytes in a picture, with a PSNR of at least `psnr` dB.

    The changes are as small as this payload allows: a short one gives a PSNR far above `psnr`.
    With `fill` there is no lowest PSNR: any payload that the picture can hold at all goes in.
    With a `key` the payload is encrypted, and without it nobody can tell that it is there;
    without a key anyone can read it. `options` go to the codec.

    >>> cover = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    >>> marked = hide(cover, b"any bytes", key="secret")
    >>> reveal(marked.image, key="secret").payload
    b'any bytes'
    >>> bool(reveal(marked.image, key="another"))
    False
    """
    picture = images.read(cover)
    if not isinstance(payload, (bytes, bytearray, memoryview)):
        raise InputError("payload", payload, "give bytes; text.encode() makes them of text")
    check_key(key)
    wanted = _NO_PSNR if fill else psnr
    maker = _codec(codec, psnr=wanted, key=key, **options)
    message = container.pack(payload, key=key, context=_digest(picture))
    bits = np.unpackbits(np.frombuffer(message, np.uint8))
    try:
        embedded = maker.embed(picture, _filled_up(bits, maker, picture))
    except DoesNotFit as error:
        lowest = "" if fill or codec is maker else f", at {psnr:g} dB,"
        raise _payload_does_not_fit(error, len(message), len(payload), lowest) from None
    return Marked(
        embedded.image, embedded.psnr, bits.size, maker.name,
        len(payload), picture, key, bytes(payload), None if codec in _FOUND_OUT else maker,
    )  # fmt: skip


def reveal(image: Any, *, key: Key = None, codec: Codec | None = None) -> Extraction:
    """The payload of a picture, or a falsy answer that says what is wrong.

    `status` is "found", "altered" (a mark is there, but the picture was changed after it was
    made) or "nothing" (no mark that this key opens). Which codec made the mark is found out,
    unless `codec` is given.

    >>> reveal(np.zeros((64, 64, 3), np.uint8)).status
    'nothing'
    """
    picture = images.read(image)
    check_key(key)
    best = Extraction("nothing", DEFAULT_CODEC if codec is None else codec.name)
    for reader in [codec] if codec is not None else _readers(picture, key):
        found = _open(reader, picture, key)
        if found.status == "found":
            return found
        if found.status == "altered":
            best = found
    return best


def room(cover: Any, *, psnr: float = DEFAULT_PSNR, codec: str | Codec = DEFAULT_CODEC) -> int:
    """Payload bytes that `hide` takes for this cover, whatever they are; negative: none.

    Payloads that compress may be longer.

    >>> room(np.full((64, 64, 3), 200, np.uint8)) > 4000
    True
    """
    return container.room(_codec(codec, psnr=psnr).capacity(images.read(cover)))


def _codec(codec: str | Codec, **options: Any) -> Codec:
    """The codec of a name with those of the options that it knows, or the codec itself."""
    if not isinstance(codec, str):
        return codec
    if codec == "box":  # has no secret of its own, the container has
        options.pop("key", None)
    return registry.codec(codec, **options)


def _readers(picture: Picture, key: Key) -> Iterator[Codec]:
    """Every codec that reads a picture without being told more than the key."""
    yield registry.codec("trellis", key=key)
    from morebits.codecs.box import Box

    box = Box.around(picture)
    if box is not None:
        yield box


def _open(reader: Codec, picture: Picture, key: Key) -> Extraction:
    found = reader.extract(picture)
    if not found or found.bits is None:
        return found
    opened = container.unpack(np.packbits(found.bits).tobytes(), key=key)
    status = opened.status
    if status == "nothing" and found.p_value < _SURE:
        status = "altered"  # the codec knows its mark, so the container was damaged
    p_value = min(found.p_value, opened.p_value)
    return replace(found, status=status, payload=opened.payload, p_value=p_value)


def _digest(picture: Picture) -> bytes:
    """What the salt depends on beside key and payload: the cover's samples."""
    shape = np.array(picture.array.shape, "<u8").tobytes()
    samples = picture.array.astype(picture.array.dtype.newbyteorder("<"), copy=False)
    return hashlib.blake2b(shape + bytes([picture.depth]) + samples.tobytes()).digest()


def _filled_up(bits: Any, maker: Codec, picture: Picture) -> Any:
    """A message for the box, with noise up to its capacity.

    The box has no length of its own, and its reader finds its size from the values it uses: a
    short message would leave most samples untouched, and say too little. The container ignores
    what follows it.
    """
    if maker.name != "box":
        return bits
    spare = max(0, maker.capacity(picture) - bits.size)
    salt = np.packbits(bits).tobytes()[: keys.SALT_BYTES]
    noise = keys.keystream(keys.derive(None, salt, b"box-noise", 32), -(-spare // 8))
    return np.concatenate([bits, np.unpackbits(np.frombuffer(noise, np.uint8), count=spare)])


def _payload_does_not_fit(error: DoesNotFit, message: int, payload: int, lowest: str) -> DoesNotFit:
    """The codec's error in the words of people who think in bytes of payload."""
    fits = max(0, container.room(error.capacity))
    packed = message - container.OVERHEAD
    size = "" if packed == payload else f" of {payload:,} bytes, compressed"
    what = f"the payload{size}{lowest}"
    return DoesNotFit(what, packed, fits, "bytes", error.fix.replace("message", "payload"))
