"""An embedder and an extractor with everything around them, as one torch module.

Tensors are pictures (B, 3, H, W) of [0, 1] of any size, messages (B, bits) of zeros and ones,
and logits (B, bits), positive for 1.
"""

from __future__ import annotations

import os

import torch
from torch import Tensor, nn
from torch.nn import functional

from morebits.errors import InputError
from morebits.neural import classics, jnd
from morebits.neural.architectures import ConvNeXt, Hidden, Linear, UNet, ViT
from morebits.neural.cards import Card, load_card
from morebits.neural.convnext import ConvNeXtExtractor
from morebits.neural.unet import UNetEmbedder
from morebits.neural.vit import ViTExtractor


def build(
    card: str | os.PathLike[str] | Card, device: str | torch.device | None = None
) -> Watermarker:
    """The network of a card with fresh random weights, in evaluation mode.

    On the device "meta" it has shapes and no numbers, which is enough to count or to load.

    >>> watermarker = build("videoseal-tiny")
    >>> images, messages = torch.rand(2, 3, 48, 40), torch.ones(2, 64)
    >>> watermarker.embed(images, messages).shape, watermarker.extract(images).shape
    (torch.Size([2, 3, 48, 40]), torch.Size([2, 64]))
    """
    with usable("cpu" if device is None else device):
        return Watermarker(load_card(card)).eval()


def usable(device: str | torch.device) -> torch.device:
    """A device that torch can use here; InputError for any other.

    >>> usable("cpu")
    device(type='cpu')
    """
    try:
        return torch.empty(0, device=device).device
    except (RuntimeError, AssertionError) as error:  # the latter where torch has no CUDA in it
        reason = next(iter(str(error).strip().splitlines()), "unknown reason")
        raise InputError(
            "device", str(device), f"torch cannot use it ({reason}), try cpu"
        ) from None


class Watermarker(nn.Module):
    """The networks of a card, the way to their size and back, budget, blend and rounding.

    `embedder` takes pictures of the card's size and channels, and messages; `extractor` takes
    pictures (B, 3, size, size). `scaling_w`, the strength of the mark, starts as the card has it
    and may be changed, as training schedules do.
    """

    def __init__(self, card: Card):
        super().__init__()
        self.card = card
        self.scaling_w = card.scaling_w
        self.embedder = _embedder(card)
        self.extractor = _extractor(card)

    def embed(self, images: Tensor, messages: Tensor) -> Tensor:
        """Marked pictures: blended, clamped, and rounded to 8 bits with the gradient of 1."""
        blended = self.card.scaling_i * images + self.scaling_w * self.residual(images, messages)
        return rounded(blended.clamp(0, 1))

    def residual(self, images: Tensor, messages: Tensor) -> Tensor:
        """What a strength of 1 adds, at the size of the pictures and within their budget.

        (B, 1, H, W) for the same change in every channel, else (B, 3, H, W).
        """
        self._check(images)
        wrong = messages.ndim != 2 or messages.shape[1] != self.card.bits
        if wrong or len(messages) != len(images):
            expected = f"give ({len(images)}, {self.card.bits}): a row of zeros and ones a picture"
            raise InputError("messages", f"of shape {tuple(messages.shape)}", expected)
        seen = jnd.luma(images) if self.card.residual == "luma" else images
        # Networks may compute in bfloat16, which torch cannot resize everywhere; pictures are not.
        answer = self.embedder(resized(seen, self.card.size), messages).to(images.dtype)
        full = resized(answer, tuple(images.shape[2:]))
        return full if self.card.jnd is None else full * jnd.budget(images, self.card.jnd)

    def extract(self, images: Tensor) -> Tensor:
        """One logit a bit, positive for 1."""
        self._check(images)
        return self.extractor(resized(images, self.card.size))

    def _check(self, images: Tensor) -> None:
        if not isinstance(images, Tensor) or not images.is_floating_point():
            kind = images.dtype if isinstance(images, Tensor) else type(images).__name__
            raise InputError("images", f"of {kind}", "give a tensor of floats in [0, 1]")
        if images.ndim != 4 or images.shape[1] != 3:
            shape = f"of shape {tuple(images.shape)}"
            raise InputError("images", shape, "give (batch, 3, height, width)")
        if min(images.shape[2:]) < self.card.least:
            height, width = images.shape[2:]
            expected = f"{self.card.name} takes {self.card.least}x{self.card.least} or larger"
            raise InputError("images", f"of {width}x{height} pixels", expected)


def resized(images: Tensor, size: int | tuple[int, ...]) -> Tensor:
    """Bilinear with antialias, as published; pictures that have the size stay as they are.

    >>> resized(torch.zeros(1, 3, 5, 7), 4).shape
    torch.Size([1, 3, 4, 4])
    """
    sides = (size, size) if isinstance(size, int) else size
    if tuple(images.shape[2:]) == sides:
        return images
    return functional.interpolate(images, sides, mode="bilinear", antialias=True)


def rounded(images: Tensor) -> Tensor:
    """The nearest of 256 levels; backwards it is the identity.

    >>> x = torch.tensor([0.5], requires_grad=True)
    >>> y = rounded(x)
    >>> y.backward()
    >>> round(y.item() * 255, 3), x.grad.item()
    (128.0, 1.0)
    """
    return images + (torch.round(images * 255) / 255 - images).detach()


def _embedder(card: Card) -> nn.Module:
    match card.embedder:
        case UNet():
            return UNetEmbedder(card.embedder, card.channels, card.bits)
        case Hidden():
            return classics.HiddenEmbedder(card.embedder, card.channels, card.bits)
        case Linear():
            return classics.LinearEmbedder(card.size, card.channels, card.bits)


def _extractor(card: Card) -> nn.Module:
    match card.extractor:
        case ConvNeXt():
            return ConvNeXtExtractor(card.extractor, card.bits)
        case ViT():
            return ViTExtractor(card.extractor, card.size, card.bits)
        case Hidden():
            return classics.HiddenExtractor(card.extractor, card.bits)
        case Linear():
            return classics.LinearExtractor(card.size, card.bits)
