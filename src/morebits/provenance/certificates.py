"""Certificates and private keys: read, checked, and never shown.

Nothing of a key file, its password or its bytes goes into an error, a log or a `repr`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from morebits.errors import CertificateError

PathLike: TypeAlias = str | os.PathLike[str]
Key: TypeAlias = Ed25519PrivateKey | EllipticCurvePrivateKey

#: The kinds of keys, by the names of JOSE and COSE.
ES256, EDDSA = "ES256", "EdDSA"
#: Most bytes of a file with certificates or a key: whoever gives more has the wrong file.
_MOST = 1 << 20
#: What a certificate must be for: e-mail or documents (both usual for C2PA), or C2PA's own.
_PURPOSES = (
    ExtendedKeyUsageOID.EMAIL_PROTECTION,
    ObjectIdentifier("1.3.6.1.5.5.7.3.36"),
    ObjectIdentifier("1.3.6.1.4.1.62558.2.1"),
)


@dataclass(frozen=True, eq=False)
class Signer:
    """A chain of certificates, the signer's own first, and the private key that belongs to it."""

    chain: tuple[x509.Certificate, ...]
    key: Key = field(repr=False)

    @property
    def certificate(self) -> x509.Certificate:
        """The signer's own."""
        return self.chain[0]

    @property
    def algorithm(self) -> str:
        """ES256 or EdDSA: the key decides."""
        return EDDSA if isinstance(self.key, Ed25519PrivateKey) else ES256

    def sign(self, data: bytes) -> bytes:
        """64 bytes, as in COSE (RFC 9053, section 2)."""
        if isinstance(self.key, Ed25519PrivateKey):
            return self.key.sign(data)
        r, s = decode_dss_signature(self.key.sign(data, ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def load_signer(cert: PathLike, key: PathLike, password: bytes | None = None) -> Signer:
    """The signer of two files: certificates (the own first, then its issuers) and a private key.

    CertificateError says which of them is wrong: unreadable, locked, of another kind, not a pair,
    expired, or made for something else.
    """
    chain = load_certificates(cert)
    private = _load_key(key, password)
    own = chain[0]
    if _public_bytes(private.public_key()) != _public_bytes(own.public_key()):
        fix = "give the key of the first certificate in the file, or put that one first"
        raise CertificateError(key, f"is not the key of the certificate in {cert}", fix)
    if problem := unfit(own, datetime.now(UTC)):
        raise CertificateError(cert, problem, "get a certificate for signing documents or e-mail")
    if own.issuer == own.subject:
        fix = "get one that an authority issued; --test-certificate makes both, to try it out"
        raise CertificateError(cert, "the certificate is signed by itself, C2PA forbids it", fix)
    for child, parent in pairwise(chain):
        if not issued(child, parent):
            problem = f"{name(parent)!r} did not issue {name(child)!r}"
            raise CertificateError(cert, problem, "order the chain: your own, its issuer, ...")
    return Signer(chain, private)


def load_certificates(path: PathLike) -> tuple[x509.Certificate, ...]:
    """All certificates of a file in PEM, or the one of a file in DER.

    >>> load_certificates("no/such/file.pem")
    Traceback (most recent call last):
        ...
    morebits.errors.CertificateError: no/such/file.pem: cannot be read (No such file or ...
    """
    data = _read(path)
    try:
        if b"-----BEGIN" in data:
            found = x509.load_pem_x509_certificates(data)
        else:
            found = [x509.load_der_x509_certificate(data)]
    except ValueError:
        found = []
    if not found or any(parse(each.public_bytes(Encoding.DER)) is None for each in found):
        raise CertificateError(path, "is no certificate", "give a file in PEM or DER")
    return tuple(found)


def parse(der: bytes) -> x509.Certificate | None:
    """The certificate of exactly these bytes; None for anything else.

    >>> parse(b"no certificate") is None
    True
    """
    try:
        found = x509.load_der_x509_certificate(der)
        # All this is read when it is asked for, and raises then.
        _ = found.public_key(), found.extensions, found.issuer, name(found)
        _ = found.not_valid_before_utc, found.not_valid_after_utc
    except Exception:  # noqa: BLE001 - bytes of a stranger, and parsers raise anything
        return None
    return found if found.public_bytes(Encoding.DER) == der else None


def name(certificate: x509.Certificate) -> str:
    """The common name of the subject, or all of it.

    >>> from morebits.provenance import trial
    >>> name(trial.make("Ann").certificate)
    'Ann'
    """
    common = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(common[0].value) if common else certificate.subject.rfc4514_string()


def fingerprint(certificate: x509.Certificate) -> bytes:
    """SHA-256 of the certificate."""
    return certificate.fingerprint(hashes.SHA256())


def algorithm(certificate: x509.Certificate) -> str | None:
    """ES256 or EdDSA; None for keys of another kind."""
    public = certificate.public_key()
    if isinstance(public, EllipticCurvePublicKey) and isinstance(public.curve, SECP256R1):
        return ES256
    return EDDSA if isinstance(public, Ed25519PublicKey) else None


def unfit(certificate: x509.Certificate, at: datetime) -> str | None:
    """Why a certificate must not sign pictures at this time; None if it may.

    C2PA asks for this, too (2.2, section 14.5.1).

    >>> from morebits.provenance import trial
    >>> own, authority = trial.make("Ann").chain
    >>> unfit(own, datetime.now(UTC)) is None
    True
    >>> unfit(own, datetime(2000, 1, 1, tzinfo=UTC))
    'the certificate is not valid before ...'
    >>> unfit(authority, datetime.now(UTC))
    'the certificate is one of an authority, which issues others and signs nothing else'
    """
    if at < certificate.not_valid_before_utc:
        return f"the certificate is not valid before {certificate.not_valid_before_utc:%Y-%m-%d}"
    if at > certificate.not_valid_after_utc:
        return f"the certificate expired on {certificate.not_valid_after_utc:%Y-%m-%d}"
    if algorithm(certificate) is None:
        return "the certificate has a key that is neither P-256 nor Ed25519"
    authority = _extension(certificate, x509.BasicConstraints)
    if authority is not None and authority.ca:
        return "the certificate is one of an authority, which issues others and signs nothing else"
    usage = _extension(certificate, x509.KeyUsage)
    if usage is None or not usage.digital_signature:
        return "the certificate is not for digital signatures (key usage)"
    purposes = _extension(certificate, x509.ExtendedKeyUsage)
    if purposes is None or not any(each in _PURPOSES for each in purposes):
        return "the certificate is not for documents or e-mail (extended key usage)"
    return None


def issued(child: x509.Certificate, parent: x509.Certificate) -> bool:
    """Whether the parent signed the child and may issue certificates at all."""
    authority = _extension(parent, x509.BasicConstraints)
    usage = _extension(parent, x509.KeyUsage)
    if authority is None or not authority.ca or usage is None or not usage.key_cert_sign:
        return False
    try:
        child.verify_directly_issued_by(parent)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def _extension(certificate: x509.Certificate, kind: type[Any]) -> Any:
    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except (x509.ExtensionNotFound, x509.DuplicateExtension, ValueError):
        return None


def _public_bytes(key: Any) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _load_key(path: PathLike, password: bytes | None) -> Key:
    """The private key; whatever goes wrong, nothing of the file is told."""
    data = _read(path)
    load = serialization.load_pem_private_key if b"-----BEGIN" in data else (
        serialization.load_der_private_key
    )  # fmt: skip
    try:
        found = load(data, password)
    except TypeError:
        if password is None:
            fix = "give its password (--password-file)"
            raise CertificateError(path, "the key is encrypted", fix) from None
        raise CertificateError(path, "the key has no password", "leave it out") from None
    except (ValueError, UnsupportedAlgorithm):
        problem, fix = "is no private key", "give a private key in PEM or DER"
        if password is not None:
            problem, fix = "is no private key, or the password is wrong", "check the password"
        raise CertificateError(path, problem, fix) from None
    if isinstance(found, Ed25519PrivateKey) or (
        isinstance(found, EllipticCurvePrivateKey) and isinstance(found.curve, SECP256R1)
    ):
        return found
    fix = "use a key of the kind P-256 or Ed25519: others have signatures too long for pixels"
    raise CertificateError(path, "the key is of another kind", fix)


def _read(path: PathLike) -> bytes:
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MOST + 1)
    except (OSError, ValueError) as error:  # a path with a NUL byte is a ValueError
        reason = getattr(error, "strerror", None) or "no such path"
        raise CertificateError(path, f"cannot be read ({reason})", "check the path") from None
    if len(data) > _MOST:
        raise CertificateError(path, f"has over {_MOST:,} bytes", "give a file in PEM or DER")
    return data
