"""The message of the robust codec: 7 bytes on top of the payload instead of 39, of any fixed size.

    tag 6 | sealed: body, mark 1, zeros up to the size

The robust codec tells a reader the size of the message and has little room, so there is neither a
salt nor a length. The tag is a keyed digest of all that is sealed, and what seals it is a stream
that starts from the tag: one wrong bit anywhere gives another plaintext, whose digest is another.
The mark is the last byte that is not zero, so that padding of any length costs nothing. Without
the key all of it is random bytes. docs/container.md has the format and what it cannot do.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from morebits.codecs import compression, container
from morebits.codecs.container import (
    MAX_PAYLOAD,
    BytesLike,
    as_bytes,
    check_limit,
    check_payload,
)
from morebits.codecs.keys import SALT_BYTES, Key, derive, keystream
from morebits.errors import DoesNotFit, InputError, NewerFormat, TooLarge
from morebits.types import Extraction

#: Bits that a message has on top of its body, whatever the key.
OVERHEAD_BITS = 56
#: The chance that random bits give a payload: the 48 bits of the tag. A reader that tries many
#: messages has to multiply.
P_VALUE = 2.0**-48

_VERSION = 1
_STORED, _LZMA = 0, 1
_TAG_BYTES = 6
_OVERHEAD = OVERHEAD_BITS // 8
#: One salt for all messages: scrypt runs once for a key, not for each of many messages tried.
_SALT = bytes(SALT_BYTES)


class Opened(container.Opened):
    """What a message gave; falsy unless the payload is there. Never "altered"."""

    @property
    def p_value(self) -> float:
        """The chance that one message of random bits gives this answer."""
        return P_VALUE if self else 1.0


class Opener:
    """Opens any number of messages of one key; what is slow about a key is done once, here.

    >>> opener = Opener("secret")
    >>> opener.open(pack(b"hello", key="secret", size=20)).payload
    b'hello'
    >>> opener.open(bytes(20)).status
    'nothing'
    """

    def __init__(self, key: Key):
        self._secrets = _secrets(key)

    def open(self, message: BytesLike, *, max_payload: int = MAX_PAYLOAD) -> Opened:
        """The payload of a message, which must have exactly the bytes that `pack` gave.

        "nothing": no message, not with this key, or not as it was written. TooLarge for
        payloads above `max_payload` bytes, NewerFormat for versions that do not exist yet.
        """
        data, limit = as_bytes("message", message), check_limit(max_payload)
        plain = _unseal(data, self._secrets)
        if plain is None:
            return Opened("nothing")
        marked = plain.rstrip(b"\0")
        if not marked:  # nobody writes this: without a key anyone could
            return Opened("nothing")
        encoding, body = _parse(marked[-1]), marked[:-1]
        if len(body) > limit:  # a compressed body is smaller than its payload: holds for both
            raise TooLarge("the payload", len(body), limit, "bytes", "raise max_payload")
        payload = body if encoding == _STORED else compression.decompress(body, limit=limit)
        return Opened("nothing") if payload is None else Opened("found", payload)


def extraction(
    codec: str, opened: Opened | None, tries: int, details: Mapping[str, Any]
) -> Extraction:
    """What a codec found that opened so many messages: the one that gave a payload, or None.

    >>> extraction("mine", None, 3, {}).status
    'nothing'
    >>> found = unpack(pack(b"hi", key=None, size=9), key=None)
    >>> extraction("mine", found, 2, {}).p_value == 2 * P_VALUE
    True
    """
    if opened is None:
        return Extraction("nothing", codec, details=details)
    payload = opened.payload or b""
    bits = np.unpackbits(np.frombuffer(payload, np.uint8))
    p_value = min(1.0, P_VALUE * tries)
    return Extraction("found", codec, bits, payload, p_value=p_value, details=details)


def pack(payload: BytesLike, *, key: Key, size: int) -> bytes:
    """The message of `size` bytes: always the same for the same payload, key and size.

    DoesNotFit when `size` is less than `compact.size(payload)`. A payload is compressed only
    where it would not fit otherwise.

    >>> message = pack(b"hello", key="secret", size=12)
    >>> len(message), unpack(message, key="secret").payload
    (12, b'hello')
    """
    raw, exactly, secrets = check_payload(payload), _check_size(size), _secrets(key)
    if len(raw) <= room(exactly):
        return _seal(_STORED, raw, exactly, secrets)
    body = compression.compress(raw)
    if body is not None and len(body) <= room(exactly):
        return _seal(_LZMA, body, exactly, secrets)
    needed = _OVERHEAD + len(raw if body is None else body)
    fix = "shorten the payload, or give a larger size"
    raise DoesNotFit("the message", needed, exactly, "bytes", fix)


def unpack(message: BytesLike, *, key: Key, max_payload: int = MAX_PAYLOAD) -> Opened:
    """The payload of one message; `Opener` is for many. Answers and errors are the same.

    >>> message = pack(b"hello", key="secret", size=20)
    >>> unpack(message, key="wrong").status, unpack(message[:-1], key="secret").status
    ('nothing', 'nothing')
    """
    return Opener(key).open(message, max_payload=max_payload)


def size(payload: BytesLike) -> int:
    """Bytes of the smallest message that holds this payload, compressed if that helps.

    >>> size(b""), size(b"hello"), size(b"again and " * 100)
    (7, 12, 39)
    """
    raw = check_payload(payload)
    body = compression.compress(raw)
    return _OVERHEAD + len(raw if body is None else body)


def room(size: int) -> int:
    """Payload bytes that fit into a message of `size` bytes for certain, that is uncompressed.

    Negative when not even the empty payload fits: so many bytes are missing for it.

    >>> room(100), room(7), room(6)
    (93, 0, -1)
    """
    return min(size - _OVERHEAD, MAX_PAYLOAD)


def _secrets(key: Key) -> tuple[bytes, bytes]:
    """What the tag and the stream of every message of this key start from."""
    return derive(key, _SALT, b"compact-tag", 32), derive(key, _SALT, b"compact-stream", 32)


def _seal(
    encoding: int, body: bytes, size: int, secrets: tuple[bytes, bytes], version: int = _VERSION
) -> bytes:
    plain = (body + bytes([version << 4 | encoding])).ljust(size - _TAG_BYTES, b"\0")
    tag = _tag(plain, secrets[0])
    return tag + _crypt(plain, tag, secrets[1])


def _unseal(message: bytes, secrets: tuple[bytes, bytes]) -> bytes | None:
    """The plaintext, None when its tag is wrong."""
    if len(message) < _OVERHEAD:
        return None
    tag = message[:_TAG_BYTES]
    plain = _crypt(message[_TAG_BYTES:], tag, secrets[1])
    return plain if hmac.compare_digest(tag, _tag(plain, secrets[0])) else None


def _tag(plain: bytes, secret: bytes) -> bytes:
    return hashlib.blake2b(plain, digest_size=_TAG_BYTES, key=secret).digest()


def _crypt(text: bytes, tag: bytes, secret: bytes) -> bytes:
    """Seals and unseals: exclusive or with the stream of this tag."""
    stream = keystream(hashlib.blake2b(tag, digest_size=32, key=secret).digest(), len(text))
    return (np.frombuffer(text, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()


def _parse(mark: int) -> int:
    """The encoding, from the mark of a plaintext that has passed its check."""
    version, encoding = mark >> 4, mark & 15
    if version != _VERSION or encoding not in (_STORED, _LZMA):
        raise NewerFormat("the message", f"{version}.{encoding}", f"{_VERSION}.{_LZMA}")
    return encoding


def _check_size(size: int) -> int:
    most = MAX_PAYLOAD + _OVERHEAD
    if isinstance(size, Integral) and not isinstance(size, bool) and 0 <= size <= most:
        return int(size)
    raise InputError("size", size, f"give a whole number of bytes, 0 to {most:,}")
