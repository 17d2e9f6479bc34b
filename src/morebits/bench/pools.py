"""Who does the work: this process, processes of its own, or a cluster; all of them executors.

Whatever is a `concurrent.futures.Executor` takes part on the same terms.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

from morebits import __version__
from morebits.bench.remote import Calls
from morebits.errors import InputError, MissingExtra, WorkersLost

P = ParamSpec("P")
R = TypeVar("R")

#: Seconds to wait for a scheduler to answer, and for a worker.
PATIENCE = 10
LONG_PATIENCE = 120


class Pool:
    """Any executor, and how many calls it runs at a time; whoever made it shuts it down.

    `window` is how many tasks are handed in at a time: enough that nobody waits, few enough
    that memory stays flat.
    """

    def __init__(self, executor: Executor, *, workers: int, window: int | None = None):
        self.executor, self.workers = executor, workers
        self.window = 2 * workers if window is None else window

    def submit(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Hand in a call."""
        return self.executor.submit(function, *args, **kwargs)

    def check(self) -> None:
        """WorkersLost unless somebody is there who runs this version of morebits."""
        fix = "start them again, then run the same command: it goes on where it stopped"
        try:
            version = self.submit(_version).result(LONG_PATIENCE)
        except Exception as error:  # noqa: BLE001  every executor has errors of its own
            reason = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
            raise WorkersLost(reason, self._advice() or fix) from None
        check_versions([version])

    def check_task(self, task: object) -> None:
        """InputError for what cannot travel to the workers."""

    def close(self, *, now: bool = False) -> None:
        """Let the workers go; `now`: also those who are busy."""

    def _advice(self) -> str:
        return ""


def check_versions(found: list[Any]) -> None:
    """Workers with another morebits measure something else."""
    others = sorted({str(each) for each in found} - {__version__})
    if others:
        problem = f"they have morebits {', '.join(others)}, and this is {__version__}"
        raise WorkersLost(problem, f"pip install morebits=={__version__} on the workers")


class Local(Pool):
    """Processes on this machine; they end with this one, whatever ends it."""

    def __init__(self, jobs: int):
        self._jobs = jobs
        self._leash, self._held = _leash()
        super().__init__(self._new(), workers=jobs)

    def submit(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Hand in a call; a pool that a dead worker has broken is replaced first."""
        try:
            return super().submit(function, *args, **kwargs)
        except BrokenExecutor:
            self.close(now=True)
            self._leash, self._held = _leash()
            self.executor = self._new()
            return super().submit(function, *args, **kwargs)

    def check_task(self, task: object) -> None:
        """What is defined inside a function, or a lambda, cannot go to another process."""
        try:
            pickle.dumps(task)
        except Exception as error:  # noqa: BLE001  pickling raises whatever it meets
            expected = "define the codec at the top of a module, or use one job (--jobs 1)"
            raise InputError("codec", str(error), expected) from None

    def close(self, *, now: bool = False) -> None:
        """Wait for what is running, or (`now`) cut the leash, which ends the processes."""
        if now:
            self._held.close()
        self.executor.shutdown(wait=True, cancel_futures=True)
        self._held.close()
        self._leash.close()

    def _advice(self) -> str:
        return "call it under `if __name__ == '__main__':` in a script, or use jobs=1"

    def _new(self) -> Executor:
        context = multiprocessing.get_context("spawn")  # never inherits threads and locks
        return ProcessPoolExecutor(self._jobs, context, initializer=_start, initargs=(self._leash,))


class Inline(Pool):
    """No workers: this process does it, one task at a time."""

    def __init__(self) -> None:
        super().__init__(_Here(), workers=1, window=1)


class Cluster(Pool):
    """The workers of a Dask scheduler; they must see the pictures under the same paths."""

    def __init__(self, address: str):
        try:
            from distributed import Client
        except ImportError:
            raise MissingExtra("dask", "cluster") from None
        try:
            # Untyped: what its methods return depends on whether they are awaited.
            self._client: Any = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise _unreachable(address, error) from None
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
            check_versions(list(self._client.run(_version).values()))
            workers = sum(self._client.nthreads().values())
        except TimeoutError:
            self.close(now=True)
            expected = "has no workers, start: dask worker ADDRESS"
            raise InputError("cluster", address, expected) from None
        except OSError as error:  # it has gone away since
            self.close(now=True)
            raise _unreachable(address, error) from None
        except BaseException:
            self.close(now=True)
            raise
        super().__init__(Calls(self._client, 3 * PATIENCE), workers=workers)

    def check(self) -> None:
        """As for every pool; while the client looks for its scheduler, wait for the outcome."""
        try:
            super().check()
        except WorkersLost:
            if self._client.status != "connecting":
                raise
            super().check()  # the first was dropped with the connection that has just been lost

    def close(self, *, now: bool = False) -> None:
        """Leave the cluster, which goes on without us and drops what nobody waits for."""
        with contextlib.suppress(Exception):  # a cluster that is gone cannot be left
            self._client.close(timeout=1 if now else PATIENCE)
        # Else the garbage collector would try it again, at any moment and holding any lock.
        self._client.status = "closed"


def _unreachable(address: str, error: Exception) -> InputError:
    reason = " ".join(str(error).split()) or type(error).__name__
    expected = f"cannot be reached ({reason}), give the scheduler's tcp://HOST:PORT"
    return InputError("cluster", address, expected)


def choose(jobs: int, cluster: str | None = None, executor: Executor | None = None) -> Pool:
    """The cluster or the executor; else `jobs` processes, and for one job this process itself."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise InputError("jobs", jobs, "give a whole number of at least 1")
    if cluster is not None and executor is not None:
        raise InputError("executor", executor, "leave it out, or the cluster")
    if cluster is not None:
        return Cluster(cluster)
    if executor is not None:
        return Pool(executor, workers=jobs)
    return Inline() if jobs == 1 else Local(jobs)


class _Here(Executor):
    """Runs a call when it is handed in; what it prints is no result of ours."""

    def submit(
        self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[R]:  # the name is the base class's
        future: Future[R] = Future()
        try:
            with contextlib.redirect_stdout(sys.stderr):
                future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  belongs to whoever asks for the result
            future.set_exception(error)
        return future


def _version() -> str:
    return __version__


def _leash() -> tuple[Connection, Connection]:
    """A pipe: its first end goes to the workers, which end when the second is closed."""
    return multiprocessing.Pipe(duplex=False)


def _start(leash: Connection) -> None:
    """What a process does first: leave Ctrl-C and stdout to its parent, and watch it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)
    threading.Thread(target=_watch, args=(leash,), daemon=True).start()


def _watch(leash: Connection) -> None:
    """End with the parent: without this, workers of a killed parent wait for ever."""
    with contextlib.suppress(EOFError, OSError):
        leash.recv()
    os._exit(1)
