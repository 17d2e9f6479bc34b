"""Tables of shares against a Gaussian in exact arithmetic."""

from __future__ import annotations

import gmpy2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs import rans
from morebits.codecs.gaussian import LAST, gaussian, widest

TOTAL = 1 << rans.TOTAL_BITS


def shares_by_hand(index: int, reach: int) -> list[float]:
    """`r^(j^2)` over its sum, to 256 bits."""
    with gmpy2.context(precision=256):
        steep = 16 / gmpy2.exp2(gmpy2.mpfr(index) / 128)
        weights = [gmpy2.exp(-steep * j * j) for j in range(-reach, reach + 1)]
        total = sum(weights)
        return [float(TOTAL * each / total) for each in weights]


@settings(max_examples=30)
@given(st.integers(0, LAST - 1), st.sampled_from([1, 7, 255, 3000]))
def test_shares_are_those_of_a_gaussian(index, rho):
    table = gaussian(index, rho)
    assert table.reach <= rho
    found = np.diff(table.edges.astype(np.int64))
    # Edges are rounded down, so a share may be one more or less; wide tables lose a little more.
    assert np.abs(found - shares_by_hand(index, table.reach)).max() < 1.01
    assert int(table.edges[-1]) == TOTAL


@pytest.mark.parametrize("rho", [1, 255, 65535])
def test_the_last_table_has_all_changes_alike(rho):
    found = np.diff(gaussian(LAST, rho).edges.astype(np.int64))
    assert found.size == 2 * rho + 1
    assert found.max() - found.min() <= 1


@given(st.integers(0, LAST), st.sampled_from([1, 255, 3000]))
def test_the_look_up_finds_every_slot(index, rho):
    table = gaussian(index, rho)
    slots = np.arange(1 << rans.LOOKUP_BITS).astype(np.uint64)
    slots <<= np.uint64(rans.TOTAL_BITS - rans.LOOKUP_BITS)
    assert (table.edges[table.starts] <= slots).all()
    assert (slots < table.edges[table.starts + 1]).all()


@given(st.integers(0, 255), st.floats(0.01, 4000))
def test_the_widest_table_spends_the_budget(value, mean):
    """One cover value: the mean energy of the table, cut to 0..255, is just within."""
    counts = np.zeros(256, np.int64)
    counts[value] = 1000
    table = widest(counts, int(1000 * mean), 1)
    change = np.arange(-table.reach, table.reach + 1)
    inside = (value + change >= 0) & (value + change <= 255)
    share = np.diff(table.edges.astype(np.int64))[inside]
    spent = (share * change[inside] ** 2).sum() / share.sum()
    assert 0.98 * mean - 0.01 <= spent <= mean


def test_a_budget_for_anything_gives_the_widest_of_all():
    counts = np.bincount([0, 128, 255], minlength=256)
    assert widest(counts, 3 * 255**2, 1) is gaussian(LAST, 255)


def test_nothing_to_spend_changes_next_to_nothing():
    table = widest(np.bincount([9], minlength=256), 0, 1)
    assert table is gaussian(0, 255)


def test_golden_shares():
    """From this very code: a table that changes makes every picture unreadable."""
    table = gaussian(1107, 255)  # a spread of 3.5
    shares = np.diff(table.edges)[table.reach :][:6].tolist()
    assert shares == [1890103, 1816221, 1611456, 1320186, 998661, 697538]
