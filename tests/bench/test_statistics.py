from __future__ import annotations

import math

import numpy as np
import pytest

from morebits.bench.statistics import Mean, Rate, clopper_pearson, mean, wilson
from morebits.errors import InputError


class TestMean:
    def test_student(self):
        # scipy.stats.t.interval(0.95, 4, loc=3, scale=sem([1, 2, 3, 4, 5])), scipy 1.17.1.
        found = mean([1, 2, 3, 4, 5])
        assert (found.value, found.n) == (3, 5)
        assert found.low == pytest.approx(1.0367568385224428)
        assert found.high == pytest.approx(4.963243161477557)

    def test_holds_as_often_as_it_says(self):
        rng = np.random.default_rng(7)
        draws = rng.normal(5, 2, (1000, 8)).tolist()
        ends = np.array([(found.low, found.high) for found in map(mean, draws)], float)
        assert 0.93 < np.mean((ends[:, 0] < 5) & (ends[:, 1] > 5)) < 0.97

    def test_is_cut_to_what_can_be(self):
        found = mean([1, 1, 1, 0.2], least=0, most=1)
        assert found.high == 1
        assert found.low is not None
        assert 0 < found.low < 0.8

    def test_too_little_to_say(self):
        assert mean([]) == Mean(None, None, None, 0)
        assert mean([None, None]) == Mean(None, None, None, 0)
        assert mean([None, 0.5]) == Mean(0.5, None, None, 1)
        assert mean([math.inf, 40]) == Mean(math.inf, None, None, 2)

    def test_equal_values_have_no_width(self):
        assert mean([0.1] * 10) == Mean(0.1, 0.1, 0.1, 10)


class TestRates:
    # scipy.stats.binomtest(hits, n).proportion_ci(method="wilson" | "exact"), scipy 1.17.1.
    @pytest.mark.parametrize(
        ("hits", "n", "low", "high"),
        [
            (0, 1000, 0.0, 0.0038267584855551234),
            (3, 1000, 0.0010207838811386186, 0.008783014053503173),
            (24, 24, 0.8620237953250198, 1.0),
            (7, 24, 0.14914648196960867, 0.49167693664496637),
        ],
    )
    def test_wilson(self, hits, n, low, high):
        found = wilson(hits, n)
        assert (found.value, found.hits, found.n) == (hits / n, hits, n)
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)

    @pytest.mark.parametrize(
        ("hits", "n", "low", "high"),
        [
            (0, 1000, 0.0, 0.003682083896639526),
            (3, 1000, 0.0006190999316499173, 0.008742023238657654),
            (24, 24, 0.8575264022774186, 1.0),
            (7, 24, 0.12615208852368912, 0.5109478138578329),
        ],
    )
    def test_clopper_pearson(self, hits, n, low, high):
        found = clopper_pearson(hits, n)
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)

    @pytest.mark.parametrize("rate", [0.002, 0.01, 0.1, 0.5])
    def test_clopper_pearson_never_promises_too_much(self, rate):
        n = 60
        covered = sum(
            math.comb(n, k) * rate**k * (1 - rate) ** (n - k)
            for k in range(n + 1)
            if clopper_pearson(k, n).low <= rate <= clopper_pearson(k, n).high
        )
        assert covered >= 0.95

    @pytest.mark.parametrize("interval", [wilson, clopper_pearson])
    def test_no_samples_say_nothing(self, interval):
        assert interval(0, 0) == Rate(None, 0.0, 1.0, 0, 0)

    @pytest.mark.parametrize("interval", [wilson, clopper_pearson])
    def test_bad_input(self, interval):
        with pytest.raises(InputError, match="0 to the 4 samples"):
            interval(5, 4)
        with pytest.raises(InputError, match="between 0 and 1"):
            interval(1, 4, confidence=95)
