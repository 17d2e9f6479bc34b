"""What `verify` found, in words for people and in plain values for programs.

Names and titles come from whoever made the manifest: they are quoted, and what a terminal would not
show as it is, is escaped.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from cryptography import x509

from morebits.provenance import certificates
from morebits.provenance.description import Likeness
from morebits.provenance.embedded import Embedded
from morebits.provenance.trust import Vouched

if TYPE_CHECKING:
    from morebits.provenance.sealed import Sealed
    from morebits.provenance.verifying import Verification

#: What nothing here can tell, however good it looks.
NEVER_CHECKED = (
    "when it was signed: nobody but the signer vouches for the time",
    "whether the certificate was revoked: nobody was asked",
    "colours, and whatever is smaller than about a sixteenth of the picture's width",
    "whether what the signer says is true",
)

#: The verdicts as sentences.
VERDICTS = {
    "trusted": "signed by somebody you trust, and it is the picture that was signed",
    "changed": "signed by somebody you trust, but the picture differs from the signed one",
    "untrusted": "signed, but nobody you trust vouches for the signer",
    "unchecked": "says that it is signed, which could not be checked",
    "invalid": "what it says of itself is wrong: do not trust it",
    "nothing": "no manifest was found in the pixels",
}


def nothing(seconds: float) -> str:
    """Where no mark was found."""
    return f"nothing found in the pixels in {seconds:g} seconds: never signed, or edited too much"


def hidden(length: int, edits: tuple[str, ...]) -> str:
    """Where a manifest was found."""
    after = f" after undoing: {', '.join(edits)}" if edits else ""
    return f"a manifest of {length:,} bytes in the pixels{after}"


def no_certificate(manifest: Sealed) -> str:
    """Where the signature cannot be checked."""
    name = manifest.claim.signer
    who = "" if name is None else f", said to be that of {name!r},"
    return (
        f"could not be checked: the certificate {manifest.hint.hex()}...{who} is not in the "
        "pixels, give it with --trust"
    )


def signer(own: x509.Certificate, vouched: Vouched) -> str:
    """Who signed, and who says so."""
    name = certificates.name(own)
    return f"{name!r}: {vouched.why}" if vouched.holds else (
        f"calls itself {name!r}, and nobody vouches for that: {vouched.why}"
    )  # fmt: skip


def picture(likeness: Likeness) -> tuple[bool | None, str]:
    """Whether it is the picture that was signed."""
    what = f"{likeness.parts} parts compared, similarity {likeness.similarity:.2f}"
    if likeness.outcome == "unknown":
        return None, "too little of the signed picture is left to compare it"
    if likeness.outcome == "other":
        return False, f"not the signed one, or hardly to be recognised ({what})"
    if likeness.outcome == "same":
        return True, f"looks like the signed one ({what})"
    said = []
    if likeness.off:
        said.append(f"{likeness.off} of {likeness.parts} parts look different")
    if likeness.added > 0.005:
        said.append(f"{100 * likeness.added:.0f} % of it was not in the signed one")
    return False, f"differs from the signed one: {' and '.join(said)} ({what})"


def file(
    found: Embedded | None, payload: bytes, own: x509.Certificate | None
) -> tuple[bool | None, str]:
    """Whether the manifest of the file agrees with that of the pixels."""
    if found is None or not found.marks:
        return None, alone(found)
    mark = base64.b64encode(payload).decode()
    serials = {serial for value, serial in found.marks if value == mark}
    if not serials:
        return False, f"{_says(found)}; it belongs to another mark than the one in the pixels"
    if own is None:
        return None, f"{_says(found)}; it names the mark in the pixels"
    if str(own.serial_number) not in serials:
        return False, f"{_says(found)}; it names the mark in the pixels, which another one signed"
    return (None if found.problems else True), f"{_says(found)}; it agrees with the pixels"


def alone(found: Embedded | None) -> str:
    """What the file's manifest says by itself."""
    if found is None:
        return "no C2PA manifest in the file: it was stripped, or never there"
    if found.state == "Elsewhere":
        return "the file says that its C2PA manifest lies on a server, which was not asked"
    of_it = "names a mark that was not found" if found.marks else "says nothing of a mark"
    return f"{_says(found)}; it {of_it} in the pixels"


def _says(found: Embedded) -> str:
    if "assertion.dataHash.mismatch" in found.problems:
        state = "does not fit the file, which was changed after it was made"
    elif found.problems:
        state = f"does not hold ({', '.join(found.problems)})"
    else:
        state = "holds"
    who = "" if found.signer is None else f" of {found.signer!r}"
    return f"a C2PA manifest{who} that {state}"


def plain(answer: Verification) -> dict[str, Any]:
    """Everything, ready for JSON."""
    likeness = answer.likeness
    return {
        "verdict": answer.verdict,
        "signer": answer.signer,
        "fingerprint": answer.fingerprint,
        "claim": None if answer.claim is None else answer.claim.to_dict(),
        "edits": list(answer.edits),
        "checks": {each.name: {"holds": each.holds, "words": each.words} for each in answer.checks},
        "picture": None if likeness is None else {
            "outcome": likeness.outcome,
            "parts": likeness.parts,
            "off": likeness.off,
            "similarity": likeness.similarity,
            "added": likeness.added,
        },
        "file": None if answer.embedded is None else answer.embedded.to_dict(),
        "unchecked": list(answer.unchecked),
    }  # fmt: skip
