"""`morebits demo` and `morebits paper`: verbs that fill a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from morebits.cli import terminal
from morebits.errors import InputError

Folder = Annotated[Path, Parameter(name=["--out", "-o"])]


def demo(*, out: Folder = Path("demo")) -> None:
    """Measure a real photo and hide a file in it: a table here, figures and a page in a folder.

    Parameters
    ----------
    out
        Folder to write to; made if it is not there.
    """
    folder = _folder(out)
    from morebits import demo as room
    from morebits.cli import show

    show.demo(room.run(folder, terminal.say))


def paper(*, out: Folder = Path("paper")) -> None:
    """Write the paper's tables and figures, theory and gray study, beside our own numbers.

    Parameters
    ----------
    out
        Folder to write to; made if it is not there.
    """
    folder = _folder(out)
    from morebits import paper as room

    files = room.regenerate(folder, terminal.say)
    print(f"wrote {len(files)} files, start with {files[-1]}")


def _folder(path: Path) -> Path:
    """Make the folder, or say why that cannot be done, before anything is computed."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        expected = f"cannot be written ({error.strerror}), give another folder"
        raise InputError("--out", str(path), expected) from None
    return path
