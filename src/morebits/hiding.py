"""Hide a payload in a picture, and reveal it: the two verbs that most people need."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np

from morebits import images
from morebits.codecs import container, keys, registry, undone
from morebits.codecs.keys import Key, check_key
from morebits.codecs.seconds import check_seconds
from morebits.errors import DoesNotFit, ImageError, InputError, UnknownName
from morebits.images import Picture, Samples
from morebits.types import Codec, Embedding, Extraction, Sealing

if TYPE_CHECKING:
    from morebits.codecs.box import Box

#: What `hide` uses unless told otherwise.
DEFAULT_CODEC = "robust"
#: Seconds for which `reveal` looks for a robust mark in an edited picture.
DEFAULT_SECONDS = 10.0

#: The codecs whose marks any edit destroys; `reveal` is quick about them, and they can `fill`.
FRAGILE = ("trellis", "box")
#: The codecs that `reveal` finds by itself, in this order.
FOUND_OUT = (*FRAGILE, "robust", "mosaic")
#: A codec with a smaller p-value knows that the mark is its own.
_SURE = 1e-9
#: The PSNR of `fill`: none at all, since no picture is farther from another than its own range.
_NO_PSNR = 0.0
#: That of the box, which goes both ways from the middle: half the range, 20 log10(2) dB.
_HALF_RANGE = 6.0206


@dataclass(frozen=True, eq=False)
class Marked:
    """A picture with a payload in it.

    `image` (H, W, C) has the cover's dtype; `psnr` in dB is measured; `bits` is the length of
    the message (container included, where the codec needs one) and `payload_bytes` that of the
    payload. A `fragile` mark is lost with any edit of the picture; another one was read after
    each edit of `survives`. `lowest_psnr` is what was promised, None for nothing.
    """

    image: Samples = field(repr=False)
    psnr: float
    bits: int
    codec: str
    payload_bytes: int
    lowest_psnr: float | None
    fragile: bool
    survives: tuple[str, ...]
    cover: Picture = field(repr=False)
    key: Key = field(repr=False)
    payload: bytes = field(repr=False)
    reader: str | Codec = field(repr=False)

    def save(
        self, path: str | os.PathLike[str], *, quality: int | None = None, force: bool = False
    ) -> tuple[str, ...]:
        """Write the picture with the cover's metadata, read it back and reveal it.

        Returns notes on what the file format could not keep. An existing file needs `force`;
        a format that would lose the mark is refused. Robust marks may go into .jpg and .avif too,
        of a `quality` from 1 to 100 (95 unless given), and into .webp of a quality.
        """

        def check(written: Path) -> None:
            again = images.read(written, max_pixels=max(images.MAX_PIXELS, self.image.size))
            if reveal(again, key=self.key, codec=self.reader).payload != self.payload:
                problem = "the payload did not come back from the written file, which was removed"
                fix = "write with a higher quality or a PNG, hide fewer bytes, or at a lower psnr"
                if self.fragile:
                    fix = "write a PNG instead, and report this"
                raise ImageError(path, problem, fix)

        return images.write(
            path, self.image, like=self.cover,
            fragile=self.fragile, quality=quality, force=force, check=check,
        )  # fmt: skip


def hide(
    cover: Any,
    payload: bytes,
    *,
    psnr: float | None = None,
    fill: bool = False,
    key: Key = None,
    codec: str | Codec = DEFAULT_CODEC,
    **options: Any,
) -> Marked:
    """Hide bytes in a picture so that nobody sees it.

    The codec `robust` survives edits: by default it takes the best quality that survives usual
    ones (`survive="paper-compact"`), with a PSNR of 45 dB or more; a `psnr` in dB is reached
    exactly. Where it gives up on the edits in `survive`, `mosaic` is tried, a small network. The
    codecs `trellis` and `box` are lost with any edit and hold far more; for them `psnr` is the
    lowest one (42), and the changes are as small as the payload allows. With `fill` they have no
    lowest PSNR: any payload that the picture can hold at all goes in.

    With a `key` the payload is encrypted, and a wrong one finds nothing; without a key anyone
    can read it. `options` go to the codec.

    >>> cover = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    >>> marked = hide(cover, b"any bytes", key="secret", codec="trellis")
    >>> reveal(marked.image, key="secret").payload
    b'any bytes'
    >>> bool(reveal(marked.image, key="another", seconds=1))
    False
    """
    picture = images.read(cover)
    if not isinstance(payload, (bytes, bytearray, memoryview)):
        raise InputError("payload", payload, "give bytes; text.encode() makes them of text")
    check_key(key)
    maker = chosen(codec, psnr, fill=fill, key=key, options=options)
    sealed = _seals(maker)
    if sealed:
        message, key = bytes(payload), maker.key
    else:
        message = container.pack(payload, key=key, context=_digest(picture))
    bits = np.unpackbits(np.frombuffer(message, np.uint8))
    survives = tuple(str(each) for each in maker.survive) if sealed else ()
    try:
        embedded = maker.embed(picture, _filled_up(bits, maker, picture))
    except DoesNotFit as error:
        if not sealed:
            raise _payload_does_not_fit(error, len(message), len(payload), _lowest(maker)) from None
        instead = _instead(maker, picture, bits) if "survive" in options else None
        if instead is None:
            raise _in_bytes(error) from None
        maker, embedded = instead
        codec = maker.name
    if codec == "box":
        _check_box(picture, maker, embedded.image)
    return Marked(
        embedded.image, embedded.psnr, bits.size, maker.name, len(payload), _lowest(maker),
        not sealed, survives, picture, key, bytes(payload), codec if codec in FOUND_OUT else maker,
    )  # fmt: skip


def reveal(
    image: Any, *, key: Key = None, codec: str | Codec | None = None,
    seconds: float = DEFAULT_SECONDS,
) -> Extraction:  # fmt: skip
    """The payload of a picture, or a falsy answer that says what is wrong.

    `status` is "found", "altered" (a fragile mark is there, but the picture was changed after it
    was made) or "nothing" (no mark that this key opens). Which codec made the mark is found out,
    unless `codec` is given. In an edited picture a robust mark is looked for up to `seconds`;
    `details` say what was undone ("edits"), or which codecs were "tried".

    >>> reveal(np.zeros((30, 30, 3), np.uint8)).status
    'nothing'
    """
    picture = images.read(image)
    check_key(key)
    check_seconds(seconds)
    best, tried = Extraction("nothing", DEFAULT_CODEC), list[str]()
    for reader in _readers(picture, key, codec, seconds):
        tried.append(reader.name)
        found = _open(reader, picture, key)
        if found:
            return replace(found, details={**found.details, "edits": undone.edits(found.details)})
        if best.status == "nothing":
            best = found
    return replace(best, details={**best.details, "tried": tried})


def room(
    cover: Any, *, psnr: float | None = None, codec: str | Codec = DEFAULT_CODEC, **options: Any
) -> int:
    """Payload bytes that `hide` takes for this cover, whatever they are; negative: none.

    Payloads that compress may be longer. `options` go to the codec.

    >>> room(np.full((64, 64, 3), 200, np.uint8), codec="trellis") > 4000
    True
    """
    maker, picture = chosen(codec, psnr, fill=False, key=None, options=options), images.read(cover)
    capacity = maker.capacity(picture)
    if codec == "box" and not cast("Box", maker).shows(picture.format):
        capacity = 0
    return capacity // 8 if _seals(maker) else container.room(capacity)


def chosen(
    codec: str | Codec, psnr: float | None, *, fill: bool, key: Key, options: Mapping[str, Any]
) -> Codec:
    """What `hide` works with: the codec of a name with its options, or the codec itself.

    >>> chosen("trellis", None, fill=True, key=None, options={"states": 16})
    Trellis(psnr=0, states=16)
    """
    wished = dict(options) if psnr is None else {"psnr": psnr, **options}
    if fill:
        if codec not in FRAGILE:
            name = codec if isinstance(codec, str) else codec.name
            raise InputError("fill", fill, f"{name} does not have it, trellis and box do")
        wished["psnr"] = _HALF_RANGE if codec == "box" else _NO_PSNR
    if not isinstance(codec, str):
        if wished:
            raise InputError("options", sorted(wished), "give them to the codec itself")
        return _with_key(codec, key)
    if codec != "box":  # has no secret of its own, the container has
        wished["key"] = key
    return registry.codec(codec, **wished)


def _with_key(codec: Codec, key: Key) -> Codec:
    """The codec; refused when it has another key, which would lock or open nothing."""
    if _seals(codec) and key is not None and check_key(key) != codec.key:
        raise InputError("key", "not the codec's own", f"give it to the codec: {codec.name}(key=)")
    return codec


def _instead(maker: Codec, picture: Picture, bits: Samples) -> tuple[Sealing, Embedding] | None:
    """Mosaic and its mark, where that survives what was too much for the robust codec."""
    from morebits.codecs.robust import Robust
    from morebits.neural.mosaic import instead

    return instead.embed(picture, bits, maker) if isinstance(maker, Robust) else None


def _seals(codec: Codec) -> TypeGuard[Sealing]:
    return bool(getattr(codec, "seals", False))


def _lowest(codec: Codec) -> float | None:
    """The lowest PSNR that a codec promises, in dB; None for none."""
    return getattr(codec, "psnr", _NO_PSNR) or None


def _readers(
    picture: Picture, key: Key, codec: str | Codec | None, seconds: float
) -> Iterator[Codec]:
    """The codecs that read a picture without being told more than the key, or the one given."""
    if codec is not None and not isinstance(codec, str):
        yield _with_key(codec, key)
        return
    if codec not in (None, *FOUND_OUT):
        raise UnknownName("codec", codec, FOUND_OUT)
    names = FOUND_OUT if codec is None else (codec,)
    if "trellis" in names:
        yield registry.codec("trellis", key=key)
    if "box" in names:
        from morebits.codecs.box import Box

        box = Box.around(picture)
        if box is not None:
            yield box
    if "robust" in names:
        yield registry.codec("robust", key=key, seconds=seconds)
    if codec == "mosaic" or (codec is None and _piloted(picture, key)):
        yield registry.codec("mosaic", key=key, seconds=seconds)


def _piloted(picture: Picture, key: Key) -> bool:
    """Whether there is a pilot, which mosaic shares with the robust codec.

    Looking for mosaic's tiles in every picture would take as long again.
    """
    from morebits.codecs import pilot

    return bool(pilot.locate(picture, key))


def _open(reader: Codec, picture: Picture, key: Key) -> Extraction:
    found = reader.extract(picture)
    if _seals(reader) or not found or found.bits is None:
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


def _check_box(picture: Picture, maker: Codec, marked: Samples) -> None:
    """ImageError where `reveal`, which is not told the PSNR, would take the box for another one."""
    box = cast("Box", maker)
    found = box.around(marked)
    if found is None or found.half_side(picture.format) != box.half_side(picture.format):
        problem = f"has too few samples ({marked.size:,}) to show the size of its box"
        raise ImageError(picture.name, problem, "use the trellis codec, or a larger picture")


def _payload_does_not_fit(
    error: DoesNotFit, message: int, payload: int, lowest: float | None
) -> DoesNotFit:
    """The codec's error in the words of people who think in bytes of payload."""
    fits = max(0, container.room(error.capacity))
    packed = message - container.OVERHEAD
    size = "" if packed == payload else f" of {payload:,} bytes, compressed"
    what = f"the payload{size}" + ("" if lowest is None else f", at {lowest:g} dB,")
    return DoesNotFit(what, packed, fits, "bytes", error.fix.replace("message", "payload"))


def _in_bytes(error: DoesNotFit) -> DoesNotFit:
    """The error of a codec that seals payloads by itself, in bytes."""
    what, fix = (text.replace("message", "payload") for text in (error.what, error.fix))
    return DoesNotFit(what, -(-error.needed // 8), error.capacity // 8, "bytes", fix)
