"""What `morebits sign` and `morebits verify` print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from morebits.cli import show

if TYPE_CHECKING:
    from morebits.provenance.signing import Signed
    from morebits.provenance.verifying import Verification


def signed(done: Signed, *, as_json: bool) -> None:
    """What was signed, and where it is."""
    if as_json:
        show.print_json({
            "file": str(done.path),
            "claim": done.claim.to_dict(),
            "signer": done.signer,
            "fingerprint": done.fingerprint,
            "certificate": done.certificate,
            "hidden_bytes": done.hidden_bytes,
            "file_bytes": done.file_bytes,
            "psnr": done.psnr,
            "survives": list(done.survives),
        })  # fmt: skip
        return
    whole = done.certificate == "whole"
    kind = "with the certificate" if whole else "certificate by reference: verify with --trust CERT"
    show.pairs([
        ("signed by", quoted(done.signer)),
        ("in the pixels", f"{done.hidden_bytes:,} bytes, {kind}"),
        ("in the file", f"{done.file_bytes:,} bytes, a C2PA manifest"),
        ("PSNR", f"{done.psnr:.2f} dB"),
        ("survives", ", ".join(each for each in done.survives if each != "none") or "not tried"),
        ("written", quoted(str(done.path), "")),
    ])  # fmt: skip


def verified(found: Verification, *, as_json: bool) -> None:
    """The verdict, the answers behind it, what the signer says, and what nobody can tell."""
    if as_json:
        show.print_json(found.to_dict())
        return
    from morebits.provenance.reporting import VERDICTS

    rows = [("verdict", f"{found.verdict}: {VERDICTS[found.verdict]}")]
    rows += [(each.name, each.words) for each in found.checks]
    if found.claim is not None:
        claim = found.claim
        said = {"title": claim.title, "creator": claim.creator}
        rows += [(f"says: {name}", quoted(text)) for name, text in said.items() if text]
        edits = ", ".join(quoted(each, "") for each in claim.actions)
        rows.append(("says: edits", edits or "none declared"))
        rows += [("not checked", each) for each in found.unchecked]
    show.pairs(rows)


def quoted(text: str, mark: str = "'") -> str:
    """Words of a stranger, which cannot do anything to a terminal."""
    return f"{mark}{text}{mark}" if text.isprintable() else repr(text)
