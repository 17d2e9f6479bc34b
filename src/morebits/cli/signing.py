"""`morebits sign`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

from morebits.cli import arguments, terminal
from morebits.cli.hiding import Edits, Out
from morebits.errors import InputError

EXAMPLES = """\
Sign a photo, and verify a copy that was cut, compressed and stripped of its metadata:

- `morebits sign photo.jpg -o signed.jpg --cert cert.pem --key key.pem --creator "Ann Example"`
- `morebits attack signed.jpg edited.jpg "crop:0.8|jpeg:70"`
- `morebits verify edited.jpg --trust authority.pem`

Declare what you did to the picture, in C2PA's words:

- `morebits sign photo.jpg -o signed.jpg --cert cert.pem --key key.pem --action c2pa.cropped
  --action c2pa.color_adjustments`

Without a certificate, to try it out; this makes one in a new folder, and its authority:

- `morebits sign photo.jpg -o signed.jpg --test-certificate try`
- `morebits verify signed.jpg --trust try/authority.pem`

The certificate is one for documents or e-mail with a key of the kind P-256 or Ed25519, as C2PA asks
for. Nothing leaves the machine. Exit code 1 means that the manifest does not fit into the picture.
"""

Words: TypeAlias = Annotated[
    tuple[str, ...], Parameter(negative=(), metavar="NAME", show_default=False)
]


def sign(
    cover: Path,
    /,
    *,
    out: Out,
    cert: Path | None = None,
    key: Path | None = None,
    password_file: Path | None = None,
    test_certificate: Annotated[Path | None, Parameter(metavar="FOLDER")] = None,
    title: str | None = None,
    creator: str | None = None,
    action: Words = (),
    certificate: Literal["auto", "whole", "reference"] = "auto",
    psnr: Annotated[float, Parameter(metavar="DB", allow_leading_hyphen=True)] = 45.0,
    survive: Edits = (),
    quality: Annotated[int | None, Parameter(metavar="Q", allow_leading_hyphen=True)] = None,
    max_megapixels: arguments.Megapixels = None,
    force: arguments.Flag = False,
    as_json: arguments.Json = False,
) -> int:
    """Sign a picture: who made it stays in the pixels when the metadata is gone.

    The file gets a C2PA manifest, and the pixels a compact signed one, so that `morebits verify`
    finds it after the metadata was stripped and the picture was cut, resized or compressed.

    Parameters
    ----------
    cover
        The picture to sign; it is never changed.
    out
        The signed picture to write: .jpg, .png, .tif, .webp or .avif.
    cert
        Your certificate in PEM, followed by those of its issuers.
    key
        The private key of your certificate, in PEM or DER: P-256 or Ed25519.
    password_file
        Read the password of the key from this file, if it has one.
    test_certificate
        Instead of --cert and --key: make both in this new folder, to try it out.
    title
        What the picture is called.
    creator
        Who made the picture.
    action
        What you did to the picture, as C2PA calls it, such as c2pa.cropped; may be repeated.
    certificate
        Put the certificate into the pixels as a whole (`auto`: if it fits), or by `reference`:
        shorter, and whoever verifies needs the certificate.
    psnr
        PSNR in dB: higher is less visible, and less fits.
    survive
        Edits after which the manifest must be readable, each of them, default "jpeg:70|crop:0.8";
        may be repeated.
    quality
        Of a .jpg, .avif or .webp, 1 to 100, default 95; a .webp without it is lossless.
    max_megapixels
        Refuse larger pictures (default 100); raise it for files that you trust.
    force
        Overwrite the file if it exists.
    as_json
        Print one JSON object.
    """
    from morebits.cli import show_provenance
    from morebits.provenance import signing

    picture = terminal.with_notes(arguments.read(cover, max_megapixels))
    signing.check_target(out, picture, quality, force=force)
    password = _password(password_file)
    own, secret = _pair(cert, key, test_certificate)
    with terminal.working(f"signing {cover}") as update:
        signed = signing.sign(
            picture, out, cert=own, key=secret, password=password, title=title, creator=creator,
            actions=action, certificate=certificate, psnr=psnr,
            survive=survive or signing.SURVIVE, quality=quality, force=force, progress=update,
        )  # fmt: skip
    for note in signed.notes:
        terminal.say(f"morebits: note: {out}: {note}")
    show_provenance.signed(signed, as_json=as_json)
    return 0


def _pair(cert: Path | None, key: Path | None, folder: Path | None) -> tuple[Path, Path]:
    """The files of the certificate and of its key, made on the spot where that is wished for."""
    if folder is not None:
        if cert is not None or key is not None:
            expected = "leave it out, or leave out --cert and --key"
            raise InputError("--test-certificate", str(folder), expected)
        from morebits.provenance import trial

        made = trial.write(folder)
        terminal.say(f"morebits: note: {made.authority}: the authority of the test certificate")
        return made.cert, made.key
    for name, value in (("--cert", cert), ("--key", key)):
        if value is None:
            raise InputError(name, None, "give a file, or try it out with --test-certificate")
    return Path(cert or ""), Path(key or "")


def _password(path: Path | None) -> bytes | None:
    """The first line of a file, without its end."""
    if path is None:
        return None
    from morebits.cli import inputs

    found = inputs.key(None, path)
    return found.encode() if isinstance(found, str) else found
