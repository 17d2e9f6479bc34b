"""The paper's networks as codecs: cards, modules, weights, and ways to run without torch.

Needs the extra `neural`, except for cards and for codecs that run from ONNX files. Names are
loaded when they are first used, so this package itself loads no torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from morebits.neural.cards import Card, card_names, load_card
    from morebits.neural.codec import Neural
    from morebits.neural.counting import count
    from morebits.neural.export import export
    from morebits.neural.watermarker import Watermarker, build
    from morebits.neural.weights import inspect, load, save

__all__ = [
    "Card",
    "Neural",
    "Watermarker",
    "build",
    "card_names",
    "count",
    "export",
    "inspect",
    "load",
    "load_card",
    "save",
]

_HOMES = {
    "Card": "cards",
    "Neural": "codec",
    "Watermarker": "watermarker",
    "build": "watermarker",
    "card_names": "cards",
    "count": "counting",
    "export": "export",
    "inspect": "weights",
    "load": "weights",
    "load_card": "cards",
    "save": "weights",
}

#: Those that need no torch.
_LIGHT = ("cards", "codec")

if not TYPE_CHECKING:  # a type checker sees the imports above, and misspelt names too

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'morebits.neural' has no attribute {name!r}")
        if home not in _LIGHT:
            from morebits.codecs import fixed

            fixed.load("torch", "torch", "neural")
        value = getattr(importlib.import_module(f"morebits.neural.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
