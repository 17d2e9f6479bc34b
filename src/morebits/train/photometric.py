"""Differentiable edits that change values; parameters come from a generator, once a batch.

The ranges are those of the published training code of Video Seal.
"""

from __future__ import annotations

import math

import torch
from kornia.color import hsv_to_rgb, rgb_to_hsv
from kornia.enhance import jpeg_codec_differentiable
from kornia.filters import gaussian_blur2d, median_blur
from numpy.random import Generator
from torch import Tensor
from torch.nn import functional

from morebits.train import straight

#: Weights of red, green and blue in the gray of contrast and saturation.
_GRAY = (0.2989, 0.587, 0.114)


def jpeg(pictures: Tensor, rng: Generator) -> Tensor:
    """A real JPEG file of quality 40 to 80, with the gradient of the identity."""
    return straight.jpeg(pictures, int(rng.integers(40, 81)))


def soft_jpeg(pictures: Tensor, rng: Generator) -> Tensor:
    """A differentiable imitation of JPEG of quality 40 to 80; the picture is padded to blocks."""
    height, width = pictures.shape[-2:]
    right, bottom = -width % 16, -height % 16
    padded = functional.pad(pictures.clamp(0, 1), (0, right, 0, bottom), mode="replicate")
    quality = pictures.new_full((1,), float(rng.integers(40, 81)))
    return jpeg_codec_differentiable(padded, quality)[..., :height, :width]


def blur(pictures: Tensor, rng: Generator) -> Tensor:
    """Gaussian of 3 to 17 pixels a side, less where the picture is too small to be mirrored."""
    drawn = int(rng.integers(3, 18))
    size = min(drawn + (drawn + 1) % 2, 2 * min(pictures.shape[-2:]) - 1)
    sigma = 0.3 * ((size - 1) / 2 - 1) + 0.8
    return gaussian_blur2d(pictures, (size, size), (sigma, sigma))


def median(pictures: Tensor, _rng: Generator) -> Tensor:
    """Median of 3 x 3 pixels, with the gradient of the identity."""
    return straight.straight_through(pictures, median_blur(pictures.detach(), (3, 3)))


def brightness(pictures: Tensor, rng: Generator) -> Tensor:
    """Values times 0.5 to 2."""
    return (pictures * _factor(rng)).clamp(0, 1)


def contrast(pictures: Tensor, rng: Generator) -> Tensor:
    """Distances from the picture's mean gray times 0.5 to 2."""
    return _blend(pictures, _gray(pictures).mean((-3, -2, -1), keepdim=True), _factor(rng))


def saturation(pictures: Tensor, rng: Generator) -> Tensor:
    """Distances of each pixel from its gray times 0.5 to 2."""
    return _blend(pictures, _gray(pictures), _factor(rng))


def hue(pictures: Tensor, rng: Generator) -> Tensor:
    """Hues turned by -0.1 to 0.1 of the circle."""
    angle = rng.uniform(-0.1, 0.1) * 2 * math.pi
    turned = rgb_to_hsv(pictures)
    moved = torch.remainder(turned[..., :1, :, :] + angle, 2 * math.pi)
    return hsv_to_rgb(torch.cat([moved, turned[..., 1:, :, :]], -3))


def _factor(rng: Generator) -> float:
    return float(rng.uniform(0.5, 2.0))


def _gray(pictures: Tensor) -> Tensor:
    return torch.einsum("c,bchw->bhw", pictures.new_tensor(_GRAY), pictures)[:, None]


def _blend(pictures: Tensor, other: Tensor, factor: float) -> Tensor:
    return (factor * pictures + (1 - factor) * other).clamp(0, 1)
