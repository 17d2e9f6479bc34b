"""What a file says beside its pixels, weighed before anybody reads it.

A profile may be compressed, the values of a directory of tags may all point to the same bytes,
and Pillow puts the EXIF parts of a JPEG together one by one: a small file can so ask for any
amount of memory or time. What costs no more than the size of its file is not looked at.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from itertools import islice

from morebits.errors import ImageError
from morebits.images import png, tags, tiff

#: Most bytes of an ICC profile, of EXIF data, and of values that tags repeat, unless told
#: otherwise; real ones have at most a few millions.
MAX_METADATA = 1 << 24

JPEG = b"\xff\xd8\xff"
_HEADS = re.compile(rb"II\*\0|MM\0\*")
_EXIF, _ICC = b"Exif\0\0", b"ICC_PROFILE\0"
#: Most segments of a JPEG before its pixels, and most places of an AVIF that look like EXIF data.
_SEGMENTS, _PLACES = 10_000, 16


def is_weighed(head: bytes) -> bool:
    """Whether `check` has to see all of a file that begins like this."""
    return head.startswith((JPEG, png.SIGNATURE, *tiff.SIGNATURES)) or head[4:8] == b"ftyp"


def check(data: bytes, name: str, limit: int) -> None:
    """ImageError when the metadata of a file need more than `limit` bytes.

    ValueError when there are so many parts that looking at them would take long.
    """
    for what, size in _sizes(data, limit):
        if size > limit:
            problem = f"has {what} of {size:,} bytes or more, the limit is {limit:,}"
            fix = f"if you trust the file, raise it with images.read(path, max_metadata={size})"
            raise ImageError(name, problem, fix)


def _sizes(data: bytes, limit: int) -> Iterator[tuple[str, int]]:
    if data.startswith(png.SIGNATURE):
        for kind, body in png.chunks(data):
            if kind == b"iCCP":
                yield "an ICC profile", _inflated(body.partition(b"\0")[2][1:], limit)
    elif data.startswith(JPEG):
        parts = list(_segments(data))
        for what, start in (("an ICC profile", _ICC), ("EXIF data", _EXIF)):
            yield what, sum(len(part) for part in parts if part.startswith(start))
        exif = b"".join(part[len(_EXIF) :] for part in parts if part.startswith(_EXIF))
        yield "EXIF values", tags.repeated(exif)
    elif data.startswith(tiff.SIGNATURES):
        yield "tags", tags.repeated(data)
    elif data[4:8] == b"ftyp":  # AVIF and HEIF: EXIF data lie anywhere
        for place in _found(data):
            yield "EXIF values", tags.repeated(data[place:])


def _inflated(packed: bytes, limit: int) -> int:
    """Bytes of a compressed profile, counted up to one above the limit."""
    try:
        return len(zlib.decompressobj().decompress(packed, limit + 1))
    except zlib.error:  # which the reader will notice
        return 0


def _segments(data: bytes) -> Iterator[bytes]:
    """The bodies of the segments before the pixels of a JPEG."""
    place = 2
    for _ in range(_SEGMENTS):
        place = data.find(b"\xff", place)  # Pillow looks for the next mark, too
        if place < 0 or place + 4 > len(data):
            return
        kind, length = struct.unpack_from(">xBH", data, place)
        if kind == 0xDA:
            return
        if kind in (0x00, 0xFF) or 0xD0 <= kind <= 0xD9:  # no body
            place += 1 if kind == 0xFF else 2
            continue
        yield data[place + 4 : place + 2 + length]
        place += 2 + max(length, 2)
    raise ValueError("too many segments")


def _found(data: bytes) -> Iterator[int]:
    """Where EXIF data may begin; by chance this comes once in 2^31 bytes."""
    places = [each.start() for each in islice(_HEADS.finditer(data), _PLACES + 1)]
    if len(places) > _PLACES:
        raise ValueError("too many EXIF data")
    yield from places
