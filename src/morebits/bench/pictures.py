"""Which pictures to work on: a folder, a pattern, or files."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from morebits.errors import ImageError, InputError
from morebits.images.formats import SUFFIXES

Source: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Pictures:
    """Picture files by the name that they have in results, in order; `sources` as given."""

    sources: tuple[str, ...]
    files: dict[str, Path]

    def digests(self) -> dict[str, str | None]:
        """What tells one picture from another of the same name; None: cannot be read."""
        return {name: _digest(path) for name, path in self.files.items()}


def collect(sources: Source | Iterable[Source], *, limit: int | None = None) -> Pictures:
    """The pictures of folders, patterns (`photos/*.png`, `**` goes deeper) and files.

    In folders and patterns, other files and hidden ones do not count; a file that is named
    counts whatever it is. A name is the path below the folder that all of them are in. `limit`
    takes the first so many.
    """
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InputError("limit", limit, "give a whole number of at least 1")
    given = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    words = [os.fspath(each) for each in given]
    paths = dict.fromkeys(_absolute(each) for word in words for each in _files(word))
    if not paths:
        text = words[0] if len(words) == 1 else f"{len(words)} files and folders"
        raise ImageError(text, "has no pictures", "give a folder with some, or files")
    top = Path(os.path.commonpath([each.parent for each in paths]))
    if len(words) == 1 and Path(words[0]).is_dir():
        top = _absolute(words[0])
    found = {each.relative_to(top).as_posix(): each for each in paths}
    return Pictures(tuple(words), {name: found[name] for name in sorted(found)[:limit]})


def is_many(source: Source) -> bool:
    """Whether this means a folder or a pattern, and not one file.

    >>> is_many("photos/*.jpg"), is_many("photo.jpg")
    (True, False)
    """
    path = Path(source)
    return path.is_dir() or (not path.exists() and glob.has_magic(os.fspath(source)))


def _files(word: str) -> Iterator[Path]:
    path = Path(word)
    if path.is_dir():
        yield from sorted(filter(_is_picture, path.iterdir()))
    elif path.exists():
        yield path
    elif glob.has_magic(word):
        found = glob.glob(word, recursive=True)  # noqa: PTH207  pathlib takes no absolute pattern
        yield from sorted(filter(_is_picture, map(Path, found)))
    else:
        raise ImageError(word, "no such file or folder", "check the path")


def _absolute(path: Source) -> Path:
    """From the root on, with links as they are: their names are those that people know."""
    return Path(os.path.normpath(Path(path).absolute()))


def _is_picture(path: Path) -> bool:
    hidden = path.name.startswith(".")
    return not hidden and path.suffix.lower() in SUFFIXES and path.is_file()


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except OSError:
        return None
