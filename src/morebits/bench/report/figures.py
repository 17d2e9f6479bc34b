"""The figures of a report, pure functions of its content, and how a page takes them in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from morebits.attacks import FAMILIES
from morebits.bench.report import plots
from morebits.bench.report.content import Content
from morebits.drawing import as_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawn:
    """A figure: the name of its file, its title, what it shows in words, and its SVG."""

    name: str
    title: str
    words: str
    svg: str


def draw(content: Content) -> tuple[Drawn, ...]:
    """Every figure that these results allow, in the order of the page."""
    return tuple(_drawn(*each) for each in _all(content))


def _all(content: Content) -> Iterator[tuple[str, str, str, Figure]]:
    lines = plots.bounds()
    yield (
        "capacity", "Capacity against PSNR",
        "Bits a pixel over PSNR on a linear scale: the bounds as lines, one small mark a picture "
        "and one large mark a codec.",
        plots.capacity(content, lines, log=False),
    )  # fmt: skip
    yield (
        "capacity-log", "Capacity against PSNR, log scale",
        "The same on a log scale; a thin line leads from each codec up to what its pictures can "
        "hold at the same PSNR.",
        plots.capacity(content, lines, log=True),
    )  # fmt: skip
    yield (
        "pareto-psnr", "Bits against PSNR",
        "Message bits on a log scale over mean PSNR, one mark a codec; the line joins codecs "
        "that no other one beats in both.",
        plots.pareto(content, "PSNR (dB)", lambda each: each.quality.psnr.value,
                     lambda each: each.psnr),
    )  # fmt: skip
    yield (
        "pareto-accuracy", "Bits against accuracy",
        "Message bits on a log scale over the mean bit accuracy of all attacks, one mark a "
        "codec; the line joins codecs that no other one beats in both.",
        plots.pareto(content, "mean bit accuracy (%)", plots.overall,
                     lambda each: plots.known_overall(each, content.attacks)),
    )  # fmt: skip
    for family, points in plots.families(content.attacks).items():
        axis = FAMILIES[family][0]
        yield (
            f"family-{family}", f"Robustness: {family}",
            f"Mean bit accuracy with its 95 % interval, and rate of exact messages, over the "
            f"{axis} of {family}; an untouched picture stands at the value that changes nothing.",
            plots.family(content, axis, points),
        )  # fmt: skip


def _drawn(name: str, title: str, words: str, drawn: Figure) -> Drawn:
    return Drawn(name, title, words, as_svg(drawn))


def inline(each: Drawn) -> str:
    """The SVG as a part of a page: with a text for those who do not see it, and its own ids."""
    svg = each.svg[each.svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{each.name}-", svg)
    return svg.replace("<svg", f'<svg role="img" aria-label="{each.title}. {each.words}"', 1)
