"""Write a file all at once or not at all, and over nothing that is in the way.

The bytes go to a temporary file beside the target, are flushed to the disk, and only then take
the target's name. Whatever fails (a full disk, no permission, Ctrl-C) leaves what was there
before, and no half file.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from morebits.errors import FileNotWritten, MorebitsError

#: What a file system without hard links answers to `os.link`.
_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK)


def write_bytes(
    path: str | os.PathLike[str],
    data: bytes,
    *,
    force: bool = False,
    check: Callable[[Path], None] | None = None,
) -> None:
    """Write `data` to `path`; FileNotWritten, with nothing changed, when that cannot be done.

    A file that exists is replaced only with `force`, and keeps its permissions; a symbolic link
    is followed, and only regular files are replaced. `check` gets the temporary file that is
    complete on the disk; if it raises, the target stays as it was.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "out.bin"
    >>> write_bytes(path, b"secret")
    >>> path.read_bytes()
    b'secret'
    >>> write_bytes(path, b"other")
    Traceback (most recent call last):
        ...
    morebits.errors.FileNotWritten: ...out.bin: exists; ... or overwrite it with force (--force)
    >>> folder.cleanup()
    """
    write_with(path, lambda part: part.write_bytes(data), force=force, check=check)


def write_with(
    path: str | os.PathLike[str],
    fill: Callable[[Path], object],
    *,
    force: bool = False,
    check: Callable[[Path], None] | None = None,
) -> None:
    """As `write_bytes`, for bytes that are never all in memory: `fill` writes the file it is given.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> write_with(Path(folder.name) / "out.txt", lambda part: part.write_text("secret"))
    >>> (Path(folder.name) / "out.txt").read_text()
    'secret'
    >>> folder.cleanup()
    """
    check_target(path, force=force)
    target = Path(os.path.realpath(path) if force else path)
    try:
        _write(target, fill, force, check)
    except MorebitsError:  # of the check
        raise
    except FileExistsError:  # it appeared while we were writing
        raise _exists(path) from None
    except (OSError, ValueError) as error:
        raise _failed(path, error) from None


def check_target(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Raise what `write_bytes` would, as far as that can be known before the work is done.

    >>> check_target("no/such/folder/out.bin")
    Traceback (most recent call last):
        ...
    morebits.errors.FileNotWritten: no/such/folder/out.bin: its folder does not exist; make ...
    """
    try:
        folder = Path(os.path.realpath(path) if force else path).parent
        found, usable = folder.is_dir(), os.access(folder, os.W_OK)
        taken, kind = _mode(path, follow=False), _mode(path, follow=True)
    except (OSError, ValueError) as error:  # a name that is too long, or with a NUL byte
        raise _failed(path, error) from None
    if not found:
        raise FileNotWritten(path, "its folder does not exist", "make the folder or choose another")
    if kind and stat.S_ISDIR(kind):
        raise FileNotWritten(path, "is a directory", "give the name of a file")
    if kind and not stat.S_ISREG(kind):
        raise FileNotWritten(path, "is not a regular file", "give the name of a file")
    if taken and not force:
        raise _exists(path)
    if not usable:
        raise _failed(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def _mode(path: str | os.PathLike[str], *, follow: bool) -> int | None:
    """What is there, as in `stat`; None for nothing."""
    try:
        return Path(path).stat(follow_symlinks=follow).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _write(
    target: Path,
    fill: Callable[[Path], object],
    force: bool,
    check: Callable[[Path], None] | None,
) -> None:
    """The bytes to a temporary file, then into place."""
    part = target.with_name(f".morebits-{secrets.token_hex(6)}.part")
    kept = _mode(target, follow=True) if force else None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # Private until it has the permissions of the file it replaces: it may hold a secret.
    os.close(os.open(part, flags, 0o666 if kept is None else 0o600))
    try:
        mode = part.stat().st_mode
        fill(part)
        part.chmod(mode)  # safetensors puts a private file of its own in this one's place
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        if check is not None:
            check(part)
        if kept is not None:
            part.chmod(stat.S_IMODE(kept))
        if force:
            part.replace(target)
        else:
            _move(part, target)
    finally:
        part.unlink(missing_ok=True)


def _move(part: Path, target: Path) -> None:
    """Give the file its name, unless that name is taken, also by someone else just now."""
    try:
        os.link(part, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Without hard links: take the name with an empty file of our own, then replace that.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        try:
            part.replace(target)
        except BaseException:
            target.unlink(missing_ok=True)
            raise


def _exists(path: str | os.PathLike[str]) -> FileNotWritten:
    fix = "choose another name, or overwrite it with force (--force)"
    return FileNotWritten(path, "exists", fix)


def _failed(path: str | os.PathLike[str], error: OSError | ValueError) -> FileNotWritten:
    reason = getattr(error, "strerror", None) or str(error)
    fixes = {
        errno.ENOSPC: "make room or choose another disk",
        errno.EDQUOT: "make room or choose another disk",
        errno.EFBIG: "choose another disk, this one takes no file of this size",
        errno.EACCES: "choose a folder that you may write to",
        errno.EPERM: "choose a folder that you may write to",
        errno.EROFS: "choose a folder that you may write to",
        errno.ENAMETOOLONG: "choose a shorter name",
    }
    number = getattr(error, "errno", None)
    fix = fixes.get(number, "choose another file") if number else "choose another file"
    return FileNotWritten(path, f"cannot be written ({reason})", fix)
