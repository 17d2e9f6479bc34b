"""Payload bytes into a message that tells its own length and cannot be misread, and back.

    salt 12 | head 11 (masked fields 5, check 6) | body, sealed | tag 16

39 bytes on top of the body, the same for every payload. The salt makes one message's secrets
its own; the head says how to read the rest, and its check tells "nothing here with this key"
from "here, but altered"; the tag vouches for every byte. Without the key all of it is random
bytes. docs/container.md has the format byte by byte.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TypeAlias

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from morebits.codecs import compression
from morebits.codecs.keys import SALT_BYTES, Key, check_key, derive
from morebits.errors import InputError, NewerFormat, TooLarge
from morebits.types import Status

BytesLike: TypeAlias = bytes | bytearray | memoryview

#: Bytes that a message has on top of its body.
OVERHEAD = 39
#: Longest payload, in bytes: more than the pictures we read could carry.
MAX_PAYLOAD = 1 << 30
#: The chance that random bits pass for a message, whatever its body: the 48 bits of the check.
HEAD_P_VALUE = 2.0**-48
#: The chance that random bits give a payload: check and tag.
FOUND_P_VALUE = 2.0**-176

_VERSION = 1
_STORED, _LZMA = 0, 1
_FIELD_BYTES, _CHECK_BYTES, _TAG_BYTES = 5, 6, 16
_HEAD_END = SALT_BYTES + _FIELD_BYTES + _CHECK_BYTES
_NONCE = bytes(12)  # every message has its own key, so the nonce need not vary


@dataclass(frozen=True)
class Opened:
    """What `unpack` found; falsy unless the payload is there and intact."""

    status: Status
    payload: bytes | None = None

    def __bool__(self) -> bool:
        return self.status == "found"

    @property
    def p_value(self) -> float:
        """The chance that random bits give this answer."""
        return {"found": FOUND_P_VALUE, "altered": HEAD_P_VALUE, "nothing": 1.0}[self.status]


def pack(payload: BytesLike, *, key: Key, context: BytesLike) -> bytes:
    """The message for a payload: always the same for the same payload, key and context.

    The context is a digest of the cover, so that one payload in two pictures gives messages
    that have nothing in common.

    >>> message = pack(b"hello", key="secret", context=b"digest of the cover")
    >>> len(message), unpack(message, key="secret").payload
    (44, b'hello')
    """
    raw, cover = check_payload(payload), as_bytes("context", context)
    body = compression.compress(raw)
    if body is None:
        return _seal(_STORED, raw, key, cover)
    return _seal(_LZMA, body, key, cover)


def unpack(message: BytesLike, *, key: Key, max_payload: int = MAX_PAYLOAD) -> Opened:
    """The payload of a message; bytes after its end are ignored.

    "nothing": no message, or not with this key. "altered": a message of this key, but not as
    it was written, or cut short. TooLarge for payloads above `max_payload` bytes, NewerFormat
    for versions that do not exist yet.

    >>> message = pack(b"hello", key="secret", context=b"")
    >>> unpack(message, key="wrong").status, unpack(message[:-1], key="secret").status
    ('nothing', 'altered')
    """
    data = as_bytes("message", message)
    limit = check_limit(max_payload)
    check_key(key)  # also where there is too little to read
    salt = data[:SALT_BYTES]
    fields = _open_head(salt, data[SALT_BYTES:_HEAD_END], key)
    if fields is None:
        return Opened("nothing")
    encoding, length = _parse(fields)
    end = _HEAD_END + length + _TAG_BYTES
    if len(data) < end:
        return Opened("altered")
    if length > limit:  # a compressed body is smaller than its payload, so this holds for both
        raise TooLarge("the payload", length, limit, "bytes", "raise max_payload")
    try:
        body = _cipher(key, salt).decrypt(_NONCE, memoryview(data)[_HEAD_END:end], fields)
    except InvalidTag:
        return Opened("altered")
    payload = body if encoding == _STORED else compression.decompress(body, limit=limit)
    return Opened("altered") if payload is None else Opened("found", payload)


def size(payload_bytes: int) -> int:
    """Bytes of the message for a payload of this length, at most: it may compress.

    >>> size(0)
    39
    """
    return payload_bytes + OVERHEAD


def room(message_bits: int) -> int:
    """Payload bytes that fit into so many message bits for certain, that is uncompressed.

    Negative when not even the empty payload fits: so many bytes are missing for it.

    >>> room(1000), room(312), room(311)
    (86, 0, -1)
    """
    return min(message_bits // 8 - OVERHEAD, MAX_PAYLOAD)


def _seal(encoding: int, body: bytes, key: Key, context: bytes, version: int = _VERSION) -> bytes:
    fields = bytes([version << 4 | encoding]) + len(body).to_bytes(4, "little")
    salt = _salt(fields, body, key, context)
    masked = _xor(fields, derive(key, salt, b"container-mask", _FIELD_BYTES))
    sealed = _cipher(key, salt).encrypt(_NONCE, body, fields)
    return b"".join((salt, masked, _check(fields, key, salt), sealed))


def _salt(fields: bytes, body: bytes, key: Key, context: bytes) -> bytes:
    """A keyed digest of all that will be sealed: it differs whenever any of that differs.

    The body, not the payload, is what counts: should a future LZMA library compress the same
    payload to other bytes, they get another salt, and no keystream is ever used twice.
    """
    secret = derive(key, bytes(SALT_BYTES), b"container-salt", 32)
    digest = hashlib.blake2b(digest_size=SALT_BYTES, key=secret)
    for part in (len(context).to_bytes(8, "little"), context, fields, body):
        digest.update(part)
    return digest.digest()


def _open_head(salt: bytes, head: bytes, key: Key) -> bytes | None:
    """The plain fields, None when the check fails."""
    if len(head) < _FIELD_BYTES + _CHECK_BYTES:
        return None
    fields = _xor(head[:_FIELD_BYTES], derive(key, salt, b"container-mask", _FIELD_BYTES))
    return fields if head[_FIELD_BYTES:] == _check(fields, key, salt) else None


def _parse(fields: bytes) -> tuple[int, int]:
    """(encoding, body length) of fields that have passed their check."""
    version, encoding = fields[0] >> 4, fields[0] & 15
    if version != _VERSION or encoding not in (_STORED, _LZMA):
        raise NewerFormat("the message", f"{version}.{encoding}", f"{_VERSION}.{_LZMA}")
    return encoding, int.from_bytes(fields[1:], "little")


def _check(fields: bytes, key: Key, salt: bytes) -> bytes:
    secret = derive(key, salt, b"container-check", 32)
    return hashlib.blake2b(fields, digest_size=_CHECK_BYTES, key=secret).digest()


def _cipher(key: Key, salt: bytes) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(derive(key, salt, b"container-body", 32))


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def check_payload(payload: BytesLike) -> bytes:
    """The payload as bytes; TooLarge above `MAX_PAYLOAD`."""
    raw = as_bytes("payload", payload)
    if len(raw) > MAX_PAYLOAD:
        raise TooLarge("the payload", len(raw), MAX_PAYLOAD, "bytes", "hide it in parts")
    return raw


def as_bytes(name: str, value: BytesLike) -> bytes:
    """The argument `name` as bytes."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    fix = "give bytes; text becomes bytes with .encode()"
    raise InputError(name, f"a {type(value).__name__}", fix)


def check_limit(max_payload: int) -> int:
    """The longest payload that a reader accepts, in bytes."""
    if isinstance(max_payload, int) and 0 <= max_payload <= MAX_PAYLOAD:
        return max_payload
    raise InputError("max_payload", max_payload, f"give 0 to {MAX_PAYLOAD:,} bytes")
