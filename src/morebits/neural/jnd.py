"""How much each pixel may change before it is seen: Video Seal's just-noticeable difference.

The published map has two oddities that `Jnd` switches off: in the dark its luminance term lacks
the "+ 3" of the classical formula, so the budget is zero at a background of 127 levels and 3 at
128; and zero padding makes every border of the picture a strong edge.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from morebits.linear.edits import GRAY_WEIGHTS
from morebits.neural.architectures import Jnd

_RING = [[1, 1, 1, 1, 1], [1, 2, 2, 2, 1], [1, 2, 0, 2, 1], [1, 2, 2, 2, 1], [1, 1, 1, 1, 1]]
_SOBEL = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]


def luma(images: Tensor) -> Tensor:
    """Brightness (B, 1, H, W) of pictures (B, 3, H, W), weights of ITU-R BT.601."""
    weights = torch.tensor(GRAY_WEIGHTS, dtype=images.dtype, device=images.device)
    return (images * weights[:, None, None]).sum(1, keepdim=True)


@torch.no_grad()
def budget(images: Tensor, jnd: Jnd) -> Tensor:
    """The map (B, 1, H, W), or (B, 3, H, W) with `blue`, on the scale of [0, 1].

    It is a constant of the picture: no gradient flows through it.
    """
    levels = luma(255 * images)  # in this order, as published: at 127 the last digit decides
    background = _filtered(levels, _RING, jnd.border) / 32
    floor = 3.0 if jnd.dark == "classical" else 0.0
    dark = 17 * (1 - torch.sqrt(background / 127 + 1e-5)) + floor
    light = 3 / 128 * (background - 127) + 3
    luminance = torch.where(background <= 127, dark, light)
    across = _filtered(levels, _SOBEL, jnd.border)
    down = _filtered(levels, [list(row) for row in zip(*_SOBEL, strict=True)], jnd.border)
    energy = across**2 + down**2
    contrast = 0.117 * 16 * energy**1.2 / (energy + 26**2)
    joint = luminance + contrast - 0.3 * torch.minimum(luminance, contrast)
    found = joint.clamp_min(0) / 255
    return torch.cat((found / 2, found / 2, found), 1) if jnd.blue else found


def _filtered(levels: Tensor, kernel: list[list[int]], border: str) -> Tensor:
    """Correlation with a kernel of odd side, with what lies outside as asked for."""
    side = len(kernel) // 2
    mode = "constant" if border == "zeros" else "replicate"
    padded = functional.pad(levels, (side, side, side, side), mode=mode)
    weights = torch.tensor(kernel, dtype=levels.dtype, device=levels.device)
    return functional.conv2d(padded, weights[None, None])
