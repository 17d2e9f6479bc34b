"""The extractor of Video Seal 1.0 and Chunky Seal: ConvNeXt V2 without its last norm."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from morebits.neural.architectures import ConvNeXt
from morebits.neural.layers import EPSILON, ChannelNorm, Head


class ResponseNorm(nn.Module):
    """Global response normalisation, (B, H, W, C): channels compete by their energy."""

    def __init__(self, channels: int):
        super().__init__()
        self.gamma = nn.Parameter(torch.zeros(1, 1, 1, channels))
        self.beta = nn.Parameter(torch.zeros(1, 1, 1, channels))

    def forward(self, x: Tensor) -> Tensor:
        energy = torch.linalg.vector_norm(x, dim=(1, 2), keepdim=True)
        share = energy / (energy.mean(-1, keepdim=True) + EPSILON)
        return self.gamma * (x * share) + self.beta + x


class Block(nn.Module):
    """Depthwise 7 x 7, norm, four times the channels and back, added to the input."""

    def __init__(self, channels: int):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=EPSILON)
        self.wide = nn.Linear(channels, 4 * channels)
        self.response = ResponseNorm(4 * channels)
        self.narrow = nn.Linear(4 * channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.depthwise(x).movedim(1, -1))
        y = self.narrow(self.response(functional.gelu(self.wide(y))))
        return x + y.movedim(-1, 1)


class ConvNeXtExtractor(nn.Module):
    """Pictures (B, 3, S, S) of [0, 1] to logits (B, bits)."""

    def __init__(self, shape: ConvNeXt, bits: int):
        super().__init__()
        widths = shape.built(bits)
        stem = nn.Sequential(
            nn.Conv2d(3, widths[0], 4, stride=shape.stride), ChannelNorm(widths[0])
        )
        between = (
            nn.Sequential(ChannelNorm(a), nn.Conv2d(a, b, 2, stride=2)) for a, b in pairwise(widths)
        )
        self.reductions = nn.ModuleList((stem, *between))
        self.stages = nn.ModuleList(
            nn.Sequential(*(Block(width) for _ in range(depth)))
            for width, depth in zip(widths, shape.depths, strict=True)
        )
        self.head = Head(widths[-1], bits, shape.padding)

    def forward(self, images: Tensor) -> Tensor:
        x = 2 * images - 1
        for reduction, stage in zip(self.reductions, self.stages, strict=True):
            x = stage(reduction(x))
        return self.head(x)
