"""Hot loops through numba: compiled once a machine, kept on disk, and announced.

The first use of a loop takes seconds; a message on the logger `morebits` says so, and the
command line shows it. `clock` stands still meanwhile, and while other programs have the processor:
a time budget is one for reading, and a busy machine finds the same.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core import event

_F = TypeVar("_F", bound=Callable[..., Any])

_log = logging.getLogger("morebits")


def compiled(function: _F) -> _F:
    """The function as machine code, without Python's lock, the same integers everywhere.

    A division by zero is not looked for: such a look in a loop keeps the processor from doing
    several of its turns at once, and costs several times the time.
    """
    options = {"nogil": True, "error_model": "numpy"}
    compile_kept: Any = njit(cache=True, **options)
    compile_anew: Any = njit(**options)
    try:
        return compile_kept(function)
    except RuntimeError:  # no folder to keep it in: compiled again in every run
        return compile_anew(function)


def clock() -> float:
    """Seconds that this thread has worked, without those that it has spent compiling."""
    return time.thread_time() - _listener.mine.spent


class _Mine(threading.local):
    """What a thread has compiled: loops that it is compiling now, since when, seconds in all."""

    depth = 0
    since = 0.0
    spent = 0.0


class _Listener(event.Listener):
    """Says once that something is being compiled, and how long that takes; numba tells of nothing
    that it finds on disk.
    """

    said = False

    def __init__(self) -> None:
        self.mine = _Mine()

    def on_start(self, event: Any) -> None:
        if not self.said and event.data["dispatcher"].py_func.__module__.startswith("morebits."):
            self.said = True
            _log.info("compiling the codec, once on this machine: some 10 seconds")
        if self.mine.depth == 0:
            self.mine.since = time.thread_time()
        self.mine.depth += 1

    def on_end(self, event: Any) -> None:  # noqa: ARG002 - numba's signature
        self.mine.depth -= 1
        if self.mine.depth == 0:
            self.mine.spent += time.thread_time() - self.mine.since


_listener = _Listener()
event.register("numba:compile", _listener)
