"""Counts by contour integral against exact integers (python-flint): error and speed."""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

from flint import fmpz_poly

from morebits.bounds import gray, level, log2_count
from morebits.types import ImageFormat

SAMPLES = (3, 48, 192, 432, 768)
PSNRS = range(30, 71, 5)
#: Independent prototype of the contour integral at 256 px, printed to 0.1 bit.
REFERENCE_256 = {
    60: 81013.3, 55: 184662.2, 50: 341427.1, 48: 406737.1, 45: 504705.0, 42: 602672.6,
    40: 667984.3, 38: 733296.1, 36: 798607.8, 30: 994543.1, 20: 1321101.8, 15: 1482875.5,
    10: 1572864.0,
}  # fmt: skip


def exact_bits(samples: int, limit: int) -> float:
    """log2 of the exact count around gray, 8 bits, from one truncated power."""
    theta = [0] * (limit + 1)
    for j in range(-128, 128):
        if j * j <= limit:
            theta[j * j] += 1
    power = fmpz_poly(theta).pow_trunc(samples, limit + 1)
    number = sum(int(c) for c in power.coeffs())
    shift = max(number.bit_length() - 64, 0)
    return math.log2(number >> shift) + shift


def compare(samples: int, psnr: float) -> dict[str, Any]:
    """One row: difference in bits, and seconds of both."""
    format = ImageFormat(samples, 1, 1, 8)
    limit = level(format, psnr)
    started = time.perf_counter()
    found = log2_count([gray(format).family], limit)
    middle = time.perf_counter()
    exact = exact_bits(samples, limit)
    ended = time.perf_counter()
    return {
        "samples": samples,
        "psnr": psnr,
        "bits": found.bits,
        "difference": found.bits - exact,
        "contour_seconds": middle - started,
        "exact_seconds": ended - middle,
    }


def main() -> None:
    """Print a table; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    out = parser.parse_args().out
    log2_count([gray(ImageFormat(1, 1, 99, 8)).family], 1000)  # imports are not measured
    rows = [compare(samples, psnr) for samples in SAMPLES for psnr in PSNRS]
    print(f"{'n':>5} {'dB':>4} {'bits':>16} {'difference':>11} {'contour s':>10} {'exact s':>9}")
    for r in rows:
        print(
            f"{r['samples']:>5} {r['psnr']:>4} {r['bits']:>16.8f} {r['difference']:>11.1e} "
            f"{r['contour_seconds']:>10.4f} {r['exact_seconds']:>9.4f}"
        )
    worst = max(abs(r["difference"]) for r in rows)
    slowest = max(rows, key=lambda r: r["exact_seconds"])
    ratio = slowest["exact_seconds"] / slowest["contour_seconds"]
    format = ImageFormat(3, 256, 256, 8)
    far = max(
        abs(log2_count([gray(format).family], level(format, psnr)).bits - bits)
        for psnr, bits in REFERENCE_256.items()
    )
    print(f"largest difference: {worst:.1e} bits (goal 1e-9)")
    print(f"speed ratio at n = {slowest['samples']}, {slowest['psnr']} dB: {ratio:.0f}")
    print(f"256 px: within {far:.3f} bits of the reference, which is rounded to 0.1")
    if out:
        summary = {"largest_difference": worst, "ratio": ratio, "difference_256px": far}
        out.write_text(json.dumps({**summary, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
