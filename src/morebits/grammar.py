"""The little language of edits: `name:value,value|name`, for example `crop:0.5|linjpeg:10`.

This module only cuts text into words; what the words mean is up to the caller: `linear.parse`
has linear edits, `attacks.parse` real ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from morebits.errors import InputError


@dataclass(frozen=True)
class Word:
    """One edit of the text: its `name` and its `values` (as written, without spaces)."""

    name: str
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """The word as it is written."""
        return f"{self.name}:{','.join(self.values)}" if self.values else self.name


def split(
    text: str, *, kind: str = "edit", example: str = "crop:0.5|linjpeg:10"
) -> tuple[Word, ...]:
    """Cut a text into words; names are lower case, spaces do not matter.

    `kind` is what an error calls the text, `example` what it advises to write.

    >>> split("crop:0.5 | hflip")
    (Word(name='crop', values=('0.5',)), Word(name='hflip', values=()))
    """
    words = tuple(_word(part) for part in text.split("|")) if isinstance(text, str) else (None,)
    if None in words:
        how = f"write {kind}s as name:value joined by |, for example {example}"
        raise InputError(kind, text, how)
    return tuple(word for word in words if word is not None)


def _word(part: str) -> Word | None:
    """The word of a part; None where it is none."""
    name, colon, rest = part.partition(":")
    name = name.strip().lower()
    values = tuple(value.strip() for value in rest.split(",")) if colon else ()
    return Word(name, values) if name and all(values) else None


def number(value: str, word: Word, *, kind: str, example: str) -> float:
    """The number that a value of the word is, or an error that says what to write."""
    try:
        return float(value)
    except ValueError:
        expected = f"{value!r} is not a number, write for example {example}"
        raise InputError(kind, word.text, expected) from None


def check_count(word: Word, count: int, *, kind: str, example: str) -> None:
    """Raise unless the word has so many values."""
    if len(word.values) != count:
        takes = ("no value", "one value", "two values")[count]
        raise InputError(kind, word.text, f"{word.name} takes {takes}, for example {example}")


def number_text(value: float) -> str:
    """A number as the grammar writes it: `0.5`, and `30` for 30.0."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))
