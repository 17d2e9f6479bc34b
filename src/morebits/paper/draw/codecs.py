"""Codecs and models: how near to the bound they get, and how training went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from morebits.drawing import COLOURS, DASHES, INK, MARKERS, SMALL, WIDTH, figure, frame, thousands

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def handcrafted(data: dict[str, Any]) -> Figure:
    """Bits over PSNR: linear on the left, on a log scale with the trained models on the right."""
    drawn = figure(WIDTH, 3.9)
    left, right = drawn.subplots(1, 2)
    most = max(data["exact"]["bits"])
    for axes in (left, right):
        frame(axes, x="PSNR (dB)")
        _codecs(axes, data)
    left.set(xlim=(30, 54), ylim=(0, _at(data["exact"], 30) * 1.04))
    thousands(left)
    left.set_ylabel(f"bits in {data['side']} x {data['side']} colour pixels", fontsize=SMALL + 1)
    right.set_yscale("log")
    right.set(xlim=(10, 60), ylim=(100, most * 2))
    right.set_title("log scale, with trained models", fontsize=SMALL + 1, color=INK)
    left.set_title("full messages, there and back", fontsize=SMALL + 1, color=INK)
    for index, each in enumerate(data["trained"]):
        right.plot(each["psnr"], each["bits"], marker=MARKERS[index + 2], markersize=6, zorder=5,
                   markerfacecolor="white", markeredgecolor=INK, linestyle="")  # fmt: skip
        right.annotate(each["name"], (each["psnr"], each["bits"]), (-7, 0), fontsize=SMALL,
                       textcoords="offset points", ha="right", va="center", color=INK)  # fmt: skip
    handles, labels = left.get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False,
                 fontsize=SMALL)  # fmt: skip
    return drawn


def _codecs(axes: Axes, data: dict[str, Any]) -> None:
    exact, box = data["exact"], data["box"]
    axes.plot(exact["psnr"], exact["bits"], color=INK, linewidth=2.4, label="exact count")
    # Above its last step the box is a single point: no bits, and nothing to draw on a log scale.
    bits = [value or float("nan") for value in box["bits"]]
    axes.plot(box["psnr"], bits, color=COLOURS[1], linewidth=1.2, drawstyle="steps-post",
              label="the paper's box codec, promised PSNR")  # fmt: skip
    for index, (name, points) in enumerate(data["measured"].items()):
        axes.plot([each["psnr"] for each in points], [each["bits"] for each in points],
                  marker=MARKERS[index], markersize=5, linestyle="", zorder=4,
                  color=COLOURS[1 - index], label=f"{name}, measured PSNR")  # fmt: skip


def _at(line: dict[str, list[float]], psnr: float) -> float:
    nearest = min(range(len(line["psnr"])), key=lambda i: abs(line["psnr"][i] - psnr))
    return line["bits"][nearest]


def gray_study(data: dict[str, Any]) -> Figure:
    """PSNR and uncertainty of a bit over the steps of each run; what a family carries, if run."""
    drawn = figure(WIDTH, 3.0)
    left, middle, *rest = drawn.subplots(1, 3 if data["family"] else 2)
    frame(left, x="step", y="PSNR (dB)")
    frame(middle, x="step", y="uncertainty of a bit (bits)")
    for index, (name, points) in enumerate(data["curves"].items()):
        steps = [each["step"] for each in points]
        left.plot(steps, [each["psnr"] for each in points], label=name, **look(index))
        middle.plot(steps, [each["loss"] for each in points], **look(index))
    middle.set_ylim(0, 1.1)
    for axes in rest:
        _family(axes, data["family"])
    handles, labels = left.get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False,
                 fontsize=SMALL)  # fmt: skip
    return drawn


def look(index: int) -> dict[str, Any]:
    """Of a line among many: where colours come again, they come with other dashes.

    >>> len({str(look(index)) for index in range(36)})
    36
    """
    turn, place = divmod(index, len(COLOURS))
    dashes = DASHES[(place + turn) % len(DASHES)]
    return {"color": COLOURS[place], "linestyle": dashes, "linewidth": 1.2}


def _family(axes: Axes, family: list[dict[str, float]]) -> None:
    """Bits that come back from pictures of different sizes."""
    frame(axes, x="side (pixels)", y="bits that come back")
    sides = [each["side"] for each in family]
    axes.plot(sides, [each["information"] for each in family], color=INK, marker=MARKERS[0],
              markersize=5, linewidth=1.2)  # fmt: skip
    axes.set(xticks=sides, ylim=(0, max(each["bits"] for each in family) * 1.1))
