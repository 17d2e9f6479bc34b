"""Volumes of a box in a ball: error on random boxes, and speed against the paper's series."""

from __future__ import annotations

import argparse
import json
import math
import runpy
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from morebits.bounds import epsilon, log2_box_ball
from morebits.bounds.oracles import box_ball_series
from morebits.types import ImageFormat

REFERENCE = runpy.run_path(
    str(Path(__file__).resolve().parents[1] / "tests" / "bounds" / "volume_reference.py")
)
PX_16 = ImageFormat(3, 16, 16, 8)


def error(seed: int) -> tuple[int, float]:
    """Dimensions of a random box, and how many bits the engine is off the reference."""
    sides, radius = REFERENCE["random_box"](np.random.default_rng(seed))
    low, high, counts = zip(*sides, strict=True)
    found = log2_box_ball(low, high, counts, radius).bits
    return sum(counts), abs(found - REFERENCE["volume_by_laplace"](sides, radius))


def race(psnr: float) -> dict[str, Any]:
    """Bound 5 at 16 px (n = 768) by both: seconds, ratio, difference in bits."""
    radius, half = epsilon(PX_16, psnr), PX_16.rho / 2
    seconds: list[float] = []
    bits = 0.0
    for _ in range(9):
        started = time.perf_counter()
        bits = log2_box_ball(-half, half, PX_16.samples, radius).bits
        seconds.append(time.perf_counter() - started)
    # The series is told the precision it needs, which its user would have to find by trial.
    share = PX_16.samples * math.log2(2 * half) - bits
    digits = 25 + int(share * math.log10(2))
    started = time.perf_counter()
    series = box_ball_series([-half], [half], [PX_16.samples], radius, digits=digits)
    ended = time.perf_counter() - started
    engine = statistics.median(seconds)
    return {
        "psnr": psnr, "digits": digits, "bits": bits, "difference": bits - series,
        "contour_seconds": engine, "series_seconds": ended, "ratio": ended / engine,
    }  # fmt: skip


def main() -> None:
    """Print both tables; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--boxes", type=int, default=200, help="random boxes to compare")
    options = parser.parse_args()
    log2_box_ball(-1, 1, 20, 2.0)  # imports are not measured
    errors = [error(seed) for seed in range(options.boxes)]
    worst = max(bits for _, bits in errors)
    print(
        f"{len(errors)} random boxes of {min(errors)[0]} to {max(errors)[0]} dimensions: "
        f"largest error {worst:.1e} bits (goal 1e-9)"
    )
    print(
        f"{'dB':>4} {'digits':>7} {'difference':>11} {'contour s':>10} {'series s':>9} {'ratio':>7}"
    )
    rows: list[dict[str, Any]] = []
    for psnr in (10, 15, 20, 25, 30):
        r = race(psnr)
        rows.append(r)
        print(
            f"{psnr:>4} {r['digits']:>7} {r['difference']:>11.1e} {r['contour_seconds']:>10.4f} "
            f"{r['series_seconds']:>9.2f} {r['ratio']:>7.0f}"
        )
    if options.out:
        figures = {"boxes": len(errors), "largest_error": worst, "series": rows}
        options.out.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
