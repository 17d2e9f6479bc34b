"""TIFF: 16 bits a sample are read with tifffile, fewer with Pillow; written by hand.

The writer makes one directory, strips, deflate and the horizontal predictor (TIFF 6.0 sections
3 and 14), which every reader knows; EXIF goes where TIFF has it, into the directory itself.
"""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from morebits.errors import ImageError
from morebits.images import tags
from morebits.images.picture import Picture, check_size, from_decoder, tidy_dpi, with_alpha

SIGNATURES = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_EXTRA_SAMPLES, _ICC = 338, 34675
_STRAIGHT = 2  # alpha that the colours are not multiplied with
_STRIP = 1 << 20  # bytes of a strip before compression


def read(data: bytes, name: str, max_pixels: int) -> Picture | None:
    """The picture in these bytes; None when it is one for Pillow."""
    import tifffile

    with tifffile.TiffFile(io.BytesIO(data)) as file:
        page = file.pages.first
        if len(file.pages) > 1:
            problem = f"has {len(file.pages)} frames"
            raise ImageError(name, problem, "save one of them as PNG and use that")
        if page.bitspersample != 16 or page.sampleformat != 1 or page.photometric not in (1, 2):
            return None
        channels = 1 if page.photometric == 1 else 3
        check_size(name, page.imagewidth, page.imagelength, channels, max_pixels)
        if page.is_tiled:  # a tile is decoded whole, however little of it is picture
            check_size(name, page.tilewidth, page.tilelength, channels, max_pixels)
        if max(page.imagedepth, page.tiledepth) > 1:
            raise ImageError(name, "has more than two dimensions", "save one plane of it as PNG")
        extra = page.samplesperpixel - channels
        if extra > 1 or (extra and page.extrasamples not in ((), (_STRAIGHT,))):
            problem = "has an extra channel that is not plain alpha"
            raise ImageError(name, problem, "save it without, or as PNG")
        samples = page.asarray()
        if page.planarconfig == 2 and samples.ndim == 3:
            samples = np.moveaxis(samples, 0, -1)
    return with_metadata(from_decoder(samples, name), data)


def with_metadata(picture: Picture, data: bytes) -> Picture:
    """The picture with the tags of its file: EXIF and all others that are not about pixels."""
    found = tags.parse(data)
    if found is None:
        return replace(picture, file_format="TIFF")
    kept = {tag: value for tag, value in found.entries.items() if tag not in tags.STRUCTURE}
    icc = found.entries.get(_ICC)
    return replace(
        picture,
        file_format="TIFF",
        icc=icc.data if isinstance(icc, tags.Value) else None,
        exif=tags.serialise(tags.Tags(found.order, kept)) if kept else None,
        dpi=_dpi(found),
        left_out=(),
    )


def _dpi(found: tags.Tags) -> tuple[float, float] | None:
    numbers = tags.resolution(found)
    return tidy_dpi(*numbers) if numbers else None


def loses(picture: Picture) -> list[str]:
    """What of the picture's EXIF data does not go into a TIFF."""
    if picture.exif is None:
        return []
    found = tags.parse(picture.exif)
    if found is None:
        return ["EXIF (it cannot be parsed)"]
    return ["the EXIF thumbnail"] if found.more else []


def write(picture: Picture) -> bytes:
    """TIFF bytes with the picture's alpha, ICC profile, EXIF and resolution."""
    exif = tags.parse(picture.exif) if picture.exif else None
    order = exif.order if exif else "<"
    kept = exif.entries if exif else {}
    entries = {tag: value for tag, value in kept.items() if tag not in tags.STRUCTURE}
    samples = np.atleast_3d(with_alpha(picture))
    rows = max(1, _STRIP // samples[0].nbytes)
    strips = _strips(samples, rows, order)
    lengths = [len(strip) for strip in strips]
    entries |= _structure(picture, order, rows) | _metadata(picture, exif, order)
    entries[279] = tags.long(order, *lengths)
    entries[273] = tags.long(order, *lengths)  # of the right size, which is all that counts here
    begin = len(tags.serialise(tags.Tags(order, entries)))
    offsets = begin + np.cumsum([0, *lengths[:-1]])
    entries[273] = tags.long(order, *offsets.tolist())
    return tags.serialise(tags.Tags(order, entries)) + b"".join(strips)


def _strips(samples: NDArray[np.uint8 | np.uint16], rows: int, order: str) -> list[bytes]:
    """Each sample minus its left neighbour of the same channel, deflated."""
    delta = samples.copy()
    delta[:, 1:] -= samples[:, :-1]
    stored = delta.astype(f"{order}u{samples.itemsize}")
    return [
        zlib.compress(stored[top : top + rows].tobytes(), 3) for top in range(0, len(stored), rows)
    ]


def _structure(picture: Picture, order: str, rows: int) -> dict[int, tags.Value | tags.Directory]:
    height, width, channels = picture.array.shape
    stored = channels + (picture.alpha is not None)
    entries: dict[int, tags.Value | tags.Directory] = {
        256: tags.long(order, width),
        257: tags.long(order, height),
        258: tags.short(order, *[picture.depth] * stored),
        259: tags.short(order, 8),  # deflate
        262: tags.short(order, 2 if channels == 3 else 1),
        277: tags.short(order, stored),
        278: tags.long(order, rows),
        284: tags.short(order, 1),  # the channels of a pixel side by side
        317: tags.short(order, 2),  # the horizontal predictor
    }
    if picture.alpha is not None:
        entries[_EXTRA_SAMPLES] = tags.short(order, _STRAIGHT)
    return entries


def _metadata(
    picture: Picture, exif: tags.Tags | None, order: str
) -> dict[int, tags.Value | tags.Directory]:
    entries: dict[int, tags.Value | tags.Directory] = {}
    if picture.icc is not None:
        entries[_ICC] = tags.Value(tags.UNDEFINED, len(picture.icc), picture.icc)
    dpi = picture.dpi or (_dpi(exif) if exif else None)
    if dpi is not None:
        for tag, number in zip((tags.X_RESOLUTION, tags.Y_RESOLUTION), dpi, strict=True):
            ratio = Fraction(number).limit_denominator(10**4)
            packed = struct.pack(order + "II", ratio.numerator, ratio.denominator)
            entries[tag] = tags.Value(tags.RATIONAL, 1, packed)
        entries[tags.RESOLUTION_UNIT] = tags.short(order, 2)  # an inch
    return entries
