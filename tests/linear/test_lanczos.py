"""Estimated spectra stay within their stated errors where the dense spectrum is known."""

from __future__ import annotations

import time

import numpy as np
import pytest

from morebits import linear
from morebits.linear.spectra import estimated
from morebits.types import ImageFormat

# Rank and log2 xi of one channel by scipy.linalg.svdvals, tolerance 1e-10.
DENSE = {
    (32, 5): (1005, -1161.08), (32, 15): (948, -1112.26), (32, 30): (888, -1059.28),
    (32, 45): (751, -535.99), (32, 80): (970, -1130.76),
    (64, 5): (3974, -4086.58), (64, 15): (3720, -3812.34), (64, 45): (2888, -1641.39),
}  # fmt: skip


@pytest.mark.parametrize(("size", "angle"), DENSE)
def test_rotations_within_the_stated_error(size, angle):
    rank, log2_xi = DENSE[size, angle]
    found = estimated(linear.rotation(angle).at(ImageFormat(3, size, size)))
    assert abs(found.rank - 3 * rank) <= found.rank_error
    assert abs(found.log2_xi - 3 * log2_xi) <= found.log2_xi_error
    assert abs(found.log2_xi - 3 * log2_xi) <= 0.03 * abs(3 * log2_xi)
    assert found.method.startswith("estimate")


# Rank and log2 xi at 32x32x3 by scipy.linalg.svdvals of the whole matrix, tolerance 1e-10.
COMPOSED = {
    "crop:0.5|linjpeg:10": (681, -25.8),
    "linjpeg:8|crop:0.75": (704, -689.0),
    "rotate:20|linjpeg:10": (1151, -719.0),
    "rotate:45|linjpeg:15": (1227, -478.8),
}


@pytest.mark.parametrize("text", COMPOSED)
def test_compositions_within_the_stated_error(text):
    rank, log2_xi = COMPOSED[text]
    found = estimated(linear.parse(text).at(ImageFormat(3, 32, 32)))
    assert abs(found.rank - rank) <= found.rank_error
    assert abs(found.log2_xi - log2_xi) <= found.log2_xi_error


def test_the_seed_decides():
    operator = linear.rotation(15).at(ImageFormat(1, 32, 32))
    first, again, other = (estimated(operator, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.values, again.values)
    assert first.values.tolist() != other.values.tolist()


@pytest.mark.full
def test_a_rotation_at_256_pixels():
    started = time.perf_counter()
    found = linear.rotation(15).at(ImageFormat(3, 256, 256)).spectrum()
    assert time.perf_counter() - started < 60
    assert found.rank_error < 0.001 * found.rank
    assert found.log2_xi_error < 0.02 * abs(found.log2_xi)
