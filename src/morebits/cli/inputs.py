"""What goes into a picture and what locks it: from options, files, stdin and the environment."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from morebits.errors import InputError

#: Where a key may stand that is neither in the list of processes nor in the shell's history.
KEY_VARIABLE = "MOREBITS_KEY"

#: Most bytes of a file with a key: whoever gives more has the wrong file.
_KEY_BYTES = 1 << 16
_SOURCES = "give one of --text and --file, or pipe the payload in"


def check_sources(text: str | None, file: Path | None) -> None:
    """Exactly one payload, before anything else is looked at."""
    if text is not None and file is not None:
        raise InputError("payload", "both --text and --file", "give one of them")
    if text is None and file is None and not _piped():
        raise InputError("payload", None, _SOURCES)


def payload(text: str | None, file: Path | None, *, limit: int) -> bytes:
    """The bytes to hide, one more than `limit` at most."""
    if text is not None:
        return os.fsencode(text)  # as they were typed, also where they are not UTF-8
    if file is not None and str(file) != "-":
        return _read("--file", file, limit)
    found = sys.stdin.buffer.read(limit + 1)
    if not found and file is None:  # a stdin that nobody meant, most likely
        raise InputError("payload", "an empty stdin", f"{_SOURCES}; --file - hides no bytes at all")
    return found


def key(word: str | None, file: Path | None) -> str | bytes | None:
    """The key of --key, --key-file or the environment; None where none of them is given."""
    if word is not None and file is not None:
        raise InputError("key", "both --key and --key-file", "give one of them")
    if word is not None:
        return _checked("--key", os.fsencode(word))
    if file is not None:
        found = _read("--key-file", file, _KEY_BYTES)
        if len(found) > _KEY_BYTES:
            raise InputError("--key-file", str(file), f"has over {_KEY_BYTES:,} bytes, not a key")
        return _checked("--key-file", found.removesuffix(b"\n").removesuffix(b"\r"))
    found = os.environ.get(KEY_VARIABLE)
    return None if found is None else _checked(KEY_VARIABLE, os.fsencode(found))


def _checked(source: str, found: bytes) -> str | bytes:
    """Text wherever it is text, so that all sources of the same key agree."""
    if not found:
        raise InputError(source, "", "give at least one letter, or no key at all")
    try:
        return found.decode()
    except UnicodeDecodeError:
        return found


def _read(option: str, path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(limit + 1)
    except (OSError, ValueError) as error:  # a path with a NUL byte is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(option, str(path), f"cannot be read ({reason}), check the path") from None


def _piped() -> bool:
    """Whether something is piped in; a terminal and /dev/null are nothing."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # no stdin, or closed
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)
