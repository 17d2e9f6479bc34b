"""The codec in the singular basis against the heuristic bounds 10 to 12, and the sanity check.

Embeds random messages of full length in gray, applies the real rounded edit, and reads them
back. Then: what is left of the capacity without an edit, for the codec and for the bound.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from morebits import ImageFormat, capacity
from morebits.codecs.singular import Singular

EDITS = (
    "hflip", "crop:0.25", "crop:0.5", "crop:0.75", "linjpeg:8", "linjpeg:10", "linjpeg:15",
    "rotate:15", "rotate:30", "rotate:45",
)  # fmt: skip
#: Nothing is cut off, and nothing changes.
NO_EDIT = "crop:1"


def row(edit: str, size: int, psnr: float, messages: int) -> dict[str, Any]:
    """Capacity, exact messages, worst PSNR and seconds for one edit and size."""
    format = ImageFormat(3, size, size, 8)
    cover = np.full((size, size, 3), format.mid, np.uint8)
    bound = capacity(format, psnr=psnr, under=edit).bits
    started = time.perf_counter()
    codec = Singular(edit, psnr, format=format)
    bits = codec.capacity(cover)
    found: dict[str, Any] = {"edit": edit, "size": size, "bound": bound, "bits": bits}
    found["setup seconds"] = time.perf_counter() - started
    rng = np.random.default_rng(0)
    exact, worst, embedding, extracting = 0, float("inf"), 0.0, 0.0
    for _ in range(messages):
        message = rng.integers(0, 2, bits).astype(np.uint8)
        started = time.perf_counter()
        marked = codec.embed(cover, message)
        embedding += time.perf_counter() - started
        edited = codec.operator.quantised(marked.image, format.rho).astype(np.uint8)
        started = time.perf_counter()
        read = codec.extract(edited)
        extracting += time.perf_counter() - started
        exact += read.bits is not None and bool((read.bits == message).all())
        worst = min(worst, marked.psnr)
    found |= {"messages": messages, "exact": exact, "worst psnr": worst}
    found["embed seconds"] = embedding / max(messages, 1)
    found["extract seconds"] = extracting / max(messages, 1)
    return found


def line(found: dict[str, Any], free: dict[str, Any]) -> str:
    """One row of the printed table, beside the row without an edit."""
    return (
        f"{found['size']:>3} px {found['edit']:<10} bound {found['bound']:>9,.1f}"
        f"  ours {found['bits']:>6,} = {found['bits'] / found['bound']:.3f}"
        f"  exact {found['exact']} of {found['messages']}"
        f"  worst {found['worst psnr']:.3f} dB"
        f"  of no edit: ours {found['bits'] / free['bits']:.3f},"
        f" bound {found['bound'] / free['bound']:.3f}"
        f"  setup {found['setup seconds']:.1f} s, embed {found['embed seconds']:.3f} s,"
        f" extract {found['extract seconds']:.3f} s"
    )


def main() -> None:
    """Print the table; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--messages", type=int, default=20, help="messages an edit and size")
    parser.add_argument("--psnr", type=float, default=42)
    parser.add_argument("--edit", action="append", help="only these (default: the paper's ten)")
    parser.add_argument("--large", action="store_true", help="64 px too (rotations: minutes)")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for size in (16, 64) if options.large else (16,):
        free = row(NO_EDIT, size, options.psnr, options.messages)
        rows.append(free)
        print(line(free, free), flush=True)
        for edit in options.edit or EDITS:
            found = row(edit, size, options.psnr, options.messages)
            rows.append(found)
            print(line(found, free), flush=True)
    if options.out:
        options.out.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
