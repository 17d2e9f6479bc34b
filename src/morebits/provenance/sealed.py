"""The manifest in the pixels: a claim, who signed it, and the signature, as COSE_Sign1 (RFC 9052).

    tag 18 [ {1: algorithm, 34: [-15, first 8 bytes of SHA-256 of the certificate],
              and where it fits -65537: the certificate, deflated},
             {},
             claim,
             signature, 64 bytes ]

The certificate is signed, too, even where it is missing: its whole SHA-256 is in the external data
of the signature. So a certificate for the same key in another name does not do.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding

from morebits.errors import ManifestError
from morebits.provenance import cbor, certificates
from morebits.provenance.certificates import EDDSA, ES256, Signer
from morebits.provenance.claim import Claim

#: Numbers of the IANA registries for COSE, and one of the range for private use.
_ALGORITHMS = {ES256: -7, EDDSA: -8}
_ALG, _X5T, _SHA_256_64, _DEFLATED = 1, 34, -15, -65537
#: Tag 18 and an array of four: what every one begins with.
_TAG, _BEGIN = b"\xd2", b"\xd2\x84"
#: Where a signature is for us and for nothing else that the same key may sign.
_CONTEXT = b"morebits provenance 1"
_HINT, _SIGNATURE = 8, 64
#: Most bytes of a whole certificate, and of a manifest: what the robust codec holds.
_MAX_CERTIFICATE, _MAX_MANIFEST = 1 << 14, 32_256


@dataclass(frozen=True)
class Sealed:
    """A manifest that was read, and nothing of it checked: `made_with` does that.

    `hint` are the first 8 bytes of the fingerprint of the certificate, and `certificate` is the
    whole of it, None where only the hint is there.
    """

    claim: Claim
    algorithm: str
    hint: bytes
    certificate: x509.Certificate | None
    protected: bytes = field(repr=False)
    payload: bytes = field(repr=False)
    signature: bytes = field(repr=False)

    def made_with(self, certificate: x509.Certificate) -> bool:
        """Whether the key of this very certificate signed the manifest."""
        if certificates.fingerprint(certificate)[:_HINT] != self.hint:
            return False
        if certificates.algorithm(certificate) != self.algorithm:
            return False
        key, signed = certificate.public_key(), _signed(self.protected, self.payload, certificate)
        try:
            if isinstance(key, Ed25519PublicKey):
                key.verify(self.signature, signed)
            elif isinstance(key, EllipticCurvePublicKey):
                r, s = self.signature[:32], self.signature[32:]
                pair = encode_dss_signature(int.from_bytes(r, "big"), int.from_bytes(s, "big"))
                key.verify(pair, signed, ECDSA(hashes.SHA256()))
            else:
                return False
        except InvalidSignature:
            return False
        return True


def seal(claim: Claim, signer: Signer, *, whole: bool) -> bytes:
    """The manifest of a claim; with the `whole` certificate, or only its thumbprint.

    >>> from datetime import UTC, datetime
    >>> from morebits.provenance import trial
    >>> ann, bob = trial.make("Ann"), trial.make("Bob")
    >>> data = seal(Claim(datetime.now(UTC), 640, 480, bytes(98)), ann, whole=False)
    >>> unseal(data).made_with(ann.certificate), unseal(data).made_with(bob.certificate)
    (True, False)
    """
    certificate = signer.certificate
    hint = certificates.fingerprint(certificate)[:_HINT]
    head: dict[int, Any] = {_ALG: _ALGORITHMS[signer.algorithm], _X5T: [_SHA_256_64, hint]}
    if whole:
        head[_DEFLATED] = _deflate(certificate.public_bytes(Encoding.DER))
    protected, payload = cbor.encode(head), claim.encode()
    signature = signer.sign(_signed(protected, payload, certificate))
    return _TAG + cbor.encode([protected, {}, payload, signature])


def unseal(data: bytes) -> Sealed:
    """The parts of a manifest; ManifestError unless it is one, to the last byte."""
    if not data.startswith(_BEGIN) or len(data) > _MAX_MANIFEST:
        raise ManifestError("it does not begin like one")
    parts = cbor.decode(data[len(_TAG) :])
    if not isinstance(parts, list) or [type(each) for each in parts] != [bytes, dict, bytes, bytes]:
        raise ManifestError("its parts are of another kind")
    protected, extra, payload, signature = parts
    if extra or len(signature) != _SIGNATURE:
        raise ManifestError("its signature is none")
    algorithm, hint, certificate = _head(protected)
    claim = Claim.decode(payload)
    return Sealed(claim, algorithm, hint, certificate, protected, payload, signature)


def _signed(protected: bytes, payload: bytes, certificate: x509.Certificate) -> bytes:
    """Sig_structure of RFC 9052, section 4.4."""
    external = _CONTEXT + certificates.fingerprint(certificate)
    return cbor.encode(["Signature1", protected, external, payload])


def _head(protected: bytes) -> tuple[str, bytes, x509.Certificate | None]:
    """Algorithm, hint, and the certificate where it is whole."""
    head = cbor.decode(protected)
    if not isinstance(head, dict) or set(head) - {_DEFLATED} != {_ALG, _X5T}:
        raise ManifestError("its head has other parts")
    names = [name for name, number in _ALGORITHMS.items() if number == head[_ALG]]
    match head[_X5T]:
        case [int(kind), bytes(hint)] if kind == _SHA_256_64 and len(hint) == _HINT and names:
            return names[0], hint, _whole(head)
        case _:
            raise ManifestError("its head is another")


def _whole(head: dict[int, Any]) -> x509.Certificate | None:
    packed = head.get(_DEFLATED)
    if _DEFLATED not in head:
        return None
    found = certificates.parse(_inflate(packed)) if isinstance(packed, bytes) else None
    if found is None:
        raise ManifestError("its certificate is none")
    return found


def _deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def _inflate(packed: bytes) -> bytes:
    """At most so many bytes, from a stream that ends where its bytes end."""
    unpacker = zlib.decompressobj(-15)
    try:
        data = unpacker.decompress(packed, _MAX_CERTIFICATE)
    except zlib.error:
        raise ManifestError("its certificate is broken") from None
    if not unpacker.eof or unpacker.unused_data or unpacker.unconsumed_tail:
        raise ManifestError("its certificate is broken")
    return data
