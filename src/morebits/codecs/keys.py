"""A user's key, and every secret that is made from it.

A key is text (NFC-normalised, then UTF-8, so that one keyboard's "é" is the other's), bytes, or
None. None is not a secret: the same derivation then starts from a public value, and what it
masks is white to the eye but open to anyone.

    key -> BLAKE2b -> scrypt with the message's salt -> master -> BLAKE2b for each purpose

The salt is the first 12 bytes of a message. docs/container.md has every constant.
"""

from __future__ import annotations

import hashlib
import unicodedata
from functools import lru_cache
from typing import TypeAlias

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from morebits.errors import InputError

Key: TypeAlias = str | bytes | None

#: Bytes of salt that every message starts with.
SALT_BYTES = 12

_MASTER_BYTES = 32
_BLOCK_BYTES = 64


def check_key(key: Key) -> bytes | None:
    r"""The bytes of a key, None for none; InputError, which never shows the key, otherwise.

    >>> check_key("e\u0301") == check_key("\u00e9") == "\u00e9".encode()
    True
    """
    if key is None:
        return None
    if not isinstance(key, (str, bytes)):
        raise InputError("key", f"of type {type(key).__name__}", "give text, bytes or None")
    if not key:
        raise InputError("key", key, "give at least one letter, or no key at all (None)")
    if isinstance(key, bytes):
        return key
    try:
        return unicodedata.normalize("NFC", key).encode()
    except UnicodeEncodeError:  # lone surrogates, as from a command line that is not UTF-8
        raise InputError("key", "not Unicode text", "give it as bytes") from None


def derive(key: Key, salt: bytes, purpose: bytes, length: int) -> bytes:
    """`length` pseudo-random bytes of this key, for this salt and this purpose only.

    With a key each new salt costs about 50 ms and 16 MiB (scrypt); the last few are kept.
    A purpose is a name of 1 to 16 letters, digits and hyphens.

    >>> derive(None, bytes(12), b"example", 4).hex()
    '6f4b28e8'
    """
    if len(salt) != SALT_BYTES:
        raise InputError("salt", f"of {len(salt)} bytes", f"give {SALT_BYTES} bytes")
    if len(purpose) > 16 or not purpose.replace(b"-", b"").isalnum():
        raise InputError("purpose", purpose, "give 1 to 16 letters, digits and hyphens")
    secret = check_key(key)
    master = _public_master(salt) if secret is None else _keyed_master(secret, bytes(salt))
    blocks = (
        hashlib.blake2b(block.to_bytes(8, "little"), key=master, person=purpose).digest()
        for block in range(-(-length // _BLOCK_BYTES))
    )
    return b"".join(blocks)[:length]


def keystream(key32: bytes, length: int) -> bytes:
    """`length` bytes of ChaCha20 (RFC 8439) with a zero nonce, from block 0.

    The nonce is zero because each key from `derive` is used for one stream only.

    >>> keystream(bytes(32), 4).hex()
    '76b8e0ad'
    """
    if len(key32) != 32:
        raise InputError("key32", f"of {len(key32)} bytes", "give the 32 bytes of `derive`")
    cipher = Cipher(algorithms.ChaCha20(key32, bytes(16)), mode=None)
    return cipher.encryptor().update(bytes(length))


def _public_master(salt: bytes) -> bytes:
    return hashlib.blake2b(salt, digest_size=_MASTER_BYTES, person=b"morebits public").digest()


@lru_cache(maxsize=16)
def _keyed_master(secret: bytes, salt: bytes) -> bytes:
    # scrypt pads its password with zeros: without a hash "a" and "a\0" would be one key.
    password = hashlib.blake2b(secret, person=b"morebits key").digest()
    return Scrypt(salt=salt, length=_MASTER_BYTES, n=2**14, r=8, p=1).derive(password)
