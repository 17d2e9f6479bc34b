"""A certificate to try things out with: an authority of its own, which nobody has to trust."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from morebits import files
from morebits.errors import FileNotWritten
from morebits.provenance.certificates import Key, PathLike, Signer

#: What a certificate of ours is called unless told otherwise.
NAME = "morebits test certificate"
_DAYS = 30
_USES = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
    "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
)  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """Where the files are: `cert` (and its authority), `key`, and `authority` for readers."""

    cert: Path
    key: Path
    authority: Path


def make(
    name: str = NAME, *, kind: Literal["ES256", "EdDSA"] = "EdDSA", start: datetime | None = None,
    days: int = _DAYS,
) -> Signer:  # fmt: skip
    """A signer with a fresh key, and a fresh authority that issued its certificate.

    >>> [each.subject.rfc4514_string() for each in make("Ann").chain]
    ['CN=Ann,O=morebits', 'CN=authority of Ann,O=morebits']
    """
    begin = start or datetime.now(UTC) - timedelta(minutes=10)
    span = begin, begin + timedelta(days=days)
    root, key = _key(kind), _key(kind)
    above = _name(f"authority of {name}"[:64])
    authority = _sign(
        _builder(above, above, root, span)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage("key_cert_sign", "crl_sign"), critical=True),
        root,
    )
    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION])
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(root.public_key())
    own = _sign(
        _builder(_name(name), above, key, span)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage("digital_signature"), critical=True)
        .add_extension(purpose, critical=False)
        .add_extension(issuer, critical=False),
        root,
    )
    return Signer((own, authority), key)


def write(folder: PathLike, signer: Signer | None = None) -> Trial:
    """Write a new signer to a new folder: cert.pem, key.pem (for nobody else) and authority.pem.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     sorted(each.name for each in Path(write(Path(place) / "try").cert).parent.iterdir())
    ['authority.pem', 'cert.pem', 'key.pem']
    """
    place, made = Path(folder), signer or make()
    try:
        place.mkdir(mode=0o700)
    except FileExistsError:
        raise FileNotWritten(place, "exists", "give the name of a new folder") from None
    except OSError as error:
        problem = f"cannot be made ({error.strerror})"
        raise FileNotWritten(place, problem, "choose another folder") from None
    where = Trial(place / "cert.pem", place / "key.pem", place / "authority.pem")
    secret = made.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    handle = os.open(where.key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(secret)
    chain = [each.public_bytes(Encoding.PEM) for each in made.chain]
    files.write_bytes(where.cert, b"".join(chain))
    files.write_bytes(where.authority, chain[-1])
    return where


def _key(kind: str) -> Key:
    return Ed25519PrivateKey.generate() if kind == "EdDSA" else generate_private_key(SECP256R1())


def _name(common: str) -> x509.Name:
    # C2PA asks for an organisation.
    return x509.Name([
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "morebits"),
        x509.NameAttribute(NameOID.COMMON_NAME, common),
    ])  # fmt: skip


def _usage(*names: str) -> x509.KeyUsage:
    return x509.KeyUsage(**{each: each in names for each in _USES})


def _builder(
    subject: x509.Name, issuer: x509.Name, key: Key, span: tuple[datetime, datetime]
) -> x509.CertificateBuilder:
    public = key.public_key()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(span[0])
        .not_valid_after(span[1])
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _sign(builder: x509.CertificateBuilder, root: Key) -> x509.Certificate:
    return builder.sign(root, None if isinstance(root, Ed25519PrivateKey) else hashes.SHA256())
