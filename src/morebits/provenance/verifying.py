"""Verify a picture: find the manifest in its pixels, and say what holds and what does not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from cryptography import x509

from morebits import hiding, images
from morebits.errors import InputError, ManifestError
from morebits.images import Picture
from morebits.provenance import certificates, embedded, reporting, sealed
from morebits.provenance.certificates import PathLike
from morebits.provenance.claim import Claim
from morebits.provenance.description import Likeness, compare
from morebits.provenance.embedded import Embedded
from morebits.provenance.sealed import Sealed
from morebits.provenance.trust import vouch

#: "trusted": all of it holds. "changed": the same, but the picture differs in parts.
#: "untrusted": rightly signed, by somebody whom nobody vouches for. "unchecked": not all that is
#: needed for an answer is there. "invalid": something is wrong. "nothing": no manifest was found.
Verdict = Literal["trusted", "changed", "untrusted", "unchecked", "invalid", "nothing"]

#: Clocks differ: a signature may come from so far in the future.
_CLOCKS = timedelta(minutes=10)


@dataclass(frozen=True)
class Check:
    """One question: `holds` is True, False, or None where it has no answer; `words` say why."""

    name: str
    holds: bool | None
    words: str


@dataclass(frozen=True, eq=False)
class Verification:
    """What `verify` found; truthy only if the verdict is "trusted".

    `checks` are the questions behind the verdict, which are found by name, too:
    `found["picture"]`. `claim` is what the signer says, `signer` the name in the certificate and
    `fingerprint` its SHA-256; they are None unless the signature is right. `edits` were undone to
    read the pixels. `likeness` compares the picture with its description; `embedded` is the C2PA
    manifest of the file, if any. `unchecked` says in words what no part of this can tell.
    """

    verdict: Verdict
    checks: tuple[Check, ...]
    claim: Claim | None = None
    signer: str | None = None
    fingerprint: str | None = None
    edits: tuple[str, ...] = ()
    likeness: Likeness | None = None
    embedded: Embedded | None = None
    unchecked: tuple[str, ...] = field(default=reporting.NEVER_CHECKED)

    def __bool__(self) -> bool:
        return self.verdict == "trusted"

    def __getitem__(self, name: str) -> Check:
        return {each.name: each for each in self.checks}[name]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, ready for JSON."""
        return reporting.plain(self)


def verify(
    image: Any, *, trust: Iterable[PathLike | x509.Certificate] = (), seconds: float = 10.0
) -> Verification:
    """What holds of a picture that may have been signed, edited, and stripped of its metadata.

    `trust` are the certificates, or files of them, that you trust: of signers, or of authorities
    that issued theirs. Without them nobody vouches for a name, and certificates that are not in
    the pixels cannot be looked up. The pixels are searched up to `seconds`. Nobody is asked over
    the network.

    >>> import numpy as np
    >>> verify(np.zeros((30, 30, 3), np.uint8)).verdict
    'nothing'
    """
    picture, trusted = images.read(image), _trusted(trust)
    file = _file(picture, trusted)
    found = hiding.reveal(picture, codec="robust", seconds=seconds)
    if found.payload is None:
        said = reporting.nothing(seconds)
        return _answer([Check("hidden", None, said)], file, None, None, "nothing")
    edits = tuple(found.details["edits"])
    try:
        manifest = sealed.unseal(found.payload)
        likeness = compare(
            manifest.claim.description, picture.array, found.details["matrix"],
            (manifest.claim.width, manifest.claim.height),
        )  # fmt: skip
    except ManifestError as error:
        said = f"{len(found.payload):,} bytes are hidden, but no manifest: {error.problem}"
        return _answer([Check("hidden", False, said)], file, None, None, "invalid")
    return judge(manifest, found.payload, likeness, trusted, datetime.now(UTC), edits, file)


def judge(
    manifest: Sealed, payload: bytes, likeness: Likeness, trusted: Sequence[x509.Certificate],
    now: datetime, edits: tuple[str, ...] = (), file: Embedded | None = None,
) -> Verification:  # fmt: skip
    """The verdict on a manifest that was found (`payload` are its bytes), at a time."""
    own = _resolve(manifest, trusted)
    checks = [
        Check("hidden", True, reporting.hidden(len(payload), edits)),
        _signature(manifest, own),
    ]
    right = checks[-1].holds
    if right and own is not None:
        vouched = vouch(own, trusted, now)
        checks += [
            Check("signer", vouched.holds, reporting.signer(own, vouched)),
            _time(manifest.claim, own, now),
        ]
    checks.append(Check("picture", *reporting.picture(likeness)))
    checks.append(Check("file", *reporting.file(file, payload, own)))
    # Of a manifest that may be forged nothing is passed on, not even a name.
    known = (manifest.claim, own) if right else (None, None)
    return _answer(checks, file, *known, _verdict(checks, likeness), edits, likeness)


def _verdict(checks: Sequence[Check], likeness: Likeness) -> Verdict:
    """The worst of all answers; a file without a manifest says nothing against the pixels."""
    holds = {each.name: each.holds for each in checks}
    if False in (holds["signature"], holds.get("time"), holds["file"]):
        return "invalid"
    if likeness.outcome == "other":
        return "invalid"
    if None in (holds["signature"], holds.get("time")) or likeness.outcome == "unknown":
        return "unchecked"
    if holds.get("signer") is not True:
        return "untrusted"
    return "trusted" if likeness.outcome == "same" else "changed"


def _resolve(manifest: Sealed, trusted: Sequence[x509.Certificate]) -> x509.Certificate | None:
    """The certificate in the pixels, or the trusted one that they point to."""
    if manifest.certificate is not None:
        return manifest.certificate
    near = [each for each in trusted if certificates.fingerprint(each).startswith(manifest.hint)]
    return next((each for each in near if manifest.made_with(each)), near[0] if near else None)


def _signature(manifest: Sealed, own: x509.Certificate | None) -> Check:
    if own is None:
        return Check("signature", None, reporting.no_certificate(manifest))
    if not manifest.made_with(own):
        return Check("signature", False, "wrong: the manifest was forged or damaged")
    told = manifest.claim.signer
    if told is not None and told != certificates.name(own):
        return Check("signature", False, "wrong: the name is not that of the certificate")
    return Check("signature", True, "right, for every byte of the manifest")


def _time(claim: Claim, own: x509.Certificate, now: datetime) -> Check:
    when = f"{claim.time:%Y-%m-%d %H:%M:%S} UTC by the signer's own clock"
    if claim.time > now + _CLOCKS:
        return Check("time", False, f"{when}, which is in the future")
    if not own.not_valid_before_utc <= claim.time <= own.not_valid_after_utc:
        return Check("time", False, f"{when}, when the certificate was not valid")
    return Check("time", True, when)


def _answer(
    checks: Sequence[Check], file: Embedded | None, claim: Claim | None,
    own: x509.Certificate | None, verdict: Verdict, edits: tuple[str, ...] = (),
    likeness: Likeness | None = None,
) -> Verification:  # fmt: skip
    if not any(each.name == "file" for each in checks):
        checks = [*checks, Check("file", None, reporting.alone(file))]
    return Verification(
        verdict, tuple(checks), claim,
        None if own is None else certificates.name(own),
        None if own is None else certificates.fingerprint(own).hex(),
        edits, likeness, file,
    )  # fmt: skip


def _file(picture: Picture, trusted: Sequence[x509.Certificate]) -> Embedded | None:
    """The C2PA manifest of the file behind a picture."""
    return None if picture.path is None else embedded.read(picture.path, trusted)


def _trusted(given: Iterable[PathLike | x509.Certificate]) -> tuple[x509.Certificate, ...]:
    if isinstance(given, (str, bytes, os.PathLike)):
        raise InputError("trust", given, "give a list of files")
    found: list[x509.Certificate] = []
    for each in given:
        if isinstance(each, x509.Certificate):
            found.append(each)
        else:
            found += certificates.load_certificates(each)
    return tuple(found)
