"""From a path, a PIL image or an array to a `Picture`."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from morebits.errors import ImageError, InputError, MorebitsError
from morebits.images import jp2, metadata, netpbm, pillow, png, simple, tags, tiff
from morebits.images.arrays import from_array
from morebits.images.metadata import MAX_METADATA
from morebits.images.picture import Picture, check_size

#: Largest number of pixels that `read` opens unless it is told otherwise.
MAX_PIXELS = 100_000_000

# What these two log is about chunks that we do not need; what counts, they raise. Without a
# handler, Python would print it.
for _library in ("imagecodecs", "tifffile"):
    logging.getLogger(_library).addHandler(logging.NullHandler())

#: Files that we look into ourselves, by how they begin.
_OWN = {
    png.read: (png.SIGNATURE,),
    tiff.read: tiff.SIGNATURES,
    jp2.read: jp2.SIGNATURES,
    netpbm.read: netpbm.SIGNATURES,
}


def read(
    source: object, max_pixels: int = MAX_PIXELS, *, max_metadata: int = MAX_METADATA
) -> Picture:
    """The picture behind a path, a PIL image or an array; ImageError or InputError otherwise.

    Arrays are (H, W), (H, W, 1) or (H, W, 3). A `Picture` comes back as it is. A file whose
    header announces more than `max_pixels` pixels is refused before anything is decoded, and so
    is one whose ICC profile or EXIF data need more than `max_metadata` bytes.

    >>> read(np.zeros((2, 3), np.uint8)).array.shape
    (2, 3, 1)
    """
    if isinstance(source, Picture):
        return source
    if isinstance(source, np.ndarray):
        return from_array(source)
    if isinstance(source, (str, os.PathLike)):
        for name, limit in (("max_pixels", max_pixels), ("max_metadata", max_metadata)):
            if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
                raise InputError(name, limit, "give a whole number of at least 1")
        return _from_path(Path(source), max_pixels, max_metadata)
    from PIL import Image

    if isinstance(source, Image.Image):
        with _decoder_errors("PIL image"):
            return pillow.from_pil(source, "PIL image")
    expected = "give a path, a PIL image or a numpy array"
    raise InputError("picture", f"a {type(source).__name__}", expected)


def _from_path(path: Path, max_pixels: int, max_metadata: int) -> Picture:
    name = str(path) if str(path).isprintable() else repr(str(path))
    with _file_errors(name), path.open("rb") as file:
        head = file.read(32)
        own = next((each for each, begins in _OWN.items() if head.startswith(begins)), None)
        data = head + file.read() if own or metadata.is_weighed(head) else head
    if not data:
        raise ImageError(name, "is empty", "copy the picture again")
    with _decoder_errors(name):
        metadata.check(data, name, max_metadata)
        picture = own(data, name, max_pixels) if own else None
        picture = picture or _with_pillow(path, name, data, max_pixels)
    return replace(picture, path=path.absolute())


def _with_pillow(path: Path, name: str, data: bytes, max_pixels: int) -> Picture:
    """What the other decoders leave to Pillow, with the metadata that Pillow leaves out."""
    if data.startswith(tiff.SIGNATURES):
        # Pillow turns a TIFF by its orientation when it loads it, and some of them wrongly.
        file = io.BytesIO(tags.neutral(data))
        return tiff.with_metadata(pillow.from_file(file, name, max_pixels), data)
    if (size := simple.webp_size(data)) is not None:
        check_size(name, *size, 3, max_pixels)
    picture = pillow.from_file(path, name, max_pixels)
    if data.startswith(jp2.SIGNATURES):
        return jp2.with_metadata(picture, data)
    return picture


@contextmanager
def _file_errors(name: str) -> Generator[None]:
    """Whatever the system says of a path becomes one ImageError."""
    try:
        yield
    except FileNotFoundError:
        raise ImageError(name, "no such file", "check the path") from None
    except IsADirectoryError:
        raise ImageError(name, "is a directory", "give one picture") from None
    except (OSError, ValueError) as error:  # a path with a NUL byte is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise ImageError(name, f"cannot be opened ({reason})", "check the path") from None


@contextmanager
def _decoder_errors(name: str) -> Generator[None]:
    """Whatever a decoder raises on a broken file becomes one ImageError."""
    from PIL import UnidentifiedImageError

    try:
        yield
    except MorebitsError:
        raise
    except UnidentifiedImageError:
        fix = "use a JPEG, PNG, WebP, TIFF or AVIF file, or save it as one of these first"
        problem = "is no picture, whatever its name says, or of an unknown kind"
        raise ImageError(name, problem, fix) from None
    except Exception as error:  # noqa: BLE001 - decoders raise anything, from OSError to IndexError
        problem = f"cannot be decoded ({' '.join(str(error).split())})"
        raise ImageError(name, problem, "the file is broken or cut short, copy it again") from None
