"""PNG with 8 or 16 bits a sample: libpng for the samples, our own walk over the other chunks.

Palettes and samples below 8 bits are Pillow's. Chunk names and layouts: PNG specification,
third edition, section 11.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace

from morebits.errors import ImageError
from morebits.images.picture import Picture, check_size, from_decoder, tidy_dpi, with_alpha

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 4: 1, 6: 3}  # of colour, for each colour type without a palette
_METRE = 1 / 0.0254  # inches
_CHUNKS = 1_000_000  # that a file has, at most
_STORED = {0: 1, 2: 3, 4: 2, 6: 4}  # and with alpha


def read(data: bytes, name: str, max_pixels: int) -> Picture | None:
    """The picture in these bytes; None when it has a palette or fewer than 8 bits a sample."""
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    if depth not in (8, 16) or colour not in _CHANNELS:
        return None
    check_size(name, width, height, _CHANNELS[colour], max_pixels)
    parts = list(chunks(data))
    frames = next((struct.unpack(">I", body[:4])[0] for kind, body in parts if kind == b"acTL"), 1)
    if frames > 1:
        raise ImageError(name, f"has {frames} frames", "save one of them as PNG and use that")
    _check_pixels(data, name, height * (width * _STORED[colour] * depth // 8 + 1))
    import imagecodecs

    samples = imagecodecs.png_decode(data)
    return _with_metadata(from_decoder(samples, name), parts)


def _check_pixels(data: bytes, name: str, plain: int) -> None:
    """Refuse more compressed bytes than so many plain ones take when they are only stored.

    libpng would unpack all of them, a thousand times as many, to find out that they are too many.
    """
    packed = sum(len(body) for kind, body in chunks(data, pixels=True) if kind == b"IDAT")
    if packed > plain + plain // 4 + (1 << 16):
        problem = f"has {packed:,} bytes for {plain:,} bytes of pixels"
        raise ImageError(name, problem, "the file is broken, save the picture again")


def chunks(data: bytes, *, pixels: bool = False) -> Iterator[tuple[bytes, bytes]]:
    """Kind and body of every chunk, of those with pixels only if asked for."""
    place = len(SIGNATURE)
    for _ in range(_CHUNKS):
        if place + 8 > len(data):
            return
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        if pixels or kind != b"IDAT":
            yield kind, data[place + 8 : place + 8 + length]
        place += 12 + length
    raise ValueError("too many chunks")


def _with_metadata(picture: Picture, parts: list[tuple[bytes, bytes]]) -> Picture:
    found = dict(reversed(parts))  # the first of each kind
    icc = dpi = None
    if b"iCCP" in found:
        packed = found[b"iCCP"].partition(b"\0")[2][1:]
        icc = zlib.decompressobj().decompress(packed) or None
    if len(found.get(b"pHYs", b"")) == 9:
        across, down, unit = struct.unpack(">IIB", found[b"pHYs"])
        dpi = tidy_dpi(across / _METRE, down / _METRE) if unit == 1 else None
    texts = [body for kind, body in parts if kind in (b"tEXt", b"zTXt", b"iTXt")]
    xmp = [body.startswith(b"XML:com.adobe.xmp\0") for body in texts]
    left_out = ["XMP"] if any(xmp) else []
    left_out += ["text"] if not all(xmp) else []
    left_out += ["gamma"] if b"gAMA" in found and not {b"sRGB", b"iCCP"} & set(found) else []
    exif = found.get(b"eXIf")
    return replace(
        picture, file_format="PNG", icc=icc, exif=exif, dpi=dpi, left_out=tuple(left_out)
    )


def write(picture: Picture) -> bytes:
    """PNG bytes with the picture's alpha, ICC profile, EXIF and resolution."""
    import imagecodecs

    # A marked picture is noise in its low bits: runs are all that deflate can find in it, and
    # this is 7 times faster than libpng's defaults for a smaller file.
    fast = {"level": 1, "strategy": imagecodecs.PNG.STRATEGY.RLE}
    pixels = imagecodecs.png_encode(with_alpha(picture), filter=imagecodecs.PNG.FILTER.SUB, **fast)
    extra = b""
    if picture.icc is not None:
        extra += _chunk(b"iCCP", b"ICC profile\0\0" + zlib.compress(picture.icc))
    if picture.dpi is not None:
        across, down = (round(each * _METRE) for each in picture.dpi)
        extra += _chunk(b"pHYs", struct.pack(">IIB", across, down, 1))
    if picture.exif is not None:
        extra += _chunk(b"eXIf", picture.exif)
    after_header = len(SIGNATURE) + 12 + 13
    return bytes(pixels[:after_header]) + extra + bytes(pixels[after_header:])


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
