"""Which file formats can hold which picture; how fragile its mark is decides what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from morebits.errors import ImageError, InputError, LossyFile, UnknownName
from morebits.images import jp2, lossy, netpbm, png, simple, tiff
from morebits.images.picture import Picture


@dataclass(frozen=True)
class FileFormat:
    """A format, and what it holds beside the samples.

    `encode` takes a picture, and a quality where the format is one that changes samples.
    """

    name: str
    suffixes: tuple[str, ...]
    encode: Callable[..., bytes]
    depths: tuple[int, ...] = (8, 16)
    channels: tuple[int, ...] = (1, 3)
    alpha: bool = True
    holds: tuple[str, ...] = ("ICC profile", "EXIF", "resolution")
    longest: int = 2**31 - 1  # pixels of a side
    exact: bool = True  # keeps every sample


FORMATS = (
    FileFormat("PNG", (".png",), png.write),
    FileFormat("TIFF", (".tif", ".tiff"), tiff.write),
    FileFormat("JPEG 2000", (".jp2",), jp2.write),
    FileFormat("WebP", (".webp",), simple.webp, (8,), (3,), True, ("ICC profile", "EXIF"), 16383),
    FileFormat("BMP", (".bmp",), simple.bmp, (8,), (1, 3), False, ("resolution",)),
    FileFormat("PPM", (".ppm",), netpbm.write, (8, 16), (3,), False, ()),
    FileFormat("PGM", (".pgm",), netpbm.write, (8, 16), (1,), False, ()),
    FileFormat("PNM", (".pnm",), netpbm.write, (8, 16), (1, 3), False, ()),
)
_BY_SUFFIX = {suffix: each for each in FORMATS for suffix in each.suffixes}

_JPEG = (".jpg", ".jpeg", ".jpe", ".jfif")
_NO_DPI = ("ICC profile", "EXIF")
#: Formats that change samples, for marks that survive it.
LOSSY_FORMATS = (
    FileFormat("JPEG", _JPEG, lossy.jpeg, alpha=False, longest=65500, exact=False),
    FileFormat("WebP", (".webp",), lossy.webp, holds=_NO_DPI, longest=16383, exact=False),
    FileFormat("AVIF", (".avif",), lossy.avif, holds=_NO_DPI, longest=32768, exact=False),
)
_LOSSY = {suffix: each for each in LOSSY_FORMATS for suffix in each.suffixes}

#: Formats that are read but never written, and why.
_UNWRITTEN = {
    ".gif": "GIF has 256 colours",
    **dict.fromkeys((".heic", ".heif"), "HEIF cannot be written"),
}

#: How names of pictures end: of those that can keep every sample, those that need not, and all.
LOSSLESS, LOSSY = frozenset(_BY_SUFFIX), frozenset(_LOSSY)
SUFFIXES = LOSSLESS | LOSSY | frozenset(_UNWRITTEN)


def choose(
    path: Path, picture: Picture, *, fragile: bool = True, quality: int | None = None
) -> FileFormat:
    """The format that the suffix names; refused when it cannot hold the picture.

    A `fragile` mark needs every sample as it is. Others may go into JPEG, AVIF and, with a
    `quality` (1 to 100), WebP.

    >>> import numpy as np
    >>> from morebits.images.arrays import from_array
    >>> gray = from_array(np.zeros((2, 2), np.uint8))
    >>> choose(Path("a.png"), gray).name
    'PNG'
    >>> choose(Path("a.jpg"), gray, fragile=False).name
    'JPEG'
    >>> choose(Path("a.jpg"), gray)
    Traceback (most recent call last):
        ...
    morebits.errors.LossyFile: a.jpg: JPEG changes samples and would destroy the mark; write ...
    """
    suffix, png_name = path.suffix.lower(), f"write {path.stem}.png instead"
    if suffix in _UNWRITTEN:
        raise LossyFile(path, _UNWRITTEN[suffix], png_name)
    if suffix not in SUFFIXES:
        known = LOSSLESS if fragile else LOSSLESS | LOSSY
        raise UnknownName("suffix of a picture", path.suffix, sorted(known))
    if fragile and suffix not in LOSSLESS:
        problem = f"{_LOSSY[suffix].name} changes samples and would destroy the mark"
        fix = f'{png_name}, or hide it with codec="robust" (--codec robust), which survives that'
        raise LossyFile(path, problem, fix)
    chosen = _with_quality(suffix, fragile, quality)
    if problem := _problem(chosen, picture):
        raise ImageError(path, f"{chosen.name} {problem}", png_name)
    return chosen


def _with_quality(suffix: str, fragile: bool, quality: int | None) -> FileFormat:
    """The format of a suffix; WebP is both, and a quality asks for the one that changes samples."""
    wanted = lossy.check_quality(quality)
    if suffix in LOSSLESS and (quality is None or fragile or suffix not in _LOSSY):
        if quality is not None:
            why = "this mark needs" if suffix in _LOSSY else f"{_BY_SUFFIX[suffix].name} keeps"
            raise InputError("quality", quality, f"leave it out, {why} every sample as it is")
        return _BY_SUFFIX[suffix]
    known = _LOSSY[suffix]
    return replace(known, encode=partial(known.encode, quality=wanted))


def _problem(chosen: FileFormat, picture: Picture) -> str | None:
    height, width, channels = picture.array.shape
    if picture.depth not in chosen.depths:
        return f"has 8 bits a sample, the picture {picture.depth}"
    if channels not in chosen.channels:
        return "is for colour, the picture is gray" if channels == 1 else "is for gray pictures"
    if picture.alpha is not None and not chosen.alpha and (chosen.exact or not _opaque(picture)):
        return "has no alpha, the picture does"
    if max(width, height) > chosen.longest:
        return f"has at most {chosen.longest:,} pixels a side, the picture {max(width, height):,}"
    return None


def lost(chosen: FileFormat, picture: Picture) -> tuple[str, ...]:
    """Notes on what the picture has and a file of this format will not."""
    has = {"ICC profile": picture.icc, "EXIF": picture.exif, "resolution": picture.dpi}
    missing = [name for name, value in has.items() if value and name not in chosen.holds]
    if chosen.name == "TIFF":
        missing += tiff.loses(picture)
    if chosen.name == "JPEG" and len(picture.exif or b"") > lossy.JPEG_EXIF:
        missing.append(f"EXIF of more than {lossy.JPEG_EXIF:,} bytes")
    notes: tuple[str, ...] = ()
    if missing:
        notes = (f"{chosen.name} cannot hold the picture's {' and '.join(missing)}",)
    if _opaque(picture) and chosen.name in ("JPEG", "WebP", "AVIF"):
        notes += (f"{chosen.name} leaves out alpha that is opaque everywhere",)
    elif picture.alpha is not None and chosen.name == "AVIF":
        notes += ("AVIF changes alpha a little",)
    if picture.depth > 8 and not chosen.exact:
        notes += (f"{chosen.name} has 8 bits a sample, {picture.depth} were rounded to that",)
    if picture.left_out:
        notes += (f"not kept from the cover: {', '.join(picture.left_out)}",)
    return notes


def _opaque(picture: Picture) -> bool:
    return picture.alpha is not None and picture.alpha.min() == 2**picture.depth - 1
