"""The help of every command, from the same docstrings as --help."""

from __future__ import annotations

import re


def page() -> str:
    """Markdown, one section a command."""
    from morebits.cli import app

    text = app.generate_docs(heading_level=1)
    start = text.index("## morebits ")
    return re.sub(r"^## morebits (.+)$", r"## \1", text[start:], flags=re.MULTILINE)
