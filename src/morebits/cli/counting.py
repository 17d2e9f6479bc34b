"""A bar with the time that is left, for verbs that go through many pictures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager


@contextmanager
def counting(what: str) -> Generator[Callable[[int, int], None]]:
    """A bar on a terminal, nothing otherwise; the yielded function takes done and total."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    times = TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
    console = Console(stderr=True, markup=False)
    with Progress(
        *columns, *times, console=console, transient=True, speed_estimate_period=600
    ) as bar:
        task = bar.add_task(what, total=None)

        def update(done: int, total: int) -> None:
            if bar.tasks[0].total is None:  # what an earlier run did says nothing on the speed
                bar.reset(task, total=total, completed=done)
            else:
                bar.update(task, total=total, completed=done)

        yield update
