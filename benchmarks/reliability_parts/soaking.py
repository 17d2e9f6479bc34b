"""Many trips in one process: a line a trip, and its memory as it goes on."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from reliability_parts import cases, trips
from robust_parts.lines import read

#: Memory is looked at after every so many trips, and progress told after so many seconds.
_EVERY, _SECONDS = 10, 20.0
#: This part of a session fills caches; after it memory must not grow.
_WARM_UP = 0.2
#: Shares of the trips that one process does alone, and that two do at a time.
_PHASES = (("alone", 0.25, 1), ("pair", 0.75, 2))


def run(folder: Path, seed: int, count: int) -> None:
    """Do the trips that are not in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    first = 0
    for phase, part, workers in _PHASES:
        last = count if phase == _PHASES[-1][0] else first + round(part * count)
        shares = [range(first + k, last, workers) for k in range(workers)]
        processes = [
            get_context("spawn").Process(
                target=work, args=(folder, f"{phase}-{k}", seed, share, count)
            )
            for k, share in enumerate(shares)
        ]
        for each in processes:
            each.start()
        for each in processes:
            each.join()
        if any(each.exitcode for each in processes):
            raise SystemExit(f"a process of the phase {phase} died; run it again to go on")
        first = last


def work(folder: Path, name: str, seed: int, numbers: Iterable[int], count: int) -> None:
    """The trips of one process; its temporary files have a folder of their own."""
    path = folder / f"{name}.jsonl"
    had = {each["number"] for each in read(path)}
    left = [each for each in numbers if each not in had]
    if not left:
        return
    scratch, temporary = folder / "marked", folder / "temporary"
    for each in (scratch, temporary):
        each.mkdir(exist_ok=True)
    os.environ["TMPDIR"] = str(temporary)
    tempfile.tempdir = str(temporary)
    for each in cases.warm_up():
        trips.run(seed, each, scratch)
    with path.open("a") as file:
        for line in _lines(name, seed, left, count, scratch):
            file.write(json.dumps(line) + "\n")
            file.flush()


def _lines(
    name: str, seed: int, left: list[int], count: int, scratch: Path
) -> Iterator[dict[str, Any]]:  # fmt: skip
    session, last = f"{name}-{time.time_ns()}", time.perf_counter()
    for done, number in enumerate(left, start=1):
        line = trips.run(seed, cases.case(seed, number, count), scratch)
        line |= {"size": cases.case(seed, number, count).size, "session": session}
        if done % _EVERY == 0:
            line["megabytes"] = _megabytes()
        yield line
        if time.perf_counter() - last > _SECONDS:
            last = time.perf_counter()
            print(f"[{name}] {done:,} of {len(left):,} trips", file=sys.stderr, flush=True)


def strays(folder: Path) -> list[str]:
    """Files that no trip should have left."""
    return sorted(
        str(each.relative_to(folder))
        for name in ("marked", "temporary")
        for each in (folder / name).rglob("*")
    )


def memory(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each session: the median after the warm-up and at the end, in MB, and the growth in %."""
    sessions: dict[str, list[float]] = {}
    for each in lines:
        if "megabytes" in each:
            sessions.setdefault(each["session"], []).append(each["megabytes"])
    found: list[dict[str, Any]] = []
    for name, values in sessions.items():
        tenth = max(1, len(values) // 10)
        warm = round(_WARM_UP * len(values))
        before, after = median(values[warm : warm + tenth]), median(values[-tenth:])
        found.append({
            "process": name.rpartition("-")[0],
            "readings": len(values),
            "after warm-up": round(before, 1),
            "at the end": round(after, 1),
            "growth %": round(100 * (after / before - 1), 2),
        })  # fmt: skip
    return found


def _megabytes() -> float:
    """Memory of this process that is in use, without what the allocator keeps for later."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGESIZE") / 1e6, 2)
