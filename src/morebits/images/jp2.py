"""JPEG 2000: above 8 bits a sample read with OpenJPEG, fewer with Pillow; written reversibly.

Boxes are those of ISO/IEC 15444-1 annex I, and of annex A the SIZ marker. EXIF lies in a
`uuid` box, where exiftool, exiv2 and ImageMagick look for it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from morebits.errors import ImageError
from morebits.images.picture import Picture, check_size, from_decoder, tidy_dpi, with_alpha

CODESTREAM = b"\xff\x4f\xff\x51"
SIGNATURES = (b"\0\0\0\x0cjP  ", CODESTREAM)
_EXIF = b"JpgTiffExif->JP2"
_GRAY_OR_RGB = (None, 16, 17)  # sRGB and gray; an ICC profile instead of a number


@dataclass(frozen=True)
class _Siz:
    """What the codestream says; `depths` are negative for signed samples."""

    width: int
    height: int
    depths: tuple[int, ...]
    sampled: bool


@dataclass
class _Header:
    """What the boxes around it say."""

    siz: _Siz | None = None
    space: int | None = None
    palette: bool = False
    icc: bytes | None = None
    exif: bytes | None = None
    dpi: tuple[float, float] | None = None


def read(data: bytes, name: str, max_pixels: int) -> Picture | None:
    """The picture in these bytes; None when it is one for Pillow."""
    header = _header(data)
    siz = header.siz
    if siz is None:
        return None
    check_size(name, siz.width, siz.height, len(siz.depths), max_pixels)
    if max(map(abs, siz.depths)) <= 8:
        return None
    odd = siz.sampled or header.palette or header.space not in _GRAY_OR_RGB
    if odd or len(siz.depths) > 4:
        problem = "has more than 8 bits a sample, but is not plain gray or RGB"
        raise ImageError(name, problem, "save it as 16-bit PNG or TIFF")
    if set(siz.depths) != {16}:
        bits = "/".join(str(abs(each)) for each in siz.depths)
        raise ImageError(name, f"has {bits} bits a sample", "save it with 16, without a sign")
    import imagecodecs

    samples = imagecodecs.jpeg2k_decode(data)
    return with_metadata(from_decoder(samples, name), data)


def with_metadata(picture: Picture, data: bytes) -> Picture:
    """The picture with ICC profile, EXIF and resolution of its file."""
    found = _header(data)
    return replace(picture, file_format="JPEG2000", icc=found.icc, exif=found.exif, dpi=found.dpi)


def _boxes(data: bytes, place: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Kind, begin and end of the contents of each box."""
    while place + 8 <= end:
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        begin = place + 8
        if length == 1 and begin + 8 <= end:
            (length,) = struct.unpack(">Q", data[begin : begin + 8])
            begin += 8
        stop = end if length == 0 else place + length
        if not begin <= stop <= end:
            stop = end  # cut short, which the decoder will notice
        yield kind, begin, stop
        place = stop


def _header(data: bytes) -> _Header:
    if data.startswith(CODESTREAM):
        return _Header(_siz(data))
    found = _Header()
    for kind, begin, end in _boxes(data, 0, len(data)):
        if kind == b"jp2h":
            _fill(found, data[begin:end])
        elif kind == b"uuid" and data[begin : begin + 16] == _EXIF:
            found.exif = data[begin + 16 : end].removeprefix(b"Exif\0\0") or None
        elif kind == b"jp2c" and found.siz is None:
            found.siz = _siz(data[begin : begin + 65536])
    return found


def _siz(data: bytes) -> _Siz | None:
    try:
        right, bottom, left, top = struct.unpack(">4I", data[8:24])
        (count,) = struct.unpack(">H", data[40:42])
        parts = [struct.unpack(">3B", data[at : at + 3]) for at in range(42, 42 + 3 * count, 3)]
    except struct.error:
        return None
    depths = tuple((-1 if bits & 128 else 1) * ((bits & 127) + 1) for bits, _, _ in parts)
    sampled = any((across, down) != (1, 1) for _, across, down in parts)
    return _Siz(right - left, bottom - top, depths, sampled) if parts else None


def _fill(header: _Header, data: bytes) -> None:
    """The boxes inside the header box."""
    for kind, begin, end in _boxes(data, 0, len(data)):
        body = data[begin:end]
        if kind == b"colr" and body[:1] == b"\x02":
            header.icc = header.icc or body[3:]
        elif kind == b"colr" and body[:1] == b"\x01" and len(body) >= 7:
            (header.space,) = struct.unpack(">I", body[3:7])
        elif kind == b"pclr":
            header.palette = True
        elif kind == b"res ":
            header.dpi = _resolution(body)


def _resolution(data: bytes) -> tuple[float, float] | None:
    """Of capture, else of display; boxes count in pixels a metre."""
    found = {kind: data[begin:end] for kind, begin, end in _boxes(data, 0, len(data))}
    body = found.get(b"resc", found.get(b"resd", b""))
    if len(body) < 10:
        return None
    down, down_by, across, across_by, down_power, across_power = struct.unpack(">4H2b", body[:10])
    if not down_by or not across_by:
        return None
    return tidy_dpi(
        across / across_by * 10.0**across_power * 0.0254,
        down / down_by * 10.0**down_power * 0.0254,
    )


def write(picture: Picture) -> bytes:
    """JP2 bytes with the picture's alpha, ICC profile, EXIF and resolution."""
    import imagecodecs

    samples = np.ascontiguousarray(with_alpha(picture))
    data = bytes(imagecodecs.jpeg2k_encode(samples, level=0, reversible=True, codecformat="jp2"))
    parts: list[bytes] = []
    for kind, begin, end in _boxes(data, 0, len(data)):
        body = data[begin:end]
        if kind == b"jp2h":
            body = _with_boxes(picture, body)
        if kind == b"jp2c" and picture.exif is not None:
            parts.append(_box(b"uuid", _EXIF + picture.exif))
        parts.append(_box(kind, body))
    return b"".join(parts)


def _with_boxes(picture: Picture, body: bytes) -> bytes:
    """The header boxes, with the profile, the meaning of the channels and the resolution."""
    parts: list[bytes] = []
    for kind, begin, end in _boxes(body, 0, len(body)):
        if kind == b"colr" and picture.icc is not None:
            parts.append(_box(b"colr", b"\x02\0\0" + picture.icc))
        elif kind != b"cdef":
            parts.append(_box(kind, body[begin:end]))
    channels = picture.array.shape[2]
    if picture.alpha is not None:
        colours = [(index, 0, index + 1) for index in range(channels)]
        table = [*colours, (channels, 1, 0)]  # 1: opacity, 0: of the whole picture
        packed = b"".join(struct.pack(">3H", *row) for row in table)
        parts.append(_box(b"cdef", struct.pack(">H", len(table)) + packed))
    if picture.dpi is not None:
        across, down = (_ratio(number / 0.0254) for number in picture.dpi)
        fields = struct.pack(">4H2b", *down[:2], *across[:2], down[2], across[2])
        parts.append(_box(b"res ", _box(b"resc", fields)))
    return b"".join(parts)


def _ratio(number: float) -> tuple[int, int, int]:
    """A number as `a / b * 10^c` with 16-bit a and b."""
    power = max(0, math.ceil(math.log10(number / 65535)))
    small = number / 10**power
    ratio = Fraction(small).limit_denominator(max(1, int(65535 / max(small, 1))))
    return ratio.numerator, ratio.denominator, power


def _box(kind: bytes, body: bytes) -> bytes:
    if len(body) + 8 < 1 << 32:
        return struct.pack(">I4s", len(body) + 8, kind) + body
    return struct.pack(">I4sQ", 1, kind, len(body) + 16) + body
