"""Every combination of a sweep, on the executor or the cluster that the benchmark uses too."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from morebits.bench import flow, pools
from morebits.errors import InputError, MorebitsError
from morebits.train import folder
from morebits.train.config import TrainConfig
from morebits.train.fitting import fit
from morebits.train.toml import Plan

#: The table of all runs.
SUMMARY = "sweep.json"


@dataclass(frozen=True)
class Run:
    """One run of a sweep: its name (which is its folder's), and its result or its error."""

    name: str
    psnr: float | None = None
    bit_accuracy: float | None = None
    edited_accuracy: float | None = None
    best_step: int | None = None
    error: str | None = None

    @property
    def rank(self) -> tuple[float, float]:
        """The best run has the most right bits, then the highest PSNR."""
        accuracy = self.bit_accuracy if self.edited_accuracy is None else self.edited_accuracy
        return (-1.0 if accuracy is None else accuracy), self.psnr or 0.0


@dataclass(frozen=True)
class _Task:
    name: str
    config: TrainConfig
    out: Path
    threads: int | None


def sweep(
    plan: Plan,
    *,
    out: str | os.PathLike[str],
    jobs: int = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Run, ...]:
    """Train every combination of the plan in a folder of its own below `out`; the best first.

    Started again it does what is missing, and goes on with what was stopped. `jobs`, `cluster`
    and `executor` are those of `mb.benchmark`; `progress` gets the runs that are done, and all.
    """
    if not plan.sweep:
        raise InputError("sweep", None, "add a table [sweep] with lists of values by field")
    top = Path(out).absolute()
    top.mkdir(parents=True, exist_ok=True)
    pool = pools.choose(jobs, cluster, executor)
    threads = max(1, torch.get_num_threads() // jobs) if jobs > 1 else None
    tasks = [_Task(name, config, top / name, threads) for name, config in plan.runs()]
    runs: list[Run] = []
    stopped = True
    try:
        with closing(flow.results(pool, _train, tasks)) as found:
            for task, run in found:
                lost = isinstance(run, flow.Lost)
                runs.append(Run(task.name, error=run.reason) if lost else run)
                _write(top, plan, runs)
                if progress:
                    progress(len(runs), len(tasks))
        stopped = False
    finally:
        pool.close(now=stopped)
    return tuple(sorted(runs, key=lambda each: each.rank, reverse=True))


def _train(task: _Task) -> Run:
    """One run, new or continued; what goes wrong stands in its row and stops no other."""
    before = torch.get_num_threads()
    if task.threads is not None:
        torch.set_num_threads(task.threads)
    try:
        return _result(task) or _fitted(task)
    except MorebitsError as error:
        return Run(task.name, error=str(error))
    except Exception as error:  # noqa: BLE001  one bad run must not end the others
        return Run(task.name, error=" ".join(f"{type(error).__name__}: {error}".split()))
    finally:
        torch.set_num_threads(before)


def _fitted(task: _Task) -> Run:
    done = fit(task.config, out=task.out, resume=(task.out / folder.STATE).exists())
    return Run(task.name, done.psnr, done.bit_accuracy, done.edited_accuracy, done.best_step)


def _result(task: _Task) -> Run | None:
    """The row of a run that is complete already."""
    if not (task.out / folder.RESULT).exists():
        return None
    folder.check_same(task.out, task.config)
    values: dict[str, Any] = json.loads((task.out / folder.RESULT).read_text("utf-8"))
    names = ("psnr", "bit_accuracy", "edited_accuracy", "best_step")
    return Run(task.name, **{name: values[name] for name in names})


def _write(top: Path, plan: Plan, runs: Sequence[Run]) -> None:
    table = {"sweep": dict(plan.sweep), "runs": [asdict(each) for each in runs]}
    folder.write_json(top / SUMMARY, table)
