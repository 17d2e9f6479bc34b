"""Networks as codecs: numpy pictures in and out, whatever runs the network.

Nothing here needs torch by itself: a `Network` may run in torch, in TorchScript or in onnxruntime.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from morebits.bounds import radius
from morebits.codecs import fixed
from morebits.codecs.fixed import Pixels
from morebits.errors import InputError
from morebits.types import Embedding, Extraction

#: Pictures as networks see them: (3, H, W) of [0, 1], and what is added to them.
Floats: TypeAlias = NDArray[np.float32]

#: Halvings of the range in which the strength for a PSNR is sought.
_STEPS = 16


class Network(Protocol):
    """What a codec needs of a network; `least` is the least side of a picture, in pixels."""

    @property
    def name(self) -> str: ...
    @property
    def bits(self) -> int: ...
    @property
    def least(self) -> int: ...

    def change(self, image: Floats, message: NDArray[np.uint8], /) -> Floats:
        """What it adds to a picture (3, H, W), before clamping and rounding."""
        ...

    def logits(self, image: Floats, /) -> Floats:
        """One number a bit, positive for 1."""
        ...


class Neural:
    """A network as a codec: exactly `bits` bits in any 8-bit colour picture that it takes.

    Without `psnr` the strength is the network's own. With it the mark is made as strong as the
    PSNR allows, measured on the rounded picture. Like the other watermarkers that make no claim
    of presence, `extract` answers "found" with a p-value of 1; `soft` has the logits. To fill
    large pictures tile by tile, give it to the codec `tiled`.

    >>> from morebits.neural import build
    >>> from morebits.neural.running import TorchNetwork
    >>> codec = Neural(TorchNetwork(build("videoseal-tiny")), psnr=40)
    >>> cover = np.full((64, 48, 3), 128, np.uint8)
    >>> marked = codec.embed(cover, np.ones(64, np.uint8))
    >>> bool(40 <= marked.psnr < 40.5), codec.extract(marked.image).soft.shape
    (True, (64,))
    """

    def __init__(self, network: Network, *, psnr: float | None = None):
        self.network = network
        self.psnr = None if psnr is None else radius.check_psnr(psnr)

    @property
    def name(self) -> str:
        """The network's."""
        return self.network.name

    def capacity(self, cover: Any, /) -> int:
        """The bits of the network, or 0 for a picture that is too small for it."""
        return self.network.bits if self._takes(fixed.colour(cover)) else 0

    def embed(self, cover: Any, bits: NDArray[np.uint8], /) -> Embedding:
        pixels, least = fixed.colour(cover), self.network.least
        message = fixed.check_message(
            bits, self.network.bits, self.capacity(pixels),
            f"{self.name} takes pictures from {least}x{least} pixels on: use a larger one",
        )  # fmt: skip
        change = 255 * self.network.change(_floats(pixels), message).transpose(1, 2, 0)
        strength = 1.0 if self.psnr is None else _strength(pixels, change, self.psnr)
        return fixed.embedding(pixels, _added(pixels, strength, change), message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        pixels = fixed.as_colour(image)
        if not self._takes(pixels):
            return Extraction("nothing", self.name)
        soft = self.network.logits(_floats(pixels))
        return fixed.unclaimed(self.name, soft > 0, soft)

    def _takes(self, pixels: Pixels) -> bool:
        return min(pixels.shape[:2]) >= self.network.least


def _floats(pixels: Pixels) -> Floats:
    """Samples (H, W, 3) as (3, H, W) of [0, 1]."""
    return np.ascontiguousarray(pixels.transpose(2, 0, 1), np.float32) / np.float32(255)


def _added(pixels: Pixels, strength: float, change: Floats) -> Pixels:
    return fixed.to_samples(pixels + np.float32(strength) * change)


def _strength(pixels: Pixels, change: Floats, psnr: float) -> float:
    """The largest factor at which the rounded picture still has this PSNR."""
    allowed = radius.mse(psnr, peak=255)
    energy = float(np.mean(np.square(change, dtype=np.float64)))

    def fits(strength: float) -> bool:
        error = _added(pixels, strength, change).astype(np.float32) - pixels
        return float(np.mean(np.square(error, dtype=np.float64))) <= allowed

    if energy == 0:
        raise InputError("psnr", psnr, "the network changes nothing in this picture, at no PSNR")
    # The plain answer leaves out that rounding hides small changes and that clamping eats large
    # ones, so the search starts above it, and goes up as long as there is room.
    low, high = 0.0, 2 * (allowed / energy) ** 0.5 + 1 / energy**0.5
    while fits(high) and high < 1e6:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    if np.array_equal(_added(pixels, low, change), pixels):
        raise InputError("psnr", psnr, "nothing of the mark survives rounding, ask for less")
    return low
