"""`morebits attack`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from morebits.cli import arguments, terminal

if TYPE_CHECKING:
    from morebits.attacks import Attack, Attacked
    from morebits.images import Picture

EXAMPLES = """\
Examples:

- `morebits attack marked.png edited.jpg "crop:0.8|jpeg:50"`
- `morebits attack marked.png edited.png "rotate:7|brightness:1.2"`
- `morebits attack photo.jpg sent.jpg social:1080`

A .jpg, .webp or .avif is the very file that the last edit makes (`jpeg:50`), so nothing is
compressed twice. An unknown name gets the list of all names.
"""

Seed = Annotated[int, Parameter(metavar="N", allow_leading_hyphen=True)]


def attack(
    picture: Path,
    out: Path,
    edits: str,
    /,
    *,
    seed: Seed = 0,
    max_megapixels: arguments.Megapixels = None,
    force: arguments.Flag = False,
    as_json: arguments.Json = False,
) -> None:
    """Edit a picture as the world does: crop, rotate, compress, ...

    What is written reads exactly as the benchmark's attack of the same name and seed.

    Parameters
    ----------
    picture
        The picture to edit; it is never changed.
    out
        The file to write: .png, .tif, .bmp, ..., or what the last edit makes.
    edits
        Edits joined with `|`, from left to right: `"crop:0.8|jpeg:50"`.
    seed
        For what is random, such as the place of a crop.
    max_megapixels
        Refuse larger pictures (default 100); raise it for files that you trust.
    force
        Overwrite the file if it exists.
    as_json
        Print one JSON object.
    """
    from morebits import attacks
    from morebits.cli import show

    chosen = attacks.parse(edits)
    source = terminal.with_notes(arguments.read(picture, max_megapixels))
    with terminal.working(f"applying {chosen.text}"):
        written = attacks.write(out, source, chosen, seed=seed, force=force)
    for note in written.notes:
        terminal.say(f"morebits: note: {out}: {note}")
    facts = _facts(source, chosen, written)
    if as_json:
        show.print_json({"file": str(out), "seed": seed, **facts})
    else:
        level = "" if facts["psnr"] is None else f", {facts['psnr']:.2f} dB"
        print(f"{chosen.text}: {facts['width']}x{facts['height']}{level}")
        show.written(out, out.stat().st_size)


def _facts(source: Picture, chosen: Attack, written: Attacked) -> dict[str, object]:
    """The attack, the size it led to, and the PSNR in dB where the sizes can be compared."""
    from morebits import distortion

    result = written.image
    level = None
    if result.shape == source.array.shape and result.dtype == source.array.dtype:
        found = distortion.psnr(source.array, result, peak=2**source.depth - 1)
        level = found if math.isfinite(found) else None
    return {
        "attack": chosen.text,
        "family": chosen.family,
        "width": result.shape[1],
        "height": result.shape[0],
        "psnr": level,
    }
