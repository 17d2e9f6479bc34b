"""Tasks that leave a line of JSON each: what is in the file is not done again."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

from morebits.bench import flow, pools

#: A task is plain, so that it can go to another process; its `id` is what tells it from others.
Task: TypeAlias = Mapping[str, Any]
Record: TypeAlias = dict[str, Any]
Say: TypeAlias = Callable[[str], None]


def run(
    path: Path, work: Callable[[Task], Record], tasks: Sequence[Task], jobs: int, say: Say
) -> None:
    """Do the tasks whose id is not in the file yet, and add a line for each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _repair(path)
    there = {each["id"] for each in read(path)}
    missing = [each for each in tasks if each["id"] not in there]
    pool = pools.choose(jobs)
    done, started, finished = len(tasks) - len(missing), time.perf_counter(), False
    try:
        with path.open("a") as file, closing(flow.results(pool, work, missing)) as found:
            for task, record in found:
                if isinstance(record, flow.Lost):
                    raise SystemExit(f"{task['id']}: {record.reason}")
                file.write(json.dumps({"id": task["id"], **record}) + "\n")
                file.flush()
                done += 1
                say(progress(done, len(tasks), len(missing), time.perf_counter() - started))
        finished = True
    finally:
        pool.close(now=not finished)


def read(path: Path) -> Iterator[Record]:
    """Every whole line of the file; nothing where there is none."""
    if not path.exists():
        return
    for line in path.read_text().splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)


def _repair(path: Path) -> None:
    """Cut off a last line without an end: what a killed process leaves of its last write."""
    path.touch()
    text = path.read_bytes()
    if not text.endswith(b"\n"):
        path.write_bytes(text[: text.rfind(b"\n") + 1])


def progress(done: int, total: int, new: int, seconds: float) -> str:
    """How far it is, and how many minutes remain at the speed of this session.

    >>> progress(60, 100, 80, 240.0)
    '60 of 100, 4 minutes to go'
    """
    fresh = done - (total - new)
    left = (total - done) * seconds / fresh / 60 if fresh > 0 else 0.0
    return f"{done:,} of {total:,}, {left:,.0f} minutes to go"


class Meter:
    """Says on stderr what is being done, at most once in ten seconds for each part."""

    def __init__(self, name: str):
        self._name, self._last = name, -60.0
        self._started = time.perf_counter()

    def __call__(self, text: str) -> None:
        now = time.perf_counter() - self._started
        if now - self._last > 10:
            self._last = now
            print(f"[{self._name}, {now:5.0f} s] {text}", file=sys.stderr, flush=True)
