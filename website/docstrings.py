"""Docstrings as Markdown for the reference: examples become code blocks."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"(?:^[ ]*>>> .*\n?(?:^(?![ ]*$|[ ]*>>> ).+\n?)*)+", re.MULTILINE)


def fenced(text: str) -> str:
    """Runs of examples with their output in fences."""
    return _EXAMPLE.sub(lambda match: f"```pycon\n{match[0].strip()}\n```\n", text + "\n").rstrip()


class Examples(Extension):
    """Fences in every docstring."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called for whatever griffe has read."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
