"""What survives, as a picture of the same file as the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from morebits import attacks
from morebits.drawing import COLOURS, INK, SMALL, TEXT, as_svg, figure, frame
from tables import robust

#: Families of attacks with a strength, in the order of the page.
FAMILIES = ("jpeg", "crop", "resize", "rotate", "blur", "brightness", "contrast", "hue")


def families() -> str:
    """One small plot a family: share of photos whose message came back exactly."""
    rows = robust()["parts"]["paper1024"]["rows"]
    drawn = figure(8.6, 4.2)
    for axes, family in zip(drawn.subplots(2, 4, sharey=True).ravel(), FAMILIES, strict=True):
        _family(axes, family, [row for row in rows if row["attack"].startswith(f"{family}:")])
    drawn.supylabel("share, %", fontsize=TEXT, color=INK)
    return as_svg(drawn)


def _family(axes: Any, family: str, rows: list[dict[str, Any]]) -> None:
    at = [attacks.parse(row["attack"]).strength for row in rows]
    order = sorted(range(len(at)), key=lambda i: at[i] or 0)
    x = [at[i] for i in order]
    ours = [100 * rows[i]["share"] for i in order]
    theirs = [100 * rows[i].get("published", {}).get("Chunky Seal", float("nan")) for i in order]
    axes.plot(x, ours, "o-", color=COLOURS[0], markersize=3.5, linewidth=1.6, label="robust")
    axes.plot(x, theirs, "s--", color=COLOURS[1], markersize=3, linewidth=1, label="Chunky Seal")
    frame(axes, x=attacks.FAMILIES[family][0], title=family)
    axes.set(ylim=(40, 104))
    if family == FAMILIES[0]:
        axes.legend(frameon=False, fontsize=SMALL - 1, labelcolor=INK, loc="lower right")


PICTURES: dict[str, tuple[str, Callable[[], str], str]] = {
    "survives": (
        "Solid: photos from which `robust` reads all 1024 bits. Dashed: *bits* that Chunky Seal "
        "reads right, as the paper prints it; one wrong bit in 1024 already spoils a message.",
        families,
        ".svg",
    ),
}
