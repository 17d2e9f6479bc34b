"""What mkdocs calls while it builds the site.

Pages are plain Markdown that reads well without the site, too. A comment on a line of its own
stands for something that code makes:

    <!-- picture: NAME -->    a figure of `pictures.py`
    <!-- table: NAME -->      a table of `tables.py`, from benchmarks/results
    <!-- commands -->         the help of every command

Notebooks become pages with what their cells print, formulas become SVG.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import commands
import formulas
import notebooks
import pictures
import tables

#: The site has the letters of the page, from the same files.
_FONTS = Path(__file__).resolve().parents[1] / "src" / "morebits" / "app" / "static" / "fonts"
_DIRECTIVE = re.compile(r"^<!-- (picture|table|commands)(?:: ([\w-]+))? -->$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Draw the pictures that pages ask for, turn notebooks into pages, and bring the fonts."""
    asked: set[str] = set()
    for file in list(files):
        if file.src_uri.endswith(".ipynb"):
            files.append(_notebook(file, config))
        elif file.is_documentation_page():
            asked |= {m[2] for m in _DIRECTIVE.finditer(file.content_string) if m[1] == "picture"}
    for name in sorted(asked):
        made = pictures.make(name)
        files.append(File.generated(config, f"made/{made.file}", content=made.data))
    for font in sorted(_FONTS.iterdir()):  # with their licences
        files.append(File.generated(config, f"fonts/{font.name}", abs_src_path=str(font)))
    return files


def _notebook(file: File, config: MkDocsConfig) -> File:
    """The page of a notebook, beside the notebook itself."""
    path = Path(str(file.abs_src_path))
    return File.generated(
        config, f"{file.src_uri.removesuffix('.ipynb')}.md", content=notebooks.page(path)
    )


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Put in what the comments of a page stand for."""
    return _DIRECTIVE.sub(lambda match: _made(match, page.file.src_uri), markdown)


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Formulas."""
    return formulas.drawn(html, page.file.src_uri)


def _made(match: re.Match[str], where: str) -> str:
    kind, name = match[1], match[2]
    try:
        if kind == "commands":
            return commands.page()
        if kind == "table":
            return tables.make(name)
        made = pictures.known(name)
    except KeyError:
        raise PluginError(f"{where}: there is no {kind} {name!r}") from None
    path = posixpath.relpath(f"made/{made.file}", posixpath.dirname(where) or ".")
    return (
        f'<figure markdown="span">\n![{made.words}]({path}){{ loading=lazy }}\n'
        f'<figcaption markdown="span">{made.words}</figcaption>\n</figure>'
    )
