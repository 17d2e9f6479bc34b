"""What the page keeps for a while: pictures in a private folder, payloads in memory only.

Names are random and cannot be guessed, so whoever does not know one cannot get at a picture.
Nothing that a user typed becomes part of a path.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from morebits.errors import InputError

_PREFIX = "morebits-app-"
_LONGEST_NAME = 120


@dataclass(eq=False)
class Kept:
    """One thing that is kept: its folder, the name that people see, and what is known of it.

    `secret` (keys, payloads) stays in memory and is never sent along with `facts`. What it `needs`,
    such as the cover of a marked picture, stays as long as it does.
    """

    id: str
    kind: str
    name: str
    folder: Path
    used: float
    needs: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    secret: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)


class Store:
    """Keeps things until they are not used for `keep_seconds`, or all of them are too large."""

    def __init__(
        self, *, keep_seconds: float, max_bytes: int, clock: Callable[[], float] = time.monotonic
    ):
        remove_orphans()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))  # mode 0700
        self._keep_seconds, self._max_bytes, self._clock = keep_seconds, max_bytes, clock
        self._kept: dict[str, Kept] = {}

    def new(self, kind: str, name: str, needs: tuple[str, ...] = ()) -> Kept:
        """Room for one more thing, which needs others that are kept."""
        id = secrets.token_urlsafe(16)
        folder = self.folder / secrets.token_hex(16)
        folder.mkdir(mode=0o700)
        kept = Kept(id, kind, shown_name(name), folder, self._clock(), needs)
        self._kept[id] = kept
        return kept

    def get(self, id: object, *kinds: str) -> Kept:
        """What is kept under this name, which counts as a use of it."""
        kept = self._kept.get(id) if isinstance(id, str) else None
        if kept is None or (kinds and kept.kind not in kinds):
            wanted = " or ".join(kinds) or "picture"
            raise NotKept(wanted)
        self._touch(kept)
        return kept

    def _touch(self, kept: Kept) -> None:
        kept.used = self._clock()
        for id in kept.needs:
            if id in self._kept:
                self._touch(self._kept[id])

    def remove(self, id: str) -> None:
        """Forget it, and delete its files."""
        kept = self._kept.pop(id, None)
        if kept is not None:
            kept.secret.clear()
            shutil.rmtree(kept.folder, ignore_errors=True)

    def sweep(self) -> None:
        """Remove what is too old, then the oldest while everything together is too large."""
        now = self._clock()
        known = list(self._kept.values())  # at once: requests come in while this runs
        by_use = sorted(known, key=lambda kept: kept.used)
        sizes = {kept.id: _size(kept) for kept in by_use}
        total = sum(sizes.values())
        for kept in by_use:
            if now - kept.used > self._keep_seconds or total > self._max_bytes:
                total -= sizes[kept.id]
                self.remove(kept.id)

    def close(self) -> None:
        """Delete everything."""
        for id in list(self._kept):
            self.remove(id)
        shutil.rmtree(self.folder, ignore_errors=True)


class NotKept(InputError):
    """Asked for something that is gone, or never was there: `wanted`."""

    def __init__(self, wanted: str):
        self.wanted = wanted
        super().__init__(wanted, "gone", "it is no longer kept, give it again")


def shown_name(name: str) -> str:
    """A file name as the page shows it: one line, no folders, not too long.

    >>> shown_name("../../etc/passwd"), shown_name("C:/a.jpg"), shown_name(""), shown_name("..")
    ('passwd', 'a.jpg', 'picture', 'picture')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    printable = "".join(each for each in last if each.isprintable()).strip(" .")
    return printable[-_LONGEST_NAME:] or "picture"


def remove_orphans() -> None:
    """Delete the folders of pages of this user that ended without a chance to do so."""
    if sys.platform == "win32":  # no way to ask whether a process lives without a further package
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        number = folder.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            ours = folder.lstat().st_uid == os.getuid() and not folder.is_symlink()
        except OSError:  # another page is just removing it
            continue
        if ours and number.isdigit() and not _lives(int(number)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's, or no process at all
        return True
    return True


def _size(kept: Kept) -> int:
    files = sum(path.stat().st_size for path in kept.folder.rglob("*") if path.is_file())
    return files + sum(len(each) for each in kept.secret.values() if isinstance(each, bytes))
