"""The C2PA manifest of a file: written and read with c2pa-python, always without network."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from morebits.errors import BrokenPackage, CertificateError, ImageError, MissingExtra
from morebits.provenance.certificates import EDDSA, Signer

#: The name of the soft binding: who decodes it, and which codec.
ALGORITHM = "org.morebits.robust.1"
#: Files that c2pa-python signs and we write.
MIMES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".avif": "image/avif",
}
#: Files that it takes as ingredients, by Pillow's names.
_INGREDIENTS = {
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
    "TIFF": "image/tiff",
    "AVIF": "image/avif",
}
#: C2PA files may name servers to ask: for the manifest, or whether a certificate was revoked.
_OFFLINE = {
    "verify": {"remote_manifest_fetch": False, "ocsp_fetch": False},
    "builder": {"thumbnail": {"enabled": False}},
}
#: What every file of a private authority gets; whom to trust is asked elsewhere.
_UNTRUSTED = "signingCredential.untrusted"


@dataclass(frozen=True)
class Embedded:
    """What c2pa-python says of the manifest in a file.

    `state` is its verdict (Invalid, Valid, Trusted), or Elsewhere for a manifest that lies on a
    server, which is not asked; `problems` are C2PA's codes for what does not hold. `signer` and
    `serial` are those of the active manifest. `marks` are the soft bindings of ours in all
    manifests of the file: what they say is in the pixels (base64), and the serial number of the
    certificate of who says it.
    """

    state: str
    problems: tuple[str, ...]
    signer: str | None
    serial: str | None
    marks: tuple[tuple[str, str | None], ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain words, ready for JSON."""
        plain = asdict(self)
        del plain["marks"]
        return plain | {"problems": list(self.problems)}


def definition(
    *, title: str, creator: str | None, actions: Sequence[str], mark: str, version: str
) -> dict[str, Any]:
    """The manifest for the file: opened, then the actions declared, then watermarked.

    `mark` is what the pixels hold, in base64.
    """
    opened = {"action": "c2pa.opened", "parameters": {"ingredientIds": ["cover"]}}
    others = [{"action": each} for each in (*actions, "c2pa.watermarked.bound")]
    binding = {"alg": ALGORITHM, "blocks": [{"scope": {}, "value": mark}]}
    assertions: list[dict[str, Any]] = [
        {"label": "c2pa.actions.v2", "data": {"actions": [opened, *others]}},
        {"label": "c2pa.soft-binding", "data": binding},
    ]
    if creator is not None:
        context = {"dc": "http://purl.org/dc/elements/1.1/"}
        data = {"@context": context, "dc:creator": [creator]}
        assertions.append({"label": "cawg.metadata", "data": data})
    return {
        "title": title,
        "claim_generator_info": [{"name": "morebits", "version": version}],
        "assertions": assertions,
    }


def takes(file_format: str | None) -> bool:
    """Whether a file of this format may be given as a cover.

    >>> takes("JPEG"), takes("BMP")
    (True, False)
    """
    return file_format in _INGREDIENTS


def add(
    path: Path, cover: Path, file_format: str, manifest: dict[str, Any], signer: Signer
) -> tuple[bytes, int]:
    """The bytes of a picture file with a signed manifest, and the length of that manifest.

    `cover` is the file that the picture was made from, whose own manifest is kept as that of an
    ingredient. Nobody is asked for the time.
    """
    c2pa = _library()
    chain = "".join(each.public_bytes(Encoding.PEM).decode() for each in signer.chain)
    kinds = c2pa.C2paSigningAlg
    kind = kinds.ED25519 if signer.algorithm == EDDSA else kinds.ES256
    written = io.BytesIO()
    try:
        with (
            c2pa.Context.from_dict(_OFFLINE) as context,
            c2pa.Signer.from_callback(signer.sign, kind, chain, None) as maker,
            c2pa.Builder(json.dumps(manifest), context=context) as builder,
            path.open("rb") as source,
            cover.open("rb") as parent,
        ):
            _add_ingredient(builder, cover, _INGREDIENTS[file_format], parent)
            made = builder.sign(maker, MIMES[path.suffix.lower()], source, written)
    except c2pa.C2paError as error:
        problem = f"does not take the manifest ({_one_line(error)})"
        fix = "check the certificates and the names of the actions"
        raise CertificateError("C2PA", problem, fix) from None
    return written.getvalue(), len(made)


def _add_ingredient(builder: Any, cover: Path, mime: str, file: BinaryIO) -> None:
    about = {"title": cover.name, "relationship": "parentOf", "label": "cover"}
    try:
        builder.add_ingredient(about, mime, file)
    except _library().C2paError as error:
        problem = f"C2PA cannot take it as an ingredient ({_one_line(error)})"
        raise ImageError(cover, problem, "save it again without metadata, and sign that") from None


def read(path: Path, trusted: Sequence[x509.Certificate] = ()) -> Embedded | None:
    """The manifest of a file; None where there is none."""
    c2pa = _library()
    settings: dict[str, Any] = dict(_OFFLINE)
    if trusted:
        anchors = "".join(each.public_bytes(Encoding.PEM).decode() for each in trusted)
        settings["trust"] = {"trust_anchors": anchors}
    try:
        with c2pa.Context.from_dict(settings) as context, path.open("rb") as file:
            reader = c2pa.Reader.try_create(None, file, context=context)
            if reader is None:
                return None
            with reader:
                return _summary(json.loads(reader.json()))
    except c2pa.C2paError as error:
        if isinstance(error, c2pa.C2paError.NotSupported):
            return None
        if str(error).startswith("Remote"):
            return Embedded("Elsewhere", (), None, None, ())
        return Embedded("Invalid", (_one_line(error),), None, None, ())


def _summary(store: dict[str, Any]) -> Embedded:
    manifests: dict[str, Any] = store.get("manifests") or {}
    active = manifests.get(store.get("active_manifest") or "") or {}
    problems = [str(each.get("code")) for each in store.get("validation_status") or []]
    marks = [
        (str(block.get("value")), _serial(manifest))
        for manifest in manifests.values()
        for assertion in manifest.get("assertions") or []
        if str(assertion.get("label")).startswith("c2pa.soft-binding")
        and assertion["data"].get("alg") == ALGORITHM
        for block in assertion["data"].get("blocks") or []
    ]
    info = active.get("signature_info") or {}
    return Embedded(
        str(store.get("validation_state")),
        tuple(each for each in problems if each != _UNTRUSTED),
        info.get("common_name") or info.get("issuer"),
        _serial(active),
        tuple(marks),
    )


def _serial(manifest: dict[str, Any]) -> str | None:
    return (manifest.get("signature_info") or {}).get("cert_serial_number")


def _library() -> ModuleType:
    try:
        import c2pa
    except ModuleNotFoundError:
        raise MissingExtra("c2pa-python", "c2pa") from None
    except (ImportError, OSError, RuntimeError) as error:  # its library does not load
        raise BrokenPackage("c2pa-python", _one_line(error)) from None
    return c2pa


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if text.isprintable() else repr(text)
