"""Numbers of the figures under edits: capacity over PSNR, and singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from morebits.measure import curve
from morebits.paper.bench import Bench
from morebits.types import Capacity, ImageFormat

#: The three families of the paper: edits in the words of `linear.parse`, with short labels.
FAMILIES = {
    "crop and rescale": {"crop:0.25": "25 %", "crop:0.5": "50 %", "crop:0.75": "75 %"},
    "rotation": {"rotate:15": "15°", "rotate:30": "30°", "rotate:45": "45°"},
    "LinJPEG": {"linjpeg:8": "8", "linjpeg:10": "10", "linjpeg:15": "15"},
}


def exact_at_any_size(edit: str) -> bool:
    """Whether the singular values are known at any size: products or tiles, not rotations."""
    return not edit.startswith("rotate")


def impact(bench: Bench) -> dict[str, Any]:
    """Bits a sample over PSNR for each family: at the paper's size, and directly at a large one."""
    rows = [
        {"side": format.width, "panels": [_panel(bench, format, name) for name in FAMILIES]}
        for format in (bench.small, bench.large)
    ]
    return {"rows": rows}


def _panel(bench: Bench, format: ImageFormat, family: str) -> dict[str, Any]:
    low = bench.scale.low
    psnrs, marks = bench.psnrs(low, 60), bench.sparse_psnrs(low, 60)
    lines: list[dict[str, Any]] = []
    for edit, label in FAMILIES[family].items():
        exact = format is bench.small or exact_at_any_size(edit)
        heuristic = _bpp(bench.heuristic(format, edit, psnrs)) if exact else None
        certified = _bpp(bench.certified(format, edit, marks))
        lines.append({"edit": edit, "label": label, "heuristic": heuristic, "certified": certified})
    free = _bpp(curve(format, psnr=psnrs).capacities)
    return {"family": family, "psnr": psnrs, "marks": marks, "free": free, "lines": lines}


def _bpp(found: list[Capacity] | tuple[Capacity, ...]) -> list[float]:
    return [each.bpp for each in found]


def singular_values(bench: Bench) -> dict[str, Any]:
    """All singular values of each edit at the paper's size, the largest first, zeros included."""
    families = {"horizontal flip": {"hflip": "flip"}} | FAMILIES
    panels = [
        {
            "family": family,
            "lines": [_sorted_values(bench, edit, label) for edit, label in edits.items()],
        }
        for family, edits in families.items()
    ]
    return {"side": bench.scale.small, "samples": bench.small.samples, "panels": panels}


def _sorted_values(bench: Bench, edit: str, label: str) -> dict[str, Any]:
    spectrum = bench.spectrum(bench.small, edit)
    values = np.repeat(spectrum.values, np.round(spectrum.counts).astype(np.int64))
    padded = np.zeros(bench.small.samples)
    padded[: values.size] = values
    return {"edit": edit, "label": label, "rank": int(values.size), "values": padded.tolist()}
