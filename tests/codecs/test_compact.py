"""The compact message: a payload or nothing, 7 bytes on top, and the format as the page has it."""

from __future__ import annotations

import hashlib
import json
import lzma
import random
import struct
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from morebits.codecs import compact, compression, container, keys
from morebits.codecs.compact import Opened, Opener, pack, unpack
from morebits.errors import DoesNotFit, InputError, NewerFormat, TooLarge

GOLDEN = json.loads((Path(__file__).parent / "golden" / "compact-1.json").read_text())
TEXT = b"How many bits can an image hide? " * 9
SHORT = b"\x00\xffnoise?\x80\x13"
NOTHING = Opened("nothing")

with_and_without = pytest.mark.parametrize("key", [None, "secret"])
#: Keys whose scrypt is run once and then kept.
some_keys = st.sampled_from([None, "k", "secret", "pässwörd", b"\0", b"\0\0"])


def noise(length: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(length)


def flipped(message: bytes, bit: int) -> bytes:
    changed = bytearray(message)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def sealed(plain: bytes, key: str | None) -> bytes:
    """A message with a right tag around any plaintext, as only a writer with the key can make."""
    tag_secret, stream_secret = compact._secrets(key)
    tag = compact._tag(plain, tag_secret)
    return tag + compact._crypt(plain, tag, stream_secret)


# A second reader, from docs/container.md alone: scrypt of hashlib, ChaCha20 as a cipher, LZMA
# through the format with a header.


def slow_secret(key: str | bytes | None, purpose: bytes) -> bytes:
    if key is None:
        master = hashlib.blake2b(bytes(12), digest_size=32, person=b"morebits public").digest()
    else:
        text = unicodedata.normalize("NFC", key).encode() if isinstance(key, str) else key
        password = hashlib.blake2b(text, person=b"morebits key").digest()
        master = hashlib.scrypt(password, salt=bytes(12), n=16384, r=8, p=1, dklen=32)
    return hashlib.blake2b(bytes(8), key=master, person=purpose).digest()[:32]


def slow_unpack(message: bytes, key: str | bytes | None) -> bytes | None:
    tag, rest = message[:6], message[6:]
    stream_secret = slow_secret(key, b"compact-stream")
    stream_key = hashlib.blake2b(tag, digest_size=32, key=stream_secret).digest()
    cipher = Cipher(algorithms.ChaCha20(stream_key, bytes(16)), mode=None)
    plain = cipher.decryptor().update(rest)
    tag_secret = slow_secret(key, b"compact-tag")
    if hashlib.blake2b(plain, digest_size=6, key=tag_secret).digest() != tag:
        return None
    end = max(i for i, value in enumerate(plain) if value)
    body = plain[:end]
    if plain[end] == 0x10:
        return body
    assert plain[end] == 0x11
    header = struct.pack("<BIQ", 3, 1 << 22, int.from_bytes(body[:4], "little"))
    return lzma.decompress(header + body[4:], lzma.FORMAT_ALONE)


# Round trips


payloads = st.one_of(
    st.binary(max_size=300),
    st.builds(noise, st.integers(0, 20_000), st.integers(0, 9)),
    st.builds(lambda unit, times: unit * times, st.binary(max_size=50), st.integers(0, 400)),
    st.builds(bytes, st.integers(0, 300)),
)


@given(payloads, some_keys, st.one_of(st.integers(0, 40), st.integers(0, 9000)))
def test_round_trip(payload, key, spare):
    size = compact.size(payload) + spare
    message = pack(payload, key=key, size=size)
    assert len(message) == size
    opened = unpack(message, key=key)
    assert opened == Opened("found", payload)
    assert bool(opened)


@settings(max_examples=20)
@given(payloads, some_keys, st.integers(0, 300))
def test_a_reader_made_from_the_page_reads_it_too(payload, key, spare):
    message = pack(payload, key=key, size=compact.size(payload) + spare)
    assert slow_unpack(message, key) == payload


@given(payloads, some_keys, some_keys)
def test_another_key_finds_nothing(payload, key, other):
    message = pack(payload, key=key, size=compact.size(payload) + 3)
    expected = Opened("found", payload) if key == other else NOTHING
    assert unpack(message, key=other) == expected


@with_and_without
@pytest.mark.parametrize("length", [0, 1, 9, 8185, 200_000])
def test_overhead_is_56_bits_and_room_is_exact(length, key):
    payload = noise(length)
    assert compact.size(payload) == length + 7 == length + compact.OVERHEAD_BITS // 8
    assert compact.room(length + 7) == length
    message = pack(payload, key=key, size=length + 7)
    assert 8 * len(message) == 8 * length + compact.OVERHEAD_BITS
    assert unpack(message, key=key).payload == payload
    with pytest.raises(DoesNotFit):
        pack(payload, key=key, size=length + 6)


def test_room_below_the_empty_payload_says_how_many_bytes_are_missing():
    assert [compact.room(size) for size in (8, 7, 6, 0)] == [1, 0, -1, -7]
    assert compact.room(1 << 60) == container.MAX_PAYLOAD


@with_and_without
@pytest.mark.parametrize("payload", [b"", b"\0", bytes(40), b"\x10", b"\x11\0\0", b"\0\x10", SHORT])
def test_every_padding_leaves_the_payload_alone(payload, key):
    # Payloads that end like a mark, or like padding.
    opener = Opener(key)
    smallest = len(payload) + 7
    for size in [*range(smallest, smallest + 70), 255, 256, 257, 4096, 65_535, 65_536, 65_537]:
        message = pack(payload, key=key, size=size)
        assert len(message) == size
        assert opener.open(message) == Opened("found", payload), size


def test_compressed_only_where_it_would_not_fit_otherwise():
    smallest = compact.size(TEXT)
    assert smallest < len(TEXT) // 2
    for size, mark in {
        smallest: 0x11, len(TEXT) + 6: 0x11, len(TEXT) + 7: 0x10, len(TEXT) + 8: 0x10,
    }.items():  # fmt: skip
        message = pack(TEXT, key=None, size=size)
        plain = compact._unseal(message, compact._secrets(None))
        assert plain is not None
        assert plain.rstrip(b"\0")[-1] == mark
        assert unpack(message, key=None).payload == TEXT


@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda raw: memoryview(raw + raw)[::2]])
def test_other_kinds_of_bytes(kind):
    payload = bytes(kind(TEXT))
    message = pack(kind(TEXT), key=None, size=500)
    assert compact.size(kind(TEXT)) == compact.size(payload)
    assert message == pack(payload, key=None, size=500)
    assert unpack(memoryview(message), key=None).payload == payload


def test_a_size_from_numpy():
    assert pack(SHORT, key=None, size=np.int64(30)) == pack(SHORT, key=None, size=30)


# Never garbage


@with_and_without
@pytest.mark.parametrize(
    ("payload", "spare"),
    [(b"", 0), (b"", 30), (SHORT, 0), (SHORT, 9), (TEXT, 0), (TEXT, 20)],
)
def test_every_flipped_bit_is_noticed(payload, spare, key):
    message = pack(payload, key=key, size=compact.size(payload) + spare)
    opener = Opener(key)
    for bit in range(8 * len(message)):
        assert opener.open(flipped(message, bit)) == NOTHING, bit


@with_and_without
def test_another_length_is_nothing(key):
    message = pack(SHORT, key=key, size=60)
    opener = Opener(key)
    for length in range(len(message)):
        assert opener.open(message[:length]) == NOTHING, length
    for more in (b"\0", b"\x10", bytes(50), message):
        assert opener.open(message + more) == NOTHING
        assert opener.open(more + message) == NOTHING


@with_and_without
def test_random_messages_are_nothing(key):
    # 100,000 of them, as many as one search through a picture may try.
    opener, source = Opener(key), random.Random(3)
    sizes = (7, 8, 16, 32, 64)
    assert all(opener.open(source.randbytes(size)) == NOTHING for size in sizes * 20_000)


@with_and_without
def test_constant_messages_are_nothing(key):
    # What a decoder makes of an empty channel.
    opener = Opener(key)
    for size in range(2000):
        assert opener.open(bytes(size)) == opener.open(b"\xff" * size) == NOTHING, size


@given(st.integers(1, 255), st.binary(max_size=60), st.integers(0, 9))
def test_any_plaintext_under_a_right_tag_gives_an_answer_or_our_error(mark, body, zeros):
    message = sealed(body + bytes([mark]) + bytes(zeros), None)
    if mark not in (0x10, 0x11):
        with pytest.raises(NewerFormat):
            unpack(message, key=None)
    elif mark == 0x10:
        assert unpack(message, key=None) == Opened("found", body)
    elif int.from_bytes(body[:4], "little") > 1 << 20:
        with pytest.raises(TooLarge):
            unpack(message, key=None, max_payload=1 << 20)
    else:
        assert unpack(message, key=None, max_payload=1 << 20).status in ("found", "nothing")


@with_and_without
@pytest.mark.parametrize("plain", [b"\0", bytes(30), b"\x11", b"\1\0\0\0broken\x11"])
def test_what_no_writer_writes_is_nothing(plain, key):
    assert unpack(sealed(plain, key), key=key) == NOTHING


@with_and_without
@pytest.mark.parametrize("mark", [0x01, 0x12, 0x1F, 0x20, 0xFF])
def test_a_later_version_asks_for_an_update(mark, key):
    message = sealed(b"?" + bytes([mark, 0, 0]), key)
    with pytest.raises(NewerFormat, match="pip install --upgrade morebits") as caught:
        unpack(message, key=key)
    assert (caught.value.version, caught.value.known) == (f"{mark >> 4}.{mark & 15}", "1.1")


def test_bombs():
    stream = compression._stream(bytes(1 << 22))
    honest = sealed((1 << 22).to_bytes(4, "little") + stream + b"\x11", None)
    with pytest.raises(TooLarge, match="4,194,304 bytes, the limit is 1,000,000; raise max_p"):
        unpack(honest, key=None, max_payload=1_000_000)
    assert unpack(honest, key=None).payload == bytes(1 << 22)
    liar = sealed((1000).to_bytes(4, "little") + stream + b"\x11", None)
    assert unpack(liar, key=None) == NOTHING
    endless = sealed(b"\xff" * 4 + stream + b"\x11", None)
    with pytest.raises(TooLarge, match=r"4,294,967,295 bytes, the limit is 1,073,741,824"):
        unpack(endless, key=None)


def test_the_limit_holds_for_stored_payloads_too():
    message = pack(SHORT, key=None, size=99)
    assert unpack(message, key=None, max_payload=len(SHORT)).payload == SHORT
    with pytest.raises(TooLarge) as caught:
        unpack(message, key=None, max_payload=len(SHORT) - 1)
    assert (caught.value.needed, caught.value.unit) == (len(SHORT), "bytes")
    assert unpack(flipped(message, 0), key=None, max_payload=0) == NOTHING


# Wrong use


@pytest.mark.parametrize(
    ("payload", "size", "needed"),
    [(b"", 6, 7), (b"", 0, 7), (SHORT, 16, 17), (TEXT, 20, compact.size(TEXT))],
)
def test_too_long_a_payload_says_how_much_it_needs(payload, size, needed):
    with pytest.raises(DoesNotFit, match="shorten the payload, or give a larger size") as caught:
        pack(payload, key=None, size=size)
    error = caught.value
    assert (error.what, error.needed, error.capacity) == ("the message", needed, size)
    assert error.unit == "bytes"
    assert unpack(pack(payload, key=None, size=error.needed), key=None).payload == payload


def test_a_payload_beyond_all_limits_is_refused(monkeypatch):
    monkeypatch.setattr(compact.container, "MAX_PAYLOAD", 10)
    for call in (lambda: pack(bytes(11), key=None, size=12), lambda: compact.size(bytes(11))):
        with pytest.raises(TooLarge, match="needs 11 bytes, the limit is 10; hide it in parts"):
            call()


@pytest.mark.parametrize("size", [-1, 1.5, None, "20", True, (1 << 30) + 8])
def test_wrong_sizes(size):
    with pytest.raises(InputError, match="give a whole number of bytes") as caught:
        pack(b"", key=None, size=size)
    assert caught.value.name == "size"


@pytest.mark.parametrize("wrong", ["text", None, 3, [1, 2], np.zeros(3, np.uint8)])
def test_only_bytes(wrong):
    for name, call in {
        "payload": lambda: pack(wrong, key=None, size=20),
        "message": lambda: unpack(wrong, key=None),
    }.items():
        with pytest.raises(InputError, match="give bytes") as caught:
            call()
        assert caught.value.name == name
    with pytest.raises(InputError, match="give bytes"):
        compact.size(wrong)


@pytest.mark.parametrize("key", ["", b"", 7])
def test_wrong_keys(key):
    for call in (
        lambda: pack(b"", key=key, size=20),
        lambda: unpack(b"", key=key),
        lambda: Opener(key),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.name == "key"


@pytest.mark.parametrize("limit", [-1, (1 << 30) + 1, 1.5, None])
def test_wrong_limits(limit):
    with pytest.raises(InputError, match="max_payload"):
        unpack(b"", key=None, max_payload=limit)


# Deterministic, white, and quick for many


@with_and_without
def test_the_same_input_gives_the_same_message(key):
    first = pack(TEXT, key=key, size=400)
    keys._keyed_master.cache_clear()
    assert pack(TEXT, key=key, size=400) == first


def test_other_input_gives_a_message_with_nothing_in_common():
    cases = [
        (payload, key, size)
        for payload in (b"", b"a", b"ab", b"a\0", TEXT)
        for key in (None, "k", "secret")
        for size in (400, 401, 402)
    ]
    rows = [pack(payload, key=key, size=size) for payload, key, size in cases]
    assert len({row[:6] for row in rows}) == len(cases)
    table = np.array([np.frombuffer(row[:400], np.uint8) for row in rows])
    for i, j in zip(*np.triu_indices(len(rows), 1), strict=True):
        different = np.unpackbits(table[i] ^ table[j]).mean()
        assert abs(different - 0.5) < 0.05  # 3,200 bits: 5.7 sigma


def uniform(values: np.ndarray) -> float:
    """p-value of a chi-square test that these bytes are uniform."""
    return float(chisquare(np.bincount(values.reshape(-1), minlength=256)).pvalue)


@with_and_without
def test_every_byte_is_uniform(key):
    # Payloads that hardly differ, and padding after them.
    count, size = 10_000, 32
    rows = [pack(i.to_bytes(4, "big"), key=key, size=size) for i in range(count)]
    table = np.frombuffer(b"".join(rows), np.uint8).reshape(count, size)
    assert min(uniform(column) for column in table.T) > 1e-4
    # Neighbouring messages share nothing: the XOR of each two is uniform as well.
    assert min(uniform(column) for column in (table[1:] ^ table[:-1]).T) > 1e-4


def test_an_opener_derives_once(monkeypatch):
    messages = [pack(bytes([i]), key="secret", size=20) for i in range(9)]
    opener = Opener("secret")

    def refuse(*_):
        raise AssertionError("a key was derived for each message")

    monkeypatch.setattr(compact, "derive", refuse)
    assert [opener.open(each).payload for each in messages] == [bytes([i]) for i in range(9)]


def test_nobody_sees_the_secrets_of_an_opener():
    shown = repr(Opener("secret"))
    assert not any(repr(secret) in shown for secret in compact._secrets("secret"))


def test_p_values():
    message = pack(SHORT, key=None, size=30)
    assert unpack(message, key=None).p_value == compact.P_VALUE == 2.0**-48
    assert unpack(b"", key=None).p_value == 1.0
    assert 1e5 * compact.P_VALUE < 1e-9  # a whole search through a picture


# Golden messages, written once by the first version of this format and checked with the second
# reader above; every later version must read them.


def golden_key(case: dict[str, str]) -> str | bytes | None:
    return bytes.fromhex(case["key_hex"]) if "key_hex" in case else case.get("key")


golden = pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])


@golden
def test_golden_messages_are_read_forever(case):
    message, payload = bytes.fromhex(case["message"]), bytes.fromhex(case["payload"])
    assert unpack(message, key=golden_key(case)) == Opened("found", payload)
    assert slow_unpack(message, golden_key(case)) == payload


@golden
def test_golden_messages_are_written_on_every_machine(case):
    # If only "compressed" fails: this machine's liblzma compresses to other bytes.
    payload, size = bytes.fromhex(case["payload"]), len(case["message"]) // 2
    assert pack(payload, key=golden_key(case), size=size).hex() == case["message"]
