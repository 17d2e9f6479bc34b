"""The budget, against the levels that the published map has on flat pictures."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import ndimage

from morebits.neural.architectures import Jnd
from morebits.neural.jnd import budget, luma


def flat(level: int, jnd: Jnd, side: int = 16) -> torch.Tensor:
    return 255 * budget(torch.full((1, 3, side, side), level / 255), jnd)[0, 0]


class TestFlat:
    """Golden: levels from a study of the published code, made before this code was written."""

    @pytest.mark.parametrize(
        ("level", "expected"),
        [
            (0, 16.95), (16, 10.97), (32, 8.47), (64, 4.93), (96, 2.22), (127, 0.0), (128, 3.02),
            (160, 3.77), (192, 4.52), (255, 6.0),
        ],
    )  # fmt: skip
    def test_the_published_map(self, level, expected):
        assert flat(level, Jnd())[8, 8].item() == pytest.approx(expected, abs=0.006)

    def test_the_border_is_an_edge(self):
        found = flat(128, Jnd())
        assert found[0, 8].item() == pytest.approx(25.3, abs=0.05)
        assert found[0, 0].item() == pytest.approx(28.1, abs=0.05)

    @pytest.mark.parametrize(
        ("side", "strength", "psnr"),
        [(256, 1.0, 35.4), (256, 0.2, 49.35), (32, 1.0, 28.8), (32, 0.2, 42.8)],
    )
    def test_the_least_psnr_that_it_allows(self, side, strength, psnr):
        """A mark of full strength everywhere: on small pictures the border is most of it."""
        mse = (strength * flat(128, Jnd(), side)).square().mean()
        assert (10 * torch.log10(255**2 / mse)).item() == pytest.approx(psnr, abs=0.05)

    def test_without_that_oddity(self):
        found = flat(128, Jnd(border="replicate"))
        assert torch.allclose(found, found[8, 8].expand_as(found), atol=1e-3)
        assert found[8, 8].item() == pytest.approx(3.02, abs=0.006)

    def test_without_the_other(self):
        for level, published in ((0, 16.95), (64, 4.93), (127, 0.0)):
            found = flat(level, Jnd(dark="classical"))[8, 8].item()
            assert found == pytest.approx(published + 3, abs=0.006)
        assert flat(128, Jnd(dark="classical"))[8, 8] == flat(128, Jnd())[8, 8]


def test_against_scipy():
    """The formula once more, with scipy's filters and in float64."""
    image = np.random.default_rng(1).random((3, 20, 24))
    levels = 255 * np.tensordot([0.299, 0.587, 0.114], image, 1)
    ring = np.pad(np.pad([[0]], 1, constant_values=2), 1, constant_values=1)
    background = ndimage.correlate(levels, ring / 32, mode="constant")
    with np.errstate(invalid="ignore"):
        dark = 17 * (1 - np.sqrt(background / 127 + 1e-5))
    luminance = np.where(background <= 127, dark, 3 / 128 * (background - 127) + 3)
    slopes = [ndimage.sobel(levels, axis, mode="constant") for axis in (0, 1)]
    steep = np.hypot(*slopes)
    contrast = 0.117 * 16 * steep**2.4 / (steep**2 + 676)
    expected = np.maximum(0, luminance + contrast - 0.3 * np.minimum(luminance, contrast)) / 255
    found = budget(torch.tensor(image[None], dtype=torch.float32), Jnd())[0, 0].numpy()
    assert np.abs(found - expected).max() < 1e-6


def test_blue_halves_red_and_green():
    images = torch.rand(1, 3, 9, 9)
    plain, blue = budget(images, Jnd()), budget(images, Jnd(blue=True))
    assert blue.shape == (1, 3, 9, 9)
    assert torch.equal(blue[:, 2:], plain)
    assert torch.equal(blue[:, :1], plain / 2)
    assert torch.equal(blue[:, 1:2], plain / 2)


def test_no_gradient_and_no_nan():
    images = torch.full((1, 3, 9, 9), 0.3, requires_grad=True)
    found = budget(images, Jnd())
    assert not found.requires_grad
    assert bool(torch.isfinite(found).all())


def test_luma():
    assert luma(torch.ones(1, 3, 2, 2)).flatten().tolist() == pytest.approx([1.0] * 4)
    red = torch.tensor([1.0, 0, 0])[None, :, None, None]
    assert luma(red).item() == pytest.approx(0.299)
