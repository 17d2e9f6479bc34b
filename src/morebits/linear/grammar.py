"""The little language of edits: `name:value,value|name`, for example `crop:0.5|linjpeg:10`.

This module only cuts text into words; what the words mean is up to the caller, so that
attacks can use the same language.
"""

from __future__ import annotations

from dataclasses import dataclass

from morebits.errors import InputError

HOW = "write edits as name:value joined by |, for example crop:0.5|linjpeg:10"


@dataclass(frozen=True)
class Word:
    """One edit of the text: its `name` and its `values` (as written, without spaces)."""

    name: str
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """The word as it is written."""
        return f"{self.name}:{','.join(self.values)}" if self.values else self.name


def split(text: str) -> tuple[Word, ...]:
    """Cut a text into words; names are lower case, spaces do not matter.

    >>> split("crop:0.5 | hflip")
    (Word(name='crop', values=('0.5',)), Word(name='hflip', values=()))
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError("edit", text, HOW)
    return tuple(_word(part, text) for part in text.split("|"))


def _word(part: str, text: str) -> Word:
    name, colon, rest = part.partition(":")
    name = name.strip().lower()
    values = tuple(value.strip() for value in rest.split(",")) if colon else ()
    if not name or not all(values):
        raise InputError("edit", text, HOW)
    return Word(name, values)


def number_text(value: float) -> str:
    """A number as the grammar writes it: `0.5`, and `30` for 30.0."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))
