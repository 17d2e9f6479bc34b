"""Every codec on every picture under every attack, into a folder of results.

One task is one codec on one picture; it comes back with all its samples, which this process
writes. A run that was cut, by whatever, goes on when it is started again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from morebits.bench import flow, work
from morebits.bench.folder import Config, Folder
from morebits.bench.pictures import Pictures
from morebits.bench.pools import Pool
from morebits.bench.records import UNMARKED, Problem, Problems
from morebits.bench.specs import CodecSpec
from morebits.errors import InputError

#: Called with the number of samples that are there and the number that there will be.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Benchmark:
    """What a run came to; everything that it measured is in the `folder`.

    `samples` are in the folder for this run's codecs, pictures and attacks, `new` of them are
    from this session, and `errors` of those could not be measured: `problems` say why.
    `seconds` is the time it took, and `overhead` the share of it (times the workers) in which
    neither codec nor attack nor metric was at work; None where nothing was left to do.
    """

    folder: Path
    samples: int
    new: int
    errors: int
    problems: tuple[Problem, ...]
    seconds: float
    workers: int
    overhead: float | None


@dataclass
class _Session:
    """Counts as they grow."""

    workers: int
    start: float = field(default_factory=time.perf_counter)
    new: int = 0
    errors: int = 0
    busy: float = 0.0
    problems: Problems = field(default_factory=Problems)

    def add(self, measured: work.Measured) -> None:
        samples = measured["samples"]
        self.new += len(samples)
        self.errors += sum(each["error"] is not None for each in samples)
        self.busy += measured["busy"]
        self.problems.add(samples)

    def plain(self) -> dict[str, Any]:
        seconds = time.perf_counter() - self.start
        return {
            "samples": self.new,
            "errors": self.errors,
            "workers": self.workers,
            "seconds": round(seconds, 3),
            "busy_seconds": round(self.busy, 3),
            "overhead": round(1 - self.busy / (seconds * self.workers), 4) if self.new else None,
        }


def run(
    codecs: Sequence[CodecSpec],
    pictures: Pictures,
    attacks: Sequence[str],
    out: Path,
    *,
    pool: Pool,
    seed: int = 0,
    bits: int | None = None,
    progress: Progress | None = None,
) -> Benchmark:
    """Measure what is missing in the folder, and return how it went.

    `attacks` are canonical texts; each picture is also read unmarked. `bits` is the length of
    the messages, left out: what each codec says that it can hold. Ctrl-C, a lost cluster or a
    full disk leave all finished samples in the folder.
    """
    _check_number("seed", seed, least=0)
    if bits is not None:
        _check_number("bits", bits, least=1)
    session = _Session(pool.workers)
    config = Config(
        seed, bits, [(each.name, each.options) for each in codecs], attacks,
        pictures.sources, pictures.digests(),
    )  # fmt: skip
    folder = Folder(out, config)
    complete = False
    try:
        names = (UNMARKED, *attacks)
        total = len(codecs) * len(pictures.files) * len(names)
        tasks = list(_tasks(folder, codecs, pictures, names, seed, bits))
        had = total - sum(len(each.attacks) for each in tasks)
        for each in {task.codec.label: task for task in tasks}.values():
            pool.check_task(each)
        if progress:
            progress(had, total)
        with closing(flow.results(pool, work.measure, tasks)) as found:
            for task, measured in found:
                if isinstance(measured, flow.Lost):
                    samples = work.lost(task, measured.reason)
                    measured = work.Measured(samples=samples, busy=0.0)
                folder.add(measured["samples"])
                session.add(measured)
                if progress:
                    progress(had + session.new, total)
        complete = True
    finally:
        plain = session.plain()
        folder.close(plain, complete=complete)
    return Benchmark(
        out, had + session.new, session.new, session.errors, session.problems.list(),
        plain["seconds"], pool.workers, plain["overhead"],
    )  # fmt: skip


def _tasks(
    folder: Folder,
    codecs: Sequence[CodecSpec],
    pictures: Pictures,
    names: Sequence[str],
    seed: int,
    bits: int | None,
) -> Iterator[work.Task]:
    """What is not in the folder yet: one codec after the other, so that each is loaded once."""
    for codec in codecs:
        for image, path in pictures.files.items():
            keys = {name: (codec.label, image, name, seed) for name in names}
            missing = tuple(name for name in names if keys[name] not in folder.done)
            if missing:
                yield work.Task(folder.run, codec, image, str(path), missing, seed, bits)


def _check_number(name: str, value: int, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(name, value, f"give a whole number of at least {least}")
