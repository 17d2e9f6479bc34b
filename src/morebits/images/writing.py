"""From samples to a file that holds them, and all that the cover brought along."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from morebits import files
from morebits.errors import FileNotWritten, InputError, LossyFile
from morebits.images.arrays import from_array
from morebits.images.formats import FileFormat, choose, lost
from morebits.images.picture import Picture


def write(
    path: str | os.PathLike[str],
    array: NDArray[np.uint8 | np.uint16],
    like: Picture | None = None,
    *,
    fragile: bool = True,
    quality: int | None = None,
    force: bool = False,
    check: Callable[[Path], None] | None = None,
) -> tuple[str, ...]:
    """Write the samples to a lossless file, so that `read` gives exactly them again.

    The suffix chooses the format: .png, .tif, .jp2, .webp, .bmp, .ppm, .pgm, .pnm. Alpha, ICC
    profile, EXIF and resolution are those of `like`, the cover, whose format the array must have.
    The notes that come back say what the file cannot hold. What would lose samples or alpha is
    refused, and so is a file that exists (unless `force`) and always the cover itself. The file
    appears whole or not at all; `check` may look at it before it does, and raise.

    What is not `fragile` may also go into .jpg and .avif, of a `quality` from 1 to 100 (95 unless
    given), and into .webp, which is lossless unless a quality is given.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "gray.png"
    >>> write(path, np.full((2, 3), 128, np.uint8))
    ()
    >>> path.exists()
    True
    >>> folder.cleanup()
    """
    picture = _dressed(array, like)
    chosen = _checked(Path(path), picture, force, fragile, quality)
    files.write_bytes(path, chosen.encode(picture), force=force, check=check)
    return lost(chosen, picture)


def check_write(
    path: str | os.PathLike[str],
    cover: Picture,
    *,
    fragile: bool = True,
    quality: int | None = None,
    force: bool = False,
) -> None:
    """Raise what `write` would for a picture like this one, before any work is done.

    >>> from morebits.images import read
    >>> check_write("marked.jpg", read(np.zeros((2, 3), np.uint8)))
    Traceback (most recent call last):
        ...
    morebits.errors.LossyFile: marked.jpg: JPEG changes samples and would destroy the mark; ...
    """
    _checked(Path(path), cover, force, fragile, quality)


def _checked(
    path: Path, picture: Picture, force: bool, fragile: bool, quality: int | None
) -> FileFormat:
    chosen = choose(path, picture, fragile=fragile, quality=quality)
    if fragile and picture.orientation != 1:
        problem = f"the picture has EXIF orientation {picture.orientation}"
        raise LossyFile(
            path,
            f"{problem}: programs that turn it upright when they save it destroy the mark",
            "apply it first with morebits.images.upright (--upright)",
        )
    files.check_target(path, force=force or _same(path, picture.path))
    if _same(path, picture.path):
        fix = "the cover is never modified, choose another name"
        raise FileNotWritten(path, "is the cover itself", fix)
    return chosen


def _same(path: Path, cover: Path | None) -> bool:
    try:
        return cover is not None and path.samefile(cover)
    except (OSError, ValueError):  # one of them does not exist
        return False


def _dressed(array: NDArray[np.uint8 | np.uint16], like: Picture | None) -> Picture:
    """The array as a picture with the metadata of another."""
    picture = from_array(np.asarray(array))
    if like is None:
        return picture
    if (picture.array.shape, picture.depth) != (like.array.shape, like.depth):
        expected = f"the cover is {like.format.text}, give an array of that format"
        raise InputError("array", picture.format.text, expected)
    return replace(like, array=picture.array)
