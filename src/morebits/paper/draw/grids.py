"""Quantised rotations in the plane: which grid points a turned disk or ellipse falls on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from morebits.drawing import COLOURS, DASHES, INK, SMALL, TEXT, WIDTH, figure, frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def quantised(data: dict[str, Any]) -> Figure:
    """Three panels of points above, the factor over the angle below."""
    flat = 2 * _reach(data["panels"][0], 1) < _reach(data["panels"][0], 0)
    drawn = figure(WIDTH, 5.8 if flat else 5.1)
    if flat:  # two wide panels on top of each other leave more room for their points
        grid = drawn.add_gridspec(3, 2, width_ratios=(50, 37), height_ratios=(15, 21, 27))
        places, below = (grid[0, 0], grid[1, 0], grid[0:2, 1]), grid[2, :]
    else:
        grid = drawn.add_gridspec(2, 3, height_ratios=(3, 2))
        places, below = (grid[0, 0], grid[0, 1], grid[0, 2]), grid[1, :]
    for place, panel in zip(places, data["panels"], strict=True):
        _points(drawn.add_subplot(place), panel, data["radius"], 3.0 if flat else 3.6)
    _legend(drawn)
    _sweeps(drawn.add_subplot(below), data)
    return drawn


def _reach(panel: dict[str, Any], axis: int) -> float:
    return max(abs(point[axis]) for point in [*panel["hit"], *panel["missed"]]) + 1.0


def _points(axes: Axes, panel: dict[str, Any], radius: float, size: float) -> None:
    """Marks of `size` points on the page where images fall, and where none does."""
    hit, times = np.array(panel["hit"]), np.array(panel["times"])
    x, y = _reach(panel, 0), _reach(panel, 1)
    axes.set_aspect("equal")
    axes.set(xlim=(-x, x), ylim=(-y, y))
    axes.set_axis_off()
    once, more = hit[times == 1], hit[times > 1]
    axes.scatter(once[:, 0], once[:, 1], s=size**2, color=COLOURS[0], linewidths=0)
    axes.scatter(more[:, 0], more[:, 1], s=size**2, color=INK, marker="s", linewidths=0)
    if panel["missed"]:
        missed = np.array(panel["missed"])
        axes.scatter(missed[:, 0], missed[:, 1], s=size**2 * 0.8, facecolors="none",
                     edgecolors=COLOURS[1], linewidths=0.6)  # fmt: skip
    turn = np.linspace(0, 2 * math.pi, 181)
    edge = radius * np.stack([np.cos(turn), np.sin(turn)], 1) @ np.array(panel["matrix"]).T
    axes.plot(edge[:, 0], edge[:, 1], color=INK, linewidth=0.7)
    factor = panel["images"] / panel["points"]
    axes.set_title(
        f"{panel['angle']}°: {panel['images']} of {panel['points']} differ, {factor:.3f}",
        fontsize=TEXT, color=INK,
    )  # fmt: skip


def _legend(drawn: Figure) -> None:
    from matplotlib.lines import Line2D

    looks = (
        ("o", COLOURS[0], COLOURS[0], "one image falls here"),
        ("s", INK, INK, "two or more fall together"),
        ("o", "none", COLOURS[1], "none falls here"),
    )
    handles = [
        Line2D([], [], linestyle="", marker=marker, markerfacecolor=face, markeredgecolor=edge,
               markersize=5, label=label)
        for marker, face, edge, label in looks
    ]  # fmt: skip
    drawn.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False,
                 fontsize=SMALL)  # fmt: skip


def _sweeps(axes: Axes, data: dict[str, Any]) -> None:
    frame(axes, x="angle (degrees)", y="share that survives")
    for index, sweep in enumerate(data["sweeps"]):
        axes.plot(sweep["angle"], sweep["factor"], color=COLOURS[index], linewidth=1.4,
                  linestyle=DASHES[index], marker="o" if index == 0 else "", markersize=3.5,
                  label=f"disk of radius {sweep['radius']:g}")  # fmt: skip
    if data["limit"] is not None:
        axes.plot(data["limit"]["angle"], data["limit"]["factor"], color=COLOURS[2], linewidth=1.4,
                  linestyle=DASHES[2], label="Vladimirov's formula")  # fmt: skip
    axes.axhline(data["xi"], color=INK, linewidth=1.0, linestyle=DASHES[3],
                 label=f"heuristic: {data['xi']:g}")  # fmt: skip
    axes.set_xlim(0, 90)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.35 * (high - low))
    axes.set_xticks(range(0, 91, 15))
    axes.legend(frameon=False, fontsize=SMALL, ncols=2, handlelength=3, loc="upper center")
