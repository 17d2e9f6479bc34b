"""Seconds for what people ask: one capacity, a photo, a curve."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from morebits.measure import capacity, curve
from morebits.types import ImageFormat

PX_256 = ImageFormat(3, 256, 256, 8)


def median(task: Callable[[], object], runs: int) -> float:
    """Median seconds of several runs, after one that does not count."""
    task()
    seconds: list[float] = []
    for _ in range(runs):
        started = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def main() -> None:
    """Print a table; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--runs", type=int, default=9, help="runs for each median")
    options = parser.parse_args()
    # Every sample value occurs, as in a photo; decoding is not part of the measurement.
    noise = np.random.default_rng(0).normal(120, 60, (3000, 4000, 3))
    photo = noise.clip(0, 255).astype(np.uint8)
    psnrs = np.linspace(20, 70, 51).tolist()
    tasks: dict[str, tuple[Callable[[], object], float]] = {
        "256x256 at 42 dB": (lambda: capacity(PX_256, psnr=42), 0.020),
        "photo of 12 megapixels at 42 dB": (lambda: capacity(photo, psnr=42), 0.3),
        "curve of 51 points at 256x256": (lambda: curve(PX_256, psnr=psnrs), 0.3),
    }
    rows = [
        {"task": name, "seconds": median(task, options.runs), "goal": goal}
        for name, (task, goal) in tasks.items()
    ]
    print(f"{'task':<34} {'seconds':>9} {'goal':>6}")
    for row in rows:
        print(f"{row['task']:<34} {row['seconds']:>9.4f} {row['goal']:>6}")
    print(f"256x256 at 42 dB: {capacity(PX_256, psnr=42).bits:,.2f} bits")
    if options.out:
        options.out.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
