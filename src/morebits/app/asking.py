"""From the JSON of a request to arguments of a task; whatever is wrong gets a clear error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from morebits.errors import InputError

#: Most letters of a field, unless it is the text to hide.
_LONGEST = 10_000


class Asked:
    """The fields of a request, each checked when it is taken.

    >>> asked = Asked({"psnr": 45, "key": ""})
    >>> asked.number("psnr", low=0, high=200), asked.optional_text("key")
    (45.0, None)
    """

    def __init__(self, fields: object):
        if not isinstance(fields, Mapping):
            raise InputError("request", fields, "send a JSON object")
        self._fields: Mapping[str, Any] = fields

    def text(self, name: str, *, longest: int = _LONGEST) -> str:
        """A text, not empty."""
        value = self._fields.get(name)
        if not isinstance(value, str) or not value:
            raise InputError(name, value, "give a text")
        if len(value) > longest:
            raise InputError(name, value, f"give at most {longest:,} letters")
        return value

    def optional_text(self, name: str) -> str | None:
        """A text; None where it is empty or not there."""
        return None if self._fields.get(name) in (None, "") else self.text(name)

    def one_of(self, name: str, *known: str) -> str:
        """One of a few words."""
        value = self.text(name)
        if value not in known:
            raise InputError(name, value, f"use one of {', '.join(known)}")
        return value

    def number(self, name: str, *, low: float, high: float) -> float:
        """A number from low to high."""
        value = self._fields.get(name)
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not low <= value <= high
        ):
            raise InputError(name, value, f"give a number from {low:g} to {high:g}")
        return float(value)

    def optional_number(self, name: str, *, low: float, high: float) -> float | None:
        """A number; None where it is not there."""
        return None if self._fields.get(name) is None else self.number(name, low=low, high=high)

    def whole(self, name: str, *, low: int, high: int, default: int | None = None) -> int:
        """A whole number."""
        if self._fields.get(name) is None and default is not None:
            return default
        value = self.number(name, low=low, high=high)
        if not value.is_integer():
            raise InputError(name, value, "give a whole number")
        return int(value)

    def flag(self, name: str) -> bool:
        """True or false; false where it is not there."""
        value = self._fields.get(name, False)
        if not isinstance(value, bool):
            raise InputError(name, value, "give true or false")
        return value

    def edits(self, name: str) -> list[str] | None:
        """A list of texts in the grammar of attacks; None where it is not there."""
        value = self._fields.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) > 100:
            raise InputError(name, value, "give a list of edits")
        if not all(isinstance(each, str) and each for each in value):
            raise InputError(name, value, "give edits such as jpeg:50")
        return value
