"""Pictures for the page on what capacity means."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import morebits as mb
from morebits.drawing import COLOURS, FAINT, INK, SMALL, TEXT, as_svg, figure, frame
from morebits.paper.bench import Bench, Scale
from morebits.paper.draw.bodies import configurations
from morebits.paper.psnr_only import configurations as bodies
from notebooks import photo

LEVELS = tuple(float(level) for level in range(20, 61))


def grid() -> str:
    """Pictures with two samples are points of a grid; those near the cover, in a disc."""
    from matplotlib.patches import Circle, Rectangle

    drawn = figure(6.4, 3.1)
    sides = drawn.subplots(1, 2)
    for axes, cover, title in (
        (sides[0], (6, 6), "a gray cover"), (sides[1], (13, 1), "a cover near a corner"),
    ):  # fmt: skip
        radius, top = 3.4, 14
        x, y = (each.ravel() for each in np.mgrid[0 : top + 1, 0 : top + 1])
        inside = (x - cover[0]) ** 2 + (y - cover[1]) ** 2 <= radius**2
        axes.add_patch(Rectangle((0, 0), top, top, fill=False, edgecolor=INK, linewidth=0.8))
        axes.scatter(x[~inside], y[~inside], s=5, color=FAINT)
        axes.scatter(x[inside], y[inside], s=15, color=COLOURS[0])
        axes.scatter(*cover, s=42, marker="D", color=COLOURS[1], zorder=3)
        axes.add_patch(
            Circle(cover, radius, fill=False, edgecolor=COLOURS[0], linestyle="--", linewidth=1)
        )
        count = int(inside.sum())
        axes.set_title(
            f"{title}: {count} pictures, {math.log2(count):.2f} bits", fontsize=TEXT, color=INK
        )
        axes.set(xlim=(-2.5, 17), ylim=(-2.8, 15.2), aspect="equal")
        axes.axis("off")
    return as_svg(drawn)


def cube_and_ball() -> str:
    """The paper's four cases."""
    return as_svg(configurations(bodies(Bench(Scale(), lambda _: None))))


def of_the_photo() -> str:
    """Exact capacity of the photo, what survives edits, and what codecs really take."""
    drawn = figure(7.2, 4.2)
    axes = drawn.subplots()
    exact = mb.curve(photo(), psnr=LEVELS).capacities
    axes.plot(LEVELS, [each.bpp for each in exact], color=COLOURS[0], linewidth=2,
              label="the photo, exact (bound 8)")  # fmt: skip
    samples, gray = exact[0].format.samples, mb.ImageFormat(width=128, height=128)
    for number, edit in enumerate(("linjpeg:10", "crop:0.5"), start=1):
        found = mb.curve(gray, psnr=LEVELS[::4], under=edit).capacities
        axes.plot(LEVELS[::4], [each.bpp for each in found], color=COLOURS[number], linewidth=1.5,
                  linestyle="--", label=f"surviving {edit} (bound 11)")  # fmt: skip
    levels = (36, 42, 48)
    taken = [8 * mb.room(photo(), codec="trellis", psnr=each) / samples for each in levels]
    axes.plot(levels, taken, "o", color=COLOURS[3], markersize=6, label="trellis, measured")
    axes.plot([44.3], [1024 / (256 * 256 * 3)], "^", color=INK, markersize=6,
              label="Chunky Seal, 1024 bits (published)")  # fmt: skip
    frame(axes, x="PSNR, dB", y="bits a sample")
    axes.set(xlim=(20, 60), ylim=(0, 7))
    axes.legend(frameon=False, fontsize=SMALL, labelcolor=INK)
    return as_svg(drawn)


PICTURES: dict[str, tuple[str, Callable[[], str], str]] = {
    "grid": (
        "Pictures of two samples. Whatever lies in the disc around the cover looks the same.",
        grid,
        ".svg",
    ),
    "cube-and-ball": (
        "The cube of all pictures and the ball of those that look the same, in three dimensions.",
        cube_and_ball,
        ".svg",
    ),
    "capacity-photo": (
        "Our photo: what is possible, and what a codec takes. Dashed: what survives two edits, "
        "for a gray picture of 128x128 pixels.",
        of_the_photo,
        ".svg",
    ),
}
