"""The help of every command, from the same docstrings as --help."""

from __future__ import annotations

import re
import sys


def page() -> str:
    """Markdown, one section a command."""
    from morebits.cli import app

    started, sys.argv = sys.argv, ["morebits"]  # usage lines would have `-m mkdocs` in them
    try:
        text = app.generate_docs(heading_level=1)
    finally:
        sys.argv = started
    start = text.index("## morebits ")
    return re.sub(r"^## morebits (.+)$", r"## \1", text[start:], flags=re.MULTILINE)
