"""`Edit`: an edit without a size, which composes with `|` and becomes an operator with `at`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from morebits.errors import InputError
from morebits.linear.operator import Operator
from morebits.types import ImageFormat


@dataclass(frozen=True)
class Step:
    """One edit: `build(format, *arguments)` makes the operator that `text` names."""

    text: str
    build: Callable[..., Operator]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Edit:
    """A sequence of edits, applied from left to right, for images of any size.

    >>> from morebits.linear import crop_rescale, lin_jpeg
    >>> edit = crop_rescale(0.5) | lin_jpeg(10)
    >>> edit.text
    'crop:0.5|linjpeg:10'
    """

    steps: tuple[Step, ...]

    @property
    def text(self) -> str:
        """The edit in the grammar of `parse`; building blocks outside it have a plain name."""
        return "|".join(step.text for step in self.steps)

    def at(self, format: ImageFormat) -> Operator:
        """The operator for images of this format (its depth sets mid-gray)."""
        operator: Operator | None = None
        current = format
        for step in self.steps:
            built = step.build(current, *step.arguments)
            built.text = step.text
            operator = built if operator is None else operator | built
            channels, height, width = built.out_shape
            current = ImageFormat(channels, width, height, format.depth)
        if operator is None:
            raise InputError("edit", self.text, "has no steps; give at least one edit")
        operator.text = self.text
        return operator

    def __or__(self, then: Edit) -> Edit:
        """First this edit, then the other one."""
        if not isinstance(then, Edit):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return Edit(self.steps + then.steps)

    def __str__(self) -> str:
        return self.text


def single(text: str, build: Callable[..., Operator], *arguments: Any) -> Edit:
    """An edit of one step."""
    return Edit((Step(text, build, arguments),))


def finite(name: str, value: float, low: float, high: float, expected: str) -> float:
    """A real number in `[low, high]`, or an error that states the range."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(name, value, expected) from None
    if isinstance(value, bool) or not math.isfinite(number) or not low <= number <= high:
        raise InputError(name, value, expected)
    return number


def whole(name: str, value: float, low: int, high: float, expected: str) -> int:
    """A whole number in `[low, high]`, or an error that states the range."""
    number = finite(name, value, low, high, expected)
    if not number.is_integer():
        raise InputError(name, value, expected)
    return int(number)
