"""Compression: only when it helps, the same every time, and never more than was stated."""

from __future__ import annotations

import lzma
import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.codecs import compression
from morebits.errors import TooLarge

TEXT = b"How many bits can an image hide? " * 40


def noise(length: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(length)


def alone(body: bytes) -> bytes:
    """The page's description, through the other LZMA format: its header is 13 bytes."""
    properties = (0 * 5 + 0) * 9 + 3  # (pb * 5 + lp) * 9 + lc
    header = struct.pack("<BIq", properties, 4 << 20, -1)
    return lzma.decompress(header + body[4:], lzma.FORMAT_ALONE)


@given(st.binary(max_size=300), st.integers(1, 50))
def test_round_trip_and_never_larger(unit, times):
    payload = unit * times
    body = compression.compress(payload)
    if body is None:
        return
    assert len(body) < len(payload)
    assert int.from_bytes(body[:4], "little") == len(payload)
    assert compression.decompress(body, limit=len(payload)) == payload == alone(body)


def test_helps_where_it_should():
    assert len(compression.compress(TEXT) or TEXT) < 70
    assert compression.compress(b"") is None
    assert compression.compress(noise(1000)) is None


def test_large_noise_is_stored_without_a_full_try(monkeypatch):
    seen: list[int] = []
    stream = compression._stream

    def spy(payload: bytes) -> bytes:
        seen.append(len(payload))
        return stream(payload)

    monkeypatch.setattr(compression, "_stream", spy)
    assert compression.compress(noise(3 << 20)) is None
    assert max(seen) == 4096
    assert len(seen) == 64


@pytest.mark.parametrize("at", [0.0, 0.3, 1.0])
def test_a_compressible_part_of_a_large_payload_is_noticed(at):
    data = noise(2 << 20)
    cut = int(at * len(data))
    payload = data[:cut] + bytes(1 << 17) + data[cut:]
    body = compression.compress(payload)
    assert body is not None
    assert compression.decompress(body, limit=len(payload)) == payload


def test_a_bomb_is_stopped_by_what_it_states(monkeypatch):
    asked: list[int] = []
    real = lzma.LZMADecompressor

    class Spy:
        def __init__(self, *args, **options):
            self.decoder = real(*args, **options)

        def decompress(self, data, max_length=-1):
            out = self.decoder.decompress(data, max_length)
            asked.append(len(out))
            return out

        def __getattr__(self, name):
            return getattr(self.decoder, name)

    monkeypatch.setattr(lzma, "LZMADecompressor", Spy)
    stream = compression._stream(bytes(1 << 24))  # 16 MiB in 2.4 kB
    assert len(stream) < 2500
    assert compression.decompress((100).to_bytes(4, "little") + stream, limit=1000) is None
    assert asked == [101]


def test_a_stated_length_above_the_limit_is_refused_at_once():
    body = compression.compress(TEXT)
    assert body is not None
    with pytest.raises(TooLarge, match="raise max_payload") as caught:
        compression.decompress(body, limit=len(TEXT) - 1)
    assert (caught.value.needed, caught.value.limit) == (len(TEXT), len(TEXT) - 1)
    assert compression.decompress(body, limit=len(TEXT)) == TEXT


def test_a_stream_that_is_not_exactly_as_stated_is_none():
    body = compression.compress(TEXT)
    assert body is not None
    for wrong in (len(TEXT) - 1, len(TEXT) + 1, 0):
        stated = wrong.to_bytes(4, "little")
        assert compression.decompress(stated + body[4:], limit=1 << 20) is None
    assert compression.decompress(body + b"\0", limit=1 << 20) is None
    for cut in range(len(body)):
        assert compression.decompress(body[:cut], limit=1 << 32) is None


@given(st.binary(max_size=200))
def test_any_bytes_give_bytes_none_or_our_error(body):
    try:
        payload = compression.decompress(body, limit=1 << 16)
    except TooLarge:
        return
    assert payload is None or len(payload) == int.from_bytes(body[:4], "little")
