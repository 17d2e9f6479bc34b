"""`morebits models`: which codecs there are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from morebits.cli import arguments


@dataclass(frozen=True)
class Model:
    """A codec in a line: whether it reads without the cover, what for, and what it needs."""

    name: str
    blind: bool
    purpose: str
    extra: str | None = None


#: Codecs without a card.
MODELS = (
    Model("robust", True, "any photo; the payload survives edits; what hide uses"),
    Model("mosaic", True, "a small trained network; bits grow with the pixels and survive edits"),
    Model("trellis", True, "any photo, close to the exact bound; any edit destroys it"),
    Model("box", True, "the paper's codec, for a picture of one gray"),
    Model("shaped", False, "any cover that the reader has too; the exact bound, nearly reached"),
    Model("singular", False, "gray cover; the message survives a linear edit"),
    Model("tiled", False, "any of the others on each tile of a large picture"),
    Model("neural", True, "any network of yours, weights=FILE.safetensors", "neural"),
    Model("onnx", True, "an exported network, without torch: weights=FOLDER", "onnx"),
    Model("videoseal", True, "Video Seal from a TorchScript file: weights=FILE", "neural"),
    Model("mbrs", True, "MBRS from TorchScript files: encoder=FILE,decoder=FILE", "neural"),
    Model("trustmark-q", True, "TrustMark-Q from TorchScript files, likewise", "neural"),
    Model("wam", True, "Watermark Anything from TorchScript files, likewise", "neural"),
)


def models(*, as_json: arguments.Json = False) -> None:
    """List the codecs: which read a picture without its cover, and what each is for.

    Parameters
    ----------
    as_json
        Print a list of JSON objects; networks with their bits and numbers of parameters.
    """
    from morebits.cli import show

    if as_json:
        show.print_json([asdict(each) | {"network": _own(each)} for each in MODELS] + _counted())
    else:
        show.models((*MODELS, *_networks()))


def _own(model: Model) -> dict[str, Any] | None:
    """Mosaic's numbers; its bits are as many as the picture has room for. None for the others."""
    if model.name != "mosaic":
        return None
    from morebits.neural.mosaic import network, tiles

    writer, reader = network.trained().parameters
    counts = {"embedder": writer, "extractor": reader}
    return {"bits": None, "size": tiles.TILE, "licence": "MIT", **counts}


def _networks() -> list[Model]:
    """The networks that have a card; torch is not needed to list them."""
    from morebits.neural import card_names, load_card

    cards = [load_card(name) for name in card_names()]
    return [Model(each.name, True, f"{each.purpose}; weights=FILE", "neural") for each in cards]


def _counted() -> list[dict[str, Any]]:
    """The networks with what `count` finds, or with what has to be installed for that."""
    from morebits.errors import MissingExtra
    from morebits.neural import load_card

    found: list[dict[str, Any]] = []
    for each in _networks():
        card = load_card(each.name)
        network: dict[str, Any] = {"bits": card.bits, "size": card.size, "licence": card.licence}
        try:
            from morebits.neural import count

            number = count(card)
            network |= {"embedder": number.embedder, "extractor": number.extractor}
        except MissingExtra as error:
            network |= {"embedder": None, "extractor": None, "needs": str(error)}
        found.append(asdict(each) | {"network": network})
    return found
