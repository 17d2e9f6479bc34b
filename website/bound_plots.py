"""One plot a bound: its bits against PSNR where it is valid, over the exact answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import morebits as mb
from morebits import bounds
from morebits.drawing import COLOURS, FAINT, INK, SMALL, as_svg, figure, frame, thousands
from morebits.errors import BoundNotValid

SMALL_PICTURE = mb.ImageFormat(width=16, height=16)
LEVELS = tuple(np.arange(0.0, 81.0, 2.0))
EDITS = ("hflip", "crop:0.5", "rotate:30", "linjpeg:10")
EDIT_LEVELS = tuple(np.arange(20.0, 61.0, 4.0))
_HEURISTICS = {"10": bounds.bound_10, "11": bounds.bound_11, "12": bounds.bound_12}


def swept(bound: str, levels: Sequence[float]) -> list[float]:
    """Bits at each PSNR without an edit, not a number where the bound is not valid."""
    found: list[float] = []
    for level in levels:
        try:
            found.append(mb.capacity(SMALL_PICTURE, psnr=level, bound=bound).bits)
        except BoundNotValid:
            found.append(np.nan)
    return found


def under(bound: str, edit: str) -> list[float]:
    """The same under an edit, whose singular values are found once."""
    if bound not in _HEURISTICS:
        found = mb.curve(SMALL_PICTURE, psnr=EDIT_LEVELS, under=edit, bound=bound).capacities
    else:
        spectrum = mb.linear.parse(edit).at(SMALL_PICTURE).spectrum()
        ask = _HEURISTICS[bound]
        found = [ask(SMALL_PICTURE, level, spectrum) for level in EDIT_LEVELS]
    return [each.bits if each.valid else np.nan for each in found]


def free(bound: str) -> str:
    """A bound without an edit, over the exact count for its cover."""
    corner = bound in ("7", "8", "9")
    exact = swept("8" if corner else "4", LEVELS)
    drawn = figure(7.2, 3.4)
    axes = drawn.subplots()
    words = "exact count, a corner" if corner else "exact count, gray"
    axes.plot(LEVELS, exact, color=FAINT, linewidth=5, alpha=0.55, label=words)
    values = swept(bound, LEVELS)
    axes.plot(LEVELS, values, color=COLOURS[0], linewidth=1.8, label=f"bound {bound}")
    _shade_invalid(axes, values)
    frame(axes, x="PSNR, dB", y="bits in 16x16 pixels")
    thousands(axes)
    axes.set(xlim=(0, 80), ylim=(0, 6500))
    axes.legend(frameon=False, fontsize=SMALL, labelcolor=INK)
    return as_svg(drawn)


def edited(bound: str) -> str:
    """A bound under the edits of the paper, over the exact count without one."""
    drawn = figure(7.2, 3.6)
    axes = drawn.subplots()
    levels = LEVELS[10:31]
    axes.plot(levels, swept("4", levels), color=FAINT, linewidth=5, alpha=0.55, label="no edit")
    for number, edit in enumerate(EDITS):
        values = under(bound, edit)
        axes.plot(
            EDIT_LEVELS, values, color=COLOURS[number], marker="os^D"[number], markersize=3.5,
            linewidth=1.5, label=edit,
        )  # fmt: skip
    frame(axes, x="PSNR, dB", y="bits in 16x16 pixels")
    thousands(axes)
    axes.set(xlim=(20, 60), ylim=(0, None))
    axes.legend(frameon=False, fontsize=SMALL, labelcolor=INK)
    return as_svg(drawn)


def _shade_invalid(axes: Any, values: Sequence[float]) -> None:
    """Gray where the bound makes no statement."""
    step = LEVELS[1] - LEVELS[0]
    for level, value in zip(LEVELS, values, strict=True):
        if np.isnan(value):
            axes.axvspan(level - step / 2, level + step / 2, color=INK, alpha=0.06, linewidth=0)


PICTURES: dict[str, tuple[str, Callable[[], str], str]] = {
    f"bound-{number:02}": (
        f"Bound {number} for the paper's small picture; shaded where it is not valid.",
        partial(free, str(number)),
        ".svg",
    )
    for number in range(1, 10)
} | {
    f"bound-{name}": (
        f"Bound {bound} for a gray picture under four edits.",
        partial(edited, bound),
        ".svg",
    )
    for name, bound in (
        ("10", "10"), ("11", "11"), ("12", "12"), ("13", "13"), ("certified", "certified"),
    )
}  # fmt: skip
