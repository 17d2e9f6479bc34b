"""The exact budget agrees with the floating-point one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from morebits.bounds import radius
from morebits.codecs.budget import allowed_error
from morebits.types import ImageFormat


@given(st.floats(0, 100), st.integers(1, 400), st.sampled_from([8, 16]))
def test_it_is_the_level_of_the_bounds(psnr, width, depth):
    format = ImageFormat(3, width, 7, depth)
    exact = allowed_error(format, psnr, peak=None, samples=format.samples)
    rough = radius.level(format, psnr)
    assert abs(exact - rough) <= 1 + rough * 1e-14
    assert radius.psnr_of_mse(exact / format.samples, peak=format.rho) >= psnr - 1e-12


@given(st.integers(1, 25 * 255**2))
def test_an_error_is_allowed_at_the_psnr_it_amounts_to(error):
    format = ImageFormat(1, 5, 5, 8)
    psnr = radius.psnr_of_mse(error / 25, peak=255)
    assert allowed_error(format, psnr, peak=None, samples=25) == error
