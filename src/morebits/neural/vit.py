"""The extractor of Video Seal 0.0: a vision transformer with windows."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from morebits.neural.architectures import ViT
from morebits.neural.layers import ChannelNorm, Head


class Attention(nn.Module):
    """Attention over a square of `side` x `side` patches, (B, side, side, width).

    Each head adds what the query says about the vertical and the horizontal distance.
    """

    def __init__(self, width: int, heads: int, side: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.rows = nn.Parameter(torch.zeros(2 * side - 1, width // heads))
        self.columns = nn.Parameter(torch.zeros(2 * side - 1, width // heads))

    def forward(self, x: Tensor) -> Tensor:
        batch, side, _, width = x.shape
        deep = width // self.heads
        qkv = self.qkv(x).reshape(batch, side * side, 3, self.heads, deep).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.reshape(3, batch * self.heads, side * side, deep).unbind(0)
        square = q.reshape(-1, side, side, deep)
        places = torch.arange(side, device=x.device)
        distance = places[:, None] - places[None, :] + side - 1
        vertical = torch.einsum("bhwc,hkc->bhwk", square, self.rows[distance])
        horizontal = torch.einsum("bhwc,wkc->bhwk", square, self.columns[distance])
        bias = vertical[..., :, None] + horizontal[..., None, :]
        scores = (q * deep**-0.5) @ k.transpose(1, 2) + bias.reshape(-1, side**2, side**2)
        mixed = (scores.softmax(-1) @ v).reshape(batch, self.heads, side, side, deep)
        return self.out(mixed.permute(0, 2, 3, 1, 4).reshape(batch, side, side, width))


class Block(nn.Module):
    """Attention within windows, then two layers, each added to what comes in."""

    def __init__(self, width: int, heads: int, window: int):
        super().__init__()
        self.window = window
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads, window)
        self.norm2 = nn.LayerNorm(width)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, side, _, width = x.shape
        count, window = side // self.window, self.window
        y = self.norm1(x).reshape(batch, count, window, count, window, width).transpose(2, 3)
        y = self.attention(y.reshape(-1, window, window, width))
        y = y.reshape(batch, count, count, window, window, width).transpose(2, 3)
        x = x + y.reshape(batch, side, side, width)
        return x + self.narrow(functional.gelu(self.wide(self.norm2(x))))


class ViTExtractor(nn.Module):
    """Pictures (B, 3, S, S) of [0, 1] to logits (B, bits)."""

    def __init__(self, shape: ViT, size: int, bits: int):
        super().__init__()
        side, width = size // shape.patch, shape.width
        self.patches = nn.Conv2d(3, width, shape.patch, stride=shape.patch)
        self.positions = nn.Parameter(torch.zeros(1, side, side, width))
        self.blocks = nn.Sequential(
            *(
                Block(width, shape.heads, side if each in shape.whole else shape.window)
                for each in range(shape.depth)
            )
        )
        self.neck = nn.Sequential(
            nn.Conv2d(width, width, 1, bias=False),
            ChannelNorm(width),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            ChannelNorm(width),
        )
        self.head = Head(width, bits, "reflect")

    def forward(self, images: Tensor) -> Tensor:
        x = self.patches(2 * images - 1).movedim(1, -1) + self.positions
        return self.head(self.neck(self.blocks(x).movedim(-1, 1)))
