"""Nothing but what was signed, by the very certificate that signed it, is ever right."""

from __future__ import annotations

import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from hypothesis import given
from hypothesis import strategies as st

from morebits.errors import ManifestError, MorebitsError, NewerFormat
from morebits.provenance import cbor, certificates, sealed, trial
from morebits.provenance.certificates import Signer

forms = pytest.mark.parametrize("whole", [True, False], ids=["whole", "reference"])


@pytest.fixture(params=["ES256", "EdDSA"])
def signer(request, ann, bob) -> Signer:
    return {"ES256": ann, "EdDSA": bob}[request.param]


def holds(data: bytes, certificate: x509.Certificate) -> bool:
    """Whether a reader would take it: the certificate in it counts, if there is one."""
    try:
        manifest = sealed.unseal(data)
    except MorebitsError:
        return False
    return manifest.made_with(manifest.certificate or certificate)


@forms
def test_there_and_back(claim, signer, whole):
    data = sealed.seal(claim, signer, whole=whole)
    manifest = sealed.unseal(data)
    assert manifest.claim == claim
    assert manifest.algorithm == signer.algorithm
    assert manifest.hint == certificates.fingerprint(signer.certificate)[:8]
    assert manifest.certificate == (signer.certificate if whole else None)
    assert manifest.made_with(signer.certificate)


@forms
def test_no_byte_can_be_changed(claim, signer, whole):
    data = sealed.seal(claim, signer, whole=whole)
    assert holds(data, signer.certificate)
    for place in range(len(data)):
        for flip in (0x01, 0x20, 0x80, 0xFF):
            other = bytearray(data)
            other[place] ^= flip
            assert not holds(bytes(other), signer.certificate), (place, flip)


@forms
def test_no_part_is_enough_and_nothing_may_follow(claim, signer, whole):
    data = sealed.seal(claim, signer, whole=whole)
    for length in range(len(data)):
        assert not holds(data[:length], signer.certificate), length
    for more in (b"\0", b"\xf6", data):
        assert not holds(data + more, signer.certificate)


@given(st.binary(max_size=300))
def test_any_bytes_are_an_error_of_ours(data):
    for each in (data, b"\xd2\x84" + data):
        with pytest.raises(ManifestError):
            sealed.unseal(each)


@forms
def test_another_certificate_for_the_same_key(claim, signer, whole):
    """Someone else's authority certifies my key in another name: the signature is not for that."""
    data = sealed.seal(claim, signer, whole=whole)
    twin = reissued(signer, "Mallory")
    assert twin.public_key() == signer.certificate.public_key()
    assert not sealed.unseal(data).made_with(twin)


def test_the_certificate_in_the_pixels_cannot_be_exchanged(claim, signer):
    """Neither with one of the same key, nor together with the hint."""
    tag, parts = b"\xd2", cbor.decode(sealed.seal(claim, signer, whole=True)[1:])
    twin = reissued(signer, "Mallory")
    head = cbor.decode(parts[0])
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(twin.public_bytes(sealed.Encoding.DER)) + packer.flush()
    for change in ({-65537: packed},
                   {-65537: packed, 34: [-15, certificates.fingerprint(twin)[:8]]}):  # fmt: skip
        forged = tag + cbor.encode([cbor.encode(head | change), *parts[1:]])
        assert sealed.unseal(forged).certificate == twin
        assert not sealed.unseal(forged).made_with(twin)
        assert not sealed.unseal(forged).made_with(signer.certificate)


def test_a_hint_to_another_certificate(claim, ann):
    """Even if the signer gave it."""
    protected, extra, payload, _ = cbor.decode(sealed.seal(claim, ann, whole=True)[1:])
    head = cbor.encode(cbor.decode(protected) | {34: [-15, bytes(8)]})
    signature = ann.sign(sealed._signed(head, payload, ann.certificate))
    data = b"\xd2" + cbor.encode([head, extra, payload, signature])
    assert not sealed.unseal(data).made_with(ann.certificate)


def test_claims_and_signatures_cannot_be_mixed(claim, ann):
    one = cbor.decode(sealed.seal(claim, ann, whole=False)[1:])
    two = cbor.decode(sealed.seal(replace(claim, title="Other"), ann, whole=False)[1:])
    forged = b"\xd2" + cbor.encode([*one[:3], two[3]])
    assert not sealed.unseal(forged).made_with(ann.certificate)


def test_a_signature_for_c2pa_is_none_for_us(claim, ann):
    """The same key signs C2PA claims, whose external data are empty (RFC 9052, section 4.4)."""
    protected, extra, payload, _ = cbor.decode(sealed.seal(claim, ann, whole=False)[1:])
    foreign = ann.sign(cbor.encode(["Signature1", protected, b"", payload]))
    forged = b"\xd2" + cbor.encode([protected, extra, payload, foreign])
    assert not sealed.unseal(forged).made_with(ann.certificate)


def test_the_format_is_cose(claim, ann):
    """Checked without our code: the bytes that RFC 9052 says are signed."""
    data = sealed.seal(claim, ann, whole=False)
    assert data[0] == 0xD2  # tag 18, COSE_Sign1
    protected, _, payload, signature = cbor.decode(data[1:])
    external = b"morebits provenance 1" + ann.certificate.fingerprint(hashes.SHA256())
    signed = cbor.encode(["Signature1", protected, external, payload])
    numbers = (int.from_bytes(each, "big") for each in (signature[:32], signature[32:]))
    public = ann.certificate.public_key()
    public.verify(encode_dss_signature(*numbers), signed, ECDSA(hashes.SHA256()))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda head: head | {1: -35}, "its head is another"),
        (lambda head: head | {1: True}, "its head is another"),
        (lambda head: head | {34: [-16, head[34][1]]}, "its head is another"),
        (lambda head: head | {34: [-15, b"short"]}, "its head is another"),
        (lambda head: head | {4: b"kid"}, "its head has other parts"),
        (lambda head: {1: -7}, "its head has other parts"),
        (lambda head: head | {-65537: b"no deflate"}, "its certificate is broken"),
        (lambda head: head | {-65537: zlib.compress(b"x")[2:-4]}, "its certificate is none"),
        (lambda head: head | {-65537: 7}, "its certificate is none"),
        (lambda head: head | {-65537: zlib.compress(bytes(10**6))[2:-4]}, "certificate is broken"),
    ],
)
def test_heads_that_are_not_ours(claim, ann, change, problem):
    parts = cbor.decode(sealed.seal(claim, ann, whole=False)[1:])
    head = change(cbor.decode(parts[0]))
    with pytest.raises(ManifestError, match=problem):
        sealed.unseal(b"\xd2" + cbor.encode([cbor.encode(head), *parts[1:]]))


def test_other_parts_are_refused(claim, ann):
    protected, extra, payload, signature = cbor.decode(sealed.seal(claim, ann, whole=False)[1:])
    for parts in (
        [protected, {1: 2}, payload, signature],
        [protected, extra, payload, signature + b"\0"],
        [protected, extra, payload, "text"],
        [protected, [], payload, signature],
    ):
        with pytest.raises(ManifestError):
            sealed.unseal(b"\xd2" + cbor.encode(parts))


def test_later_versions_say_so(claim, ann):
    protected, extra, payload, signature = cbor.decode(sealed.seal(claim, ann, whole=False)[1:])
    later = cbor.encode(cbor.decode(payload) | {0: 2})
    with pytest.raises(NewerFormat):
        sealed.unseal(b"\xd2" + cbor.encode([protected, extra, later, signature]))


def test_sizes(claim, ann, bob):
    """Tag and array 2, head 1 + 16, no more headers 1, length of the claim 2, signature 66."""
    for signer in (ann, bob):
        assert len(sealed.seal(claim, signer, whole=False)) == len(claim.encode()) + 88
        assert len(sealed.seal(claim, signer, whole=True)) < len(claim.encode()) + 520


def reissued(signer: Signer, name: str) -> x509.Certificate:
    """A certificate of another authority for the key of a signer."""
    root = trial.make("another authority", kind="ES256")
    now = datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(root.certificate.subject)
        .public_key(signer.certificate.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(root.key, hashes.SHA256())
    )
