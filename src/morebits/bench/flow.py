"""Many tasks through a pool: a bounded number at a time, none lost with a worker."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from morebits.bench.pools import Pool

T = TypeVar("T")
R = TypeVar("R")

#: A task whose worker dies this often, all but the first time with nothing else running, is lost.
TRIES = 3


@dataclass(frozen=True)
class Lost:
    """In place of a result: the worker died of this task, every time."""

    reason: str


def results(
    pool: Pool, function: Callable[[T], R], tasks: Iterable[T]
) -> Generator[tuple[T, R | Lost]]:
    """Every task with its result, as they come; `function` must not raise.

    So an exception means that a worker is gone. All tasks that were under way then become
    suspects, and are done again one by one, which finds the one that kills its worker. When
    nobody answers at all, that is WorkersLost. On Ctrl-C what is done comes out first.
    """
    waiting = iter(tasks)
    suspects: deque[T] = deque()
    failed: Counter[int] = Counter()  # by identity: tasks need no hash
    pending: dict[Future[R], T] = {}
    try:
        while True:
            if not suspects:
                _fill(pool, function, waiting, pending)
            elif not pending:
                pool.check()
                task = suspects.popleft()
                pending[pool.submit(function, task)] = task
            if not pending:
                return
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                task = pending.pop(future)
                reason = _failure(future)
                failed[id(task)] += reason is not None
                if reason is not None and failed[id(task)] < TRIES:
                    suspects.append(task)
                    continue
                del failed[id(task)]
                if reason is None:
                    yield task, future.result()
                else:
                    pool.check()  # if nobody is left, the task is not to blame
                    yield task, Lost(f"the worker died, every time ({reason})")
    except KeyboardInterrupt:
        for future in pending:
            future.cancel()
        for future, task in pending.items():
            if future.done() and _failure(future) is None:
                yield task, future.result()
        raise
    finally:
        for future in pending:
            future.cancel()


def _fill(
    pool: Pool, function: Callable[[T], R], waiting: Iterator[T], pending: dict[Future[R], T]
) -> None:
    for task in islice(waiting, pool.window - len(pending)):
        pending[pool.submit(function, task)] = task


def _failure(future: Future[R]) -> str | None:
    """Why a finished call has no result."""
    try:
        error = future.exception()
    except BaseException as cancelled:  # noqa: BLE001  each executor has its own kind
        error = cancelled
    if error is None:
        return None
    return " ".join(f"{type(error).__name__}: {error}".split())
