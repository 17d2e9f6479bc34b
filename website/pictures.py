"""Every picture of the documentation, by name: made by the code that it is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import bound_plots
import capacity_plots
import numerics_plots
import photo_sheets
import survival_plots

Draw = Callable[[], str | bytes]


@dataclass(frozen=True)
class Known:
    """What a picture shows, in words, and how it is made: SVG text or bytes of a JPEG or PNG."""

    name: str
    words: str
    draw: Draw
    suffix: str = ".svg"

    @property
    def file(self) -> str:
        """Its name in the site."""
        return f"{self.name}{self.suffix}"


@dataclass(frozen=True)
class Made:
    """A picture that was drawn."""

    file: str
    data: str | bytes


def known(name: str) -> Known:
    """The picture of a name; KeyError if there is none."""
    return _ALL[name]


def make(name: str) -> Made:
    """Draw it."""
    found = known(name)
    return Made(found.file, found.draw())


def _all() -> dict[str, Known]:
    modules: tuple[Any, ...] = (
        bound_plots, capacity_plots, numerics_plots, photo_sheets, survival_plots,
    )  # fmt: skip
    return {
        name: Known(name, words, draw, suffix)
        for module in modules
        for name, (words, draw, suffix) in module.PICTURES.items()
    }


_ALL = _all()
