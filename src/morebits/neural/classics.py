"""Small networks: the paper's linear baseline, and HiDDeN."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from morebits.neural.architectures import Hidden


class LinearEmbedder(nn.Module):
    """The message as -1 and +1, times a matrix: one carrier a bit, whatever the picture."""

    def __init__(self, size: int, channels: int, bits: int):
        super().__init__()
        self.shape = channels, size, size
        self.carriers = nn.Linear(bits, channels * size * size, bias=False)

    def forward(self, images: Tensor, messages: Tensor) -> Tensor:
        signs = 2 * messages.to(images.dtype) - 1
        return self.carriers(signs).reshape(-1, *self.shape)


class LinearExtractor(nn.Module):
    """All samples of the picture, as [-1, 1], times a matrix: logits (B, bits)."""

    def __init__(self, size: int, bits: int):
        super().__init__()
        self.readers = nn.Linear(3 * size * size, bits, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        return self.readers((2 * images - 1).flatten(1))


def _layer(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
    )


class HiddenEmbedder(nn.Module):
    """Features of the picture, the message at every pixel and the picture itself, mixed."""

    def __init__(self, shape: Hidden, channels: int, bits: int):
        super().__init__()
        width = shape.width
        self.features = nn.Sequential(
            _layer(channels, width), *(_layer(width, width) for _ in range(shape.blocks - 1))
        )
        self.mix = _layer(width + bits + channels, width)
        self.last = nn.Conv2d(width, channels, 1)

    def forward(self, images: Tensor, messages: Tensor) -> Tensor:
        x = 2 * images - 1
        signs = 2 * messages.to(x.dtype) - 1
        planes = signs[:, :, None, None].expand(-1, -1, *x.shape[2:])
        return torch.tanh(self.last(self.mix(torch.cat((self.features(x), planes, x), 1))))


class HiddenExtractor(nn.Module):
    """Blocks at full size, one plane a bit, their means, and a last matrix."""

    def __init__(self, shape: Hidden, bits: int):
        super().__init__()
        width = shape.width
        self.features = nn.Sequential(
            _layer(3, width), *(_layer(width, width) for _ in range(shape.blocks - 1))
        )
        self.planes = _layer(width, bits)
        self.linear = nn.Linear(bits, bits)

    def forward(self, images: Tensor) -> Tensor:
        return self.linear(self.planes(self.features(2 * images - 1)).mean((2, 3)))
