"""The teaser: what fits, and how little of it published methods use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from morebits.paper.draw.style import (
    COLOURS,
    DASHES,
    INK,
    MARKERS,
    SMALL,
    WIDTH,
    figure,
    frame,
    spread,
    thousands,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def teaser(data: dict[str, Any]) -> Figure:
    """Bits over PSNR with published points, and the same on a log scale as an inset."""
    drawn = figure(WIDTH, 5.0)
    axes = drawn.subplots()
    x, most = data["psnr"], max(data["lines"][0]["bits"])
    frame(axes, x="PSNR (dB)", y=f"bits in {data['side']} x {data['side']} colour pixels")
    axes.set(xlim=(x[0], x[-1]), ylim=(-0.02 * most, most * 1.03))
    thousands(axes)
    _lines(axes, data)
    _points(axes, data)
    drawn.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=SMALL,
                 handlelength=3.6)  # fmt: skip
    inset = axes.inset_axes((0.5, 0.42, 0.49, 0.57))
    frame(inset)
    inset.set_yscale("log")
    inset.set(xlim=(x[0], 60), ylim=(10, most * 2))
    inset.set_title("the same, log scale", fontsize=SMALL, color=INK, pad=2)
    _lines(inset, data)
    _points(inset, data)
    _names(inset, data)
    return drawn


def _lines(axes: Axes, data: dict[str, Any]) -> None:
    seen: dict[str, int] = {}
    for line in data["lines"]:
        index = seen[line["kind"]] = seen.get(line["kind"], -1) + 1
        axes.plot(data["psnr"], line["bits"], label=line["label"], **_look(line["kind"], index))


def _look(kind: str, index: int) -> dict[str, Any]:
    """Exact thick, heuristic thin with dashes, certified thin with marks, the codec in steps."""
    if kind == "exact":
        return {"color": INK, "linewidth": 2.8}
    if kind == "heuristic":
        dash = DASHES[1 + index % (len(DASHES) - 1)]
        return {"color": COLOURS[index % len(COLOURS)], "linewidth": 1.2, "linestyle": dash}
    if kind == "certified":
        mark = "|x+"[index % 3]
        return {"color": COLOURS[index % len(COLOURS)], "linewidth": 0.7, "marker": mark,
                "markersize": 4, "markevery": 2}  # fmt: skip
    return {"color": INK, "linewidth": 0.9, "drawstyle": "steps-pre"}


def _points(axes: Axes, data: dict[str, Any]) -> None:
    for index, point in enumerate(data["points"]):
        axes.plot(point["psnr"], point["bits"], marker=MARKERS[index], markersize=6,
                  markerfacecolor="white", markeredgecolor=INK, linestyle="", clip_on=False,
                  zorder=5)  # fmt: skip


def _names(axes: Axes, data: dict[str, Any]) -> None:
    """Names right of the points, or left of the leftmost of points that are close together."""
    from math import log10

    for side in ("left", "right"):
        chosen = [
            p for p in data["points"] if (p["psnr"] < 45 and p["psnr"] > 40) == (side == "left")
        ]
        chosen.sort(key=lambda point: point["bits"])
        places = spread([log10(point["bits"]) for point in chosen], 0.3)
        for place, point in zip(places, chosen, strict=True):
            shift = -0.8 if side == "left" else 0.8
            axes.text(point["psnr"] + shift, 10**place, f"{point['name']}", fontsize=SMALL - 0.5,
                      va="center", ha="right" if side == "left" else "left", color=INK)  # fmt: skip
