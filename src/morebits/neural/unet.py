"""The embedder of Video Seal and Chunky Seal."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from morebits.neural.architectures import UNet
from morebits.neural.layers import Filter, Residual


class Down(nn.Module):
    """Half the resolution: a strided convolution, then a residual block."""

    def __init__(self, inputs: int, outputs: int, shape: UNet):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1)
        self.block = Residual(outputs, outputs, shape.norm, shape.activation)

    def forward(self, x: Tensor) -> Tensor:
        return self.block(self.conv(x))


class Up(nn.Module):
    """Twice the resolution: bilinear, a filter, then a residual block."""

    def __init__(self, inputs: int, outputs: int, shape: UNet):
        super().__init__()
        self.filter = Filter(inputs, outputs, shape.activation)
        self.block = Residual(outputs, outputs, shape.norm, shape.activation)

    def forward(self, x: Tensor) -> Tensor:
        return self.block(self.filter(functional.interpolate(x, scale_factor=2.0, mode="bilinear")))


class MessageTable(nn.Embedding):
    """A row for each value of each bit; a message is the sum of its rows, (B, width)."""

    def forward(self, input: Tensor) -> Tensor:
        zeros, ones = self.weight[0::2], self.weight[1::2]
        # Bit i picks row 2i or 2i + 1; as a product it takes floats, and is one operation.
        return zeros.sum(0) + input.to(zeros.dtype) @ (ones - zeros)


class UNetEmbedder(nn.Module):
    """Pictures (B, C, S, S) of [0, 1] and messages (B, bits) to a residual in [-1, 1].

    The deepest skip has the message in it too, the output of the first block is no skip, and the
    skips join before the upsampling: as published.
    """

    def __init__(self, shape: UNet, channels: int, bits: int):
        super().__init__()
        widths, deep = shape.widths, shape.widths[-1] + shape.message * bits
        style = shape.norm, shape.activation
        self.table = MessageTable(2 * bits, shape.message * bits)
        self.first = Residual(channels, widths[0], *style)
        self.downs = nn.ModuleList(Down(a, b, shape) for a, b in pairwise(widths))
        self.bottleneck = nn.Sequential(
            *(Residual(deep, deep, *style) for _ in range(shape.blocks))
        )
        # From below come as many channels as the skip has that joins them.
        joined = [2 * width for width in (deep, *widths[-2:0:-1])]
        self.ups = nn.ModuleList(
            Up(a, b, shape) for a, b in zip(joined, widths[-2::-1], strict=True)
        )
        self.last = nn.Conv2d(widths[0], channels, 1)

    def forward(self, images: Tensor, messages: Tensor) -> Tensor:
        x = self.first(2 * images - 1)
        skips: list[Tensor] = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
        planes = self.table(messages)[:, :, None, None].expand(-1, -1, *x.shape[2:])
        x = skips[-1] = torch.cat((x, planes), 1)
        x = self.bottleneck(x)
        for up, skip in zip(self.ups, reversed(skips), strict=True):
            x = up(torch.cat((x, skip * 2**-0.5), 1))
        return torch.tanh(self.last(x))
