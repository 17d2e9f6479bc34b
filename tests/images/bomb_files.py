"""Small files that ask for much: sizes that are not there, and what unpacks without end."""

from __future__ import annotations

import io
import lzma
import struct
import zlib
from functools import cache

import imagecodecs
import numpy as np
from PIL import Image

from morebits.images import tags

SMALL = np.zeros((8, 8, 3), np.uint8)
#: As many zeros as a bomb unpacks to.
_ZEROS = 1 << 29


@cache
def deflated() -> bytes:
    packer = zlib.compressobj(9)
    parts = [packer.compress(bytes(1 << 20)) for _ in range(_ZEROS >> 20)]
    return b"".join([*parts, packer.flush()])


def chunk(kind: bytes, body: bytes) -> bytes:
    check = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)


def png(
    side: int = 4, extra: bytes = b"", *, colour: int = 2, pixels: bytes | None = None
) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, colour, 0, 0, 0))
    plain = zlib.compress(bytes((3 * 4 + 1) * 4)) if pixels is None else pixels
    palette = chunk(b"PLTE", bytes(768)) if colour == 3 else b""
    parts = head, palette, extra, chunk(b"IDAT", plain), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def saved(kind: str, **options) -> bytes:
    file = io.BytesIO()
    Image.fromarray(SMALL).save(file, kind, **options)
    return file.getvalue()


def tiff(
    depth: int, data: bytes, *, tile: int | None = None, compression: int = 8, side: int = 4
) -> bytes:
    numbers = {256: side, 257: side, 259: compression, 262: 1, 277: 1}
    lengths, offsets = (325, 324) if tile else (279, 273)
    numbers |= {322: tile, 323: tile} if tile else {278: side}
    entries = {tag: tags.long("<", value) for tag, value in numbers.items()}
    entries |= {258: tags.short("<", depth), lengths: tags.long("<", len(data))}
    entries[offsets] = tags.long("<", 0)
    begin = len(tags.serialise(tags.Tags("<", entries)))
    entries[offsets] = tags.long("<", begin)
    return tags.serialise(tags.Tags("<", entries)) + data


def overlapping(count: int, length: int) -> bytes:
    """EXIF data whose values all are the same bytes."""
    entries = b"".join(struct.pack("<HHII", tag, 7, length, 8) for tag in range(1, count + 1))
    return b"II*\0\x08\0\0\0" + struct.pack("<H", count) + entries + bytes(4)


def segments(*bodies: bytes, kind: int = 0xE1) -> bytes:
    parts = (b"\xff" + struct.pack(">BH", kind, len(body) + 2) + body for body in bodies)
    return b"".join(parts)


def jpeg(*bodies: bytes, kind: int = 0xE1) -> bytes:
    plain = saved("JPEG")
    return plain[:2] + segments(*bodies, kind=kind) + plain[2:]


def avif(exif: bytes) -> bytes:
    """AVIF with hostile EXIF data: of the same length as harmless ones that Pillow wrote."""
    harmless = overlapping(0, 0).ljust(len(exif), b"\x01")
    found = saved("AVIF", exif=harmless)
    if harmless not in found:
        raise ValueError("Pillow stores EXIF data in another way now")
    return found.replace(harmless, exif)


def sized(side: int) -> dict[str, bytes]:
    """Headers that announce `side` x `side` pixels, or the most that the format can say."""
    most = min(side, 65535)
    gif = b"GIF89a" + struct.pack("<HHBBB", most, most, 0x80, 0, 0) + bytes(6)
    frame = b"," + struct.pack("<HHHHB", 0, 0, most, most, 0)
    bmp = bytearray(saved("BMP"))
    bmp[18:26] = struct.pack("<ii", side, side)
    codestream = bytearray(imagecodecs.jpeg2k_encode(SMALL, level=0, codecformat="j2k"))
    codestream[8:16] = struct.pack(">II", side, side)
    jp2 = bytearray(imagecodecs.jpeg2k_encode(SMALL, level=0, codecformat="jp2"))
    at = jp2.index(b"\xff\x4f\xff\x51")
    jp2[at + 8 : at + 16] = struct.pack(">II", side, side)  # the box around it says 8 x 8
    photo = bytearray(saved("JPEG"))
    at = photo.index(b"\xff\xc0")
    photo[at + 5 : at + 9] = struct.pack(">HH", most, most)
    webp = b"VP8X" + struct.pack("<IB3x", 10, 0) + 2 * (side - 1).to_bytes(3, "little")
    webp += b"VP8L" + struct.pack("<I", 6) + bytes(6)
    return {
        "a.png": png(side),
        "palette.png": png(side, colour=3),
        "a.gif": gif + frame + b"\x02\x02\x44\x01\0;",
        "frame.gif": gif[:6] + struct.pack("<HH", 4, 4) + gif[10:] + frame + b"\x02\x02\x44\x01\0;",
        "a.bmp": bytes(bmp),
        "a.tif": tiff(8, b"", side=side),
        "deep.tif": tiff(16, b"", side=side),
        "a.j2k": bytes(codestream),
        "lying.jp2": bytes(jp2),
        "a.jpg": bytes(photo),
        "a.webp": b"RIFF" + struct.pack("<I", len(webp) + 4) + b"WEBP" + webp,
        "a.ppm": b"P6 %d %d 255\n" % (side, side),
        "deep.ppm": b"P6 %d %d 65535\n" % (side, side),
        "plain.ppm": b"P3 %d %d 65535\n1 2 3" % (side, side),
    }


def unpacking() -> dict[str, bytes]:
    """What is small in the file and large in memory, or takes long."""
    bomb, exif = deflated(), overlapping(5000, 60_000)
    profile = chunk(b"iCCP", b"x\0\0" + bomb)
    zstd = imagecodecs.zstd_encode(bytes(_ZEROS))
    found = {
        "profile.png": png(extra=profile),
        "profile-palette.png": png(extra=profile, colour=3),
        "text-palette.png": png(extra=chunk(b"zTXt", b"x\0\0" + bomb), colour=3),
        "pixels.png": png(pixels=bomb),
        "chunks.png": png(extra=chunk(b"abCd", b"") * 1_000_001),
        "tile.tif": tiff(16, bomb, tile=60_000),
        "strip.tif": tiff(16, bomb),
        "zstd.tif": tiff(16, zstd, compression=50_000),
        "tags.tif": exif + bytes(60_000),
        "exif.jpg": jpeg((b"Exif\0\0" + exif)[:65_000]),
        "exif-parts.jpg": jpeg(*[b"Exif\0\0" + bytes(65_000)] * 300),
        "profile-parts.jpg": jpeg(*[b"ICC_PROFILE\0\1\1" + bytes(65_000)] * 300, kind=0xE2),
        "segments.jpg": jpeg(*[b""] * 10_001),
        "exif.avif": avif(exif + bytes(60_000)),
        "heads.avif": saved("AVIF") + b"II*\0" * 17,
    }
    postscript = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n"
    return found | {"a.eps": postscript, "animation.gif": _animation(), "xz.tif": _xz()}


def _animation() -> bytes:
    """A hundred thousand frames, which nobody should count."""
    start = b"GIF89a" + struct.pack("<HHBBB", 4, 4, 0x80, 0, 0) + bytes(6)
    frame = b"," + struct.pack("<HHHHB", 0, 0, 4, 4, 0) + b"\x02\x02\x44\x01\0"
    return start + frame * 100_000 + b";"


def _xz() -> bytes:
    return tiff(16, lzma.compress(bytes(_ZEROS), preset=0), compression=34_925, tile=60_000)
