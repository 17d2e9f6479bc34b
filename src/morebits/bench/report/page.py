"""The page of a report: one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from morebits.bench.published import MARK
from morebits.bench.report import figures, tables, texts
from morebits.bench.report.content import Content
from morebits.bench.report.examples import Example
from morebits.bench.report.figures import Drawn
from morebits.errors import MissingExtra


def render(
    content: Content, drawn: Sequence[Drawn], examples: Sequence[Example], command: str
) -> str:
    """The page, with figures and pictures inside."""
    try:
        from jinja2 import Environment, PackageLoader
    except ImportError:
        raise MissingExtra("jinja2", "report") from None
    pages = Environment(
        loader=PackageLoader("morebits.bench.report", "."),
        autoescape=True, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    pages.filters["breakable"] = _breakable
    return pages.get_template("page.html").render(
        content=content, tables=tables, lead=texts.lead(content), command=command,
        mark=MARK, figures=[(each, figures.inline(each)) for each in drawn], examples=examples,
    )  # fmt: skip


def _breakable(text: str) -> Any:
    """Names of codecs may be broken where their words end."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([:,|])(?=\S)", r"\1<wbr>", str(escape(text))))
