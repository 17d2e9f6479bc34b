from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from bench_pictures import cover, mark
from hypothesis import given
from hypothesis import strategies as st

import morebits as mb
from morebits import distortion
from morebits.bench import metrics
from morebits.errors import InputError

bits = st.lists(st.integers(0, 1), min_size=1, max_size=40)


def test_psnr_is_the_one_of_the_codecs():
    assert metrics.psnr is distortion.psnr


class TestBitAccuracy:
    @given(bits, st.lists(st.integers(0, 1), max_size=40))
    def test_the_rule(self, sent, got):
        """Over the longer of the two, what has no partner counts one half."""
        longest = max(len(sent), len(got))
        points = [
            0.5 if i >= min(len(sent), len(got)) else float(sent[i] == got[i])
            for i in range(longest)
        ]
        assert metrics.bit_accuracy(sent, got) == pytest.approx(sum(points) / longest)

    def test_nothing_read_is_a_half(self):
        assert metrics.bit_accuracy([1, 1, 1], None) == 0.5
        assert metrics.bit_accuracy([1, 1, 1], []) == 0.5

    def test_many_extra_bits_are_near_chance(self):
        sent = np.ones(32, np.uint8)
        got = np.ones(3200, np.uint8)
        assert metrics.bit_accuracy(sent, got) == pytest.approx(0.505)
        assert not metrics.is_exact(sent, got)

    @pytest.mark.parametrize("call", [metrics.bit_accuracy, metrics.is_exact])
    def test_bad_input(self, call):
        with pytest.raises(InputError, match="at least one bit"):
            call([], [1])
        with pytest.raises(InputError, match="zeros and ones"):
            call([1, 0], [1, 7])
        with pytest.raises(InputError, match="zeros and ones"):
            call([0.5], [1])


class TestCapacityBits:
    def test_ends(self):
        assert metrics.capacity_bits(256, 0) == 256
        assert metrics.capacity_bits(256, 0.5) == 0
        assert metrics.capacity_bits(256, 1) == 256
        assert metrics.capacity_bits(0, 0.1) == 0

    def test_a_known_value(self):
        # H2(0.11) = 0.499916 (Cover and Thomas: a BSC of 0.11 has half a bit).
        assert metrics.capacity_bits(100, 0.11) == pytest.approx(50.0084, abs=1e-3)

    @given(st.floats(0, 1))
    def test_symmetric_and_within(self, error):
        found = metrics.capacity_bits(10, error)
        assert 0 <= found <= 10
        assert found == pytest.approx(metrics.capacity_bits(10, 1 - error), abs=1e-6)

    @pytest.mark.parametrize("error", [-0.01, 1.01, math.nan])
    def test_what_is_no_share(self, error):
        with pytest.raises(InputError, match="share from 0 to 1"):
            metrics.capacity_bits(10, error)


class TestFractionOfBound:
    def test_is_the_count_around_this_picture(self):
        picture = cover(24, 32, 3)
        psnr = metrics.psnr(picture, mark(picture), peak=255)
        holds = mb.capacity(picture, psnr=psnr).bits
        found = metrics.fraction_of_bound(picture, 100, psnr)
        assert found == pytest.approx(100 / holds, rel=1e-4)

    @pytest.mark.parametrize("changed", [1, 2, 3, 7, 10])
    def test_the_marked_picture_is_within_its_own_ball(self, changed):
        """With `changed` samples one off, rounding must not lose a whole shell of pictures."""
        picture = np.full((5, 7, 1), 100, np.uint8)
        marked = picture.copy()
        marked.reshape(-1)[:changed] += 1
        psnr = metrics.psnr(picture, marked, peak=255)
        n = picture.size
        shells = [1, 2 * n]
        if changed >= 2:
            shells.append(4 * math.comb(n, 2))
        if changed >= 3:
            shells.append(8 * math.comb(n, 3))
        found = metrics.fraction_of_bound(picture, 1, psnr)
        assert found is not None
        if changed <= 3:
            assert found == pytest.approx(1 / math.log2(sum(shells)), rel=1e-6)
        below = metrics.fraction_of_bound(picture, 1, psnr + 1e-6)
        assert below is None or below > found

    def test_nothing_changed_has_no_bound(self):
        picture = np.full((5, 7, 1), 100, np.uint8)
        assert metrics.fraction_of_bound(picture, 0, math.inf) is None
        assert metrics.fraction_of_bound(picture, 8, None) is None
        assert metrics.fraction_of_bound(picture, 8, 100.0) is None  # less than one sample by one


class TestPresence:
    @given(st.integers(0, 300), st.data())
    def test_the_exact_tail(self, n, data):
        right = data.draw(st.integers(0, n))
        tail = Fraction(sum(math.comb(n, k) for k in range(right, n + 1)), 2**n)
        assert metrics.binomial_p_value(right, n) == pytest.approx(float(tail), rel=1e-11)

    # Sums of binomial coefficients in whole numbers.
    @pytest.mark.parametrize(
        ("right", "n", "tail"),
        [
            (20, 32, 0.10766357486136258),
            (600, 1024, 2.105661787006681e-08),
            (150, 256, 0.003540637028942647),
            (1000, 1000, 2.0**-1000),
        ],
    )
    def test_long_messages(self, right, n, tail):
        assert metrics.binomial_p_value(right, n) == pytest.approx(tail, rel=1e-11)

    def test_underflow_is_zero(self):
        assert metrics.binomial_p_value(600_000, 600_000) == 0.0

    def test_only_compared_places_speak(self):
        assert metrics.presence_p_value([1] * 10, [1] * 4) == 1 / 16
        assert metrics.presence_p_value([1] * 4, [1] * 10) == 1 / 16
        assert metrics.presence_p_value([1] * 4, []) == 1
        assert metrics.presence_p_value([1] * 4, None) == 1

    def test_is_a_p_value(self):
        """Over all readings of an unmarked picture, at most a share p has a p-value below p."""
        sent = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1]
        readings = ((np.arange(1024)[:, None] >> np.arange(10)) & 1).astype(np.uint8)
        found = np.array([metrics.presence_p_value(sent, each) for each in readings])
        for p in np.unique(found):
            assert np.mean(found <= p * (1 + 1e-12)) == pytest.approx(p)

    def test_bad_counts(self):
        with pytest.raises(InputError, match="0 to the 4 bits"):
            metrics.binomial_p_value(5, 4)
        with pytest.raises(InputError, match="at least one bit"):
            metrics.presence_p_value([], None)
