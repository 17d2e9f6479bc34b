"""`morebits hide` and `morebits reveal`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from morebits.cli import arguments, bulk, inputs, terminal
from morebits.cli.processes import Cluster, Jobs
from morebits.errors import FileNotWritten, InputError

HIDE_EXAMPLES = """\
Put a PDF into a photo, and get it back:

- `morebits hide photo.jpg -o marked.png --file report.pdf`
- `morebits reveal marked.png -o report.pdf`

Encrypted, so that nobody without the key can read it or tell that it is there:

- `morebits hide photo.jpg -o marked.png --file report.pdf --key-file key.txt`
- `morebits reveal marked.png -o report.pdf --key-file key.txt`

A line of text, or what another program prints:

- `morebits hide photo.jpg -o marked.png --text "made by me"`
- `tar cz folder | morebits hide photo.jpg -o marked.png`

Every picture of a folder, or of a pattern, with the same payload:

- `morebits hide photos/ -o marked/ --file note.txt --jobs 2`
- `morebits reveal "marked/*.png" -o notes/`

Any edit of the marked picture destroys the payload, so it is written only to lossless files:
.png, .tif, .webp, .jp2, .bmp, .ppm. Send it as a file: services that compress pictures again
destroy it too. Exit code 1 means that the payload does not fit.
"""
REVEAL_EXAMPLES = """\
Examples:

- `morebits reveal marked.png`
- `morebits reveal marked.png -o report.pdf --key-file key.txt`
- `morebits reveal marked.tif --json`

Exit code 0 means found. Exit code 1 means that nothing was found with this key, or that the
picture was changed after the payload was hidden; then nothing is written.
"""

Key: TypeAlias = Annotated[str | None, Parameter(metavar="K", allow_leading_hyphen=True)]
Out: TypeAlias = Annotated[Path, Parameter(name=["--out", "-o"])]
Level: TypeAlias = Annotated[float | None, Parameter(metavar="DB", allow_leading_hyphen=True)]


def hide(
    cover: Path,
    /,
    *more: Path,
    out: Out,
    text: Annotated[str | None, Parameter(metavar="T", allow_leading_hyphen=True)] = None,
    file: Annotated[Path | None, Parameter(allow_leading_hyphen=True)] = None,
    psnr: Level = None,
    fill: arguments.Flag = False,
    key: Key = None,
    key_file: Path | None = None,
    codec: Literal["trellis", "box"] = "trellis",
    states: int | None = None,
    mask: arguments.Flag = False,
    upright: arguments.Flag = False,
    max_megapixels: arguments.Megapixels = None,
    force: arguments.Flag = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    as_json: arguments.Json = False,
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
        The marked picture to write: .png, .tif, .webp, .jp2, .bmp or .ppm. For many pictures: a
        folder; names are kept, and lossy formats become .png.
    text
        Hide this text.
    file
        Hide this file, whatever it is; `-` is stdin, which is also used when something is piped in.
    psnr
        Lowest PSNR in dB, default 42: higher is less visible and holds less.
    fill
        No lowest PSNR: take whatever the picture can hold at all, seen or not.
    key
        Encrypt with this password. Others may see it in the list of processes: --key-file is safer.
    key_file
        Read the key from this file; or set the environment variable MOREBITS_KEY.
    codec
        How it is hidden: `trellis` in any picture, `box` (the paper's) in a mid-gray one.
    states
        Of the trellis, a power of two, default 1024: more hold a little more and take longer.
    mask
        Change busy parts of the picture rather than smooth ones; a little less fits then.
    upright
        Turn a picture that lies on its side (EXIF orientation) upright first.
    max_megapixels
        Refuse larger pictures (default 100); raise it for files that you trust.
    force
        Overwrite the file if it exists. Without it, many pictures skip those that exist.
    jobs
        For many pictures: processes, default one a core.
    cluster
        For many pictures: the Dask scheduler at tcp://HOST:PORT, whose workers see the same files.
    as_json
        Print one JSON object.
    """
    inputs.check_sources(text, file)
    if fill and psnr is not None:
        raise InputError("--psnr", psnr, "leave it out, --fill has no lowest PSNR")
    options = _options(codec, states, mask=mask)

    from morebits import hiding, images
    from morebits.cli import show
    from morebits.codecs.container import MAX_PAYLOAD

    level = hiding.DEFAULT_PSNR if psnr is None else psnr
    if bulk.is_bulk((cover, *more)):
        from morebits.bench.bulk import Hiding

        secret = inputs.key(key, key_file)
        payload = inputs.payload(text, file, limit=MAX_PAYLOAD)
        what = Hiding(payload, level, fill, secret, codec, options, upright)
        return bulk.hide(
            (cover, *more), out, what,
            jobs=jobs, cluster=cluster, force=force, max_megapixels=max_megapixels,
        )  # fmt: skip
    bulk.check_single(jobs, cluster)
    picture = terminal.with_notes(arguments.read(cover, max_megapixels))
    if upright:
        picture = images.upright(picture)
    images.check_write(out, picture, force=force)
    secret = inputs.key(key, key_file)
    payload = inputs.payload(text, file, limit=MAX_PAYLOAD)
    with terminal.working(f"hiding {len(payload):,} bytes") as update:
        if codec == "trellis":
            options["progress"] = update
        marked = hiding.hide(
            picture, payload, psnr=level, fill=fill, key=secret, codec=codec, **options
        )
    with terminal.working(f"writing {out}, and revealing it again"):
        for note in marked.save(out, force=force):
            terminal.say(f"morebits: note: {out}: {note}")
    show.hidden(marked, out, level=None if fill else level, as_json=as_json)
    return 0


def reveal(
    picture: Path,
    /,
    *more: Path,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    key: Key = None,
    key_file: Path | None = None,
    max_megapixels: arguments.Megapixels = None,
    force: arguments.Flag = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    as_json: arguments.Json = False,
) -> int:
    """Get back what `morebits hide` put into a picture.

    Parameters
    ----------
    picture
        The marked picture, the very file that `hide` wrote. Or a folder, or a pattern in
        quotes: then every picture is revealed, and a JSON line printed for each.
    more
        More pictures.
    out
        Write the payload to this file; left out: to stdout. For many pictures: a folder, for
        files NAME.bin; left out: the payloads are in the lines, in base64.
    key
        The key that it was hidden with; see `morebits hide --help`.
    key_file
        Read the key from this file; or set the environment variable MOREBITS_KEY.
    max_megapixels
        Refuse larger pictures (default 100); raise it for files that you trust.
    force
        Overwrite the file if it exists. Without it, many pictures skip those that exist.
    jobs
        For many pictures: processes, default one a core.
    cluster
        For many pictures: the Dask scheduler at tcp://HOST:PORT, whose workers see the same files.
    as_json
        Print one JSON object; without --out it has the payload in it, in base64.
    """
    from morebits import files, hiding
    from morebits.cli import show

    if bulk.is_bulk((picture, *more)):
        return bulk.reveal(
            (picture, *more), out, inputs.key(key, key_file),
            jobs=jobs, cluster=cluster, force=force, max_megapixels=max_megapixels,
        )  # fmt: skip
    bulk.check_single(jobs, cluster)
    if out is not None:
        files.check_target(out, force=force or _same(out, picture))
        if _same(out, picture):
            raise FileNotWritten(out, "is the picture itself", "choose another name")
    secret = inputs.key(key, key_file)
    image = arguments.read(picture, max_megapixels)
    with terminal.working(f"revealing what is in {picture}"):
        found = hiding.reveal(image, key=secret)
    payload = found.payload if found else None
    if payload is None:
        terminal.with_notes(image)
        terminal.say(f"morebits: {image.name}: {_why_not(found.status, keyed=secret is not None)}")
    elif out is not None:
        files.write_bytes(out, payload, force=force)
    elif not as_json:
        _print(payload)
    if as_json:
        show.revealed(found, out)
    elif payload is not None and out is not None:
        show.written(out, len(payload))
    return 0 if found else 1


def _options(codec: str, states: int | None, *, mask: bool) -> dict[str, Any]:
    """Options of the trellis; no other codec has them."""
    given: dict[str, Any] = {} if states is None else {"states": states}
    if mask:
        from morebits.codecs import masks

        given["mask"] = masks.texture
    if codec != "trellis" and given:
        name, value = ("--mask", True) if states is None else ("--states", states)
        raise InputError(name, value, f"leave it out, {codec} does not have it")
    return given


def _why_not(status: str, *, keyed: bool) -> str:
    if status == "altered":
        return (
            "something is hidden here, but the picture was changed after that; "
            "get the file that `morebits hide` wrote"
        )
    if keyed:
        return "nothing found with this key; check the key, and that nobody edited the picture"
    return (
        "nothing found without a key; give the key if there is one (--key-file), "
        "and check that nobody edited the picture"
    )


def _print(payload: bytes) -> None:
    """The payload as it is; a terminal gets text only, which cannot do anything to it."""
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(payload)
        return
    text = _printable(payload)
    if text is None:
        expected = "a terminal shows text only, write it to a file with -o"
        raise InputError("payload", f"{len(payload):,} bytes", expected)
    print(text, end="" if text.endswith("\n") else "\n")


def _printable(payload: bytes) -> str | None:
    """The text of the payload; None where a terminal would do more than show it."""
    try:
        text = payload.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    return text if all(each.isprintable() or each in "\n\t" for each in text) else None


def _same(out: Path, picture: Path) -> bool:
    try:
        return out.samefile(picture)
    except (OSError, ValueError):  # one of them does not exist
        return False
