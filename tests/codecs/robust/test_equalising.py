"""Filters against the edits that they undo."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from morebits.attacks import geometry
from morebits.codecs.robust import equalising, lattice, tiles
from morebits.codecs.robust.equalising import USUAL


def response(kernel: np.ndarray, frequency: np.ndarray) -> np.ndarray:
    """What a symmetric kernel does to each frequency, in cycles a pixel."""
    reach = len(kernel) // 2
    return np.cos(2 * np.pi * frequency[:, None] * np.arange(-reach, reach + 1)) @ kernel


every_kernel = pytest.mark.parametrize(
    "kernel",
    [
        *(pair[0] for sigma in equalising.BLURS for pair in equalising.blur(sigma)),
        *(kernel for pair in equalising.shrink(0.45, 0.71) for kernel in pair),
        *(kernel for pair in equalising.shrink(0.9, 3.0) for kernel in pair),
    ],
)


@every_kernel
def test_kernels_are_symmetric_and_keep_the_mean(kernel):
    assert len(kernel) % 2 == 1
    assert np.allclose(kernel, kernel[::-1], atol=1e-6)
    assert kernel.sum() == pytest.approx(1, abs=1e-5)


@every_kernel
def test_kernels_never_amplify_without_end(kernel):
    assert np.abs(response(kernel, np.linspace(0, 0.5, 300))).max() < 45


@pytest.mark.parametrize("sigma", equalising.BLURS)
def test_a_blur_is_undone_where_something_is_left(sigma):
    low = np.linspace(0, min(0.14, 0.25 / sigma), 50)
    left = np.exp(-2 * (np.pi * sigma * low) ** 2)
    assert np.abs(left * response(equalising.blur(sigma)[USUAL][0], low) - 1).max() < 0.15


@pytest.mark.parametrize("ratio", [0.4, 0.6, 0.9])
def test_a_resize_is_undone_in_the_band_of_the_tiles(ratio):
    low = np.linspace(0, min(0.14, 0.5 * ratio), 50)
    left = np.sinc(low / ratio) ** 2
    assert np.abs(left * response(equalising.shrink(ratio, ratio)[USUAL][0], low) - 1).max() < 0.15


def test_both_directions_have_their_own():
    for pair, square in zip(equalising.shrink(0.5, 1.0), equalising.shrink(0.5, 0.5), strict=True):
        assert len(pair[1]) == 1
        assert np.array_equal(pair[0], square[0])


def test_a_picture_that_was_not_made_smaller_is_left_alone():
    assert all(k.tolist() == [1] for pair in equalising.shrink(1.0, 2.5) for k in pair)


def test_numbers_come_back_after_a_real_blur(scene):
    plane = scene(240, 240)[..., 1].astype(np.float32)
    numbers = tiles.analyse(plane)
    blurred = gaussian_filter(plane, 1.7, mode="mirror")
    off = np.square(tiles.analyse(blurred) - numbers).mean()
    mended = np.square(equalising.analyse(blurred, equalising.blur(1.7)) - numbers).mean()
    assert mended < 0.1 * off


def test_every_tile_has_the_filter_of_its_activity(scene):
    plane = gaussian_filter(scene(480, 480)[..., 1].astype(np.float32), 2.3, mode="mirror")
    equaliser = equalising.blur(2.3)
    each = [tiles.analyse(plane, filters) for filters in equaliser]
    activity = lattice.activity(each[USUAL])
    chosen = equalising.analyse(plane, equaliser)
    for kind, part in enumerate((activity < 16, (activity >= 16) & (activity < 50))):
        assert part.any()
        assert np.array_equal(chosen[part], each[kind][part])
    assert np.array_equal(chosen[activity >= 50], each[2][activity >= 50])


def test_without_an_edit_numbers_are_left_alone(scene):
    plane = scene(96, 96)[..., 1].astype(np.float32)
    assert np.array_equal(equalising.analyse(plane, None), tiles.analyse(plane))


def test_the_usual_floor_is_a_compromise():
    """Noise is amplified least in calm tiles, and most of the blur is undone in busy ones."""
    high = np.array([0.12])
    gains = [response(pair[0], high)[0] for pair in equalising.blur(2.9)]
    assert gains[0] < gains[1] < gains[2]


def test_waves_come_back_after_a_real_resize():
    """Sampled at the places of the small picture they have the height that they had."""
    x = np.arange(600)
    for cycles in (0.02, 0.06, 0.1):
        wave = 120 + 80 * np.cos(2 * np.pi * cycles * (x - 299.5))
        small = geometry.resized(np.broadcast_to(wave, (60, 600))[..., None], 300, 30)
        places = 2 * np.arange(300) + 0.5
        phase = np.exp(2j * np.pi * cycles * (places - 299.5))[60:240]
        height = 2 * np.abs((small[15, 60:240, 0].astype(float) - 120) @ phase) / 180
        gain = response(equalising.shrink(0.5, 0.5)[USUAL][1], np.array([cycles]))[0]
        assert height * gain == pytest.approx(80, rel=0.06)
