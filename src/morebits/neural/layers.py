"""Building blocks that the paper's networks share."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

#: Inside layer norms and global response norms, as published.
EPSILON = 1e-6

_ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "silu": nn.SiLU, "gelu": nn.GELU}


class ChannelNorm(nn.LayerNorm):
    """Layer norm over the channels of each pixel, (B, C, H, W)."""

    def __init__(self, channels: int):
        super().__init__(channels, eps=EPSILON)

    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input.movedim(1, -1)).movedim(-1, 1)


class RmsNorm(nn.Module):
    """Each pixel's channels at unit root mean square, times `gamma` (Video Seal 0.0)."""

    def __init__(self, channels: int):
        super().__init__()
        self.scale = channels**0.5
        self.gamma = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return functional.normalize(x, dim=1) * self.scale * self.gamma


def norm(name: str, channels: int) -> nn.Module:
    """A norm by the name that cards use, "batch" or "rms"."""
    return nn.BatchNorm2d(channels) if name == "batch" else RmsNorm(channels)


def activation(name: str) -> nn.Module:
    """An activation by the name that cards use."""
    return _ACTIVATIONS[name]()


class Residual(nn.Module):
    """Two times convolution, norm and activation, plus a 1 x 1 convolution of the input.

    The 1 x 1 convolution is there even where the number of channels stays, and nothing follows
    the sum.
    """

    def __init__(self, inputs: int, outputs: int, norm_name: str, activation_name: str):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        self.norm1 = norm(norm_name, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = norm(norm_name, outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1)
        self.activation = activation(activation_name)

    def forward(self, x: Tensor) -> Tensor:
        y = self.activation(self.norm1(self.conv1(x)))
        return self.activation(self.norm2(self.conv2(y))) + self.shortcut(x)


class Filter(nn.Module):
    """Padding by one pixel, a 3 x 3 convolution without bias, channel norm, activation."""

    def __init__(self, inputs: int, outputs: int, activation_name: str, padding: str = "reflect"):
        super().__init__()
        self.padding = padding
        self.conv = nn.Conv2d(inputs, outputs, 3, bias=False)
        self.norm = ChannelNorm(outputs)
        self.activation = activation(activation_name)

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(
            self.norm(self.conv(functional.pad(x, (1, 1, 1, 1), mode=self.padding)))
        )


class Head(nn.Module):
    """The end of every published extractor: a filter, the mean over the picture, one matrix.

    The matrix has a row before those of the bits, meant for detection. The published recipes
    never train it, so it is kept for the weights' sake and left out of the answer.
    """

    def __init__(self, channels: int, bits: int, padding: str):
        super().__init__()
        self.filter = Filter(channels, channels, "gelu", padding)
        self.linear = nn.Linear(channels, 1 + bits)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(self.filter(x).mean((2, 3)))[:, 1:]
