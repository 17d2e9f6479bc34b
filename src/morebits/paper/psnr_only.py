"""Numbers of the figures without an edit: ball and cube, bounds 1 to 9, volume against count."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from morebits import bounds
from morebits.bounds import psnr as bounds_psnr
from morebits.paper.bench import Bench
from morebits.types import Capacity

#: The four cases of the paper's figure: centre of the ball and radius, cube of side 1.
_CASES = (
    ("cube in ball", "low PSNR, bound 2", (0.5, 0.5, 0.5), 0.95),
    ("ball in cube", "high PSNR, bounds 3 and 4", (0.5, 0.5, 0.5), 0.4),
    ("partial overlap", "medium PSNR, bounds 5 and 6", (0.5, 0.5, 0.5), 0.62),
    ("ball at a corner", "any image, bounds 7 to 9", (1.0, 0.0, 1.0), 0.62),
)
_GRAY = ("1", "2", "3", "4", "5", "6")
_CORNER = ("1", "7", "8", "9")


def configurations(bench: Bench) -> dict[str, Any]:
    """Four balls about points of the unit cube, and which share of the cube each leaves."""
    bench.progress("ball and cube")
    cases: list[dict[str, Any]] = []
    for title, words, center, radius in _CASES:
        low, high = -np.array(center), 1 - np.array(center)
        volume = 2 ** bounds.log2_box_ball(low, high, 1.0, radius).bits
        cases.append(
            {"title": title, "words": words, "center": center, "radius": radius, "share": volume}
        )
    return {"cases": cases}


def bounds_1_to_9(bench: Bench) -> dict[str, Any]:
    """Every bound over PSNR, with where it is valid; gray and corner covers."""
    bench.progress(f"bounds 1 to 9 at {bench.scale.small} px")
    psnrs = bench.psnrs(0, 80)
    panels = [
        {"title": "gray cover", "bounds": [_swept(bench, name, psnrs) for name in _GRAY]},
        {"title": "cover in a corner", "bounds": [_swept(bench, name, psnrs) for name in _CORNER]},
    ]
    return {"side": bench.scale.small, "samples": bench.small.samples, "panels": panels}


def _swept(bench: Bench, name: str, psnrs: list[float]) -> dict[str, Any]:
    found = [_bound(bench, name, psnr) for psnr in psnrs]
    return {
        "bound": name,
        "name": found[0].name,
        "psnr": psnrs,
        "bits": [each.bits for each in found],
        "valid": [each.valid for each in found],
    }


def _bound(bench: Bench, name: str, psnr: float) -> Capacity:
    return getattr(bounds_psnr, f"bound_{name}")(bench.small, psnr)


def volume_against_count(bench: Bench) -> dict[str, Any]:
    """log2 of the volume of a ball and of the grid points in it, over small radii."""
    n = bench.small.samples
    bench.progress(f"volume against count in {n} dimensions")
    # Squared norms are whole numbers, so only radii whose square is one are worth asking for.
    levels = sorted({round(r * r) for r in np.arange(1.0, 60.01, bench.scale.step / 2)})
    radii = [math.sqrt(level) for level in levels]
    family = bounds.ranges(-60, 60, n)
    return {
        "dimension": n,
        "radius": radii,
        "psnr": [bounds.psnr_of_radius(bench.small, r) for r in radii],
        "log2_volume": [bounds.log2_ball(n, r) for r in radii],
        "log2_count": [found.bits for found in bounds.log2_counts([family], levels)],
    }
