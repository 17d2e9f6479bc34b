"""Sign a picture: a C2PA manifest in the file, and a compact one in the pixels."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

from morebits import __version__, files, hiding, images
from morebits.errors import DoesNotFit, ImageError, InputError, UnknownName
from morebits.images import Picture
from morebits.provenance import certificates, embedded, sealed
from morebits.provenance.certificates import PathLike, Signer
from morebits.provenance.claim import Claim
from morebits.provenance.description import describe

#: PSNR of the marked picture in dB, and what the manifest is read after, unless told otherwise.
PSNR, SURVIVE = 45.0, ("jpeg:70|crop:0.8",)

Certificate = Literal["auto", "whole", "reference"]


@dataclass(frozen=True)
class Signed:
    """A picture that was signed and written to `path`.

    `hidden_bytes` are those of the manifest in the pixels, `file_bytes` those of the C2PA manifest
    in the file. `certificate` is "whole" where the pixels hold it, or "reference": then readers
    need the certificate. The manifest was read after each edit of `survives`; `psnr` in dB is
    measured. `notes` say what the file could not keep.
    """

    path: Path
    claim: Claim
    signer: str
    fingerprint: str
    certificate: Literal["whole", "reference"]
    hidden_bytes: int
    file_bytes: int
    psnr: float
    survives: tuple[str, ...]
    notes: tuple[str, ...] = ()


def sign(
    cover: Any,
    out: PathLike,
    *,
    cert: PathLike,
    key: PathLike,
    password: bytes | None = None,
    title: str | None = None,
    creator: str | None = None,
    actions: Sequence[str] = (),
    certificate: Certificate = "auto",
    psnr: float = PSNR,
    survive: Sequence[str] | str = SURVIVE,
    quality: int | None = None,
    force: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Signed:
    """Write `out`, a copy of a picture that says who made it, also when its metadata is gone.

    `cert` is a file with your certificate and its issuers, `key` one with its private key
    (P-256 or Ed25519), opened with `password` if it has one. `title`, `creator` and `actions`
    (edits that you declare, as C2PA names them) are signed with the time of your clock and a
    description of the picture, which is then changed by `psnr` dB so that all this survives the
    edits `survive`. The `certificate` goes into the pixels as a whole where it fits ("auto"),
    always, or never ("reference").

    DoesNotFit says how much is too much. CertificateError: no good certificate or key.

    >>> from morebits.provenance import trial
    >>> from morebits.provenance.verifying import verify
    >>> noise = np.random.default_rng(1).normal(0, 8, (240, 320))
    >>> y, x = np.mgrid[0:240, 0:320]
    >>> photo = np.rint(120 + 60 * np.sin(x / 25) * np.cos(y / 31) + noise).astype(np.uint8)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mine = trial.write(f"{folder}/try")
    ...     own, out = {"cert": mine.cert, "key": mine.key}, f"{folder}/signed.png"
    ...     _ = sign(photo, out, **own, certificate="reference", psnr=42, survive=())
    ...     verify(out, trust=[mine.cert]).verdict
    'trusted'
    """
    target, picture = Path(out), images.read(cover)
    check_target(target, picture, quality, force=force)
    if certificate not in ("auto", "whole", "reference"):
        raise UnknownName("certificate", str(certificate), ("auto", "whole", "reference"))
    signer = certificates.load_signer(cert, key, password)
    claim = _claim(picture, title, creator, actions)
    options = {"psnr": psnr, "survive": survive, "progress": progress}
    kind, data, marked = _hidden(picture, claim, signer, certificate, options)
    manifest = embedded.definition(
        title=title or target.name, creator=creator, actions=claim.actions,
        mark=base64.b64encode(data).decode(), version=__version__,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / f"marked{target.suffix.lower()}"
        notes = marked.save(plain, quality=quality)
        parent, its_format = _parent(picture, Path(folder))
        whole, length = embedded.add(plain, parent, its_format, manifest, signer)
        files.write_bytes(target, whole, force=force, check=_same_pixels(plain, target))
    return Signed(
        target, sealed.unseal(data).claim, certificates.name(signer.certificate),
        certificates.fingerprint(signer.certificate).hex(), kind, len(data), length,
        marked.psnr, marked.survives, notes,
    )  # fmt: skip


def check_target(target: Path, picture: Picture, quality: int | None, *, force: bool) -> None:
    """Raise what `sign` would for such a file, before any work is done."""
    if target.suffix.lower() not in embedded.MIMES:
        raise UnknownName("suffix of a signed picture", target.suffix, sorted(embedded.MIMES))
    images.check_write(target, picture, fragile=False, quality=quality, force=force)


def _claim(
    picture: Picture, title: str | None, creator: str | None, actions: Sequence[str]
) -> Claim:
    if isinstance(actions, str):
        raise InputError("actions", actions, "give a list of names")
    height, width = picture.array.shape[:2]
    now = datetime.now(UTC).replace(microsecond=0)
    return Claim(now, width, height, describe(picture.array), title, creator, tuple(actions))


def _hidden(
    picture: Picture, claim: Claim, signer: Signer, certificate: Certificate,
    options: dict[str, Any],
) -> tuple[Literal["whole", "reference"], bytes, hiding.Marked]:  # fmt: skip
    """What is hidden, with the whole certificate if wished for or if it fits, and the picture."""
    if certificate != "reference":
        data = sealed.seal(claim, signer, whole=True)
        try:
            return "whole", data, hiding.hide(picture, data, **options)
        except DoesNotFit as error:
            if certificate == "whole":
                raise _too_long(error, data, claim, whole=True) from None
    named = replace(claim, signer=certificates.name(signer.certificate))
    data = sealed.seal(named, signer, whole=False)
    try:
        return "reference", data, hiding.hide(picture, data, **options)
    except DoesNotFit as error:
        raise _too_long(error, data, claim, whole=False) from None


def _too_long(error: DoesNotFit, data: bytes, claim: Claim, *, whole: bool) -> DoesNotFit:
    """What does not fit, and what might be left out."""
    less = ["give the certificate by reference (certificate='reference')"] if whole else []
    parts = {"title": claim.title, "creator": claim.creator, "actions": " ".join(claim.actions)}
    said = [f"the {name} ({len(text.encode())} bytes)" for name, text in parts.items() if text]
    if said:
        less.append(f"leave out {', '.join(said)}")
    fix = ", ".join([*less, "ask for milder edits (survive) or a lower PSNR, or use more pixels"])
    kind = "whole certificate" if whole else "certificate by reference"
    what = error.what.replace("the payload", f"the manifest ({kind})")
    return DoesNotFit(what, len(data), error.capacity, "bytes", fix)


def _parent(picture: Picture, folder: Path) -> tuple[Path, str]:
    """The file that was signed and its format, where C2PA knows it; a PNG of it otherwise."""
    path, name = picture.path, picture.file_format
    if path is not None and name is not None and embedded.takes(name):
        return path, name
    parent = folder / "cover.png"
    images.write(parent, picture.array, replace(picture, path=None), fragile=False)
    return parent, "PNG"


def _same_pixels(plain: Path, target: Path) -> Callable[[Path], None]:
    """A check that the file with the manifest still shows what was revealed before."""

    def check(written: Path) -> None:
        if not np.array_equal(images.read(written).array, images.read(plain).array):
            problem = "the pixels of the file with the manifest are others, it was removed"
            raise ImageError(target, problem, "write a PNG instead, and report this")

    return check
