"""The time that a search for a mark may take."""

from __future__ import annotations

from morebits.errors import InputError


def check_seconds(seconds: float, name: str = "seconds") -> float:
    """A positive number of seconds, or an InputError about the argument of that name.

    >>> check_seconds(2)
    2.0
    """
    if isinstance(seconds, (int, float)) and 0 < seconds < float("inf"):
        return float(seconds)
    raise InputError(name, seconds, "give a positive number of seconds")
