"""Which file formats can hold which picture; the fragile mark decides what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from morebits.errors import ImageError, LossyFile, UnknownName
from morebits.images import jp2, netpbm, png, simple, tiff
from morebits.images.picture import Picture


@dataclass(frozen=True)
class FileFormat:
    """A format that keeps every sample, and what else it holds."""

    name: str
    suffixes: tuple[str, ...]
    encode: Callable[[Picture], bytes]
    depths: tuple[int, ...] = (8, 16)
    channels: tuple[int, ...] = (1, 3)
    alpha: bool = True
    holds: tuple[str, ...] = ("ICC profile", "EXIF", "resolution")
    longest: int = 2**31 - 1  # pixels of a side


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

#: Formats that change samples, by suffix.
_LOSSY = {
    **dict.fromkeys((".jpg", ".jpeg", ".jpe", ".jfif"), "JPEG"),
    ".gif": "GIF",
    ".avif": "AVIF",
    **dict.fromkeys((".heic", ".heif"), "HEIF"),
}

#: How the names of pictures end, and those of pictures that keep every sample.
SUFFIXES = frozenset(_BY_SUFFIX) | frozenset(_LOSSY)
LOSSLESS = frozenset(_BY_SUFFIX)


def choose(path: Path, picture: Picture) -> FileFormat:
    """The format that the suffix names; refused when it cannot hold the picture exactly.

    >>> import numpy as np
    >>> from morebits.images.arrays import from_array
    >>> gray = from_array(np.zeros((2, 2), np.uint8))
    >>> choose(Path("a.png"), gray).name
    'PNG'
    >>> choose(Path("a.jpg"), gray)
    Traceback (most recent call last):
        ...
    morebits.errors.LossyFile: a.jpg: JPEG changes samples and would destroy the mark; write ...
    """
    suffix = path.suffix.lower()
    if suffix in _LOSSY:
        problem = f"{_LOSSY[suffix]} changes samples and would destroy the mark"
        raise LossyFile(path, problem, f"write {path.stem}.png instead")
    if suffix not in _BY_SUFFIX:
        raise UnknownName("suffix of a picture", path.suffix, sorted(_BY_SUFFIX))
    chosen = _BY_SUFFIX[suffix]
    if problem := _problem(chosen, picture):
        raise ImageError(path, f"{chosen.name} {problem}", f"write {path.stem}.png instead")
    return chosen


def _problem(chosen: FileFormat, picture: Picture) -> str | None:
    height, width, channels = picture.array.shape
    if picture.depth not in chosen.depths:
        return f"has 8 bits a sample, the picture {picture.depth}"
    if channels not in chosen.channels:
        return "is for colour, the picture is gray" if channels == 1 else "is for gray pictures"
    if picture.alpha is not None and not chosen.alpha:
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
    notes: tuple[str, ...] = ()
    if missing:
        notes = (f"{chosen.name} cannot hold the picture's {' and '.join(missing)}",)
    opaque = picture.alpha is not None and picture.alpha.min() == 2**picture.depth - 1
    if opaque and chosen.name == "WebP":
        notes += ("WebP leaves out alpha that is opaque everywhere",)
    if picture.left_out:
        notes += (f"not kept from the cover: {', '.join(picture.left_out)}",)
    return notes
