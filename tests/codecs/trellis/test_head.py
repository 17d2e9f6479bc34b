"""The head: read with its key, noise without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.codecs.trellis.head import MOST_BITS, Head, unpack, whiten

heads = st.builds(
    Head,
    lead=st.binary(min_size=12, max_size=12),
    length=st.integers(3, 18),
    plain=st.integers(0, 14),
    whitening=st.integers(0, 15),
    bits=st.integers(0, MOST_BITS),
)


@given(heads)
def test_comes_back_without_a_key(head):
    assert unpack(head.pack(None), None) == head


def test_needs_its_key():
    head = Head(b"twelve bytes", 11, 2, 1, 590_000)
    bits = head.pack("a key")
    assert unpack(bits, "a key") == head
    assert unpack(bits, "another") is None
    assert unpack(bits, None) is None


@pytest.mark.parametrize("bit", range(192))
def test_any_wrong_bit_is_noticed(bit):
    bits = Head(b"twelve bytes", 11, 2, 1, 590_000).pack(None)
    bits[bit] ^= 1
    assert unpack(bits, None) is None


@given(st.binary(min_size=24, max_size=24))
def test_noise_is_not_a_head(noise):
    assert unpack(np.unpackbits(np.frombuffer(noise, np.uint8)), None) is None


def test_whitenings_differ_and_undo_themselves():
    zeros = np.zeros(1000, np.uint8)
    seen = []
    for whitening in range(16):
        bits = zeros.copy()
        whiten(bits, None, bytes(12), whitening)
        seen.append(bits.tobytes())
        assert 400 < bits.sum() < 600
        whiten(bits, None, bytes(12), whitening)
        assert not bits.any()
    assert len(set(seen)) == 16
