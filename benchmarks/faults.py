"""What happens when processes are killed, disks fill up and networks part.

`benchmarks/faults.py` does all of it; `--part NAME` (may be repeated) one part. `disk` mounts a
small
file system and `cluster` makes network namespaces, so they need root on Linux; elsewhere they say
so, and leave that out. Exit code 1 if anything was lost, half, or there twice.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core a process, before numpy wakes up
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

from morebits import __version__
from morebits.bench.machine import machine
from reliability_parts import cluster, disk, kills

_PARTS = (*kills.SHARES, "disk", "cluster")


def main() -> None:
    """Run the parts, print what was found, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", action="append", choices=_PARTS, help="only this one")
    parser.add_argument("--kills", type=int, default=220, help="of all four jobs together")
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--out", type=Path, help="JSON file; parts that are not run again stay")
    words = parser.parse_args()
    found = _before(words.out)
    for name in words.part or _PARTS:
        with tempfile.TemporaryDirectory() as scratch:
            result = _run(name, Path(scratch), words)
        found["parts"][name] = result
        print(_text(name, result), flush=True)
        if words.out:
            words.out.parent.mkdir(parents=True, exist_ok=True)
            words.out.write_text(json.dumps(found, indent=1) + "\n")
    sys.exit(any(each.get("problems") for each in found["parts"].values()))


def _run(name: str, scratch: Path, words: argparse.Namespace) -> dict[str, Any]:
    if name == "disk":
        return disk.measure(scratch)
    if name == "cluster":
        return cluster.measure(scratch)
    return kills.measure(scratch, name, words.kills, words.seed)


def _before(out: Path | None) -> dict[str, Any]:
    about = {"morebits": __version__, "machine": machine()}
    old = json.loads(out.read_text()) if out and out.exists() else {"parts": {}}
    return {**about, "parts": old["parts"]}


def _text(name: str, result: dict[str, Any]) -> str:
    told = ", ".join(f"{key}: {value}" for key, value in result.items() if key != "problems")
    problems = result.get("problems", [])
    return "\n".join([f"{name}: {told}; {len(problems)} problems", *map(str, problems[:10])])


if __name__ == "__main__":
    main()
