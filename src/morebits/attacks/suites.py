"""Named lists of attacks."""

from __future__ import annotations

from collections.abc import Iterable

from morebits.attacks import labels
from morebits.attacks.attack import Attack
from morebits.attacks.parse import parse
from morebits.attacks.table import KNOWN
from morebits.errors import InputError, UnknownName

#: The 28 rows whose mean is the paper's "Overall" (table "Chunky Seal").
_COMPACT = (
    "Identity", "Horizontal Flip", "Rotate 5°", "Rotate 10°",
    *(f"Resize {side}%" for side in (71, 77, 84, 89, 95)),
    *(f"Crop {side}%" for side in (77, 84, 89, 95)),
    *(f"Brightness {light}%" for light in (50, 75, 125, 150)),
    *(f"Contrast {light}%" for light in (50, 75, 125, 150)),
    *(f"JPEG {quality}" for quality in (50, 60, 70, 80)),
    *(f"Gaussian Blur {kernel}" for kernel in (3, 5, 9)),
)  # fmt: skip

#: Name -> the texts of its attacks: all rows of the paper's tables, the ones behind its
#: "Overall", a handful for a first look, and what users meet beyond the paper.
SUITES: dict[str, tuple[str, ...]] = {
    "paper": tuple(labels.PAPER.values()),
    "paper-compact": tuple(labels.PAPER[label] for label in _COMPACT),
    "quick": ("none", "jpeg:50", "resize:0.71", "crop:0.84", "rotate:10", "brightness:1.5"),
    "wild": ("none", *labels.WILD.values()),
}


def suite(what: str | Attack | Iterable[str | Attack]) -> tuple[Attack, ...]:
    """The attacks of a suite, of a text in the grammar, or of several of these, each once.

    >>> len(suite("paper")), len(suite("paper-compact"))
    (56, 28)
    >>> [attack.text for attack in suite(["quick", "jpeg:50", "crop:0.5|jpeg:60"])][-2:]
    ['brightness:1.5', 'crop:0.5|jpeg:60']
    """
    if isinstance(what, (str, Attack)):
        what = (what,)
    if not isinstance(what, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError("attacks", what, "give the name of a suite, or texts such as jpeg:50")
    found = tuple(dict.fromkeys(attack for each in what for attack in _attacks(each)))
    if not found:
        raise InputError("attacks", what, f"give at least one, or a suite: {', '.join(SUITES)}")
    return found


def _attacks(what: str | Attack) -> tuple[Attack, ...]:
    if isinstance(what, Attack):
        return (what,)
    name = what.strip().lower() if isinstance(what, str) else what
    if name in SUITES:
        return tuple(parse(text) for text in SUITES[name])
    try:
        return (parse(what),)
    except UnknownName as error:
        raise UnknownName("attack or suite", error.name, (*SUITES, *KNOWN)) from None
