"""Bounds under an edit: bound 13, heuristic and certified beside the paper's table.

Also embeds random messages in gray, applies the real rounded edit and reads them back.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from morebits import ImageFormat, capacity, linear
from morebits.linear.certified import certify
from morebits.linear.witness import Witness

#: Edit, and the paper's conservative bits at 16 px and 256 px (Table "Conservative capacity").
PAPER = {
    "hflip": (2352, 602353),
    "crop:0.25": (81, 20958),
    "crop:0.5": (11, 3013),
    "crop:0.75": (3, 904),
    "linjpeg:8": (102, 26273),
    "linjpeg:10": (104, 26757),
    "linjpeg:15": (105, 27020),
    "rotate:15": (64, 16502),
    "rotate:30": (57, 14676),
    "rotate:45": (64, 16401),
}


def row(edit: str, size: int, messages: int) -> dict[str, Any]:
    """All bounds at 42 dB for one edit and size; bound 13 with the paper's peak of 256."""
    format = ImageFormat(3, size, size, 8)
    found: dict[str, Any] = {"edit": edit, "size": size, "paper": PAPER[edit][size > 16]}
    if size == 16:
        boxed = capacity(format, psnr=42, under=edit, bound=13, peak=256)
        found["bound 13, SVD"] = boxed.details["svd_basis_bits"]
        found["bound 13, best"] = boxed.bits
    heuristic = capacity(format, psnr=42, under=edit)
    found["heuristic"], found["heuristic error"] = heuristic.bits, heuristic.error
    started = time.perf_counter()
    certificate = certify(linear.parse(edit).at(format), format)
    certified = certificate.capacity(42)
    found["certified"], found["upper"] = certified.bits, certified.details["upper_bits"]
    found["certified seconds"] = time.perf_counter() - started
    found["codec"] = certified.details["codec"]
    if certified.details["codec"] and size == 16:
        found["wrong digits"], found["messages"] = wrong_digits(certificate, messages), messages
    return found


def wrong_digits(certificate: Any, messages: int) -> int:
    """Embed, edit, round, extract: how many digits of how many messages come back wrong."""
    witness, rng = Witness(certificate, 42), np.random.default_rng(0)
    wrong = 0
    for _ in range(messages):
        message = witness.sample(rng)
        edited = certificate.operator.quantised(witness.embed(message), certificate.format.rho)
        wrong += int((witness.extract(edited) != message).sum())
    return wrong


def line(found: dict[str, Any]) -> str:
    """One row of the printed table."""
    sure = found["certified"]
    parts = [f"{found['size']:>3} px {found['edit']:<10} paper {found['paper']:>7,}"]
    if "bound 13, SVD" in found:
        svd, best = found["bound 13, SVD"], found["bound 13, best"]
        parts.append(f"bound 13 {svd:>8,.1f} (best basis {best:>8,.1f})")
    parts.append(f"certified {sure:>10,.1f}: {sure / found['paper']:.1f}x the paper")
    parts.append(f"{sure / found['heuristic']:.3f} of the heuristic {found['heuristic']:,.1f}")
    parts.append(f"{sure / found['upper']:.3f} of the upper bound")
    parts.append(f"{found['certified seconds']:.1f} s")
    if "messages" in found:
        parts.append(f"{found['wrong digits']} wrong digits in {found['messages']} messages")
    return "  ".join(parts)


def main() -> None:
    """Print the table; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--messages", type=int, default=20, help="messages a codec, at 16 px")
    parser.add_argument("--large", action="store_true", help="256 px too (rotations take a minute)")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for size in (16, 256) if options.large else (16,):
        for edit in PAPER:
            found = row(edit, size, options.messages)
            rows.append(found)
            print(line(found), flush=True)
    if options.out:
        options.out.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
