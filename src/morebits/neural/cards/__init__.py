"""Cards: everything that makes a network what it is, in a small file, without its weights.

A card is a TOML file; those of the package lie beside this module. It names the architecture of
the embedder and of the extractor, the length of the message, and how the network's answer is
blended into the picture. Nothing here needs torch.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from morebits.errors import InputError, UnknownName
from morebits.neural.architectures import (
    EMBEDDERS,
    EXTRACTORS,
    Embedder,
    Extractor,
    Jnd,
    check_whole,
)
from morebits.neural.reading import from_table

_FOLDER = Path(__file__).parent

#: What a card says about itself; it changes nothing of what the network computes.
_WORDS = ("name", "purpose", "origin", "licence", "source")
_TEXTS = (*_WORDS, "sha256", "smallest")


@dataclass(frozen=True)
class Card:
    """A network, its message and its blend.

    `size` is the side in pixels at which both networks run: pictures of other sizes are resized
    to it, and the embedder's answer back. `residual` is "luma" when the embedder sees and changes
    brightness alone (the same change in red, green and blue), or "rgb". The marked picture is
    `scaling_i * picture + scaling_w * budget * answer`, where the budget is 1 without `jnd`.

    `smallest` is the least side of a picture that the codec takes; 0: `size`. `origin` says where
    the design comes from, `licence` what its code or weights are under, `source` where a file
    with weights would come from, and `sha256` is the hash of that file, where it is known.

    >>> card = load_card("videoseal-1.0")
    >>> card.bits, card.size, card.residual
    (256, 256, 'luma')
    """

    name: str
    bits: int
    size: int
    residual: Literal["luma", "rgb"]
    embedder: Embedder
    extractor: Extractor
    scaling_w: float = 1.0
    scaling_i: float = 1.0
    jnd: Jnd | None = None
    smallest: int = 0
    purpose: str = ""
    origin: str = ""
    licence: str = ""
    source: str = ""
    sha256: str | None = None

    def __post_init__(self) -> None:
        for name, least in (("bits", 1), ("size", 1), ("smallest", 0)):
            check_whole(name, getattr(self, name), least)
        for name in _WORDS:
            if not isinstance(getattr(self, name), str):
                raise InputError(name, getattr(self, name), "give a text")
        if self.residual not in ("luma", "rgb"):
            raise UnknownName("residual", str(self.residual), ("luma", "rgb"))
        for part, kinds in ((self.embedder, EMBEDDERS), (self.extractor, EXTRACTORS)):
            if type(part) not in kinds.values():
                raise UnknownName("architecture", type(part).__name__, tuple(kinds))
            part.check(self.size)

    @property
    def least(self) -> int:
        """The least side of a picture that the codec takes, in pixels."""
        return self.smallest or self.size

    @property
    def channels(self) -> int:
        """How many channels the embedder sees and changes: 1 or 3."""
        return 1 if self.residual == "luma" else 3

    @property
    def digest(self) -> str:
        """SHA-256 of all that weights depend on; texts and the name do not count.

        >>> card = load_card("linear")
        >>> replace(card, name="mine").digest == card.digest != card.with_bits(8).digest
        True
        """
        return hashlib.sha256(json.dumps(self._function(), sort_keys=True).encode()).hexdigest()

    def with_bits(self, bits: int) -> Card:
        """The same design for another length of message.

        >>> load_card("linear").with_bits(2048).bits
        2048
        """
        return replace(self, bits=bits)

    def to_json(self) -> str:
        """One line that `from_json` reads; it goes into the header of files with weights."""
        return json.dumps(_plain(self), sort_keys=True)

    def differences(self, other: Card) -> tuple[str, ...]:
        """The fields that weights depend on and in which two cards differ.

        >>> card = load_card("linear")
        >>> card.differences(card.with_bits(8))
        ('bits',)
        """
        mine, others = self._function(), other._function()
        return tuple(name for name in mine if mine[name] != others[name])

    def _function(self) -> dict[str, Any]:
        return {name: value for name, value in _plain(self).items() if name not in _TEXTS}


def card_names() -> tuple[str, ...]:
    """The cards of the package.

    >>> "chunkyseal" in card_names()
    True
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def load_card(card: str | os.PathLike[str] | Card) -> Card:
    """The card of this name, or behind the path of a TOML file; a card comes back as it is.

    >>> load_card("videoseal-0.0").extractor.kind
    'vit'
    """
    if isinstance(card, Card):
        return card
    if isinstance(card, str) and card in card_names():
        path = _FOLDER / f"{card}.toml"
    elif Path(card).suffix == ".toml":
        path = Path(card)
    else:
        raise UnknownName("card", str(card), (*card_names(), "a path that ends in .toml"))
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("card", str(path), f"{error.strerror}, give a readable file") from None
    except (ValueError, RecursionError) as error:  # of bytes, of TOML, of very long numbers
        raise InputError("card", str(path), f"is not TOML ({error}), correct it") from None
    return from_plain(table, str(path))


def from_json(text: str, where: str) -> Card:
    """What `Card.to_json` wrote; `where` names its file in errors.

    >>> from_json(load_card("hidden").to_json(), "here") == load_card("hidden")
    True
    """
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError("card", where, f"its card is not JSON ({error})") from None
    return from_plain(table, where)


def from_plain(table: Mapping[str, Any], where: str) -> Card:
    """A card from nested tables, as TOML has them; unknown and missing fields are named."""
    if not isinstance(table, Mapping):
        raise InputError("card", where, f"make it a table, not {type(table).__name__}")
    parts = dict(table)
    for name, kinds in (("embedder", EMBEDDERS), ("extractor", EXTRACTORS)):
        parts[name] = _architecture(parts.get(name), kinds, where, name)
    if parts.get("jnd") is not None:
        parts["jnd"] = from_table(Jnd, parts["jnd"], where, "jnd")
    return from_table(Card, parts, where)


def _architecture(table: Any, kinds: Mapping[str, type[Any]], where: str, part: str) -> Any:
    if not isinstance(table, Mapping):
        raise InputError("card", where, f"give {part} a table with a kind: {', '.join(kinds)}")
    rest = dict(table)
    kind = str(rest.pop("kind", ""))
    if kind not in kinds:
        raise UnknownName(f"kind of {part}", kind, tuple(kinds))
    return from_table(kinds[kind], rest, where, part)


def _plain(card: Card) -> dict[str, Any]:
    """Nested tables; `asdict` forgets the kinds of the two networks."""
    table = {each.name: getattr(card, each.name) for each in fields(card)}
    for name in ("embedder", "extractor"):
        part = table[name]
        table[name] = {"kind": part.kind, **asdict(part)}
    table["jnd"] = None if card.jnd is None else asdict(card.jnd)
    return json.loads(json.dumps(table))
