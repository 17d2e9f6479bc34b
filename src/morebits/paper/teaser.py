"""Numbers of the teaser: what fits at 256 px with and without edits, and what methods reach."""

from __future__ import annotations

from typing import Any

from morebits.measure import curve
from morebits.paper import printed
from morebits.paper.bench import Bench
from morebits.paper.claims import box_bits

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
    large, psnrs = bench.large, bench.psnrs(25, 57)
    free = curve(large, psnr=psnrs).bits
    lines = [{"kind": "exact", "label": "PSNR only, exact", "bits": free}]
    lines += [
        {"kind": "heuristic", "label": label,
         "bits": [found.bits for found in bench.heuristic(large, edit, psnrs)]}
        for edit, label in _HEURISTIC.items()
    ]  # fmt: skip
    lines += [
        {"kind": "certified", "label": label,
         "bits": [found.bits for found in bench.certified(large, edit, psnrs)]}
        for edit, label in _CERTIFIED.items()
    ]  # fmt: skip
    box = [box_bits(large, psnr) for psnr in psnrs]
    lines.append({"kind": "codec", "label": "PSNR only, the paper's box codec", "bits": box})
    points = [
        {"name": each.name, "bits": each.bits, "psnr": each.psnr_sa1b,
         "psnr_coco": each.psnr_coco, "place": each.place}
        for each in printed.METHODS
    ]  # fmt: skip
    return {"side": large.width, "psnr": psnrs, "lines": lines, "points": points}
