"""Keys: what is the same key, what is not, and the derivation against its own description."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.codecs import keys
from morebits.errors import InputError

SALT = bytes(range(12))


def by_the_page(password: bytes | None, salt: bytes, purpose: bytes, length: int) -> bytes:
    """docs/container.md, "Key and secrets", with OpenSSL's scrypt through hashlib."""
    if password is None:
        master = hashlib.blake2b(salt, digest_size=32, person=b"morebits public").digest()
    else:
        hashed = hashlib.blake2b(password, person=b"morebits key").digest()
        master = hashlib.scrypt(hashed, salt=salt, n=1 << 14, r=8, p=1, dklen=32)
    out, block = b"", 0
    while len(out) < length:
        counter = block.to_bytes(8, "little")
        out += hashlib.blake2b(counter, key=master, person=purpose).digest()
        block += 1
    return out[:length]


@pytest.mark.parametrize("key", [None, b"bytes", "text", "\N{GREEK SMALL LETTER ALPHA}" * 50])
@pytest.mark.parametrize("length", [0, 1, 32, 64, 65, 1000])
def test_derive_is_what_the_page_says(key, length):
    password = key.encode() if isinstance(key, str) else key
    assert keys.derive(key, SALT, b"a-purpose", length) == by_the_page(
        password, SALT, b"a-purpose", length
    )


def test_every_argument_matters():
    cases = [
        (None, SALT, b"a"),
        (None, SALT, b"b"),
        (None, bytes(12), b"a"),
        ("k", SALT, b"a"),
        ("k", SALT, b"b"),
        ("k", bytes(12), b"a"),
        ("l", SALT, b"a"),
    ]
    assert len({keys.derive(key, salt, purpose, 32) for key, salt, purpose in cases}) == len(cases)


@given(st.text(min_size=1))
def test_text_is_its_bytes(text):
    try:
        expected = text.encode()
    except UnicodeEncodeError:
        with pytest.raises(InputError, match="give it as bytes"):
            keys.check_key(text)
        return
    assert keys.check_key(expected) == expected
    if text.isascii():
        assert keys.check_key(text) == expected


def test_text_is_normalised_and_bytes_are_not():
    composed, decomposed = "\u00e9", "e\u0301"
    assert keys.check_key(composed) == keys.check_key(decomposed) == b"\xc3\xa9"
    assert keys.check_key(decomposed.encode()) == b"e\xcc\x81"
    assert keys.derive(composed, SALT, b"a", 8) == keys.derive(decomposed, SALT, b"a", 8)


def test_no_two_keys_are_one():
    # HMAC, inside scrypt, pads short passwords with zeros and hashes long ones.
    long = b"x" * 65
    alike = [b"a", b"a\0", b"a\0\0", long, hashlib.sha256(long).digest()]
    assert len({keys.derive(key, SALT, b"a", 16) for key in alike}) == len(alike)


@pytest.mark.parametrize("key", ["", b""])
def test_an_empty_key_is_an_error_that_says_what_to_do(key):
    with pytest.raises(InputError, match=r"at least one letter, or no key at all \(None\)"):
        keys.derive(key, SALT, b"a", 1)


@pytest.mark.parametrize("key", [0, 17.5, True, ["secret"], bytearray(b"secret"), object()])
def test_other_types_are_no_keys(key):
    with pytest.raises(InputError, match="give text, bytes or None") as caught:
        keys.check_key(key)
    assert "secret" not in str(caught.value)


def test_errors_do_not_show_the_key():
    with pytest.raises(InputError) as caught:
        keys.check_key("secret\udc80")
    assert "secret" not in str(caught.value)
    assert "secret" not in str(caught.value.value)


@pytest.mark.parametrize("salt", [b"", bytes(11), bytes(13)])
def test_a_salt_has_12_bytes(salt):
    with pytest.raises(InputError, match="give 12 bytes"):
        keys.derive(None, salt, b"a", 1)


@pytest.mark.parametrize("purpose", [b"", b"a" * 17, b"a\0", b"\xe9", b"-", b"a b"])
def test_purposes_are_names(purpose):
    with pytest.raises(InputError, match="letters, digits and hyphens"):
        keys.derive(None, SALT, purpose, 1)


def test_keystream_of_the_rfc():
    # RFC 8439, appendix A.1, test vectors 1 and 2: zero key, zero nonce, blocks 0 and 1.
    first = (
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
    )
    second = (
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
    )
    assert keys.keystream(bytes(32), 128).hex() == first + second
    assert keys.keystream(bytes(32), 0) == b""


def test_keystream_needs_32_bytes():
    with pytest.raises(InputError, match="the 32 bytes of `derive`"):
        keys.keystream(b"short", 8)
