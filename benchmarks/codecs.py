"""Every codec beside the bounds: bits, PSNR, seconds, memory, and what was asked of them.

`benchmarks/codecs.py PHOTOS` takes a folder of photos (the figures are asked of the 24 Kodak
pictures); without one, the project's own pictures are used. Everything is measured in this
run but the two figures that are marked as published: the paper's four capacities and
SteganoGAN's claim.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core, before numpy wakes up

import numpy as np

from morebits.codecs.box import Box
from morebits.codecs.shaped import Shaped
from morebits.codecs.trellis import Trellis
from schemes import blind, known, pictures, rivals
from schemes.runs import Run, Section, Verdict, table

_QUICK = 3
_started = time.perf_counter()


def main() -> None:
    """Print tables and verdicts; write JSON when asked."""
    options = _options()
    most = _QUICK if options.quick else None
    chosen = pictures.from_folder(options.photos, most) if options.photos else pictures.own(most)
    machine = f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"# Codecs beside the bounds\n\nPictures: {chosen.source}.\nMachine: {machine}.\n")
    _warm_up()
    sections: list[Section] = []
    for section in _sections(chosen, options):
        sections.append(section)
        print(section.text(), flush=True)
    verdicts = [verdict for section in sections for verdict in section.verdicts]
    verdicts += _in_every_run([run for section in sections for run in section.runs])
    print("## Asked and measured\n")
    print("\n".join(table(("figure", "asked", "measured", "reached"), [_row(v) for v in verdicts])))
    print("\nThe figures of the trellis are asked of the 24 Kodak pictures.")
    print("Codecs that survive an edit: benchmarks/bench_singular.py.")
    if options.out:
        result = {
            "pictures": chosen.source, "machine": machine,
            "seconds": time.perf_counter() - _started,
            "sections": [section.to_dict() for section in sections],
            "verdicts": [vars(verdict) for verdict in verdicts],
        }  # fmt: skip
        options.out.write_text(json.dumps(result, indent=1))
    _say("done")


def _sections(chosen: pictures.Pictures, options: argparse.Namespace) -> Iterator[Section]:
    _say("box")
    yield known.box()
    _say("shaped")
    yield known.shaped(options.payloads // (10 if options.quick else 1))
    crops = blind.crops(chosen, options.states, _say)
    yield crops
    low = blind.low_rates(chosen, _say)
    yield low
    yield rivals.against_psnr(chosen, crops.runs + low.runs, _say)
    yield blind.solid(_say)
    yield blind.wholes(chosen, _say)
    yield blind.large(chosen, _say)


def _in_every_run(runs: list[Run]) -> list[Verdict]:
    """Bit-exact, and PSNR at or above the target, over all tables."""
    intact, kept = sum(run.intact for run in runs), sum(run.kept for run in runs)
    return [
        Verdict(f"full capacity, {what}", "every run", f"{good} of {len(runs)}", good == len(runs))
        for what, good in (("read again bit by bit", intact), ("and PSNR as promised", kept))
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, nargs="?", help="folder of photos")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--quick", action="store_true", help=f"the first {_QUICK} pictures only")
    parser.add_argument("--states", type=_numbers, default=[256, 1024, 4096], help="of the trellis")
    parser.add_argument("--payloads", type=int, default=1000, help="of the shaped codec")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _warm_up() -> None:
    """Compile or load everything once: what is measured is the second run."""
    _say("compiling")
    cover = np.full((64, 64, 3), 128, np.uint8)
    for codec in (Box(psnr=42), Shaped(psnr=42), Trellis(psnr=42)):
        codec.extract(codec.embed(cover, np.ones(codec.capacity(cover), np.uint8)).image)


def _say(what: str) -> None:
    print(f"[{time.perf_counter() - _started:5.0f} s] {what}", file=sys.stderr, flush=True)


def _row(verdict: Verdict) -> list[str]:
    return [verdict.figure, verdict.asked, verdict.measured, "yes" if verdict.reached else "NO"]


def _processor() -> str:
    """The processor as people know it."""
    names = Path("/proc/cpuinfo")
    lines = names.read_text().splitlines() if names.exists() else []
    found = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return found[0] if found else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
