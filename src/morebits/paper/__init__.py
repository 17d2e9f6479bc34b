"""The paper, regenerated: its tables and figures, from our own functions and runs.

`regenerate` writes `tables/*.json` and `.md`, `figures/*.json`, `.svg` and `.png`, and
`index.md`. Each figure is drawn from its JSON alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from morebits.errors import MissingExtra
from morebits.paper import (
    claims,
    conservative,
    empirical,
    handcrafted,
    index,
    pictures,
    psnr_only,
    robust,
    rounding,
    tables,
    teaser,
)
from morebits.paper.bench import Bench, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plan:
    """One figure: how its numbers are found, which function draws them, and its place."""

    name: str
    title: str
    caption: str
    place: str
    compute: Callable[[Bench], dict[str, Any]]
    drawing: str


FIGURES = (
    Plan(
        "teaser", "What fits, and what methods use",
        "Everything is computed at 256 px, nothing is scaled up. The thick line is the exact count "
        "for a gray cover; published methods are at their mean PSNR on SA-1B.",
        "fig:teaser_fig", teaser.teaser, "teaser.teaser",
    ),
    Plan(
        "configurations", "Ball and cube",
        "The gray body is the set of marked images that are allowed; the dashed circle is the "
        "ball, the cross its centre, the cover.",
        "fig:intersections_illustration", psnr_only.configurations, "bodies.configurations",
    ),
    Plan(
        "bounds_1_to_9", "Bounds 1 to 9",
        "Heavy lines where a bound is valid, faint dots elsewhere. Bounds 4 and 8 are exact "
        "counts that hold at every PSNR here.",
        "fig:bounds1-9", psnr_only.bounds_1_to_9, "curves.bounds_1_to_9",
    ),
    Plan(
        "volume_against_count", "Volume of a ball against the grid points in it",
        "At small radii the volume says nothing about the count.",
        "fig:ball_volume_vs_count", psnr_only.volume_against_count, "curves.volume_against_count",
    ),
    Plan(
        "impact", "What edits leave",
        "Heuristic bounds as in the paper, with our certified lower bounds as marks: above at "
        "the paper's size, below computed directly at 256 px, where a rotation has no exact "
        "heuristic bound.",
        "fig:linear_heuristic", robust.impact, "curves.impact",
    ),
    Plan(
        "singular_values", "Singular values of the edits",
        "The largest first; zeros are directions that an edit erases.",
        "fig:linear_transforms_singular_values", robust.singular_values, "curves.singular_values",
    ),
    Plan(
        "handcrafted", "The handcrafted codec and the bound",
        "The thick line is the exact count for a gray cover, the steps are the capacity of the box "
        "codec at the PSNR that it promises. Filled marks are full messages that went in and came "
        "out, at the PSNR that was measured; open marks are the paper's trained models.",
        "fig:handcrafted", handcrafted.figure, "codecs.handcrafted",
    ),
    Plan(
        "gray_study", "Networks on one gray picture, trained here",
        "PSNR and what is left of the uncertainty of a bit, step by step, for the runs that were "
        "made on a CPU: linear-64px-64 and -128 have as many bits a pixel as the paper's linear "
        "models.",
        "fig:gray_image_experiments", empirical.figure, "codecs.gray_study",
    ),
    Plan(
        "quantised_ellipse", "Quantised rotations of an ellipse",
        "A disk of grid points, stretched by 2 and 1/2, turned and rounded: more survives than "
        "the heuristic says.",
        "fig:quantization_ellipsoid", rounding.ellipse, "grids.quantised",
    ),
    Plan(
        "quantised_disk", "Quantised rotations of a disk",
        "A disk of grid points, turned and rounded: less survives than the heuristic says.",
        "fig:quantization_sphere", rounding.disk, "grids.quantised",
    ),
    Plan(
        "edits", "The edits on a photo",
        "Each edit at a normal size and at the size of the bounds.",
        "fig:linear_transforms_illustration", pictures.edits, "pictures.edits",
    ),
    Plan(
        "linjpeg", "LinJPEG at every quality",
        "The PSNR is against the original.",
        "fig:linjpeg_illustration", pictures.linjpeg, "pictures.linjpeg",
    ),
)  # fmt: skip

TABLES = (
    conservative.bits,
    conservative.bpp,
    conservative.scaled,
    claims.in_text,
    handcrafted.table,
    empirical.table,
    rounding.table,
)


def regenerate(
    out: Path, progress: Callable[[str], None], scale: Scale | None = None
) -> list[Path]:
    """Write everything into `out` and return the files, `index.md` last."""
    if find_spec("matplotlib") is None:
        raise MissingExtra("matplotlib", "report")
    started = time.perf_counter()
    bench = Bench(scale or Scale(), progress)
    for room in ("tables", "figures"):
        (out / room).mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    written: list[dict[str, Any]] = []
    for make in TABLES:
        table = make(bench).plain()
        written.append(table)
        files += _write_table(out / "tables", table)
    for plan in FIGURES:
        files += _write_figure(out / "figures", plan, plan.compute(bench))
    captions = [
        {"name": plan.name, "title": plan.title, "caption": plan.caption, "place": plan.place}
        for plan in FIGURES
    ]
    page = index.page(written, captions, time.perf_counter() - started)
    files.append(_write(out / "index.md", page))
    return files


def sketch(drawing: str, data: dict[str, Any]) -> Figure:
    """Draw a figure from its JSON: `drawing` names a module and a function of `paper.draw`."""
    module, function = drawing.split(".")
    return getattr(import_module(f"morebits.paper.draw.{module}"), function)(data)


def _write_table(folder: Path, table: dict[str, Any]) -> list[Path]:
    name = table["name"]
    return [
        _write(folder / f"{name}.json", json.dumps(table, indent=1) + "\n"),
        _write(folder / f"{name}.md", tables.markdown(table)),
    ]


def _write_figure(folder: Path, plan: Plan, data: dict[str, Any]) -> list[Path]:
    """The drawing sees what is in the file, and nothing else."""
    from morebits import drawing

    numbers = _write(folder / f"{plan.name}.json", json.dumps(data) + "\n")
    drawn = sketch(plan.drawing, json.loads(numbers.read_text(encoding="utf-8")))
    svg = _write(folder / f"{plan.name}.svg", drawing.as_svg(drawn))
    png = folder / f"{plan.name}.png"
    png.write_bytes(drawing.as_png(drawn))
    return [numbers, svg, png]


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
