"""Weights of a run for use: safetensors that `morebits.neural` loads, with the card in the header."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor

from morebits.neural import Card
from morebits.train import state


def write(path: Path, tensors: dict[str, Tensor], card: Card) -> None:
    """The `model/` tensors of a state, all at once."""
    start = "model/"
    found = {
        name.removeprefix(start): each for name, each in tensors.items() if name.startswith(start)
    }
    state.write(path, found, {"card": card.to_json()})
