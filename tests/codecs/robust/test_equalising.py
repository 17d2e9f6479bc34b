"""Filters against the edits that they undo."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.ndimage import correlate1d, gaussian_filter

from morebits.attacks import filters, geometry
from morebits.codecs.robust import equalising, lattice, tiles
from morebits.codecs.robust.equalising import Equaliser, analyse, blur, shrink, undone

every_equaliser = pytest.mark.parametrize(
    "equaliser",
    [
        *(blur(sigma) for sigma in equalising.BLURS),
        *(blur(sigma).uncut for sigma in equalising.BLURS),
        shrink(0.45, 0.71),
        shrink(0.9, 3.0),
    ],
)


def gain(equaliser: Equaliser, down: float, across: float) -> float:
    """What the usual filter makes of a wave with so many cycles a pixel; it keeps the phase."""
    y, x = np.mgrid[:240, :240] - 119.5
    wave = np.cos(2 * np.pi * (down * y + across * x)).astype(np.float32)
    seen = undone(wave, equaliser)[60:180, 60:180]
    return float((seen * wave[60:180, 60:180]).sum() / np.square(wave[60:180, 60:180]).sum())


@every_equaliser
def test_a_flat_picture_stays_as_it_is(equaliser):
    plane = np.full((96, 120), 117, np.float32)
    assert np.allclose(undone(plane, equaliser), plane, atol=1e-2)


@every_equaliser
def test_filters_never_amplify_without_end(equaliser):
    noise = np.random.default_rng(5).normal(0, 1, (240, 240)).astype(np.float32)
    assert undone(noise, equaliser).std() < 60


@pytest.mark.parametrize("kernel", [3, 5, 9, 13, 17])
def test_what_is_left_is_what_the_kernel_of_that_size_leaves(kernel):
    sigma = filters.sigma_of(kernel)
    assert round(sigma, 6) in equalising.BLURS
    x = np.arange(400)
    for cycles in (0.02, 0.07, 0.13):
        wave = 120 + 100 * np.cos(2 * np.pi * cycles * (x - 199.5))
        weights = np.exp(-0.5 * ((np.arange(kernel) - kernel // 2) / sigma) ** 2)
        seen = correlate1d(wave, weights / weights.sum())[100:300] - 120
        height = (seen * np.cos(2 * np.pi * cycles * (x - 199.5))[100:300]).mean() / 50
        left = blur(sigma).left(np.array([cycles], np.float32), 0)[0]
        assert height == pytest.approx(left, abs=0.003)


def test_an_uncut_blur_is_a_gaussian():
    cycles = np.linspace(0, 0.2, 30, dtype=np.float32)
    expected = np.exp(-2 * (np.pi * 1.7 * cycles) ** 2)
    uncut = blur(1.7).uncut
    assert uncut is not None
    assert np.allclose(uncut.left(cycles, 1), expected, atol=1e-5)
    assert not np.allclose(blur(1.7).left(cycles, 1), expected, atol=1e-3)
    assert uncut.uncut is None


@pytest.mark.parametrize("factor", [0.36, 0.5, 0.71])
def test_unshrunk_is_sharp_again_whatever_the_ratio_was(factor):
    """Waves as fast as those of the tiles have their height again, give or take a seventh."""
    y, x = np.mgrid[:400, :400]
    for cycles in (0.04, 0.09, 0.125):
        wave = 127.5 + 100 * np.cos(2 * np.pi * (0.6 * cycles * y + 0.8 * cycles * x))
        small = geometry.resize(wave.round().astype(np.uint8)[..., None], factor)[..., 0]
        found = equalising.unshrunk(small.astype(np.float32))[30:-30, 30:-30]
        height = found.std() * np.sqrt(2)
        assert height == pytest.approx(100, rel=0.15)
        assert height > small[30:-30, 30:-30].std() * np.sqrt(2)


@pytest.mark.parametrize("sigma", equalising.BLURS)
def test_a_blur_is_undone_where_something_is_left(sigma):
    for cycles in np.linspace(0.01, min(0.14, 0.25 / sigma), 5):
        left = float(blur(sigma).left(np.array([cycles], np.float32), 0)[0])
        assert left * gain(blur(sigma), cycles, 0) == pytest.approx(1, abs=0.05)
        assert left * left * gain(blur(sigma), cycles, cycles) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("ratio", [0.4, 0.6, 0.9])
def test_a_resize_is_undone_in_the_band_of_the_tiles(ratio):
    for cycles in np.linspace(0.01, min(0.14, 0.5 * ratio), 5):
        left = float(np.sinc(cycles / ratio) ** 2)
        assert left * gain(shrink(ratio, ratio), 0, cycles) == pytest.approx(1, abs=0.1)


def test_both_directions_have_their_own():
    assert gain(shrink(0.5, 1.0), 0, 0.1) == pytest.approx(1, abs=0.02)
    assert gain(shrink(0.5, 1.0), 0.1, 0) == pytest.approx(1 / np.sinc(0.2) ** 2, rel=0.02)


def test_diagonal_waves_are_not_amplified_twice():
    """What two filters in turn would give, each held down for itself, is far above this."""
    along, diagonal = gain(blur(2.9), 0, 0.14), gain(blur(2.9), 0.14, 0.14)
    assert 10 < along < 40
    assert abs(diagonal) < 150


def test_numbers_come_back_after_a_real_blur(scene):
    plane = scene(240, 240)[..., 1].astype(np.float32)
    numbers = tiles.analyse(plane)
    blurred = gaussian_filter(plane, 1.7, mode="mirror")
    off = np.square(tiles.analyse(blurred) - numbers).mean()
    mended = [
        np.square(analyse(blurred, each) - numbers).mean() for each in (blur(1.7), blur(1.7).uncut)
    ]
    assert mended[1] < mended[0] < 0.1 * off


def test_every_tile_has_the_filter_of_its_activity(scene, monkeypatch):
    plane = scene(480, 480)[..., 1].astype(np.float32)
    y, x = np.mgrid[0:240, 0:240]
    plane[:240, :240] += np.linspace(0, 70, 240) * np.sin(x) * np.cos(y / 1.5)  # ever busier
    plane = gaussian_filter(plane, 2.3, mode="mirror")
    chosen = analyse(plane, blur(2.3))
    each = []
    for noise in equalising._NOISE:
        monkeypatch.setattr(equalising, "_NOISE", (noise,) * 4)
        each.append(analyse(plane, blur(2.3)))
    activity = lattice.activity(each[1])
    ends = 0, 16, 50, 90, np.inf
    for kind, (least, most) in enumerate(pairwise(ends)):
        part = (activity >= least) & (activity < most)
        assert np.array_equal(chosen[part], each[kind][part])
        assert part.any()


def test_without_an_edit_numbers_are_left_alone(scene):
    plane = scene(96, 96)[..., 1].astype(np.float32)
    assert np.array_equal(analyse(plane, None), tiles.analyse(plane))
    assert undone(plane, None) is plane


def test_a_calm_tile_has_less_noise_and_more_blur(scene, monkeypatch):
    noise = np.random.default_rng(1).normal(0, 0.3, (240, 240)).astype(np.float32)
    sizes = []
    for each in equalising._NOISE:
        monkeypatch.setattr(equalising, "_NOISE", (each,) * 4)
        sizes.append(undone(noise, blur(2.9)).std())
    assert sizes[0] < sizes[1] < sizes[2] < sizes[3]


def test_waves_come_back_after_a_real_resize():
    """Sampled at the places of the small picture they have the height that they had."""
    x = np.arange(600)
    for cycles in (0.02, 0.06, 0.1):
        wave = 120 + 80 * np.cos(2 * np.pi * cycles * (x - 299.5))
        small = geometry.resized(np.broadcast_to(wave, (60, 600))[..., None], 300, 30)
        places = 2 * np.arange(300) + 0.5
        phase = np.exp(2j * np.pi * cycles * (places - 299.5))[60:240]
        height = 2 * np.abs((small[15, 60:240, 0].astype(float) - 120) @ phase) / 180
        assert height * gain(shrink(0.5, 0.5), 0, cycles) == pytest.approx(80, rel=0.06)
