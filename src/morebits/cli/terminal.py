"""What a person sees on stderr while something runs; nothing of it is a result."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from morebits.images import Picture

#: Takes the fraction done.
Update: TypeAlias = Callable[[float], None]

#: Seconds that pass before a bar appears.
PATIENCE = 0.5


def say(message: str) -> None:
    """One line on stderr, now."""
    print(message, file=sys.stderr, flush=True)


def with_notes(picture: Picture) -> Picture:
    """The picture, after saying what was converted when it was read."""
    for note in picture.notes:
        say(f"morebits: note: {picture.name}: {note}")
    return picture


class _Say(logging.Handler):
    """What the library has to announce, as lines on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        say(f"morebits: {record.getMessage()}")


@contextmanager
def announcements() -> Generator[None]:
    """Show what the library announces, such as its first compilation."""
    log, handler = logging.getLogger("morebits"), _Say()
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


@contextmanager
def working(message: str) -> Generator[Update]:
    """A bar while the block runs, on a terminal and only if it runs for a while.

    It moves to and fro until the yielded function is called with the fraction done.
    """
    if not sys.stderr.isatty():
        yield lambda _fraction: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    console = Console(stderr=True, markup=False)
    bar = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
    task = bar.add_task(message, total=None)
    late = threading.Timer(PATIENCE, bar.start)
    late.start()
    try:
        yield lambda fraction: bar.update(task, total=1.0, completed=fraction)
    finally:
        late.cancel()
        late.join()  # it may be starting the bar just now
        if bar.live.is_started:
            bar.stop()
