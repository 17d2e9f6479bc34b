"""The figure and the page of the demonstration, both pure functions of its numbers."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from morebits.demo import panels
from morebits.demo.hiding import KEY
from morebits.errors import MissingExtra
from morebits.human import grouped, in_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from morebits.demo import Demo

#: Ink and one colour a curve; the page swaps them for CSS variables that follow dark mode.
INK = "#1b1b1f"
COLOURS = ("#1f4e9c", "#b3541e", "#2a7f4f", "#8a2d6f", "#6b6b12")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("", "o", "s", "^", "D")


def write(demo: Demo, figure: Figure, out: Path) -> tuple[Path, ...]:
    """`capacity.svg`, `capacity.png` and `index.html` in the folder `out`."""
    svg, png, page = out / "capacity.svg", out / "capacity.png", out / "index.html"
    svg.write_text(_as_svg(figure), encoding="utf-8")
    figure.savefig(png, dpi=160)
    page.write_text(render(demo, _as_svg(figure, transparent=True)), encoding="utf-8")
    return svg, png, page


def draw(demo: Demo) -> Figure:
    """Capacity against PSNR: one labelled line an edit, told apart without colour too."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    axes = figure.subplots()
    for index, each in enumerate(demo.curves):
        label = each.capacities[0].under or "no edit: exact for this photo"
        style: Any = {"color": COLOURS[index], "linestyle": DASHES[index], "linewidth": 1.8}
        axes.plot(each.psnr, [found.bpp for found in each.capacities], label=label, **style)
        _mark_certified(axes, demo, index)
    axes.plot([], [], "o", color=INK, fillstyle="none", label="marks: certified")
    axes.set(xlabel="PSNR, dB", ylabel="bits a sample", ylim=(0, 8.2), xlim=(10, 60))
    axes.legend(frameon=False, labelcolor=INK, handlelength=3.4)
    axes.grid(color=INK, alpha=0.15, linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color(INK)
    axes.tick_params(colors=INK)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    return figure


def _mark_certified(axes: Axes, demo: Demo, index: int) -> None:
    """Certified capacities of the edit of curve `index`; the unedited count needs no mark."""
    edit = demo.curves[index].capacities[0].under
    proven = [row.certified for row in demo.rows if edit and row.certified.under == edit]
    axes.plot(
        [found.psnr for found in proven], [found.bpp for found in proven],
        marker=MARKERS[index], linestyle="", color=COLOURS[index], fillstyle="none",
    )  # fmt: skip


def render(demo: Demo, svg: str) -> str:
    """The page, with figure and photo inside."""
    try:
        from jinja2 import Environment, PackageLoader
    except ImportError:
        raise MissingExtra("jinja2", "report") from None
    pages = Environment(loader=PackageLoader("morebits.demo", "."), autoescape=True)
    pages.filters |= {"grouped": grouped, "in_bytes": in_bytes}
    inline = svg[svg.index("<svg") :].replace(INK, "var(--ink)")
    for index, colour in enumerate(COLOURS):
        inline = inline.replace(colour, f"var(--c{index})")
    headline = next(row.best for row in demo.rows if row.best.psnr == 42)
    return pages.get_template("page.html").render(
        demo=demo, svg=inline, photo=_thumbnail(demo), headline=headline, panels=panels, key=KEY
    )


def as_pdf(figure: Figure) -> bytes:
    """The figure as a document, the same bytes in every run."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="pdf", metadata={"CreationDate": None})
    return buffer.getvalue()


def _as_svg(figure: Figure, *, transparent: bool = False) -> str:
    import matplotlib as mpl

    buffer = io.StringIO()
    # Text stays text, and neither a date nor random names make two runs differ.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "morebits"}):
        figure.savefig(buffer, format="svg", transparent=transparent, metadata={"Date": None})
    return buffer.getvalue()


def _thumbnail(demo: Demo) -> str:
    from PIL import Image

    image = Image.fromarray(demo.picture.array)
    image.thumbnail((240, 280))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=85)
    return base64.b64encode(buffer.getvalue()).decode()
