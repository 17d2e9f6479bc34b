"""Filters against the edits that they undo."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import correlate1d, gaussian_filter

from morebits.attacks import geometry
from morebits.codecs.robust import equalising, tiles


def response(kernel: np.ndarray, frequency: np.ndarray) -> np.ndarray:
    """What a symmetric kernel does to each frequency, in cycles a pixel."""
    reach = len(kernel) // 2
    return np.cos(2 * np.pi * frequency[:, None] * np.arange(-reach, reach + 1)) @ kernel


every_kernel = pytest.mark.parametrize(
    "kernel",
    [
        *(equalising.blur(sigma)[0] for sigma in equalising.BLURS),
        *equalising.shrink(0.45, 0.71),
        *equalising.shrink(0.9, 3.0),
    ],
)


@every_kernel
def test_kernels_are_symmetric_and_keep_the_mean(kernel):
    assert len(kernel) % 2 == 1
    assert np.allclose(kernel, kernel[::-1], atol=1e-6)
    assert kernel.sum() == pytest.approx(1, abs=1e-5)


@every_kernel
def test_kernels_never_amplify_without_end(kernel):
    assert np.abs(response(kernel, np.linspace(0, 0.5, 300))).max() < 30


@pytest.mark.parametrize("sigma", equalising.BLURS)
def test_a_blur_is_undone_where_something_is_left(sigma):
    low = np.linspace(0, min(0.14, 0.25 / sigma), 50)
    left = np.exp(-2 * (np.pi * sigma * low) ** 2)
    assert np.abs(left * response(equalising.blur(sigma)[0], low) - 1).max() < 0.15


@pytest.mark.parametrize("ratio", [0.4, 0.6, 0.9])
def test_a_resize_is_undone_in_the_band_of_the_tiles(ratio):
    low = np.linspace(0, min(0.14, 0.5 * ratio), 50)
    left = np.sinc(low / ratio) ** 2
    assert np.abs(left * response(equalising.shrink(ratio, ratio)[0], low) - 1).max() < 0.15


def test_both_directions_have_their_own():
    down, across = equalising.shrink(0.5, 1.0)
    assert len(across) == 1
    assert np.array_equal(down, equalising.shrink(0.5, 0.5)[0])


def test_a_picture_that_was_not_made_smaller_is_left_alone():
    assert all(kernel.tolist() == [1] for kernel in equalising.shrink(1.0, 2.5))


def filtered(plane: np.ndarray, filters: equalising.Filters) -> np.ndarray:
    return correlate1d(correlate1d(plane, filters[0], 0), filters[1], 1)


def test_numbers_come_back_after_a_real_blur(scene):
    plane = scene(240, 240)[..., 1].astype(np.float32)
    numbers = tiles.analyse(plane)
    blurred = gaussian_filter(plane, 1.7, mode="mirror")
    off = np.square(tiles.analyse(blurred) - numbers).mean()
    mended = np.square(tiles.analyse(blurred, equalising.blur(1.7)) - numbers).mean()
    assert mended < 0.1 * off


def test_waves_come_back_after_a_real_resize():
    """Sampled at the places of the small picture they have the height that they had."""
    x = np.arange(600)
    for cycles in (0.02, 0.06, 0.1):
        wave = 120 + 80 * np.cos(2 * np.pi * cycles * (x - 299.5))
        small = geometry.resized(np.broadcast_to(wave, (60, 600))[..., None], 300, 30)
        places = 2 * np.arange(300) + 0.5
        phase = np.exp(2j * np.pi * cycles * (places - 299.5))[60:240]
        height = 2 * np.abs((small[15, 60:240, 0].astype(float) - 120) @ phase) / 180
        gain = response(equalising.shrink(0.5, 0.5)[1], np.array([cycles]))[0]
        assert height * gain == pytest.approx(80, rel=0.06)
