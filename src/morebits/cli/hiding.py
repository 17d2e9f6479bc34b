"""`morebits hide`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from morebits.cli import arguments, bulk, inputs, terminal
from morebits.cli.common import Common
from morebits.errors import InputError

EXAMPLES = """\
A note that survives what people do to pictures, and back from an edited copy:

- `morebits hide photo.jpg -o marked.jpg --text "made by me"`
- `morebits reveal edited.jpg`

Encrypted, so that nobody without the key can read it:

- `morebits hide photo.jpg -o marked.jpg --file note.txt --key-file key.txt`
- `morebits reveal edited.jpg -o note.txt --key-file key.txt`

As robust as you need it; every edit is tried, and the picture is changed as little as they allow:

- `morebits hide photo.jpg -o marked.jpg --text "made by me" --survive "crop:0.5|jpeg:60"`
- `morebits hide photo.jpg -o marked.jpg --text "made by me" --survive quick --survive hflip`

A whole PDF in a photo, which no edit survives:

- `morebits hide photo.jpg -o marked.png --file report.pdf --codec trellis`
- `tar cz folder | morebits hide photo.jpg -o marked.png --codec trellis`

Every picture of a folder, or of a pattern, with the same payload:

- `morebits hide photos/ -o marked/ --file note.txt --jobs 2`
- `morebits reveal "marked/*.jpg" -o notes/`

What trellis and box hide is lost with any edit, so they write only lossless files: .png, .tif,
.webp, .jp2, .bmp, .ppm. Send those as files: services that compress pictures again destroy them.
Robust marks may also be written to .jpg and .avif. Exit code 1 means that the payload does not
fit, or would not survive.
"""
Out: TypeAlias = Annotated[Path, Parameter(name=["--out", "-o"])]
Level: TypeAlias = Annotated[float | None, Parameter(metavar="DB", allow_leading_hyphen=True)]
Edits: TypeAlias = Annotated[
    tuple[str, ...], Parameter(negative=(), metavar="SUITE|EDITS", show_default=False)
]


def hide(
    cover: Path,
    /,
    *more: Path,
    out: Out,
    text: Annotated[str | None, Parameter(metavar="T", allow_leading_hyphen=True)] = None,
    file: Annotated[Path | None, Parameter(allow_leading_hyphen=True)] = None,
    codec: Literal["robust", "trellis", "box"] = "robust",
    survive: Edits = (),
    psnr: Level = None,
    quality: Annotated[int | None, Parameter(metavar="Q", allow_leading_hyphen=True)] = None,
    fill: arguments.Flag = False,
    states: int | None = None,
    mask: arguments.Flag = False,
    upright: arguments.Flag = False,
    common: Common | None = None,
) -> int:
    """Hide a file or a text in a picture, so that nobody sees it.

    The marked picture looks like the cover, and whoever has it (and the key, if there is one)
    gets the payload back with `morebits reveal`. The cover is never changed. What was written is
    read and revealed again before this says done.

    Parameters
    ----------
    cover
        The picture to hide in: JPEG, PNG, TIFF, WebP, ... of any size. Or a folder, or a
        pattern in quotes: then every picture is marked, and a JSON line printed for each.
    more
        More pictures, all with the same payload.
    out
        The marked picture to write: .jpg, .avif, .png, .tif, .webp, .jp2, .bmp or .ppm. For many
        pictures: a folder; names are kept, and become .png where the format would not do.
    text
        Hide this text.
    file
        Hide this file, whatever it is; `-` is stdin, which is also used when something is piped in.
    codec
        How it is hidden: `robust` survives edits, `trellis` holds far more and does not, `box`
        (the paper's) is for a mid-gray picture.
    survive
        Edits that the payload must survive, each of them: a suite (paper-compact, the default,
        quick, paper, wild), edits such as "crop:0.8|jpeg:50", or none; may be repeated.
    psnr
        PSNR in dB: higher is less visible. Robust: exactly this one, and nothing is tried without
        --survive; default the highest that survives, 45 or more. Trellis and box: the lowest one,
        default 42.
    quality
        Of a .jpg, .avif or .webp for a robust mark, 1 to 100, default 95; a .webp without it is
        lossless.
    fill
        Trellis and box: no lowest PSNR, take whatever the picture can hold at all, seen or not.
    states
        Of the trellis, a power of two, default 1024: more hold a little more and take longer.
    mask
        Trellis: change busy parts of the picture rather than smooth ones; a little less fits then.
    upright
        Turn a picture that lies on its side (EXIF orientation) upright first.
    common
        What both verbs have.
    """
    given = common or Common()
    inputs.check_sources(text, file)
    if fill and psnr is not None:
        raise InputError("--psnr", psnr, "leave it out, --fill has no lowest PSNR")
    options = _options(codec, survive, quality, fill=fill, states=states, mask=mask)

    from morebits import hiding, images
    from morebits.cli import show
    from morebits.codecs.container import MAX_PAYLOAD

    if bulk.is_bulk((cover, *more)):
        from morebits.bench.bulk import Hiding

        secret = given.secret()
        payload = inputs.payload(text, file, limit=MAX_PAYLOAD)
        what = Hiding(payload, psnr, fill, secret, codec, options, upright, quality)
        return bulk.hide((cover, *more), out, what, given)
    given.check_single()
    picture = terminal.with_notes(arguments.read(cover, given.max_megapixels))
    if upright:
        picture = images.upright(picture)
    fragile = codec in hiding.FRAGILE
    images.check_write(out, picture, fragile=fragile, quality=quality, force=given.force)
    secret = given.secret()
    payload = inputs.payload(text, file, limit=MAX_PAYLOAD)
    with terminal.working(f"hiding {len(payload):,} bytes") as update:
        if codec != "box":
            options["progress"] = update
        marked = hiding.hide(
            picture, payload, psnr=psnr, fill=fill, key=secret, codec=codec, **options
        )
    if marked.codec != codec:
        took = f"{marked.codec} took over, which survives what was too much for {codec}"
        terminal.say(f"morebits: note: {took}; it is easier to see in flat parts")
    with terminal.working(f"writing {out}, and revealing it again"):
        for note in marked.save(out, quality=quality, force=given.force):
            terminal.say(f"morebits: note: {out}: {note}")
    show.hidden(marked, out, as_json=given.as_json)
    return 0


def _options(
    codec: str, survive: tuple[str, ...], quality: int | None,
    *, fill: bool, states: int | None, mask: bool,
) -> dict[str, Any]:  # fmt: skip
    """Options of the codec; those that it does not have are refused."""
    for name, value, owners in (
        ("--survive", " ".join(survive), ("robust",)),
        ("--quality", quality, ("robust",)),
        ("--fill", fill, ("trellis", "box")),
        ("--states", states, ("trellis",)),
        ("--mask", mask, ("trellis",)),
    ):
        if value not in (None, "", False) and codec not in owners:
            having = f"{owners[0]} does (--codec {owners[0]})"
            raise InputError(name, value, f"leave it out, {codec} does not have it, {having}")
    given: dict[str, Any] = {"survive": survive} if survive else {}
    if states is not None:
        given["states"] = states
    if mask:
        from morebits.codecs import masks

        given["mask"] = masks.texture
    return given
