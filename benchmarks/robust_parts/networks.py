"""Video Seal 1.0's two networks with random weights: what they cost on this machine.

Only the work is theirs, not the result: nothing is trained, nothing is downloaded. The embedder
is a U-Net on the luma of 256x256 pixels with the message in its middle, the extractor a
ConvNeXt V2 (depths 3, 3, 9, 3) with a small head; 256 bits. Embedding a picture of another size
makes it smaller, runs the network, makes the change larger and dampens it where the eye is keen.
"""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import time
from typing import Any

import numpy as np

from morebits.images import Samples
from robust_parts.lines import Say

_SIDE, _BITS = 256, 256
_TIMES = 5


def measure(cover: Samples, say: Say) -> dict[str, Any]:
    """Median seconds of embed and extract on one thread; or why there are none."""
    if importlib.util.find_spec("torch") is None:
        return {"available": False, "why": "torch is not installed: pip install torch"}
    say("Video Seal's networks with random weights")
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    embedder, extractor, keenness = _embedder(torch), _extractor(torch), _keenness(torch)
    picture = torch.from_numpy(cover.transpose(2, 0, 1)[None].astype(np.float32) / 255)
    bits = torch.randint(0, 2, (1, _BITS))
    luma = torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)
    resize = torch.nn.functional.interpolate

    def embed() -> Any:
        small = resize(picture, (_SIDE, _SIDE), mode="bilinear", antialias=True)
        change = embedder((small * luma).sum(1, keepdim=True), bits)
        change = resize(change, picture.shape[-2:], mode="bilinear", antialias=True)
        return (picture + 0.2 * change * keenness((picture * luma).sum(1, keepdim=True))).clamp(
            0, 1
        )

    def extract() -> Any:
        return extractor(resize(picture, (_SIDE, _SIDE), mode="bilinear", antialias=True))

    with torch.inference_mode():
        found = {"embed": seconds(embed), "extract": seconds(extract)}
    parameters = [sum(each.numel() for each in net.parameters()) for net in (embedder, extractor)]
    return {"available": True, "bits": _BITS, **found, "parameters": parameters,
            "torch": torch.__version__, "weights": "random"}  # fmt: skip


def seconds(task: Any) -> float:
    """The median of several times after the first."""
    known: list[float] = []
    for _ in range(_TIMES + 1):
        started = time.perf_counter()
        task()
        known.append(time.perf_counter() - started)
    return statistics.median(known[1:])


def _embedder(torch: Any) -> Any:
    nn = torch.nn

    class Embedder(nn.Module):
        """U-Net with 16, 32, 64 and 128 channels and eight blocks of 384 in its middle."""

        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(2 * _BITS, _BITS)
            self.first = _block(nn, 1, 16)
            self.downs = nn.ModuleList(
                nn.Sequential(nn.Conv2d(a, 2 * a, 3, 2, 1), _block(nn, 2 * a, 2 * a))
                for a in (16, 32, 64)
            )
            self.middle = nn.Sequential(*(_block(nn, 128 + _BITS, 128 + _BITS) for _ in range(8)))
            self.ups = nn.ModuleList(_up(nn, a, b) for a, b in ((768, 64), (128, 32), (64, 16)))
            self.last = nn.Conv2d(16, 1, 1)

        def forward(self, luma: Any, bits: Any) -> Any:
            maps = [self.first(2 * luma - 1)]
            for down in self.downs:
                maps.append(down(maps[-1]))
            rows = self.table(2 * torch.arange(_BITS) + bits).sum(1)[..., None, None]
            deep = torch.cat([maps[-1], rows.expand(-1, -1, *maps[-1].shape[-2:])], 1)
            value = self.middle(deep)
            for up, skip in zip(self.ups, (deep, maps[2], maps[1]), strict=True):
                value = up(torch.cat([value, skip * 2**-0.5], 1))
            return self.last(value).tanh()

    return Embedder().eval()


def _block(nn: Any, a: int, b: int) -> Any:
    """Two convolutions beside a third of one pixel."""
    both = nn.Sequential(
        nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(),
        nn.Conv2d(b, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(),
    )  # fmt: skip
    return _sum(nn, both, nn.Conv2d(a, b, 1))


def _up(nn: Any, a: int, b: int) -> Any:
    return nn.Sequential(
        nn.Upsample(scale_factor=2, mode="bilinear"), nn.ReflectionPad2d(1),
        nn.Conv2d(a, b, 3, bias=False), _channel_norm(nn, b), nn.ReLU(), _block(nn, b, b),
    )  # fmt: skip


def _sum(nn: Any, one: Any, other: Any) -> Any:
    class Sum(nn.Module):
        """Two ways side by side."""

        def __init__(self) -> None:
            super().__init__()
            self.one, self.other = one, other

        def forward(self, x: Any) -> Any:
            return self.one(x) + self.other(x)

    return Sum()


def _channel_norm(nn: Any, channels: int) -> Any:
    class ChannelNorm(nn.LayerNorm):
        """Over the channels of each pixel."""

        def forward(self, x: Any) -> Any:
            return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)

    return ChannelNorm(channels, eps=1e-6)


def _extractor(torch: Any) -> Any:
    nn = torch.nn
    widths, depths = (96, 192, 384, 768), (3, 3, 9, 3)

    class Mean(nn.Module):
        """Over all places."""

        def forward(self, x: Any) -> Any:
            return x.mean((2, 3))

    layers = [nn.Conv2d(3, widths[0], 4, 4), _channel_norm(nn, widths[0])]
    for stage, (width, depth) in enumerate(zip(widths, depths, strict=True)):
        if stage:
            before = widths[stage - 1]
            layers += [_channel_norm(nn, before), nn.Conv2d(before, width, 2, 2)]
        layers += [_convnext(torch, width) for _ in range(depth)]
    last = widths[-1]
    layers += [
        nn.ReflectionPad2d(1), nn.Conv2d(last, last, 3, bias=False), _channel_norm(nn, last),
        nn.GELU(), Mean(), nn.Linear(last, _BITS + 1),
    ]  # fmt: skip
    return nn.Sequential(*layers).eval()


def _convnext(torch: Any, width: int) -> Any:
    nn = torch.nn

    class Block(nn.Module):
        """Depthwise 7x7, then two layers a pixel with a response norm between them."""

        def __init__(self) -> None:
            super().__init__()
            self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
            self.norm = nn.LayerNorm(width, eps=1e-6)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.gamma = nn.Parameter(torch.zeros(1, 1, 1, 4 * width))
            self.beta = nn.Parameter(torch.zeros(1, 1, 1, 4 * width))

        def forward(self, x: Any) -> Any:
            y = nn.functional.gelu(self.wide(self.norm(self.depthwise(x).permute(0, 2, 3, 1))))
            strength = y.norm(dim=(1, 2), keepdim=True)
            response = strength / (strength.mean(-1, keepdim=True) + 1e-6)
            y = self.narrow(self.gamma * (y * response) + self.beta + y)
            return x + y.permute(0, 3, 1, 2)

    return Block()


def _keenness(torch: Any) -> Any:
    """The just noticeable difference at full size: the cost of its three convolutions."""
    conv = torch.nn.functional.conv2d
    sobel = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]).view(1, 1, 3, 3)
    light = torch.tensor(
        [[1.0, 1, 1, 1, 1], [1, 2, 2, 2, 1], [1, 2, 0, 2, 1], [1, 2, 2, 2, 1], [1, 1, 1, 1, 1]]
    ).view(1, 1, 5, 5)

    def of(luma: Any) -> Any:
        levels = 255 * luma
        background = conv(levels, light, padding=2) / 32
        dark = 17 * (1 - (background.clamp(max=127) / 127).sqrt())
        adapted = torch.where(background < 127, dark, 3 * (background - 127) / 128) + 3
        edges = (
            conv(levels, sobel, padding=1) ** 2 + conv(levels, sobel.mT, padding=1) ** 2
        ).sqrt()
        masked = 16 * edges**2.4 / (edges**2 + 26**2)
        return (adapted + masked - 0.3 * torch.minimum(adapted, masked)).clamp(min=0) / 255

    return of
