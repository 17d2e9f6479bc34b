"""The one place that decides numerical rank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.bounds.spectrum import RANK_TOLERANCE, Spectrum


def spectrum(values, **options) -> Spectrum:
    return Spectrum.of(values, inputs=len(values), outputs=len(values), method="test", **options)


class TestRank:
    def test_tolerance_is_relative_to_the_largest(self):
        found = spectrum([1e3, 1e3 * RANK_TOLERANCE * 2, 1e3 * RANK_TOLERANCE / 2, 0.0])
        assert found.rank == 2
        assert found.tolerance == pytest.approx(1e3 * RANK_TOLERANCE)

    def test_zero_matrix(self):
        found = spectrum([0.0, 0.0])
        assert (found.rank, found.largest, found.log2_xi) == (0, 0, 0)

    @given(st.lists(st.floats(0, 100), min_size=1, max_size=20))
    def test_sorted_and_positive(self, values):
        found = spectrum(values)
        assert (np.diff(found.values) <= 0).all()
        assert (found.values > found.tolerance).all()

    def test_vectors_and_counts_move_with_their_value(self):
        found = Spectrum.of(
            [1, 0, 3], [5, 6, 7], inputs=18, outputs=18, method="test", left_l1=[10, 20, 30]
        )
        assert found.values.tolist() == [3, 1]
        assert found.counts.tolist() == [7, 5]
        assert found.left_l1 is not None
        assert found.left_l1.tolist() == [30, 10]
        assert found.rank == 12


class TestXi:
    def test_the_papers_example(self):
        """eq. diag_matrix: diag(2, 1/2) has xi = 0.5, stretching gains nothing."""
        assert spectrum([2, 0.5]).log2_xi == -1

    @given(st.lists(st.floats(0.01, 100), min_size=1, max_size=20))
    def test_definition(self, values):
        expected = sum(min(np.log2(v), 0.0) for v in values)
        assert spectrum(values).log2_xi == pytest.approx(expected)

    def test_multiplicities_count(self):
        once = Spectrum.of([0.5], [6], inputs=6, outputs=6, method="test")
        assert once.log2_xi == spectrum([0.5] * 6).log2_xi == -6
