"""Many hide + reveal round trips: wrong bytes, memory, files that are left behind.

`benchmarks/soak.py` does 20,000 trips: a quarter in one process, the rest in two at a time. Most of
them come back, and those that do not fit must be refused. Pictures have 1 pixel to 50 megapixels,
gray and colour, 8 and 16 bits, with alpha and without; every file format that can be written;
payloads of 0 and 1 byte and around the room of the picture; keys in several scripts. Each trip is
written to a file, read and revealed. A run that was cut goes on; a folder belongs to one seed, one
count and one state of the code.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core a process, before numpy wakes up
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

from morebits import __version__
from morebits.bench.machine import machine
from reliability_parts import cases, soaking, trips
from robust_parts.lines import read

#: Memory may grow by so many percent.
_FLAT = 5.0
#: What the trips are counted by.
_FIELDS = ("codec", "size", "mode", "depth", "alpha", "suffix", "payload", "key")


def main() -> None:
    """Run what is missing, then report; exit code 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trips", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--folder", type=Path, default=Path("build/soak"), help="lines and files")
    parser.add_argument("--out", type=Path, help="write the report as JSON")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="one trip, to look at it")
    words = parser.parse_args()
    if words.only is not None:
        words.folder.mkdir(parents=True, exist_ok=True)
        case = cases.case(words.seed, words.only, words.trips)
        print(json.dumps(trips.run(words.seed, case, words.folder), indent=1))
        return
    soaking.run(words.folder, words.seed, words.trips)
    found = report(words.folder, words.seed)
    if words.out:
        words.out.parent.mkdir(parents=True, exist_ok=True)
        words.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    print(_text(found))
    grown = any(each["growth %"] > _FLAT for each in found["memory"])
    sys.exit(bool(found["wrong"] or found["stray files"] or grown))


def report(folder: Path, seed: int) -> dict[str, Any]:
    """Counts of the trips in a folder."""
    lines = [each for path in sorted(folder.glob("*.jsonl")) for each in read(path)]
    outcomes = Counter(each["outcome"] for each in lines)
    wrong = [each for each in lines if each["outcome"] == "wrong"]
    slowest = max(lines, key=lambda each: each["seconds"])
    by: dict[str, dict[str, dict[str, int]]] = {}
    for field in _FIELDS:
        counts = Counter((str(each[field]), each["outcome"]) for each in lines)
        values = dict.fromkeys(value for value, _ in sorted(counts))
        by[field] = {
            value: {name: counts[value, name] for name in outcomes if counts[value, name]}
            for value in values
        }
    return {
        "morebits": __version__,
        "machine": machine(),
        "seed": seed,
        "trips": len(lines),
        **{name: outcomes[name] for name in ("exact", "refused", "wrong")},
        "seconds": round(sum(each["seconds"] for each in lines), 1),
        "slowest": {name: slowest[name] for name in ("codec", "width", "height", "suffix",
                                                     "seconds")},
        "largest megapixels": max(each["width"] * each["height"] for each in lines) / 1e6,
        "memory": soaking.memory(lines),
        "stray files": soaking.strays(folder),
        "problems": [{"number": each["number"], "problem": each["problem"]} for each in wrong[:50]],
        "by": by,
    }  # fmt: skip


def _text(found: dict[str, Any]) -> str:
    lines = [
        f"{found['trips']:,} trips in {found['seconds'] / 60:,.0f} minutes of work: "
        f"{found['exact']:,} exact, {found['refused']:,} refused as they must, "
        f"{found['wrong']:,} wrong; {len(found['stray files'])} stray files",
        *(
            f"memory of {each['process']}: {each['after warm-up']:.1f} MB after the warm-up, "
            f"{each['at the end']:.1f} MB at the end ({each['growth %']:+.2f} %)"
            for each in found["memory"]
        ),
        *(f"trip {each['number']}: {each['problem']}" for each in found["problems"]),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
