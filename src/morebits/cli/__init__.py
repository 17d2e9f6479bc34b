"""The command `morebits`: parses, calls, prints.

Results go to stdout, progress and errors to stderr. Exit codes: 0 done, 2 wrong use (one
line that says what to do), 130 interrupted, 141 the reader of the output went away.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, CycloptsError, Parameter

from morebits import __version__
from morebits.cli import arguments
from morebits.errors import InputError, MorebitsError
from morebits.types import ImageFormat

if TYPE_CHECKING:
    from morebits.images import Picture

_EXAMPLES = """\
Examples:

- `morebits capacity photo.jpg --psnr 42`
- `morebits capacity photo.jpg --psnr 30:60:5 --under "crop:0.5|linjpeg:10"`
- `morebits capacity --size 256x256 --psnr 42 --under rotate:30 --bound certified --json`
- `morebits demo --out demo`
"""

app = App(
    name="morebits",
    help="How many bits can an image hide?",
    help_epilogue=_EXAMPLES,
    help_format="markdown",
    version=__version__,
    result_action="return_none",
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
)

Levels = Annotated[tuple[str, ...], Parameter(negative=(), metavar="DB", allow_leading_hyphen=True)]
Size = Annotated[str | None, Parameter(metavar="WxH", allow_leading_hyphen=True)]
Folder = Annotated[Path, Parameter(name=["--out", "-o"])]


@app.command
def capacity(
    picture: Path | None = None,
    /,
    *,
    psnr: Levels,
    size: Size = None,
    under: Annotated[str | None, Parameter(metavar="EDITS")] = None,
    bound: Annotated[str | None, Parameter(metavar="N|certified")] = None,
    cover: Literal["gray", "corner"] | None = None,
    channels: int | None = None,
    depth: int | None = None,
    peak: float | None = None,
    covers_bits: float = 0.0,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """How many bits fit into a picture, or into any picture of a size, at a PSNR.

    Parameters
    ----------
    picture
        The cover: a picture file. Give this or --size.
    psnr
        Lowest PSNR in dB: a number, a list `36,42`, or a range `10:60:5`; may be repeated.
    size
        WIDTHxHEIGHT of a cover that is not a file, for example 256x256.
    under
        Linear edits that the bits survive, joined with `|`: `"crop:0.5|linjpeg:10"`.
    bound
        A bound of the paper, 1 to 13, or `certified`; left out: the best valid one.
    cover
        Mid-gray (most room) or a saturated corner (least); left out: gray, or the picture itself.
    channels
        With --size: channels of the cover (default 3).
    depth
        With --size: bits a sample, 1 to 16 (default 8).
    peak
        Peak of the PSNR; left out: 2^depth - 1 (the paper's tables use 256).
    covers_bits
        Bits kept to tell covers apart, log2 of their number: 10240 in the paper's VQ example.
    as_json
        Print one JSON object, or a list of them for several PSNRs.
    """
    source = arguments.source(picture, size, channels=channels, depth=depth)
    levels = arguments.parse_psnr(psnr)

    from morebits import measure
    from morebits.cli import show

    cover_or_format = source if isinstance(source, ImageFormat) else _read(source)
    with show.working(f"measuring under {under}" if under else None):
        found = measure.curve(
            cover_or_format,
            psnr=levels, under=under, bound=bound, cover=cover, peak=peak, covers_bits=covers_bits,
        ).capacities  # fmt: skip
    if as_json:
        show.print_json(found)
    else:
        show.table(found)


@app.command
def demo(*, out: Folder = Path("demo")) -> None:
    """Measure a real photo: a table here, a figure and a page in a folder.

    Parameters
    ----------
    out
        Folder to write to; made if it is not there.
    """
    folder = _folder(out)
    from morebits import demo as room
    from morebits.cli import show

    show.demo(room.run(folder, _progress))


@app.command
def paper(*, out: Folder = Path("paper")) -> None:
    """Write every theoretical table and figure of the paper beside our own numbers.

    Parameters
    ----------
    out
        Folder to write to; made if it is not there.
    """
    folder = _folder(out)
    from morebits import paper as room

    files = room.regenerate(folder, _progress)
    print(f"wrote {len(files)} files, start with {files[-1]}")


def _read(path: Path) -> Picture:
    from morebits import images

    picture = images.read(path)
    for note in picture.notes:
        _progress(f"morebits: note: {path}: {note}")
    return picture


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        app(None if argv is None else list(argv))
        sys.stdout.flush()
    except (MorebitsError, CycloptsError) as error:
        _progress(f"morebits: {_one_line(error)}")
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Python flushes once more at its end, and would complain about the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, MorebitsError) else f"{text} (try --help)"


def _folder(path: Path) -> Path:
    """Make the folder, or say why that cannot be done, before anything is computed."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        expected = f"cannot be written ({error.strerror}), give another folder"
        raise InputError("--out", str(path), expected) from None
    return path


def _progress(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
