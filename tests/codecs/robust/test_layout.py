"""What every number carries: the same on all machines, complete in every part of a picture."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from morebits.codecs.robust import sizes
from morebits.codecs.robust.layout import BLOCK, KNOWN, PERIOD, TELLING, Layout, code_of
from morebits.codecs.robust.tiles import NUMBERS
from morebits.errors import InputError

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "robust-layout-1.json").read_text())


def digest(*arrays: np.ndarray) -> str:
    hasher = hashlib.blake2b(digest_size=16)
    for array in arrays:
        hasher.update(np.ascontiguousarray(array).tobytes())
    return hasher.hexdigest()


def digests(key: str | None) -> dict[str, str]:
    """All that a reader recomputes from a key, shortened."""
    layout = Layout.of(key)
    window = layout.window(0, 0, PERIOD, PERIOD)
    message = np.random.default_rng(5).integers(0, 2, sizes.message_bits(40), np.uint8)
    return {
        "dither": digest(layout.dither[0]),
        "tints": digest(layout.dither[1:]),
        "roles": digest(window.roles),
        "told": digest(layout.told),
        "blocks": digest(*(window.blocks(count).astype("<i4") for count in (1, 2, 40, 1729))),
        "blocks of tints": digest(
            *(
                layout.window(0, 0, PERIOD, PERIOD, layer).blocks(count).astype("<i4")
                for count in (1, 2, 40, 1729)
                for layer in (1, 2)
            )
        ),
        "bits": digest(window.bits(40, message)),
    }


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: str(case["key"]))
def test_golden(case):
    """As it was when the format was made: a change makes all marks unreadable."""
    assert digests(case["key"]) == case["digests"]


class TestTables:
    def test_differ_between_keys(self):
        first, second = digests("one"), digests("two")
        assert all(first[name] != second[name] for name in first if "blocks" not in name)

    def test_without_a_key_are_those_of_no_key(self):
        assert digests(None) != digests("key")

    @pytest.mark.parametrize("key", ["", 7, b""])
    def test_of_something_that_is_no_key(self, key):
        with pytest.raises(InputError):
            Layout.of(key)

    def test_every_dither_is_as_likely(self):
        counts = np.bincount(Layout.of("key").dither.ravel(), minlength=256)
        assert chisquare(counts).pvalue > 1e-3

    def test_roles_begin_anywhere(self):
        counts = np.bincount(Layout.of("key").offset.ravel(), minlength=NUMBERS)
        assert len(counts) == NUMBERS
        assert counts.min() > 0.6 * counts.mean()

    def test_classes_are_told_apart(self):
        """Any two differ in half of the places, give or take six deviations."""
        told = Layout.of("key").told.reshape(sizes.TOLD, -1).astype(np.float32)
        assert set(np.unique(told)) == {-1, 1}
        places = told.shape[1]
        alike = (told @ told.T) / np.sqrt(places)
        np.fill_diagonal(alike, 0)
        assert np.abs(alike).max() < 6


windows = st.tuples(
    st.integers(-300, 300), st.integers(-300, 300), st.integers(1, 8), st.integers(1, 8)
)


class TestWindow:
    @given(windows, st.integers(-2, 2), st.integers(-2, 2))
    @settings(max_examples=30)
    def test_repeats_after_a_period(self, window, down, across):
        top, left, rows, columns = window
        here = Layout.of("key").window(top, left, rows, columns)
        there = Layout.of("key").window(top + down * PERIOD, left + across * PERIOD, rows, columns)
        assert here.dither.shape == (rows, columns, NUMBERS)
        assert np.array_equal(here.dither, there.dither)
        assert np.array_equal(here.roles, there.roles)
        assert np.array_equal(here.blocks(37), there.blocks(37))
        assert np.array_equal(here.told(9), there.told(9))

    @given(windows)
    @settings(max_examples=30)
    def test_of_a_part_is_a_part_of_the_window(self, window):
        top, left, rows, columns = window
        whole = Layout.of(None).window(top, left, rows, columns)
        part = Layout.of(None).window(top + rows - 1, left + columns // 2, 1, 1)
        for name in ("dither", "roles"):
            assert np.array_equal(
                getattr(part, name)[0, 0], getattr(whole, name)[rows - 1, columns // 2]
            )
        assert part.blocks(11)[0, 0] == whole.blocks(11)[rows - 1, columns // 2]
        assert np.array_equal(part.told(5)[0, 0], whole.told(5)[rows - 1, columns // 2])

    def test_each_role_is_in_each_tile_once(self):
        roles = Layout.of("key").window(3, 5, 20, 30).roles
        assert np.array_equal(np.sort(roles, axis=2), np.broadcast_to(np.arange(42), roles.shape))

    def test_a_slice_of_classes_is_told_as_each_of_them(self):
        window = Layout.of("key").window(90, 90, 9, 10)
        several = window.told(slice(4, 7))
        assert several.shape == (3, 9, 10, TELLING)
        assert all(np.array_equal(several[k], window.told(4 + k)) for k in range(3))


class TestLayers:
    def test_have_dithers_of_their_own(self):
        first, second, third = (Layout.of("key").window(0, 0, 9, 9, k).dither for k in range(3))
        for one, other in ((first, second), (first, third), (second, third)):
            assert (one == other).mean() < 0.02

    @pytest.mark.parametrize("count", [3, 40, 139, 1729])
    def test_show_three_blocks_at_every_tile(self, count):
        blocks = [Layout.of(None).window(5, 7, 12, 12, k).blocks(count) for k in range(3)]
        assert all((one != other).all() for one, other in pairwise(blocks))
        assert (blocks[0] != blocks[2]).all()

    def test_a_small_part_shows_far_more_of_a_message_together(self):
        count = code_of(96, bytes(32)).coded_bits // BLOCK
        windows = [Layout.of(None).window(3, 4, 4, 6, k) for k in range(3)]
        shown = {int(each) for window in windows for each in window.blocks(count).ravel()}
        assert len(shown) > 2.8 * 24


class TestBits:
    @given(st.integers(0, 90), st.integers(0, 200), st.integers(0, 200))
    @settings(max_examples=12)
    def test_are_those_of_their_places(self, index, top, left):
        window = Layout.of("key").window(top, left, 5, 7)
        message = np.random.default_rng(index).integers(0, 2, sizes.message_bits(index), np.uint8)
        bits, places, roles = window.bits(index, message), window.places(index), window.roles
        coded = window.code(index).encode(message)
        assert np.array_equal(places >= 0, roles >= KNOWN + TELLING)
        assert np.array_equal(bits[places >= 0], coded[places[places >= 0]])
        assert not bits[roles < KNOWN].any()
        for k in range(TELLING):
            told = window.told(index)[..., k].ravel()
            assert np.array_equal(2 * bits[roles == KNOWN + k].astype(int) - 1, told)

    def test_a_tile_carries_one_block(self):
        window = Layout.of("key").window(0, 0, 6, 6)
        places = window.places(30)
        count = window.code(30).coded_bits // BLOCK
        for i in range(6):
            for j in range(6):
                used = np.sort(places[i, j][places[i, j] >= 0])
                assert np.array_equal(used, np.arange(BLOCK) + BLOCK * window.blocks(count)[i, j])

    @pytest.mark.parametrize("index", [0, 8, 96, 287])
    def test_codes_fill_whole_blocks(self, index):
        code = code_of(index, bytes(32))
        assert code.payload_bits == sizes.message_bits(index)
        assert code.coded_bits % BLOCK == 0


def lacking(times: float, aspect: float) -> np.ndarray:
    """Share of blocks that a window of so many times their number lacks, for each class."""
    shares = []
    counts = {-(-5 * sizes.message_bits(index) // BLOCK) for index in range(0, 160, 3)}
    for count in sorted(counts):
        rows = int(np.ceil(np.sqrt(times * count * aspect)))
        columns = int(np.ceil(times * count / rows))
        shown = np.unique(Layout.of(None).window(0, 0, rows, columns).blocks(count))
        shares.append(1 - len(shown) / count)
    return np.array(shares)


class TestBlocks:
    @given(st.integers(1, 96), st.integers(-200, 200), st.integers(0, 95))
    def test_a_row_or_a_column_of_tiles_shows_each_once(self, count, top, left):
        row = Layout.of(None).window(top, 0, 1, count).blocks(count)
        column = Layout.of(None).window(0, left, count, 1).blocks(count)
        assert np.array_equal(np.sort(row.ravel()), np.arange(count))
        assert np.array_equal(np.sort(column.ravel()), np.arange(count))

    def test_tiles_with_the_same_block_are_far_apart(self):
        """In a perfect lattice 1.07 times the square root of the number of blocks."""
        for index in range(0, 160, 7):
            count = code_of(index, bytes(32)).coded_bits // BLOCK
            blocks = Layout.of(None).window(0, 0, 96, 96).blocks(count)
            i, j = np.nonzero(blocks == blocks[48, 48])
            apart = np.hypot(i - 48, j - 48)
            assert np.sort(apart)[1] >= 0.7 * np.sqrt(count)

    @pytest.mark.parametrize("aspect", [0.5, 0.75, 1, 1.5, 2])
    def test_a_part_of_the_picture_shows_nearly_all(self, aspect):
        for times, mean, worst in ((2, 0.03, 0.25), (3, 0.01, 0.1)):
            shares = lacking(times, aspect)
            assert shares.mean() < mean
            assert shares.max() < worst
