from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes

from morebits.provenance import trial
from morebits.provenance.trust import vouch

NOW = datetime.now(UTC)


def with_extension(signer, extension, *, critical, of="own"):
    """The chain of a signer again, one of the two with one extension more."""
    root = trial._key("ES256")
    own, authority = signer.chain

    def copy(cert, key, more):
        builder = x509.CertificateBuilder(
            cert.issuer, cert.subject, key.public_key(), cert.serial_number,
            cert.not_valid_before_utc, cert.not_valid_after_utc, list(cert.extensions),
        )  # fmt: skip
        if more:
            builder = builder.add_extension(extension, critical=critical)
        return builder.sign(root, hashes.SHA256())

    return copy(own, signer.key, of == "own"), copy(authority, root, of == "authority")


def test_the_certificate_itself_or_its_authority(ann):
    for trusted in (ann.chain[:1], ann.chain[1:], ann.chain):
        assert vouch(ann.certificate, trusted, NOW).holds


def test_nobody(ann, bob):
    assert "no trusted certificates were given" in vouch(ann.certificate, (), NOW).why
    found = vouch(ann.certificate, bob.chain, NOW)
    assert (found.holds, found.why.split()[0]) == (False, "neither")


def test_an_authority_of_the_same_name(ann):
    """A name is not enough: the authority's key must have signed the certificate."""
    twin = trial.make("Ann Example", kind="ES256")
    assert twin.chain[1].subject == ann.chain[1].subject
    assert not vouch(ann.certificate, twin.chain[1:], NOW).holds


def test_a_signer_does_not_vouch_for_others(ann):
    """Whoever is trusted as a signer cannot make signers."""
    eve, own = trial._key("ES256"), ann.certificate
    cert = x509.CertificateBuilder(
        own.subject, trial._name("Eve"), eve.public_key(), 7, own.not_valid_before_utc,
        own.not_valid_after_utc, list(own.extensions),
    ).sign(ann.key, hashes.SHA256())  # fmt: skip
    cert.verify_directly_issued_by(own)  # raises nothing: the signature itself is right
    found = vouch(cert, [own], NOW)
    assert (found.holds, found.why.split()[0]) == (False, "neither")


@pytest.mark.parametrize("days", [-1, 31])
def test_at_another_time(ann, days):
    found = vouch(ann.certificate, ann.chain, NOW + timedelta(days=days))
    assert not found.holds
    assert "valid before" in found.why or "expired" in found.why


def test_an_authority_that_has_expired(ann):
    """Its certificate ends before that of the signer."""
    root, now = trial._key("ES256"), NOW
    name = ann.chain[1].subject

    def issue(subject, key, extensions, end):
        return x509.CertificateBuilder(
            name, subject, key.public_key(), 9, now - timedelta(days=9), end, extensions
        ).sign(root, hashes.SHA256())

    old = issue(name, root, list(ann.chain[1].extensions), now - timedelta(days=1))
    own = issue(
        ann.certificate.subject, ann.key, list(ann.certificate.extensions), now + timedelta(days=9)
    )
    found = vouch(own, [old], now)
    assert (found.holds, "has expired" in found.why) == (False, True)
    assert vouch(own, [old], now - timedelta(days=2)).holds


STRANGE = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"\x05\x00")
NAMES = x509.NameConstraints([x509.DNSName("example.com")], None)


@pytest.mark.parametrize("of", ["own", "authority"])
def test_restrictions_that_are_not_understood(ann, of):
    for extension, critical, holds in (
        (STRANGE, True, False),
        (STRANGE, False, True),
        (NAMES, False, False),
    ):
        own, authority = with_extension(ann, extension, critical=critical, of=of)
        found = vouch(own, [authority], NOW)
        assert found.holds == holds, found.why
