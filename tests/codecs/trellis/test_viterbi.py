"""The search against every codeword there is, and the pieces that spell and price."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morebits.codecs.trellis.columns import PERIOD, columns
from morebits.codecs.trellis.lanes import LANES
from morebits.codecs.trellis.viterbi import (
    nearest,
    particular,
    prices,
    schedule,
    search,
    spell,
)


def say(symbols, leaves, table, length):
    """What symbols spell, bit by bit: a register as a list, written again for the test."""
    register, said = [0] * length, []  # the first entry is the topmost
    for t, (z, e) in enumerate(zip(symbols, leaves, strict=True)):
        column = [int(c) for c in format(table[t % PERIOD][z], f"0{length}b")]
        register = [a ^ b for a, b in zip(register, column, strict=True)]
        said += register[:e]
        register = register[e:] + [0] * e
    return said


class TestColumns:
    def test_are_the_same_for_ever(self):
        # Written when the format was made; a change makes every marked picture unreadable.
        digest = hashlib.sha256()
        for length in range(3, 19):
            digest.update(columns(length).astype("<i8").tobytes())
        assert digest.hexdigest()[:16] == "9135478d31ccab68"

    @pytest.mark.parametrize("length", [3, 4, 9, 17])
    def test_ends_tell_the_symbol_and_let_any_bits_leave(self, length):
        table = columns(length)
        assert ((table & 3) == np.arange(4)).all()
        assert (table[:, 3] == table[:, 1] ^ table[:, 2]).all()
        assert ((table[:, 1] >> (length - 1)) == 1).all()
        assert ((table[:, 2] >> (length - 2)) == 1).all()
        assert (table < 1 << length).all()


class TestSchedule:
    @given(st.integers(20, 500), st.floats(0, 1.5))
    def test_spreads_the_bits_evenly_after_the_register_is_full(self, samples, rate):
        length = 9
        coded = int((samples - length) * rate)
        leaves = schedule(samples, coded, length)
        assert leaves.sum() == coded
        assert not leaves[:length].any()
        assert leaves.max() <= 2
        runs = np.cumsum(leaves[length:])
        even = np.arange(1, samples - length + 1) * coded / (samples - length)
        assert np.abs(runs - even).max() < 1


class TestSpelling:
    @given(st.integers(3, 9), st.floats(0, 1.5), st.integers(0, 2**32 - 1))
    @settings(max_examples=40)
    def test_spell_agrees_with_a_list_of_bits(self, length, rate, seed):
        rng = np.random.default_rng(seed)
        leaves = schedule(60, int(rate * (60 - length)), length)
        symbols = rng.integers(0, 4, 60).astype(np.uint8)
        table = columns(length)
        assert spell(symbols, leaves, table, length).tolist() == say(symbols, leaves, table, length)

    @given(st.integers(3, 14), st.floats(0, 1.5), st.integers(0, 2**32 - 1))
    @settings(max_examples=40)
    def test_particular_spells_any_message(self, length, rate, seed):
        leaves = schedule(80, int(rate * (80 - length)), length)
        message = np.random.default_rng(seed).integers(0, 2, leaves.sum()).astype(np.uint8)
        symbols = particular(message, leaves, columns(length), length)
        assert (spell(symbols, leaves, columns(length), length) == message).all()


class TestNearest:
    @given(st.integers(0, 255), st.integers(0, 5), st.integers(0, 255), st.integers(0, 1))
    def test_is_the_nearest_value_of_the_residue(self, x, k, residue, odd):
        period = 4 << k
        residue %= period
        y = x + nearest(x, residue, period, 255, odd)
        values = [v for v in range(256) if v % period == residue]
        assert y in values
        assert abs(y - x) == min(abs(v - x) for v in values)

    def test_ties_go_both_ways(self):
        assert {nearest(100, 102, 4, 255, odd) for odd in (0, 1)} == {-2, 2}


def room(rows, length):
    return np.empty((rows, 2 << length), np.uint16)


def all_codewords(leaves, table, length):
    for symbols in itertools.product(range(4), repeat=len(leaves)):
        if not any(say(symbols, leaves, table, length)):
            yield symbols


class TestSearch:
    @pytest.mark.parametrize(("length", "coded"), [(3, 0), (3, 2), (3, 4), (4, 3), (3, 6), (4, 4)])
    def test_finds_the_cheapest_of_all_codewords_in_every_lane(self, length, coded):
        samples = 7
        table = columns(length)
        leaves = schedule(samples, coded, length)
        costs = np.random.default_rng(coded).integers(0, 500, (samples, 4, LANES)).astype(np.int16)
        found = search(costs, table, leaves, length, room(samples, length))
        words = np.array(list(all_codewords(leaves, table, length)))
        for lane in range(LANES):
            totals = sum(costs[t, words[:, t], lane].astype(int) for t in range(samples))
            assert not any(say(found[:, lane], leaves, table, length))
            paid = sum(int(costs[t, found[t, lane], lane]) for t in range(samples))
            assert paid == totals.min()

    @pytest.mark.parametrize("rate", [0.1, 0.5, 1.0, 1.4])
    @pytest.mark.parametrize("rows", [1, 7, 64, 499])
    def test_little_memory_gives_the_same_answer(self, rate, rows):
        length, samples = 6, 500
        leaves = schedule(samples, int(rate * (samples - length)), length)
        costs = np.random.default_rng(1).integers(0, 640, (samples, 4, LANES)).astype(np.int16)
        table = columns(length)
        assert (
            search(costs, table, leaves, length, room(rows, length))
            == search(costs, table, leaves, length, room(samples, length))
        ).all()

    @pytest.mark.parametrize("length", [3, 11, 15])
    def test_longest_costs_never_overflow_into_a_wrong_message(self, length):
        # Every sample at its dearest: sums of 16 bits must not turn negative and win.
        samples = 4 * length
        leaves = schedule(samples, int(1.5 * (samples - length)), length)
        costs = np.random.default_rng(2).choice([0, 640], (samples, 4, LANES)).astype(np.int16)
        found = search(costs, columns(length), leaves, length, room(samples, length))
        for lane in range(LANES):
            symbols = np.ascontiguousarray(found[:, lane])
            assert not spell(symbols, leaves, columns(length), length).any()


def test_prices_are_weighted_squared_errors_of_the_shifted_symbols():
    rng = np.random.default_rng(3)
    x, digits = rng.integers(0, 256, (5, LANES)), rng.integers(0, 4, (5, LANES))
    offsets = rng.integers(0, 4, (5, LANES)).astype(np.uint8)
    weights = rng.integers(1, 20, (5, LANES))
    costs = prices(x, digits, offsets, weights, 2, 255)
    for t, z, lane in itertools.product(range(5), range(4), range(LANES)):
        residue = digits[t, lane] + 4 * (z ^ int(offsets[t, lane]))
        error = min(abs(v - x[t, lane]) for v in range(256) if v % 16 == residue)
        assert costs[t, z, lane] == min(error * error * weights[t, lane] // 16, 640)
