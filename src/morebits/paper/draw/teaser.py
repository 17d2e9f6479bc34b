"""The teaser: what fits, and how little of it published methods use."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, Any

from morebits.drawing import (
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
    drawn = figure(WIDTH, 5.4)
    axes = drawn.subplots()
    points = data["points"]
    low = min(data["lines"][0]["psnr"][0], *(point["psnr"] - 2 for point in points))
    most = max(*data["lines"][0]["bits"], *(point["bits"] for point in points))
    frame(axes, x="PSNR (dB)", y=f"bits in {data['side']} x {data['side']} colour pixels")
    # Room above the lines, for the inset.
    axes.set(xlim=(low, 57), ylim=(-0.025 * most, most * 1.3))
    thousands(axes)
    for line in _looks(data):
        axes.plot(*line[:2], **line[2])
    _points(axes, data)
    drawn.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=SMALL,
                 handlelength=3.6)  # fmt: skip
    inset = axes.inset_axes((0.51, 0.53, 0.48, 0.43))
    frame(inset)
    inset.set_yscale("log")
    inset.set(xlim=(low, 57), ylim=(10, most * 3))
    inset.set_title("the same, log scale", fontsize=SMALL, color=INK, pad=2)
    for line in _looks(data)[:-1]:  # all but the steps of the codec
        inset.plot(*line[:2], **line[2])
    _points(inset, data)
    _names(inset, data)
    return drawn


def _looks(data: dict[str, Any]) -> list[tuple[list[float], list[float], dict[str, Any]]]:
    """Each line with its look; lines of one kind are told apart."""
    seen: dict[str, int] = {}
    found: list[tuple[list[float], list[float], dict[str, Any]]] = []
    for line in data["lines"]:
        index = seen[line["kind"]] = seen.get(line["kind"], -1) + 1
        look = {"label": line["label"], **_look(line["kind"], index)}
        found.append((line["psnr"], line["bits"], look))
    return found


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
                "markersize": 5}  # fmt: skip
    return {"color": INK, "linewidth": 0.9, "drawstyle": "steps-post"}


def _points(axes: Axes, data: dict[str, Any]) -> None:
    for index, point in enumerate(data["points"]):
        axes.plot(point["psnr"], point["bits"], marker=MARKERS[index], markersize=6,
                  markerfacecolor="white", markeredgecolor=INK, linestyle="", clip_on=False,
                  zorder=5)  # fmt: skip


def _names(axes: Axes, data: dict[str, Any]) -> None:
    """Names beside the points, on the side where there is room."""
    for on_left in (True, False):
        chosen = [each for each in data["points"] if _room_on_left(each["psnr"]) == on_left]
        chosen.sort(key=lambda point: point["bits"])
        places = spread([log10(point["bits"]) for point in chosen], 0.3)
        for place, point in zip(places, chosen, strict=True):
            axes.text(point["psnr"] + (-0.8 if on_left else 0.8), 10**place, point["name"],
                      fontsize=SMALL - 0.5, va="center", ha="right" if on_left else "left",
                      color=INK)  # fmt: skip


def _room_on_left(psnr: float) -> bool:
    return 40 < psnr < 45 or psnr > 50
