"""Words into changes and back, against the coder written with Python's integers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs import rans, steering
from morebits.codecs.gaussian import Gaussian, widest

TOTAL = 1 << rans.TOTAL_BITS
START = 1 << rans.STATE_BITS | 0xABCDE


def random_words(count: int, seed: int):
    return np.random.default_rng(seed).integers(0, 1 << 16, count).astype(np.uint16)


def cut(table: Gaussian, v: int, rho: int, left: int) -> dict[int, tuple[int, int]]:
    """Where each change of a sample begins and ends, by walking over the room it has."""
    most = min(table.reach, math.isqrt(left))
    room = range(max(-v, -most), min(rho - v, most) + 1)
    edges = [int(table.edges[j + table.reach]) for j in (*room, room.stop)]
    width = edges[-1] - edges[0]
    at = [-((edges[0] - edge) * TOTAL // width) for edge in edges]  # rounded up
    return {j: (at[i], at[i + 1]) for i, j in enumerate(room)}


def spend_by_hand(cover, layout, rho, state, words):
    """The body of `steering.spend`, one sample after another."""
    marked, left, used, start = [], layout.energy, 0, 0
    body = cover[: layout.body]
    while start < body.size:
        samples = body.size - start
        counts = np.bincount(body[start:], minlength=rho + 1)
        table = widest(counts, left * samples, samples + 2)
        for v in body[start : start + (samples + 1) // 2].tolist():
            slot = state % TOTAL
            places = cut(table, v, rho, left).items()
            change, (begin, end) = next(each for each in places if each[1][0] <= slot < each[1][1])
            state = (end - begin) * (state // TOTAL) + slot - begin
            while state < 1 << rans.STATE_BITS:
                state = state << rans.WORD_BITS | int(words[used])
                used += 1
            left -= change * change
            marked.append(v + change)
            start += 1
    return marked, state, used


covers = st.one_of(
    st.integers(0, 255).map(lambda v: np.full(150, v, np.uint8)),
    st.integers(0, 9).map(
        lambda s: np.random.default_rng(s).integers(0, 256, 150).astype(np.uint8)
    ),
    st.integers(0, 9).map(
        lambda s: np.random.default_rng(s).integers(0, 65536, 90).astype(np.uint16)
    ),
)


@settings(max_examples=40)
@given(covers, st.integers(60, 150 * 900), st.integers(0, 99))
def test_it_is_the_coder_by_hand(cover, allowed, seed):
    rho = 255 if cover.dtype == np.uint8 else 65535
    layout = steering.lay_out(cover, allowed, rho)
    if layout.energy < 0:
        return
    words = random_words(400, seed)
    marked, used = steering.spend(cover, layout, rho, START, words)
    body, state, count = spend_by_hand(cover, layout, rho, START, words)
    assert marked[: layout.body].tolist() == body
    assert used == count
    digits = marked[layout.body :].astype(int) - layout.lows
    assert sum(int(d) * layout.q**i for i, d in enumerate(digits)) == state


@settings(max_examples=60)
@given(covers, st.integers(0, 150 * 255**2), st.integers(0, 99), st.booleans())
def test_whatever_goes_in_stays_within_the_energy_and_comes_back(cover, allowed, seed, wild):
    rho = 255 if cover.dtype == np.uint8 else 65535
    layout = steering.lay_out(cover, allowed, rho)
    if layout.energy < 0:
        return
    # Streams that are not random at all: the promise must not depend on luck.
    words = np.full(400, 65535 * (seed % 2), np.uint16) if wild else random_words(400, seed)
    marked, used = steering.spend(cover, layout, rho, START, words)
    change = marked.astype(np.int64) - cover
    assert (change**2).sum() <= allowed
    found = steering.regain(cover, marked, layout, rho, 400)
    assert found is not None
    assert found[0] == START
    assert np.array_equal(found[1], words[:used])


def test_the_energy_is_spent_to_the_last_few_units():
    cover, n = np.full(30_000, 128, np.uint8), 30_000
    layout = steering.lay_out(cover, 4 * n, 255)
    left = []
    for seed in range(8):
        marked, _ = steering.spend(cover, layout, 255, START, random_words(15_000, seed))
        left.append(4 * n - int(((marked.astype(int) - 128) ** 2).sum()))
    assert min(left) >= 0
    # Set aside are 25 digits of at most 4 units each; they use half of that on average.
    assert max(left) < 110


def test_covers_without_room():
    assert steering.lay_out(np.zeros(5, np.uint8), 10**6, 255).energy < 0
    assert steering.lay_out(np.zeros(500, np.uint8), 10, 255).energy < 0
    assert steering.lay_out(np.full(500, 128, np.uint8), 36, 255).energy == 0


def test_the_digits_of_the_last_state_stay_in_range():
    for value in (0, 1, 128, 254, 255):
        layout = steering.lay_out(np.full(400, value, np.uint8), 400 * 9, 255)
        assert layout.q == 7
        assert layout.lows.min() >= 0
        assert layout.lows.max() + 6 <= 255
        worst = max(value - layout.lows[0], layout.lows[0] + 6 - value)
        assert layout.energy == 3600 - layout.lows.size * worst**2


@pytest.mark.parametrize("place", [0, 100, 399])
def test_changes_that_it_would_not_make(place):
    cover = np.full(400, 128, np.uint8)
    layout = steering.lay_out(cover, 400, 255)
    marked, _ = steering.spend(cover, layout, 255, START, random_words(400, 1))
    broken = marked.copy()
    broken[place] = 250
    assert steering.regain(cover, broken, layout, 255, 400) is None
    assert steering.regain(cover, marked, layout, 255, 3) is None
