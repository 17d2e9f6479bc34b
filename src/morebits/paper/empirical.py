"""The gray study: what was trained here, beside what the paper trained.

Runs are JSON files that `benchmarks/gray_study.py` wrote: configuration, curve, result, minutes.
What needs a GPU was not run: those rows are the paper's alone and say "published".
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from morebits.paper import printed
from morebits.paper.bench import Bench
from morebits.paper.tables import Row, Table

FOLDER = Path(__file__).parent / "gray_runs"
#: Which run of ours is which row: (network, side, bits).
_OURS = {
    ("linear", 256, 1024): "linear-1024",
    ("linear", 256, 2048): "linear-2048",
    ("Video Seal", 32, 128): "videoseal-32px-128",
}
#: A run of ours at 64 px with as many bits a pixel: a sixteenth of the bits and of the pixels.
_SMALLER = {("linear", 256, 1024): "linear-64px-64", ("linear", 256, 2048): "linear-64px-128"}
#: The reduced family: the same design with few channels at three sizes.
_FAMILY = {32: "tiny-32px", 64: "tiny-64px", 128: "tiny-128px"}


@cache
def runs() -> dict[str, dict[str, Any]]:
    """Every run that was made here, by name."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*.json"))
    }


def table(bench: Bench) -> Table:
    """Every row of the paper's table of trained networks, with ours where there is one."""
    bench.progress("table of the gray study")
    notes = (
        "Ours were trained on one CPU core; PSNR is that of 8-bit pictures, after rounding.",
        "Ours at 64 px has as many bits a pixel as the row: 64 and 128 bits for 1024 and 2048.",
        "The paper's Video Seal took 600 epochs on GPUs, its linear model 50; a row without ours "
        "was not run here and is not imitated.",
        *_family_notes(),
    )
    rows = tuple(_row(each) for each in printed.GRAY_STUDY)
    place = "tab:gray_image_experiments, lines 816-830"
    return Table("gray_study", "Networks trained on one gray picture", place, rows, notes)


def _row(paper: printed.GrayRow) -> Row:
    name = f"{paper.network}, {paper.side} px, {paper.bits} bits, λ {paper.weight:g}"
    more: dict[str, float | None] = {"paper: right bits, %": 100 * paper.accuracy}
    this = paper.network, paper.side, paper.bits
    if smaller := runs().get(_SMALLER.get(this, "")):
        more |= {
            "ours at 64 px, dB": smaller["psnr"],
            "its right bits, %": 100 * smaller["bit_accuracy"],
        }
    found = runs().get(_OURS.get(this, ""))
    if found is None:
        because = "needs a GPU, or a CPU for many hours: published, not run here"
        return Row(name, paper.psnr, None, "dB", paper.place, because, more=more)
    more |= {
        "ours: right bits, %": 100 * found["bit_accuracy"],
        "steps": found["steps"],
        "CPU minutes": found["minutes"]["cpu"],
    }
    whole = found["bit_accuracy"] == 1 and paper.accuracy == 1
    because = _why(found, whole=whole)
    relation = "at least" if whole else "equals"
    return Row(name, paper.psnr, found["psnr"], "dB", paper.place, because, relation, more=more)


def _why(found: dict[str, Any], *, whole: bool) -> str:
    config = found["config"]
    steps = f"{found['steps']:,} steps with {config['batch']} pictures"
    if whole:
        return f"{steps}, a weight of {config['lambda_image']:g} for the picture"
    right = 100 * found["bit_accuracy"]
    return f"stopped after {steps} on one core, with {right:.1f} % of the bits right"


def _family_notes() -> list[str]:
    """What the reduced family shows, in a line."""
    found = {side: runs()[name] for side, name in _FAMILY.items() if name in runs()}
    if len(found) < 2:
        return []
    each = ", ".join(
        f"{side} px {100 * one['bit_accuracy']:.1f} % of {one['bits']} bits at {one['psnr']:.1f} dB"
        for side, one in found.items()
    )
    return [f"The same design with few channels, equally many steps: {each}."]


def figure(bench: Bench) -> dict[str, Any]:
    """Curves of our runs, and what the reduced family carries at each size."""
    bench.progress("the gray study")
    curves = {
        name: [
            {
                "step": line["step"],
                "psnr": line["psnr"],
                "loss": line["message"] / math.log(2),
            }
            for line in one["curve"]
            if line["kind"] == "train" and line["psnr"] is not None
        ]
        for name, one in runs().items()
    }
    family = [
        {"side": side, "bits": runs()[name]["bits"], "information": runs()[name]["information"]}
        for side, name in _FAMILY.items()
        if name in runs()
    ]
    ends = {
        name: {"psnr": one["psnr"], "accuracy": one["bit_accuracy"]} for name, one in runs().items()
    }
    return {"curves": curves, "ends": ends, "family": family}
