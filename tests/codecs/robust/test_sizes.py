"""Classes of lengths: every message has one, and little padding."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from morebits.codecs import compact
from morebits.codecs.robust import sizes

longest = sizes.message_bits(sizes.CLASSES - 1)


def test_lengths_grow_with_the_class():
    lengths = [sizes.payload_bytes(index) for index in range(sizes.CLASSES)]
    assert lengths[:34] == list(range(34))
    assert all(a < b for a, b in pairwise(lengths))
    assert sizes.CLASSES <= sizes.TOLD


@given(st.integers(0, longest))
def test_the_class_is_the_smallest_that_fits(bits):
    index = sizes.class_of(bits)
    assert index is not None
    assert sizes.message_bits(index) >= bits
    assert index == 0 or sizes.message_bits(index - 1) < bits


@given(st.integers(0, sizes.payload_bytes(sizes.CLASSES - 1)))
def test_padding_is_at_most_a_32nd(length):
    index = sizes.class_of(8 * length + compact.OVERHEAD_BITS)
    assert index is not None
    assert 0 <= sizes.payload_bytes(index) - length <= length / 32


@given(st.integers(0, sizes.CLASSES - 1))
def test_a_class_is_its_own(index):
    assert sizes.class_of(sizes.message_bits(index)) == index


def test_too_long_has_none():
    assert sizes.class_of(longest + 1) is None


def test_messages_are_whole_bytes():
    assert all(sizes.message_bits(index) % 8 == 0 for index in range(sizes.CLASSES))
