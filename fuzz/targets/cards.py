"""Cards and files with weights: TOML, JSON, safetensors, checkpoints; nothing in them may run."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from morebits.errors import MorebitsError
from morebits.neural import cards, checkpoints, weights

_CARD = cards.load_card("videoseal-tiny")


def check(data: bytes) -> None:
    """Each loader gets the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        toml, file = Path(folder, "card.toml"), Path(folder, "weights")
        toml.write_bytes(data)
        file.write_bytes(data)
        for load in (
            lambda: cards.load_card(toml),
            lambda: cards.from_json(data.decode("utf-8", "replace"), "the input"),
            lambda: weights.inspect(file),
            lambda: weights.inspect(file, _CARD),
            lambda: checkpoints.read(file),
        ):
            with suppress(MorebitsError):
                load()
