"""Formulas as SVG inside the page: no script, no font, the same in every browser."""

from __future__ import annotations

import html as entities
import re
from functools import cache

from ziamath.config import config
from ziamath.zmath import Latex

# Shapes are drawn in place: shared symbols would need unique names on a page.
config.svg2 = False
config.precision = 2

_FORMULA = re.compile(
    r'<(?P<tag>div|span) class="arithmatex">\s*(?P<open>\\\(|\\\[)(?P<tex>.*?)(?:\\\)|\\\])\s*'
    r"</(?P=tag)>",
    re.DOTALL,
)
#: Points a letter in the SVG, which CSS scales to the text around it.
SIZE = 20.0
#: Letters that a formula may be high: brackets around a product can grow without end.
_HIGHEST = 6


def drawn(html: str, where: str) -> str:
    """The page with every formula drawn."""
    return _FORMULA.sub(lambda match: _svg(match["tex"], match["open"] == r"\(", where), html)


def _svg(escaped: str, inline: bool, where: str) -> str:
    tex = entities.unescape(escaped).strip()
    try:
        return _drawn(tex, inline)
    except Exception as error:
        raise ValueError(f"{where}: formula {tex!r}: {error}") from error


@cache
def _drawn(tex: str, inline: bool) -> str:
    formula = Latex(tex, size=SIZE, color="currentColor", inline=inline, margin=0.5)
    svg = formula.svg()
    size = re.search(r'width="([\d.]+)" height="([\d.]+)" viewBox="(\S+) (\S+) (\S+) (\S+)"', svg)
    if size is None:
        raise ValueError("no size in the SVG")
    width, height, top = float(size[1]), float(size[2]), float(size[4])
    if height > _HIGHEST * SIZE:
        raise ValueError(f"it is {height / SIZE:.0f} letters high; use \\Bigl( in place of \\left(")
    below = height + top  # what hangs below the line of the text
    style = f"width:{width / SIZE:.3f}em;height:{height / SIZE:.3f}em"
    if inline:
        style += f";vertical-align:{-below / SIZE:.3f}em"
    label = entities.escape(tex, quote=True)
    head = f'<svg role="img" aria-label="{label}" style="{style}" viewBox="'
    body = head + svg[svg.index('viewBox="') + 9 :]
    kind = "span" if inline else "div"
    return f'<{kind} class="formula">{body}</{kind}>'
