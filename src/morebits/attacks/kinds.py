"""What a word of the grammar takes: its values with their ranges, and the function behind it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from morebits.attacks.samples import Image8
from morebits.errors import InputError
from morebits.grammar import Word, check_count, number, number_text


@dataclass(frozen=True)
class Value:
    """A number of a word: what it is, and from where to where it goes.

    `neutral` is the value that changes nothing (or the least), where a curve begins. With `above`
    the lowest value itself is not allowed; `odd` and `whole` say which numbers are.
    """

    name: str
    low: float
    high: float
    neutral: float | None = None
    above: bool = False
    whole: bool = False
    odd: bool = False

    @property
    def range(self) -> str:
        """The allowed values in words.

        >>> Value("ratio", 0, 1, above=True).range, Value("kernel", 3, 99, odd=True).range
        ('a number above 0, at most 1', 'an odd number from 3 to 99')
        """
        low, high = number_text(self.low), number_text(self.high)
        kind = "an odd number" if self.odd else "a whole number" if self.whole else "a number"
        return (
            f"{kind} above {low}, at most {high}" if self.above else f"{kind} from {low} to {high}"
        )

    def allows(self, value: float) -> bool:
        """Whether the value is in the range."""
        if not math.isfinite(value) or not self.low <= value <= self.high:
            return False
        if self.above and value == self.low:
            return False
        if self.odd and value % 2 != 1:
            return False
        return not self.whole or float(value).is_integer()


@dataclass(frozen=True)
class Kind:
    """A word of the grammar: `change(image, *values)`, and a generator after them if `random`."""

    name: str
    family: str
    change: Callable[..., Image8]
    about: str
    example: str
    values: tuple[Value, ...] = ()
    random: bool = False

    def numbers(self, word: Word) -> tuple[float, ...]:
        """The values of a word, checked."""
        check_count(word, len(self.values), kind="attack", example=self.example)
        found: list[float] = []
        for each, allowed in zip(word.values, self.values, strict=True):
            value = number(each, word, kind="attack", example=self.example)
            if not allowed.allows(value):
                expected = f"give as {allowed.name} {allowed.range}, for example {self.example}"
                raise InputError("attack", word.text, expected)
            found.append(int(value) if allowed.whole or allowed.odd else value)
        return tuple(found)
