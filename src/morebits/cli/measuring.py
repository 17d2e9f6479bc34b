"""`morebits capacity`: how many bits fit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from morebits.cli import arguments
from morebits.types import ImageFormat

EXAMPLES = """\
Examples:

- `morebits capacity photo.jpg --psnr 42`
- `morebits capacity photo.jpg --psnr 30:60:5 --under "crop:0.5|linjpeg:10"`
- `morebits capacity --size 256x256 --psnr 42 --under rotate:30 --bound certified --json`
"""

Levels = Annotated[tuple[str, ...], Parameter(negative=(), metavar="DB", allow_leading_hyphen=True)]
Size = Annotated[str | None, Parameter(metavar="WxH", allow_leading_hyphen=True)]


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
    max_megapixels: arguments.Megapixels = None,
    as_json: arguments.Json = False,
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
    max_megapixels
        Refuse larger pictures (default 100); raise it for files that you trust.
    as_json
        Print one JSON object, or a list of them for several PSNRs.
    """
    source = arguments.source(picture, size, channels=channels, depth=depth)
    levels = arguments.parse_psnr(psnr)

    from morebits import measure
    from morebits.cli import show, terminal

    if not isinstance(source, ImageFormat):
        source = terminal.with_notes(arguments.read(source, max_megapixels))
    with terminal.working(f"measuring under {under}" if under else "measuring"):
        found = measure.curve(
            source,
            psnr=levels, under=under, bound=bound, cover=cover, peak=peak, covers_bits=covers_bits,
        ).capacities  # fmt: skip
    if as_json:
        plain = [each.to_dict() for each in found]
        show.print_json(plain[0] if len(plain) == 1 else plain)
    else:
        show.table(found)
