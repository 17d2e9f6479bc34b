"""How many weights a card's networks have, without making any."""

from __future__ import annotations

import os
from dataclasses import dataclass

from torch import nn

from morebits.neural.cards import Card
from morebits.neural.watermarker import build


@dataclass(frozen=True)
class Count:
    """Trainable parameters of the two networks."""

    embedder: int
    extractor: int

    @property
    def total(self) -> int:
        """Both together; times 4 it is the size of the weights in bytes."""
        return self.embedder + self.extractor


def count(card: str | os.PathLike[str] | Card) -> Count:
    """The parameters of a card, counted on the device "meta", where they take no memory.

    >>> count("videoseal-1.0")
    Count(embedder=23660369, extractor=33372545)
    """
    watermarker = build(card, "meta")
    return Count(_parameters(watermarker.embedder), _parameters(watermarker.extractor))


def _parameters(module: nn.Module) -> int:
    return sum(each.numel() for each in module.parameters())
