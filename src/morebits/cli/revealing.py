"""`morebits reveal`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from morebits.cli import arguments, bulk, terminal
from morebits.cli.common import Common
from morebits.errors import FileNotWritten, InputError
from morebits.human import plain_text

if TYPE_CHECKING:
    from morebits.types import Extraction

EXAMPLES = """\
Examples:

- `morebits reveal marked.png`
- `morebits reveal edited.jpg -o report.pdf --key-file key.txt`
- `morebits reveal screenshot.png --seconds 60 --json`

Exit code 0 means found. Exit code 1 means that nothing was found with this key, or that the
picture was changed after something fragile was hidden; then nothing is written.
"""


def reveal(
    picture: Path,
    /,
    *more: Path,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    seconds: Annotated[float, Parameter(metavar="S", allow_leading_hyphen=True)] = 10.0,
    common: Common | None = None,
) -> int:
    """Get back what `morebits hide` put into a picture, also after edits if it is robust.

    Parameters
    ----------
    picture
        The marked picture, or an edited copy of it. Or a folder, or a pattern in quotes: then
        every picture is revealed, and a JSON line printed for each.
    more
        More pictures.
    out
        Write the payload to this file; left out: to stdout. For many pictures: a folder, for
        files NAME.bin; left out: the payloads are in the lines, in base64.
    seconds
        How long to look for what edits left of a robust mark.
    common
        What both verbs have.
    """
    from morebits import files, hiding
    from morebits.cli import show
    from morebits.codecs.seconds import check_seconds

    given = common or Common()
    check_seconds(seconds)
    if bulk.is_bulk((picture, *more)):
        return bulk.reveal((picture, *more), out, given, seconds=seconds)
    given.check_single()
    if out is not None:
        files.check_target(out, force=given.force or _same(out, picture))
        if _same(out, picture):
            raise FileNotWritten(out, "is the picture itself", "choose another name")
    secret = given.secret()
    image = arguments.read(picture, given.max_megapixels)
    with terminal.working(f"revealing what is in {picture}"):
        found = hiding.reveal(image, key=secret, seconds=seconds)
    payload = found.payload if found else None
    if payload is None:
        terminal.with_notes(image)
        why = _why_not(found, seconds, keyed=secret is not None)
        terminal.say(f"morebits: {image.name}: {why}")
    elif out is not None:
        files.write_bytes(out, payload, force=given.force)
    elif not given.as_json:
        _print(payload)
    if payload is not None and (edits := found.details.get("edits")):
        terminal.say(f"morebits: note: {image.name}: undone: {', '.join(edits)}")
    if given.as_json:
        show.revealed(found, out)
    elif payload is not None and out is not None:
        show.written(out, len(payload))
    return 0 if found else 1


def _why_not(found: Extraction, seconds: float, *, keyed: bool) -> str:
    if found.status == "altered":
        return (
            "something is hidden here, but the picture was changed after that; "
            "get the file that `morebits hide` wrote"
        )
    tried = found.details["tried"]
    what = f"tried {', '.join(tried)}"
    if "robust" in tried:
        what += f" up to {seconds:g} seconds"
    if keyed:
        return f"nothing found with this key ({what}); check the key, or try longer (--seconds)"
    return (
        f"nothing found without a key ({what}); give the key if there is one (--key-file), "
        "or try longer (--seconds)"
    )


def _print(payload: bytes) -> None:
    """The payload as it is; a terminal gets text only, which cannot do anything to it."""
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(payload)
        return
    text = plain_text(payload)
    if text is None:
        expected = "a terminal shows text only, write it to a file with -o"
        raise InputError("payload", f"{len(payload):,} bytes", expected)
    print(text, end="" if text.endswith("\n") else "\n")


def _same(out: Path, picture: Path) -> bool:
    try:
        return out.samefile(picture)
    except (OSError, ValueError):  # one of them does not exist
        return False
