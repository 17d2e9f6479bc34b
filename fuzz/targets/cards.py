"""Cards and files with weights: TOML, JSON, safetensors and checkpoints; nothing in them may run."""

from __future__ import annotations

import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path

from morebits.errors import MorebitsError
from morebits.neural import cards, checkpoints, weights

_FOLDER = tempfile.TemporaryDirectory()
_CARD = cards.load_card("videoseal-tiny")


def check(data: bytes) -> None:
    """Each loader gets the same bytes."""
    toml, file = Path(_FOLDER.name, "card.toml"), Path(_FOLDER.name, "weights")
    toml.write_bytes(data)
    file.write_bytes(data)
    with suppress(MorebitsError):
        cards.load_card(toml)
    with suppress(MorebitsError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        cards.from_json(data.decode(), "the input")
    with suppress(MorebitsError):
        weights.inspect(file)
    with suppress(MorebitsError):
        weights.inspect(file, _CARD)
    with suppress(MorebitsError):
        checkpoints.read(file)
