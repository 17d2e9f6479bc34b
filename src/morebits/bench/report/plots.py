"""The plots of a report: what is drawn, from its content.

Each is as wide as a phone can show, so that the page puts two side by side on a desk and one
under the other in a hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from morebits import attacks
from morebits.attacks import FAMILIES
from morebits.bench.published import Published
from morebits.bench.report.content import Content, Result
from morebits.drawing import (
    COLOURS,
    DASHES,
    FAINT,
    INK,
    MARKERS,
    SMALL,
    figure,
    frame,
    spread,
)
from morebits.measure import curve
from morebits.types import ImageFormat

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches across and, without the legend, up.
WIDTH, HEIGHT = 4.2, 3.0
#: Curves of what fits are computed for a gray picture of this side; bits a pixel hardly depend
#: on it. Published methods work at 256 x 256 pixels.
_SIDE, _PUBLISHED_SIDE = 32, 256
_LEVELS = tuple(range(20, 61, 5))
#: The edits whose bounds are drawn, with their looks.
_EDITS = {"linjpeg:15": DASHES[1], "crop:0.5": DASHES[2]}

#: Label, look, and bits a pixel over `_LEVELS`.
Line: TypeAlias = tuple[str, dict[str, Any], list[float]]


@cache
def bounds() -> tuple[Line, ...]:
    """What fits at all, and what survives an edit."""
    format = ImageFormat(width=_SIDE, height=_SIDE)
    gray = curve(format, psnr=_LEVELS).bits
    corner = curve(format, psnr=_LEVELS, cover="corner").bits
    lines = [
        ("any picture at most: gray, exact", {"color": INK, "linewidth": 2.2}, gray),
        ("any picture at least: corner", {"color": INK, "linewidth": 1.0}, corner),
    ]
    for text, dash in _EDITS.items():
        look = {"color": FAINT, "linewidth": 1.2, "linestyle": dash}
        bits = curve(format, psnr=_LEVELS, under=text).bits
        lines.append((f"gray, surviving {text}", look, bits))
    return tuple((label, look, [each / _SIDE**2 for each in bits]) for label, look, bits in lines)


def capacity(content: Content, lines: Sequence[Line], *, log: bool) -> Figure:
    """Bits a pixel of every marked picture, under the lines of what is possible."""
    drawn, axes = _sheet(len(content.results) + len(lines) + bool(content.published))
    frame(axes, x="PSNR (dB)", y="bits a pixel" + (", log scale" if log else ""))
    for label, look, bits in lines:
        axes.plot(_LEVELS, bits, label=label, **look)
    for index, result in enumerate(content.results):
        points = _points(content, result)
        if not points:
            continue
        look = _look(index)
        x, y = [each[0] for each in points], [each[1] for each in points]
        axes.plot(x, y, **look, markersize=3, alpha=0.45, linestyle="", zorder=4)
        x0, y0 = _average(x), _average(y)
        most = [each[2] for each in points if each[2] is not None]
        if log and most:
            axes.plot([x0, x0], [y0, _average(most)], color=look["color"], linewidth=0.6, zorder=2)
        axes.plot(x0, y0, **look, markersize=8, linestyle="", zorder=5, label=result.codec)
    for each, label in _labelled(content):
        axes.plot(each.psnr, each.bits / _PUBLISHED_SIDE**2, "o", markersize=4, zorder=3,
                  markerfacecolor="white", markeredgecolor=INK, label=label)  # fmt: skip
    axes.set_xlim(_LEVELS[0], _LEVELS[-1])
    if log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    _legend(drawn, axes)
    return drawn


def _points(content: Content, result: Result) -> list[tuple[float, float, float | None]]:
    """PSNR, bits a pixel and exact bound a pixel of each picture that was marked."""
    once = {each["image"]: each for each in content.of(result.codec) if each["psnr"] is not None}
    found: list[tuple[float, float, float | None]] = []
    for each in once.values():
        pixels = (each["width"] or 0) * (each["height"] or 0)
        if each["psnr"] is None or not each["bits"] or not pixels:
            continue
        most = each["bits"] / each["fraction"] / pixels if each["fraction"] else None
        found.append((each["psnr"], each["bits"] / pixels, most))
    return found


def pareto(
    content: Content,
    x: str,
    value: Callable[[Result], float | None],
    published: Callable[[Published], float | None],
) -> Figure:
    """Message bits over a value of each codec, with the front that none of them beats."""
    drawn, axes = _sheet(len(content.results) + bool(content.published))
    frame(axes, x=x, y="message bits, log scale")
    axes.set_yscale("log")
    front: list[tuple[float, float]] = []
    for index, result in enumerate(content.results):
        at, bits = value(result), _bits(content, result)
        if at is None or bits is None:
            continue
        front.append((at, bits))
        axes.plot(at, bits, **_look(index), markersize=8, linestyle="", zorder=5,
                  label=result.codec)  # fmt: skip
    best = _undominated(front)
    axes.plot([each[0] for each in best], [each[1] for each in best], color=INK, linewidth=0.8,
              linestyle=DASHES[2], zorder=2)  # fmt: skip
    named: list[tuple[float, float, str]] = []
    for each, label in _labelled(content):
        at = published(each)
        if at is None:
            continue
        axes.plot(at, each.bits, "o", markersize=4, markerfacecolor="white", zorder=3,
                  markeredgecolor=INK, label=label)  # fmt: skip
        named.append((at, each.bits, each.method))
    axes.margins(0.12)
    _names(axes, named)
    _legend(drawn, axes)
    return drawn


def _names(axes: Axes, named: Sequence[tuple[float, float, str]]) -> None:
    """Names beside points on a log scale: towards the middle, and none over another."""
    low, high = axes.get_xlim()
    bottom, top = (math.log10(each) for each in axes.get_ylim())
    for on_left in (True, False):
        side = [each for each in named if (each[0] > (low + high) / 2) == on_left]
        side.sort(key=lambda each: each[1])
        places = spread([math.log10(each[1]) for each in side], (top - bottom) / 18)
        for place, (x, _, name) in zip(places, side, strict=True):
            shift = (high - low) * (-0.025 if on_left else 0.025)
            axes.text(x + shift, 10**place, name, fontsize=SMALL - 1.5, color=INK, va="center",
                      ha="right" if on_left else "left", zorder=6)  # fmt: skip


def _undominated(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points that no other one reaches in both, from left to right.

    >>> _undominated([(40, 10), (42, 8), (41, 7), (45, 1)])
    [(40, 10), (42, 8), (45, 1)]
    """
    return sorted(
        {
            each
            for each in points
            if not any(a >= each[0] and b >= each[1] and (a, b) != each for a, b in points)
        }
    )


def families(texts: Sequence[str]) -> dict[str, list[tuple[float, str]]]:
    """Families with at least two strengths, no edit among them: (strength, attack), in order."""
    found: dict[str, list[tuple[float, str]]] = {}
    for text in texts:
        attack = attacks.parse(text)
        if attack.strength is not None:
            found.setdefault(attack.family, []).append((attack.strength, text))
    if "none" in texts:
        for family, points in found.items():
            neutral = FAMILIES[family][1]
            if neutral is not None:
                points.append((neutral, "none"))
    return {family: sorted(points) for family, points in found.items() if len(points) > 1}


def family(content: Content, axis: str, points: Sequence[tuple[float, str]]) -> Figure:
    """Accuracy above, exact messages below, both over the strength."""
    drawn, (top, bottom) = _sheet(len(content.results), panels=2)
    frame(top, y="bit accuracy (%)")
    frame(bottom, x=axis, y="exact (%)")
    least = 100.0
    for index, result in enumerate(content.results):
        rows = [(at, result.rows[text]) for at, text in points if text in result.rows]
        look = _look(index) | {"linestyle": DASHES[index % len(DASHES)], "linewidth": 1.3}
        x = [at for at, _ in rows]
        known = [row.accuracy for _, row in rows]
        low = [_percent(each.low, each.value) for each in known]
        high = [_percent(each.high, each.value) for each in known]
        top.fill_between(x, low, high, color=look["color"], alpha=0.15, linewidth=0)
        values = [_percent(each.value, None) for each in known]
        least = min([least, *values])
        top.plot(x, values, **look, markersize=5, label=result.codec)
        bottom.plot(x, [_percent(row.exact.value, None) for _, row in rows], **look, markersize=5)
    top.set_ylim(min(45.0, least - 3), 102)
    bottom.set_ylim(-4, 104)
    _legend(drawn, top)
    return drawn


def _sheet(entries: int, panels: int = 1) -> tuple[Figure, Any]:
    """A figure with room for so many lines of legend."""
    height = HEIGHT + 0.19 * entries + (0.9 if panels > 1 else 0)
    drawn = figure(WIDTH, height)
    return drawn, drawn.subplots(panels, 1, sharex=True)


def _legend(drawn: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower left", frameon=False, fontsize=SMALL,
                 handlelength=2.6)  # fmt: skip


def _look(index: int) -> dict[str, Any]:
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}


def _labelled(content: Content) -> Iterator[tuple[Published, str | None]]:
    """Published methods on the first set of photos; one of them has the label."""
    first = [each for each in content.published if each.photos == content.published[0].photos]
    for index, each in enumerate(first):
        yield each, f"{each.mark} ({each.photos})" if index == 0 else None


def overall(result: Result) -> float | None:
    """Mean bit accuracy over all attacks, in percent."""
    return None if result.overall.value is None else 100 * result.overall.value


def known_overall(method: Published, attacks: Sequence[str]) -> float | None:
    """The same of a published method, where all of our attacks are published."""
    known = [method.accuracy.get(each) for each in attacks]
    values = [each for each in known if each is not None]
    return 100 * _average(values) if len(values) == len(known) else None


def _bits(content: Content, result: Result) -> float | None:
    """Mean length of the messages, one a picture."""
    once = {each["image"]: each["bits"] for each in content.of(result.codec) if each["bits"]}
    return _average(list(once.values())) if once else None


def _percent(value: float | None, otherwise: float | None) -> float:
    known = otherwise if value is None else value
    return float("nan") if known is None else 100 * known


def _average(values: Sequence[float]) -> float:
    return sum(values) / len(values)
