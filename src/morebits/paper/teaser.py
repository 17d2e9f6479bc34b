"""Numbers of the teaser: what fits at 256 px with and without edits, and what methods reach."""

from __future__ import annotations

from typing import Any

from morebits.measure import curve
from morebits.paper import printed
from morebits.paper.bench import Bench
from morebits.paper.handcrafted import box_bits

#: Heuristic bounds under these edits, and certified ones, all computed at the large size.
_HEURISTIC = {
    "crop:0.75": "crop 75 %",
    "linjpeg:15": "LinJPEG 15",
    "linjpeg:8": "LinJPEG 8",
    "crop:0.25": "crop 25 %",
}
_CERTIFIED = {
    "linjpeg:15": "LinJPEG 15, certified",
    "rotate:30": "rotation 30°, certified",
    "crop:0.25": "crop 25 %, certified",
}


def teaser(bench: Bench) -> dict[str, Any]:
    """Bits over PSNR at the large size, and the published points."""
    large, low, high = bench.large, bench.scale.low + 5, 57
    psnrs, marks = bench.psnrs(low, high), bench.sparse_psnrs(low, high)
    lines = [_line("exact", "PSNR only, exact", psnrs, curve(large, psnr=psnrs).bits)]
    for edit, label in _HEURISTIC.items():
        found = bench.heuristic(large, edit, psnrs)
        lines.append(_line("heuristic", label, psnrs, [each.bits for each in found]))
    for edit, label in _CERTIFIED.items():
        found = bench.certified(large, edit, marks)
        lines.append(_line("certified", label, marks, [each.bits for each in found]))
    fine = [low + i / 20 for i in range(int(20 * (high - low)) + 1)]
    box = [box_bits(large, psnr) for psnr in fine]
    lines.append(_line("codec", "PSNR only, the paper's box codec", fine, box))
    points = [
        {"name": each.name, "bits": each.bits, "psnr": each.psnr_sa1b,
         "psnr_coco": each.psnr_coco, "place": each.place}
        for each in printed.METHODS
    ]  # fmt: skip
    return {"side": large.width, "lines": lines, "points": points}


def _line(kind: str, label: str, psnrs: list[float], bits: list[float]) -> dict[str, Any]:
    return {"kind": kind, "label": label, "psnr": psnrs, "bits": bits}
