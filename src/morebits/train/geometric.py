"""Differentiable edits that move pixels; parameters come from a generator, once a batch.

The ranges are those of the published training code of Video Seal.
"""

from __future__ import annotations

import torch
from kornia.geometry.transform import get_perspective_transform, warp_perspective
from kornia.geometry.transform import rotate as turned
from numpy.random import Generator
from torch import Tensor
from torch.nn import functional


def flip(pictures: Tensor, _rng: Generator) -> Tensor:
    """Left and right exchanged."""
    return pictures.flip(-1)


def resize(pictures: Tensor, rng: Generator) -> Tensor:
    """Each side 0.7 to 1.5 times as long, independently."""
    sides = [_side(each, 0.7, 1.5, rng) for each in pictures.shape[-2:]]
    return functional.interpolate(pictures, sides, mode="bilinear", antialias=True)


def crop(pictures: Tensor, rng: Generator) -> Tensor:
    """Each side 0.5 to 1 times as long, independently, at a random place."""
    height, width = pictures.shape[-2:]
    high, wide = (_side(each, 0.5, 1.0, rng) for each in (height, width))
    top, left = int(rng.integers(height - high + 1)), int(rng.integers(width - wide + 1))
    return pictures[..., top : top + high, left : left + wide]


def rotate(pictures: Tensor, rng: Generator) -> Tensor:
    """By -10 to 10 degrees, and in half of the cases a quarter turn more; black corners.

    A quarter turn keeps the whole picture, also when it is not square. Published code splits
    -10 to -1 degrees into a quarter turn and 80 to 89 degrees, which cuts such pictures wrongly.
    """
    quarters = int(rng.choice([-1, 0, 0, 1]))
    angle = float(rng.integers(-10, 11))
    whole = torch.rot90(pictures, quarters, (-2, -1))
    return turned(whole, whole.new_full((len(whole),), angle), mode="nearest")


def perspective(pictures: Tensor, rng: Generator) -> Tensor:
    """Corners moved inwards by up to 0.1 to 0.5 of half a side."""
    height, width = pictures.shape[-2:]
    scale = rng.uniform(0.1, 0.5)
    most = (rng.integers(0, int(scale * width / 2) + 1, 4),
            rng.integers(0, int(scale * height / 2) + 1, 4))  # fmt: skip
    right, bottom = width - 1, height - 1
    corners = [(0, 0, 1, 1), (right, 0, -1, 1), (right, bottom, -1, -1), (0, bottom, 1, -1)]
    start = [(x, y) for x, y, _, _ in corners]
    end = [(x + sx * int(most[0][i]), y + sy * int(most[1][i]))
           for i, (x, y, sx, sy) in enumerate(corners)]  # fmt: skip
    matrix = get_perspective_transform(
        pictures.new_tensor([start], dtype=torch.float64),
        pictures.new_tensor([end], dtype=torch.float64),
    ).to(pictures.dtype)
    return warp_perspective(pictures, matrix.expand(len(pictures), 3, 3), (height, width))


def _side(side: int, least: float, most: float, rng: Generator) -> int:
    """A whole length in this range of the side, at least 1 pixel."""
    return max(1, int(rng.integers(int(least * side), int(most * side) + 1)))
