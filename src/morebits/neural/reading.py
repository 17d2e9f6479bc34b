"""Tables of a card as frozen dataclasses, with errors that name the field."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from morebits.errors import InputError

T = TypeVar("T")


def from_table(kind: type[T], table: Mapping[str, Any], where: str, part: str = "") -> T:
    """An instance of a dataclass from a table; lists become tuples.

    `where` is the file and `part` its table, for errors.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Box:
    ...     sides: tuple[int, ...]
    >>> from_table(Box, {"sides": [1, 2]}, "box.toml")
    Box(sides=(1, 2))
    >>> from_table(Box, {"side": [1, 2]}, "box.toml")
    Traceback (most recent call last):
        ...
    morebits.errors.InputError: card is 'box.toml': it has no field side, did you mean sides?
    """
    if not isinstance(table, Mapping):
        raise InputError("card", where, f"make {part} a table, not {type(table).__name__}")
    known = {each.name: each for each in fields(kind)}  # pyright: ignore[reportArgumentType]
    for name in table:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"use {', '.join(known)}"
            raise InputError("card", where, f"{part or 'it'} has no field {name}, {hint}")
    missing = [
        name for name, each in known.items() if name not in table and each.default is MISSING
    ]
    if missing:
        raise InputError(
            "card", where, f"add {', '.join(missing)}" + (f" to {part}" if part else "")
        )
    values = {name: _frozen(value) for name, value in table.items()}
    for name, value in values.items():
        wanted = known[name].default
        if isinstance(wanted, float) and not _is_number(value):
            raise InputError("card", where, f"{name} is {value!r}, give a number")
    return kind(**values)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
