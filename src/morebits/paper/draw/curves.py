"""Figures of curves: bounds 1 to 9, volume against count, impact of edits, singular values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from morebits.drawing import (
    COLOURS,
    DASHES,
    FAINT,
    INK,
    MARKERS,
    SMALL,
    TEXT,
    WIDTH,
    figure,
    frame,
    thousands,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: PSNRs at which the badges of bounds 1 to 9 stand, so that none hides another.
_BADGES = {
    "1": (25, 65), "2": (3,), "3": (46,), "4": (34, 66), "5": (18,), "6": (26,),
    "7": (47,), "8": (37, 63), "9": (20,),
}  # fmt: skip


def bounds_1_to_9(data: dict[str, Any]) -> Figure:
    """Two panels; a badge with its number marks where a bound is valid."""
    drawn = figure(WIDTH, 4.9)
    panels = drawn.subplots(1, len(data["panels"]), sharey=True)
    names: dict[str, str] = {}
    for axes, panel in zip(panels, data["panels"], strict=True):
        frame(axes, x="PSNR (dB)", title=f"{panel['title']}, {data['side']} px")
        axes.set(xlim=(0, 80), ylim=(-120, data["samples"] * 8 * 1.08))
        thousands(axes)
        for index, bound in enumerate(panel["bounds"]):
            names[bound["bound"]] = bound["name"]
            _one_bound(axes, bound, index)
    panels[0].set_ylabel("capacity (bits)", fontsize=TEXT)
    right = panels[-1].secondary_yaxis(
        "right", functions=(lambda y: y / data["samples"], lambda y: y * data["samples"])
    )
    right.set_ylabel("bits a sample", fontsize=TEXT)
    right.tick_params(labelsize=SMALL)
    order = sorted(names, key=int)
    half = (len(order) + 1) // 2
    for column, part in enumerate((order[:half], order[half:])):
        text = "\n".join(f"{name}  {names[name]}" for name in part)
        panels[column].text(
            0, -0.2, text, transform=panels[column].transAxes, fontsize=SMALL, va="top", color=INK
        )
    return drawn


def _one_bound(axes: Axes, bound: dict[str, Any], index: int) -> None:
    colour = COLOURS[index % len(COLOURS)]
    x, y, valid = bound["psnr"], bound["bits"], bound["valid"]
    axes.plot(x, y, color=colour, linewidth=0.8, linestyle=(0, (1, 3)), alpha=0.55)
    solid = [value if ok else float("nan") for value, ok in zip(y, valid, strict=True)]
    axes.plot(x, solid, color=colour, linewidth=1.4, linestyle=DASHES[index % len(DASHES)])
    for wanted in _BADGES[bound["bound"]]:
        inside = [i for i, ok in enumerate(valid) if ok]
        if not inside:
            continue
        i = min(inside, key=lambda i: abs(x[i] - wanted))
        axes.text(
            x[i], y[i], bound["bound"], fontsize=SMALL, color=colour, ha="center", va="center",
            bbox={"boxstyle": "circle,pad=0.2", "facecolor": "white", "edgecolor": colour,
                  "linewidth": 0.8},
        )  # fmt: skip


def volume_against_count(data: dict[str, Any]) -> Figure:
    """log2 of both over the radius, and their difference."""
    drawn = figure(WIDTH, 3.3)
    left, right = drawn.subplots(1, 2)
    radius, count, volume = data["radius"], data["log2_count"], data["log2_volume"]
    frame(left, x="radius of the ball", y="log2 (bits)", title=f"{data['dimension']} dimensions")
    left.plot(radius, count, color=COLOURS[0], linewidth=1.8)
    left.plot(radius, volume, color=COLOURS[1], linewidth=1.6, linestyle=DASHES[1])
    left.axhline(0, color=INK, linewidth=0.6)
    thousands(left)
    for text, curve, near, colour in (
        ("grid points, exact", count, 5.0, COLOURS[0]),
        ("volume", volume, 3.0, COLOURS[1]),
    ):
        i = min(range(len(radius)), key=lambda i: abs(radius[i] - near))
        left.annotate(
            text, (radius[i], curve[i]), (38, 7), textcoords="offset points", fontsize=SMALL,
            color=colour, va="center", arrowprops={"arrowstyle": "-", "color": colour,
                                                   "linewidth": 0.6, "relpos": (0, 0.5)},
        )  # fmt: skip
    frame(right, x="radius of the ball", y="count less volume (bits)", title="the difference")
    gap = [a - b for a, b in zip(count, volume, strict=True)]
    right.plot(radius, gap, color=INK, linewidth=1.6)
    right.set_yscale("symlog", linthresh=1.0)
    right.set_ylim(-0.6, max(gap) * 2)
    right.axhline(0, color=INK, linewidth=0.6)
    return drawn


def impact(data: dict[str, Any]) -> Figure:
    """One row a size, one column a family; heuristic bounds as lines, certified ones as marks."""
    drawn = figure(WIDTH, 2.75 * len(data["rows"]) + 0.35)
    grid = drawn.subplots(len(data["rows"]), 3, sharex=True, sharey=True)
    for line, row in zip(grid, data["rows"], strict=True):
        for axes, panel in zip(line, row["panels"], strict=True):
            frame(axes, title=f"{panel['family']}, {row['side']} px")
            axes.set(xlim=(panel["psnr"][0], 60), ylim=(0, max(panel["free"]) * 1.04))
            _impact_panel(axes, panel)
        line[0].set_ylabel("bits a sample", fontsize=TEXT)
    for axes in grid[-1]:
        axes.set_xlabel("PSNR (dB)", fontsize=TEXT)
    _impact_legend(drawn)
    return drawn


def _impact_panel(axes: Axes, panel: dict[str, Any]) -> None:
    x = panel["psnr"]
    axes.plot(x, panel["free"], color=INK, linewidth=2.4)
    for index, line in enumerate(panel["lines"]):
        colour = COLOURS[index]
        if line["heuristic"] is not None:
            axes.plot(x, line["heuristic"], color=colour, linestyle=DASHES[index], linewidth=1.4)
        axes.plot(
            panel["marks"], line["certified"], color=colour, linewidth=0.6, marker=MARKERS[index],
            markersize=4, fillstyle="none",
        )  # fmt: skip
        axes.plot([], [], color=colour, linestyle=DASHES[index], marker=MARKERS[index],
                  markersize=4, fillstyle="none", label=line["label"])  # fmt: skip
    axes.legend(frameon=False, fontsize=SMALL, handlelength=3.2, loc="upper right",
                labelspacing=0.3)  # fmt: skip


def _impact_legend(drawn: Figure) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=INK, linewidth=2.4, label="PSNR only, exact"),
        Line2D([], [], color=FAINT, linewidth=1.4, linestyle=DASHES[1], label="heuristic bound 11"),
        Line2D([], [], color=FAINT, linewidth=0.6, marker="o", markersize=4, fillstyle="none",
               label="certified lower bound"),
    ]  # fmt: skip
    drawn.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False,
                 fontsize=SMALL, handlelength=3.2)  # fmt: skip


def singular_values(data: dict[str, Any]) -> Figure:
    """Sorted singular values, one panel a family."""
    drawn = figure(WIDTH, 2.9)
    n, count = data["samples"], len(data["panels"])
    panels = drawn.subplots(1, count, sharey=True)
    most = max(line["values"][0] for panel in data["panels"] for line in panel["lines"])
    for axes, panel in zip(panels, data["panels"], strict=True):
        frame(axes, x="index", title=panel["family"])
        axes.set(xlim=(0, n), ylim=(0, most * 1.04), xticks=[0, n // 3, 2 * n // 3, n])
        axes.axhline(1, color=INK, linewidth=0.6, linestyle=":")
        for index, line in enumerate(panel["lines"]):
            label = f"{line['label']}, rank {line['rank']}"
            axes.plot(range(1, n + 1), line["values"], color=COLOURS[index], linewidth=1.4,
                      linestyle=DASHES[index], label=label)  # fmt: skip
        axes.legend(frameon=False, fontsize=SMALL, handlelength=2.4, loc="upper right")
    panels[0].set_ylabel(f"singular value, {data['side']} px", fontsize=TEXT)
    return drawn
