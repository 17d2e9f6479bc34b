"""The container: three answers and never garbage, and the format as the page describes it."""

from __future__ import annotations

import hashlib
import json
import lzma
import random
import struct
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.poly1305 import Poly1305
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from morebits.codecs import compression, container, keys
from morebits.codecs.container import Opened, pack, unpack
from morebits.errors import InputError, NewerFormat, TooLarge

GOLDEN = json.loads((Path(__file__).parent / "golden" / "container-1.json").read_text())
TEXT = b"How many bits can an image hide? " * 9
SHORT = b"\x00\xffnoise?\x80\x13"

with_and_without = pytest.mark.parametrize("key", [None, "secret"])
slow_keys = settings(max_examples=25, deadline=None)  # scrypt takes its time, on purpose


def noise(length: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(length)


def flipped(message: bytes, bit: int) -> bytes:
    changed = bytearray(message)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


# A second reader, from docs/container.md alone: scrypt of hashlib, ChaCha20 and Poly1305 put
# together by hand, LZMA through the format with a header.


def slow_derive(key: str | bytes | None, salt: bytes, purpose: str, length: int) -> bytes:
    if key is None:
        master = hashlib.blake2b(salt, digest_size=32, person=b"morebits public").digest()
    else:
        text = unicodedata.normalize("NFC", key).encode() if isinstance(key, str) else key
        password = hashlib.blake2b(text, person=b"morebits key").digest()
        master = hashlib.scrypt(password, salt=salt, n=16384, r=8, p=1, dklen=32)
    assert length <= 64
    person = purpose.encode()
    return hashlib.blake2b(bytes(8), key=master, person=person).digest()[:length]


def slow_open(secret: bytes, sealed: bytes, tag: bytes, associated: bytes) -> bytes | None:
    """RFC 8439, section 2.8: block 0 keys the tag, the text starts at block 1."""
    stream = Cipher(algorithms.ChaCha20(secret, bytes(16)), mode=None).encryptor()
    one_time = stream.update(bytes(64))[:32]
    padded = [part + bytes(-len(part) % 16) for part in (associated, sealed)]
    lengths = struct.pack("<QQ", len(associated), len(sealed))
    if Poly1305.generate_tag(one_time, b"".join(padded) + lengths) != tag:
        return None
    return stream.update(sealed)


def slow_unpack(message: bytes, key: str | bytes | None) -> Opened:
    if len(message) < 23:
        return Opened("nothing")
    salt, masked, check = message[:12], message[12:17], message[17:23]
    mask = slow_derive(key, salt, "container-mask", 5)
    fields = bytes(a ^ b for a, b in zip(masked, mask, strict=True))
    secret = slow_derive(key, salt, "container-check", 32)
    if hashlib.blake2b(fields, digest_size=6, key=secret).digest() != check:
        return Opened("nothing")
    first, length = struct.unpack("<BI", fields)
    assert first in (0x10, 0x11)
    if len(message) < 39 + length:
        return Opened("altered")
    sealed, tag = message[23 : 23 + length], message[23 + length : 39 + length]
    body = slow_open(slow_derive(key, salt, "container-body", 32), sealed, tag, fields)
    if body is None:
        return Opened("altered")
    if first == 0x10:
        return Opened("found", body)
    header = struct.pack("<BIQ", 3, 1 << 22, int.from_bytes(body[:4], "little"))
    return Opened("found", lzma.decompress(header + body[4:], lzma.FORMAT_ALONE))


# Round trips


payloads = st.one_of(
    st.binary(max_size=300),
    st.builds(noise, st.integers(0, 100_000), st.integers(0, 9)),
    st.builds(lambda unit, times: unit * times, st.binary(max_size=50), st.integers(0, 2000)),
)
some_keys = st.one_of(st.none(), st.text(st.characters(codec="utf-8"), min_size=1))


@settings(deadline=None)
@given(payloads, st.binary(max_size=40), st.binary(max_size=9))
def test_round_trip_without_a_key(payload, context, padding):
    message = pack(payload, key=None, context=context)
    assert len(message) <= container.size(len(payload))
    assert unpack(message + padding, key=None) == Opened("found", payload)
    assert slow_unpack(message, None) == Opened("found", payload)


@slow_keys
@given(payloads, some_keys | st.binary(min_size=1), st.binary(max_size=40))
def test_round_trip_with_a_key(payload, key, context):
    message = pack(payload, key=key, context=context)
    assert unpack(message, key=key) == slow_unpack(message, key) == Opened("found", payload)


@slow_keys
@given(payloads, some_keys, some_keys)
def test_another_key_finds_nothing(payload, key, other):
    message = pack(payload, key=key, context=b"")
    same = keys.check_key(key) == keys.check_key(other)
    assert unpack(message, key=other).status == ("found" if same else "nothing")


@with_and_without
@pytest.mark.parametrize("payload", [b"", b"\0", SHORT, noise(70_000)])
def test_size_and_room_are_exact_for_what_does_not_compress(payload, key):
    message = pack(payload, key=key, context=b"")
    assert len(message) == container.size(len(payload)) == len(payload) + container.OVERHEAD
    assert container.room(8 * len(message)) == len(payload)
    assert container.room(8 * len(message) - 1) == len(payload) - 1


def test_room_below_the_empty_payload_says_how_many_bytes_are_missing():
    assert [container.room(bits) for bits in (312, 311, 8, 0)] == [0, -1, -38, -39]
    assert container.room(1 << 60) == container.MAX_PAYLOAD


def test_compressed_when_that_helps():
    assert len(pack(TEXT, key=None, context=b"")) < len(TEXT) // 2


@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda raw: memoryview(raw + raw)[::2]])
def test_other_kinds_of_bytes(kind):
    payload = bytes(kind(TEXT))
    message = pack(kind(TEXT), key=None, context=kind(b"context"))
    assert message == pack(payload, key=None, context=bytes(kind(b"context")))
    assert unpack(memoryview(message), key=None).payload == payload


# Never garbage


@with_and_without
@pytest.mark.parametrize("payload", [b"", SHORT, TEXT], ids=["empty", "stored", "compressed"])
def test_every_flipped_bit_is_noticed(payload, key):
    message = pack(payload, key=key, context=b"cover")
    head = 8 * 23
    # With a key each other salt costs a run of scrypt, so not all of its bits are tried there.
    first = 0 if key is None else 8 * 12 - 8
    for bit in range(first, 8 * len(message)):
        opened = unpack(flipped(message, bit), key=key)
        assert opened == Opened("nothing" if bit < head else "altered"), bit
        assert not opened


@with_and_without
@pytest.mark.parametrize("payload", [b"", SHORT, TEXT], ids=["empty", "stored", "compressed"])
def test_every_truncation_is_noticed(payload, key):
    message = pack(payload, key=key, context=b"cover")
    for length in range(len(message)):
        expected = "nothing" if length < 23 else "altered"
        assert unpack(message[:length], key=key) == Opened(expected), length


@settings(deadline=None)
@given(st.binary(max_size=500))
def test_any_bytes_are_nothing(data):
    assert unpack(data, key=None) == Opened("nothing")


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 2), st.integers(0, 2), st.binary(max_size=80), st.binary(max_size=3))
def test_any_sealed_bytes_give_an_answer_or_our_error(version, encoding, body, padding):
    message = container._seal(encoding, body, None, b"", version) + padding
    if version != 1 or encoding > 1:
        with pytest.raises(NewerFormat):
            unpack(message, key=None)
        return
    try:
        opened = unpack(message, key=None, max_payload=1 << 20)
    except TooLarge:
        assert int.from_bytes(body[:4], "little") > 1 << 20
        return
    assert opened.status in ("found", "altered")
    assert (opened.payload is None) == (opened.status == "altered")
    assert encoding == 1 or opened.payload == body


def test_another_length_in_the_head_does_not_help():
    # Same salt and a right check, which anyone can make without a key: the tag still notices.
    message = bytearray(pack(SHORT, key=None, context=b""))
    salt = bytes(message[:12])
    fields = b"\x10" + (len(SHORT) - 1).to_bytes(4, "little")
    mask = keys.derive(None, salt, b"container-mask", 5)
    message[12:17] = bytes(a ^ b for a, b in zip(fields, mask, strict=True))
    message[17:23] = container._check(fields, None, salt)
    assert unpack(message, key=None) == Opened("altered")


def test_bombs():
    stream = compression._stream(bytes(1 << 24))
    honest = container._seal(1, (1 << 24).to_bytes(4, "little") + stream, None, b"")
    with pytest.raises(TooLarge, match="16,777,216 bytes, the limit is 1,000,000; raise max_p"):
        unpack(honest, key=None, max_payload=1_000_000)
    assert unpack(honest, key=None).payload == bytes(1 << 24)
    liar = container._seal(1, (1000).to_bytes(4, "little") + stream, None, b"")
    assert unpack(liar, key=None) == Opened("altered")
    endless = container._seal(1, b"\xff" * 4 + stream, None, b"")
    with pytest.raises(TooLarge, match=r"4,294,967,295 bytes, the limit is 1,073,741,824"):
        unpack(endless, key=None)


def test_the_limit_holds_for_stored_payloads_too():
    message = pack(SHORT, key=None, context=b"")
    assert unpack(message, key=None, max_payload=len(SHORT)).payload == SHORT
    with pytest.raises(TooLarge) as caught:
        unpack(message, key=None, max_payload=len(SHORT) - 1)
    assert unpack(message[:-1], key=None, max_payload=0) == Opened("altered")
    assert (caught.value.needed, caught.value.unit) == (len(SHORT), "bytes")


def test_too_long_a_payload_is_refused(monkeypatch):
    monkeypatch.setattr(container, "MAX_PAYLOAD", 10)
    with pytest.raises(TooLarge, match="needs 11 bytes, the limit is 10; hide it in parts"):
        pack(bytes(11), key=None, context=b"")


@with_and_without
@pytest.mark.parametrize(("version", "encoding"), [(1, 2), (2, 0), (0, 0), (15, 15)])
def test_a_later_version_asks_for_an_update(version, encoding, key):
    message = container._seal(encoding, b"?", key, b"", version)
    with pytest.raises(NewerFormat, match="pip install --upgrade morebits") as caught:
        unpack(message, key=key)
    assert (caught.value.version, caught.value.known) == (f"{version}.{encoding}", "1.1")


# Wrong use


@pytest.mark.parametrize("wrong", ["text", None, 3, [1, 2], np.zeros(3, np.uint8)])
def test_only_bytes(wrong):
    for name, call in {
        "payload": lambda: pack(wrong, key=None, context=b""),
        "context": lambda: pack(b"", key=None, context=wrong),
        "message": lambda: unpack(wrong, key=None),
    }.items():
        with pytest.raises(InputError, match="give bytes") as caught:
            call()
        assert caught.value.name == name


@pytest.mark.parametrize("key", ["", b"", 7])
def test_wrong_keys(key):
    for call in (
        lambda: pack(b"", key=key, context=b""),
        lambda: unpack(b"", key=key),
        lambda: unpack(bytes(100), key=key),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.name == "key"


@pytest.mark.parametrize("limit", [-1, (1 << 30) + 1, 1.5, None])
def test_wrong_limits(limit):
    with pytest.raises(InputError, match="max_payload"):
        unpack(b"", key=None, max_payload=limit)


# Deterministic, and white


@with_and_without
def test_the_same_input_gives_the_same_message(key):
    first = pack(TEXT, key=key, context=b"cover")
    keys._keyed_master.cache_clear()
    assert pack(TEXT, key=key, context=b"cover") == first


def test_other_input_gives_another_salt():
    cases = [
        (payload, key, context)
        for payload in (b"", b"a", b"ab", TEXT)
        for key in (None, "k", "l")
        for context in (b"", b"a", b"ba")
    ]
    salts = {pack(payload, key=key, context=context)[:12] for payload, key, context in cases}
    assert len(salts) == len(cases)


def test_context_and_content_cannot_be_shifted_into_each_other():
    # One after the other these two are the same bytes; only the length of the context differs.
    inner = b"\x10\x02\0\0\0zz"
    outer = b"\x10\x07\0\0\0"
    one = pack(inner, key=None, context=b"")
    two = pack(b"zz", key=None, context=outer)
    assert one[:12] != two[:12]


def test_another_body_for_the_same_payload_gets_another_salt():
    # What would happen if a later LZMA library found a shorter stream.
    assert container._seal(0, b"one", "k", b"")[:12] != container._seal(0, b"two", "k", b"")[:12]
    assert container._seal(0, b"one", "k", b"")[:12] != container._seal(1, b"one", "k", b"")[:12]


def uniform(values: np.ndarray) -> float:
    """p-value of a chi-square test that these bytes are uniform."""
    return float(chisquare(np.bincount(values.reshape(-1), minlength=256)).pvalue)


def test_every_byte_is_uniform():
    # Empty and constant payloads, so that the structure is the same in each message.
    count, payload = 10_000, bytes(12)
    rows = [pack(payload, key=None, context=i.to_bytes(4, "big")) for i in range(count)]
    table = np.frombuffer(b"".join(rows), np.uint8).reshape(count, container.size(12))
    assert min(uniform(column) for column in table.T) > 1e-4
    # Neighbouring messages share nothing: the XOR of each two is uniform as well.
    assert min(uniform(column) for column in (table[1:] ^ table[:-1]).T) > 1e-4
    bits = np.unpackbits(table, axis=1).astype(float)
    pairs = np.corrcoef(bits.T) - np.eye(bits.shape[1])
    assert np.abs(pairs).max() < 6 / np.sqrt(count)  # 83,000 pairs: 1.6e-4 expected above 6 sigma


def test_messages_with_a_key_are_uniform():
    rows = [pack(bytes([i]), key="secret", context=b"same") for i in range(50)]
    heads = np.frombuffer(b"".join(rows), np.uint8)
    body = pack(noise(40_000, 2), key="secret", context=b"same")
    assert uniform(heads) > 1e-4
    assert uniform(np.frombuffer(body, np.uint8)) > 1e-4
    assert max(Counter(row[12:17] for row in rows).values()) == 1


def test_p_values():
    message = pack(SHORT, key=None, context=b"")
    assert unpack(message, key=None).p_value == container.FOUND_P_VALUE == 2.0**-176
    assert unpack(message[:-1], key=None).p_value == container.HEAD_P_VALUE == 2.0**-48
    assert unpack(b"", key=None).p_value == 1.0


# Golden messages, written by version 1 in its first days; every later version must read them.


def golden_key(case: dict[str, str]) -> str | bytes | None:
    return bytes.fromhex(case["key_hex"]) if "key_hex" in case else case.get("key")


golden = pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])


@golden
def test_golden_messages_are_read_forever(case):
    message, payload = bytes.fromhex(case["message"]), bytes.fromhex(case["payload"])
    assert unpack(message, key=golden_key(case)) == Opened("found", payload)
    assert slow_unpack(message, golden_key(case)) == Opened("found", payload)


@golden
def test_golden_messages_are_written_on_every_machine(case):
    # If only "compressed" fails: this machine's liblzma compresses to other bytes.
    payload, context = bytes.fromhex(case["payload"]), bytes.fromhex(case["context"])
    assert pack(payload, key=golden_key(case), context=context).hex() == case["message"]
