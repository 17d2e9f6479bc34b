"""The look that all figures share, and how they become files.

Every figure reads in black and white: lines differ in dash and marker as well as in colour,
and carry their names at their ends.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from morebits.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1b1b1f"
FAINT = "#9a9aa2"
#: Dark enough to print, and of different lightness.
COLOURS = ("#1f4e9c", "#b3541e", "#2a7f4f", "#8a2d6f", "#6b6b12", "#444444")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)),
                           (0, (8, 2, 2, 2, 2, 2)), (0, (3, 1)))  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
#: Points a letter, at 1:1.
TEXT, SMALL = 9.0, 8.0
#: Inches across, as wide as a page of text.
WIDTH = 7.2
DPI = 200


def figure(width: float, height: float) -> Figure:
    """An empty figure, without pyplot and its state."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    return Figure(figsize=(width, height), layout="constrained")


def frame(axes: Axes, *, x: str = "", y: str = "", title: str = "") -> None:
    """Labels in the house size, two spines, a light grid."""
    axes.set_xlabel(x, fontsize=TEXT, color=INK)
    axes.set_ylabel(y, fontsize=TEXT, color=INK)
    if title:
        axes.set_title(title, fontsize=TEXT + 1, color=INK)
    axes.tick_params(labelsize=SMALL, colors=INK)
    axes.grid(color=INK, alpha=0.12, linewidth=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color(INK)


def thousands(axes: Axes) -> None:
    """Numbers on the y axis with separators."""
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def end_labels(axes: Axes, x: float, wanted: Sequence[tuple[float, str, str]], gap: float) -> None:
    """Write `(y, text, colour)` right of `x`, pushed apart to `gap` in y units where needed.

    A thin line leads from a label that was moved to the end of its curve.
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i][0])
    places = spread([wanted[i][0] for i in order], gap)
    low, high = axes.get_xlim()
    for place, i in zip(places, order, strict=True):
        y, text, colour = wanted[i]
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 1, "shrinkB": 1}
        moved = abs(place - y) > gap / 8
        axes.annotate(
            text, (x, y), (x + (high - low) * (0.06 if moved else 0.015), place),
            fontsize=SMALL, color=colour, va="center", ha="left", annotation_clip=False,
            arrowprops=line | {"relpos": (0, 0.5)} if moved else None,
        )  # fmt: skip


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Sorted places moved as little as needed to be `gap` apart.

    >>> spread([0, 10, 10.5], 1)
    [0.0, 9.75, 10.75]
    """
    clusters: list[list[float]] = []
    for place in places:
        clusters.append([float(place)])
        while len(clusters) > 1 and _center(clusters[-1]) - _center(clusters[-2]) < (
            gap * (len(clusters[-1]) + len(clusters[-2])) / 2
        ):
            last = clusters.pop()
            clusters[-1] += last
    return [
        _center(cluster) + gap * (i - (len(cluster) - 1) / 2)
        for cluster in clusters
        for i in range(len(cluster))
    ]


def _center(cluster: list[float]) -> float:
    return sum(cluster) / len(cluster)


def as_svg(drawn: Figure) -> str:
    """SVG text: the same figure always gives the same text."""
    import matplotlib as mpl

    buffer = io.StringIO()
    # Text stays text, and neither a date nor random names make two runs differ.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "morebits"}):
        drawn.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def as_png(drawn: Figure) -> bytes:
    """PNG bytes at print resolution, without the version of the software."""
    buffer = io.BytesIO()
    drawn.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()
