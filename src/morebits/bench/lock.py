"""One run at a time in a folder of results."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import sys
from pathlib import Path
from typing import IO

from morebits.errors import ResultsError

#: Stays in the folder: to remove it would take it away from a run that is just coming in.
NAME = ".lock"

#: What a file system without locks answers; two runs there are kept apart by their records only.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)


class Lock:
    """Held from `Lock(folder)` to `release`; ResultsError when another run holds it.

    The system holds the lock and lets go of it when the process ends, however that happens, so
    the file of a killed run is in nobody's way; what is in it tells people who has the lock.
    """

    def __init__(self, folder: Path):
        self._file: IO[bytes] = (folder / NAME).open("a+b", buffering=0)
        try:
            _take(self._file)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                owner = self._owner()
                self._file.close()
                fix = "wait for it, or give another folder (--out)"
                raise ResultsError(folder, f"{owner} is writing to it", fix) from None
        self._file.truncate(0)
        words = {"pid": os.getpid(), "host": platform.node()}
        with contextlib.suppress(OSError):  # no room for it: the lock is held all the same
            self._file.write(json.dumps(words).encode())

    def release(self) -> None:
        """Let the next run in."""
        self._file.truncate(0)
        self._file.close()

    def _owner(self) -> str:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            self._file.seek(0)
            words = json.loads(self._file.read())
            return f"another run (process {words['pid']} on {words['host']})"
        return "another run"


if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes]) -> None:
        """Lock a byte far behind the text, so that others can still read who has it."""
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
