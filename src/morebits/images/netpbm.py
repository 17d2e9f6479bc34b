"""PGM and PPM above 8 bits, read and written; Pillow reads the others.

The format: https://netpbm.sourceforge.net/doc/ppm.html. Samples above 8 bits are big-endian.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from morebits.errors import ImageError
from morebits.images.picture import Picture, check_size, from_decoder, with_alpha

SIGNATURES = (b"P2", b"P3", b"P5", b"P6")
_CUT = "the file is broken or cut short, copy it again"


def read(data: bytes, name: str, max_pixels: int) -> Picture | None:
    """The picture in these bytes; None when it has at most 8 bits a sample."""
    gap = rb"(?:\s|#[^\n\r]*[\n\r])+"
    pattern = rb"P([2356])" + 3 * (gap + rb"(\d{1,9})") + rb"\s"
    header = re.match(pattern, data)
    if header is None:
        return None
    kind, width, height, top = (int(part) for part in header.groups())
    if not 255 < top < 65536:
        return None
    channels = 3 if kind in (3, 6) else 1
    check_size(name, width, height, channels, max_pixels)
    count = width * height * channels
    body = data[header.end() :]
    samples = _plain(body, count, name) if kind in (2, 3) else _raw(body, count, name)
    if samples.max() > top:
        raise ImageError(name, f"has samples above its maximum {top}", _CUT)
    notes: tuple[str, ...] = ()
    if top != 65535:
        samples = ((samples.astype(np.uint64) * 131070 + top) // (2 * top)).astype(np.uint16)
        notes = (f"{top + 1} levels a sample, scaled to 65536",)
    cube = samples.reshape(height, width, channels)
    return replace(from_decoder(cube, name, notes), file_format="PPM")


def _raw(body: bytes, count: int, name: str) -> NDArray[np.uint16]:
    if len(body) < 2 * count:
        raise ImageError(name, f"has {len(body)} bytes of {2 * count}", _CUT)
    return np.frombuffer(body, ">u2", count).astype(np.uint16)


def _plain(body: bytes, count: int, name: str) -> NDArray[np.uint16]:
    words = re.sub(rb"#[^\n\r]*", b"", body).split(maxsplit=count)[:count]
    if len(words) < count or not all(word.isdigit() and len(word) < 6 for word in words):
        raise ImageError(name, f"does not hold {count} numbers", _CUT)
    return np.minimum(np.array(words, np.uint32), 65535).astype(np.uint16)


def write(picture: Picture) -> bytes:
    """PGM bytes for gray, PPM bytes for colour."""
    height, width, channels = picture.array.shape
    head = f"P{6 if channels == 3 else 5}\n{width} {height}\n{2**picture.depth - 1}\n"
    return head.encode() + with_alpha(picture).astype(f">u{picture.depth // 8}").tobytes()
