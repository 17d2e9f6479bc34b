from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from hypothesis import given
from hypothesis import strategies as st

from morebits.errors import CertificateError
from morebits.provenance import certificates, trial
from morebits.provenance.certificates import Signer, load_certificates, load_signer, parse, unfit

SECRET = b"correct horse"


@pytest.fixture
def files(tmp_path, ann) -> trial.Trial:
    return trial.write(tmp_path / "ann", ann)


def pem(key, password: bytes | None = None) -> bytes:
    lock = NoEncryption() if password is None else BestAvailableEncryption(password)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)


def certificate(signer: Signer, *, key=None, usage="digital_signature", purpose=None, ca=False):
    """One of an authority of ours, with something wrong."""
    root = trial.make("the authority", kind="ES256")
    uses = {each: each == usage for each in trial._USES}
    purposes = [purpose or ExtendedKeyUsageOID.EMAIL_PROTECTION]
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Ann")]))
        .issuer_name(root.certificate.subject)
        .public_key((key or signer.key).public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**uses), critical=True)
        .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        .sign(root.key, hashes.SHA256())
    )


@pytest.mark.parametrize("kind", ["ES256", "EdDSA"])
def test_both_kinds_of_keys(tmp_path, kind):
    files = trial.write(tmp_path / "new", trial.make(kind=kind))
    signer = load_signer(files.cert, files.key)
    assert signer.algorithm == kind == certificates.algorithm(signer.certificate)
    assert len(signer.sign(b"data")) == 64
    assert len(signer.chain) == 2


def test_a_key_is_never_shown(files, ann):
    signer = load_signer(files.cert, files.key)
    assert "key" not in repr(signer)
    number = ann.key.private_numbers().private_value
    assert str(number) not in repr(vars(signer))


def test_other_encodings(tmp_path, files, ann):
    der = tmp_path / "key.der"
    der.write_bytes(ann.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
    cert = tmp_path / "cert.der"
    cert.write_bytes(ann.certificate.public_bytes(Encoding.DER))
    assert load_signer(cert, der).certificate == ann.certificate
    assert load_certificates(files.authority) == (ann.chain[1],)


class TestPasswords:
    @pytest.fixture
    def locked(self, tmp_path, ann):
        path = tmp_path / "locked.pem"
        path.write_bytes(pem(ann.key, SECRET))
        return path

    def test_the_right_one(self, files, locked, ann):
        assert load_signer(files.cert, locked, SECRET).certificate == ann.certificate

    def test_the_wrong_one(self, files, locked):
        with pytest.raises(
            CertificateError, match="password is wrong; check the password"
        ) as error:
            load_signer(files.cert, locked, b"another word")
        assert "another word" not in str(error.value)
        assert error.value.__cause__ is None

    def test_none(self, files, locked):
        with pytest.raises(CertificateError, match=r"is encrypted; .*--password-file"):
            load_signer(files.cert, locked)

    def test_one_too_many(self, files):
        with pytest.raises(CertificateError, match="has no password; leave it out"):
            load_signer(files.cert, files.key, SECRET)


class TestFiles:
    def test_no_such_file(self, files, tmp_path):
        with pytest.raises(CertificateError, match=r"none.pem: cannot be read \(No such file"):
            load_signer(tmp_path / "none.pem", files.key)
        with pytest.raises(CertificateError, match="cannot be read"):
            load_signer(files.cert, tmp_path)

    def test_other_files(self, files, tmp_path):
        other = tmp_path / "other"
        for data in (b"", b"text", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"):
            other.write_bytes(data)
            with pytest.raises(CertificateError, match="is no certificate"):
                load_signer(other, files.key)
            with pytest.raises(CertificateError, match="is no private key"):
                load_signer(files.cert, other)

    def test_exchanged_files_tell_nothing_of_the_key(self, files):
        with pytest.raises(CertificateError) as error:
            load_signer(files.key, files.cert)
        assert files.key.read_text().splitlines()[1][:20] not in str(error.value)

    def test_too_large(self, files, tmp_path):
        other = tmp_path / "other"
        other.write_bytes(bytes((1 << 20) + 1))
        with pytest.raises(CertificateError, match="has over 1,048,576 bytes"):
            load_signer(other, files.key)

    def test_the_key_of_another_certificate(self, files, tmp_path):
        other = trial.write(tmp_path / "other")
        with pytest.raises(CertificateError, match="is not the key of the certificate"):
            load_signer(files.cert, other.key)

    @pytest.mark.parametrize(
        "key",
        [
            pytest.param(ec.generate_private_key(ec.SECP384R1()), id="P-384"),
            pytest.param(rsa.generate_private_key(65537, 2048), id="RSA"),
        ],
    )
    def test_other_kinds_of_keys(self, files, tmp_path, key, ann):
        path = tmp_path / "key.pem"
        path.write_bytes(pem(key))
        with pytest.raises(CertificateError, match=r"another kind; use .* P-256 or Ed25519"):
            load_signer(files.cert, path)
        assert certificates.algorithm(certificate(ann, key=key)) is None

    def test_a_chain_in_the_wrong_order(self, files, tmp_path, ann, bob):
        path = tmp_path / "chain.pem"
        parts = [each.public_bytes(Encoding.PEM) for each in (ann.certificate, bob.chain[1])]
        path.write_bytes(b"".join(parts))
        message = "'authority of Bob Example' did not issue 'Ann Example'; order the chain"
        with pytest.raises(CertificateError, match=message):
            load_signer(path, files.key)


class TestUnfit:
    def refused(self, tmp_path, files, cert) -> str:
        path = tmp_path / "cert.pem"
        path.write_bytes(cert.public_bytes(Encoding.PEM))
        with pytest.raises(CertificateError) as error:
            load_signer(path, files.key)
        return str(error.value)

    def test_expired_and_not_yet_valid(self, tmp_path):
        for start, words in ((-60, "expired on 20"), (10, "is not valid before 20")):
            begin = datetime.now(UTC) + timedelta(days=start)
            old = trial.write(tmp_path / words[:5], trial.make(start=begin))
            with pytest.raises(CertificateError, match=words):
                load_signer(old.cert, old.key)

    def test_not_for_signatures(self, tmp_path, files, ann):
        said = self.refused(tmp_path, files, certificate(ann, usage="key_agreement"))
        assert "not for digital signatures" in said

    def test_for_web_servers(self, tmp_path, files, ann):
        web = certificate(ann, purpose=ExtendedKeyUsageOID.SERVER_AUTH)
        assert "not for documents or e-mail" in self.refused(tmp_path, files, web)

    def test_an_authority(self, tmp_path, files, ann):
        assert "one of an authority" in self.refused(tmp_path, files, certificate(ann, ca=True))

    def test_signed_by_itself(self, tmp_path, files, ann):
        name = ann.certificate.subject
        alone = x509.CertificateBuilder(
            name, name, ann.key.public_key(), 7, datetime.now(UTC) - timedelta(days=1),
            datetime.now(UTC) + timedelta(days=1), list(ann.certificate.extensions),
        ).sign(ann.key, hashes.SHA256())  # fmt: skip
        assert "is signed by itself" in self.refused(tmp_path, files, alone)

    def test_purposes(self, ann):
        for oid in ("1.3.6.1.5.5.7.3.36", "1.3.6.1.4.1.62558.2.1"):
            good = certificate(ann, purpose=x509.ObjectIdentifier(oid))
            assert unfit(good, datetime.now(UTC)) is None


class TestParse:
    def test_exactly_these_bytes(self, ann):
        der = ann.certificate.public_bytes(Encoding.DER)
        assert parse(der) == ann.certificate
        assert parse(der + b"\0") is None
        assert parse(der[:-1]) is None

    @given(st.binary(max_size=400))
    def test_any_bytes(self, data):
        assert parse(data) is None

    def test_changed_bytes_raise_nothing(self, bob):
        """Some changes still give a certificate, whose every part can then be read."""
        der = bob.certificate.public_bytes(Encoding.DER)
        for place in range(len(der)):
            other = bytearray(der)
            other[place] ^= 0x55
            found = parse(bytes(other))
            if found is not None:
                assert isinstance(certificates.name(found), str)
                unfit(found, datetime.now(UTC))


def test_issued(ann, bob):
    assert certificates.issued(*ann.chain)
    assert not certificates.issued(ann.certificate, bob.chain[1])
    assert not certificates.issued(ann.chain[1], ann.certificate)
    assert not certificates.issued(ann.certificate, ann.certificate)
