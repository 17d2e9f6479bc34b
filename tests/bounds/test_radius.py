"""PSNR, mean squared error and radius, both ways."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.bounds.radius import (
    check_psnr,
    epsilon,
    level,
    mse,
    psnr_of_mse,
    psnr_of_radius,
    resolve_peak,
    squared_epsilon,
)
from morebits.errors import InputError
from morebits.types import ImageFormat

PX_16 = ImageFormat(3, 16, 16, 8)
formats = st.builds(
    ImageFormat, st.integers(1, 4), st.integers(1, 500), st.integers(1, 500), st.integers(1, 16)
)
decibels = st.floats(-50, 150)


class TestBothWays:
    @given(formats, decibels)
    def test_psnr_to_radius_and_back(self, format, psnr):
        assert psnr_of_radius(format, epsilon(format, psnr)) == pytest.approx(psnr, abs=1e-9)

    @given(decibels, st.floats(0.1, 1e6))
    def test_psnr_to_mse_and_back(self, psnr, peak):
        assert psnr_of_mse(mse(psnr, peak=peak), peak=peak) == pytest.approx(psnr, abs=1e-9)

    @given(formats, st.floats(0.01, 1e6), st.floats(0.1, 1e6))
    def test_radius_to_psnr_and_back(self, format, radius, peak):
        psnr = psnr_of_radius(format, radius, peak=peak)
        assert epsilon(format, psnr, peak=peak) == pytest.approx(radius, rel=1e-9)

    @given(formats, decibels)
    def test_definitions(self, format, psnr):
        """eq. psnr_radius: epsilon = rho sqrt(n) 10^(-tau/20)."""
        eps = format.rho * math.sqrt(format.samples) * 10 ** (-psnr / 20)
        assert epsilon(format, psnr) == pytest.approx(eps, rel=1e-12)
        assert squared_epsilon(format, psnr) == pytest.approx(eps**2, rel=1e-12)
        assert level(format, psnr) <= eps**2 * (1 + 1e-12)
        assert level(format, psnr) > eps**2 * (1 - 1e-12) - 1

    def test_no_error_is_infinite_psnr(self):
        assert psnr_of_mse(0.0, peak=255) == math.inf
        assert psnr_of_radius(PX_16, 0.0) == math.inf


class TestPeak:
    def test_default_is_the_largest_sample(self):
        assert resolve_peak(PX_16, None) == 255
        assert resolve_peak(ImageFormat(1, 1, 1, 16), None) == 65535

    @given(decibels)
    def test_256_is_a_little_more(self, psnr):
        ratio = epsilon(PX_16, psnr, peak=256) / epsilon(PX_16, psnr)
        assert ratio == pytest.approx(256 / 255)

    @pytest.mark.parametrize("peak", [0, -1, math.nan, math.inf, True, "255"])
    def test_bad_peak(self, peak):
        with pytest.raises(InputError, match="peak"):
            epsilon(PX_16, 42, peak=peak)


class TestLevel:
    def test_42_db(self):
        """768 * 255^2 / 10^4.2 = 3150.9..., the sum of squares at 16 px."""
        assert level(PX_16, 42) == math.floor(768 * 255**2 / 10**4.2)

    @pytest.mark.parametrize(
        ("psnr", "expected"), [(0, 255**2 * 768), (20, 7_803 * 64), (40, 4993)]
    )
    def test_whole_numbers_are_not_missed_by_rounding(self, psnr, expected):
        """768 * 255^2 / 100 = 499392: a point exactly on the sphere is inside."""
        assert level(PX_16, psnr) == expected


class TestErrors:
    @pytest.mark.parametrize(
        "psnr", [math.nan, math.inf, -math.inf, True, "42", None, 401, -401, 1e300]
    )
    def test_bad_psnr(self, psnr):
        with pytest.raises(InputError, match="psnr") as caught:
            check_psnr(psnr)
        assert "decibels" in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
    def test_bad_mse_and_radius(self, value):
        with pytest.raises(InputError, match="mse"):
            psnr_of_mse(value, peak=255)
        with pytest.raises(InputError, match="radius"):
            psnr_of_radius(PX_16, value)
