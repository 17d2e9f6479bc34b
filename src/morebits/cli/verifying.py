"""`morebits verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from morebits.cli import arguments, terminal

EXAMPLES = """\
Examples:

- `morebits verify edited.jpg --trust authority.pem`
- `morebits verify edited.jpg --trust partners.pem --trust own.pem --json`
- `morebits verify edited.jpg`

Exit code 0 means trusted: rightly signed, by somebody whom a certificate of --trust vouches for,
and this is the picture that was signed. Exit code 1 is any other answer; the words say which.
"""

Files: TypeAlias = Annotated[tuple[Path, ...], Parameter(negative=(), show_default=False)]


def verify(
    picture: Path,
    /,
    *,
    trust: Files = (),
    seconds: Annotated[float, Parameter(metavar="S", allow_leading_hyphen=True)] = 10.0,
    max_megapixels: arguments.Megapixels = None,
    as_json: arguments.Json = False,
) -> int:
    """Say who signed a picture, from its pixels, and what of that holds.

    Parameters
    ----------
    picture
        The signed picture, or an edited copy of it.
    trust
        Certificates that you trust, in PEM or DER: of signers, or of authorities that issued
        theirs; may be repeated.
    seconds
        How long to look for what edits left in the pixels.
    max_megapixels
        Refuse larger pictures (default 100); raise it for files that you trust.
    as_json
        Print one JSON object.
    """
    from morebits.cli import show_provenance
    from morebits.provenance import verifying

    image = terminal.with_notes(arguments.read(picture, max_megapixels))
    with terminal.working(f"looking into {picture}"):
        found = verifying.verify(image, trust=trust, seconds=seconds)
    show_provenance.verified(found, as_json=as_json)
    return 0 if found else 1
