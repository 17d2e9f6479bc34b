"""The network of a run: a card with the changes that the configuration asks for."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from morebits.errors import InputError
from morebits.neural import Card, Watermarker, build, load_card, save
from morebits.neural.architectures import Jnd
from morebits.train.config import TrainConfig
from morebits.train.randomness import Purpose, generator


def card_of(config: TrainConfig) -> Card:
    """The card, with the bits, the mask and the last strength of the run.

    >>> card_of(TrainConfig(model="linear", bits=8)).bits
    8
    """
    card = load_card(config.model)
    if config.bits is not None:
        card = card.with_bits(config.bits)
    if config.jnd is not None:
        card = replace(card, jnd=(card.jnd or Jnd()) if config.jnd else None)
    if config.scaling:
        card = replace(card, scaling_w=float(config.scaling[1]))
    return card


def check(config: TrainConfig) -> None:
    """What is wrong with the card, or with pictures that its network does not take."""
    card = card_of(config)
    if config.size < card.least:
        expected = f"{card.name} takes pictures from {card.least} pixels a side on"
        raise InputError("size", config.size, expected)


def fresh(config: TrainConfig, device: str | None = None) -> Watermarker:
    """The network with random weights that depend on the seed alone, ready to be trained."""
    with seeded(config):
        return build(card_of(config), device).train()


@contextmanager
def seeded(config: TrainConfig) -> Generator[None]:
    """Weights that are drawn inside depend on the configuration's seed, on every device."""
    seed = int(generator(config.seed, Purpose.WEIGHTS).integers(2**63))
    with torch.random.fork_rng(), torch.device("cpu"):
        torch.manual_seed(seed)
        yield


def save_weights(path: Path, tensors: Mapping[str, Tensor], card: Card) -> None:
    """Weights, whole and by the names of the network, in a file that `mb.codec` loads."""
    watermarker = build(card, "meta")
    watermarker.load_state_dict(tensors, assign=True)
    save(watermarker, path, force=True)
