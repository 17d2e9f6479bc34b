"""Processes that do the work, so that the page answers at once and any work can be stopped.

A worker gets one job at a time over its own pipe and sends back how far it is. To stop a job its
process is ended and another one started: nothing else stops numpy in the middle of a sum.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import secrets
import signal
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Literal, TypeAlias

from morebits.errors import MorebitsError, TooLarge

State: TypeAlias = Literal["waiting", "running", "done", "failed", "cancelled"]
#: Takes the fraction done (None: unknown), what is being done, and results so far.
Report: TypeAlias = Callable[[float | None, str, Any], None]
#: What a worker runs: `task(report, **arguments)`.
Task: TypeAlias = Callable[..., Any]

#: Most jobs that wait, and the fewest seconds between two reports of the same stage.
_LONGEST_QUEUE = 32
_PAUSE = 0.1
_log = logging.getLogger("morebits")


class JobFailed(MorebitsError, RuntimeError):
    """Work that ended without an answer: `problem`, `fix`."""

    def __init__(self, problem: str, fix: str):
        self.problem, self.fix = problem, fix
        super().__init__(f"{problem}; {fix}")


@dataclass(eq=False)
class Job:
    """One piece of work and how far it is; `version` grows with every change.

    `finish` makes the result of what the task returns, and `undo` is called if it never does.
    """

    task: Task
    arguments: dict[str, Any] = field(repr=False)
    finish: Callable[[Any], Any]
    undo: Callable[[], None]
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    state: State = "waiting"
    fraction: float | None = None
    stage: str = ""
    partial: Any = None
    result: Any = field(default=None, repr=False)
    error: MorebitsError | None = None
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    version: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def ended(self) -> bool:
        """Whether nothing will change any more."""
        return self.state in ("done", "failed", "cancelled")

    def change(self, **values: Any) -> None:
        """Set fields and wake up whoever waits for that."""
        for name, value in values.items():
            setattr(self, name, value)
        self.seconds = time.monotonic() - self.started
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()
        if self.state in ("failed", "cancelled"):
            self.undo()

    async def newer(self, version: int, patience: float) -> None:
        """Wait until something is newer than a version, at most so many seconds."""
        if self.version <= version and not self.ended:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), patience)


class Workers:
    """A few processes and the jobs that wait for them; lives in an event loop."""

    def __init__(self, count: int):
        methods = multiprocessing.get_all_start_methods()
        # A fork server has everything imported already, so that a new worker is there at once.
        method = "forkserver" if "forkserver" in methods else "spawn"
        self._context: Any = multiprocessing.get_context(method)
        if method == "forkserver":
            self._context.set_forkserver_preload(["morebits.app.work"])
        self._threads = ThreadPoolExecutor(count, "morebits-worker")
        self._queue: asyncio.Queue[Job] = asyncio.Queue(_LONGEST_QUEUE)
        self._processes: dict[Job, BaseProcess] = {}
        self._loops = [asyncio.create_task(self._work()) for _ in range(count)]

    def start(
        self, task: Task, arguments: dict[str, Any],
        finish: Callable[[Any], Any], undo: Callable[[], None] = lambda: None,
    ) -> Job:  # fmt: skip
        """Queue a job; `finish` and `undo` are called in this process."""
        job = Job(task, arguments, finish, undo)
        self._forget_ended()
        try:
            self._queue.put_nowait(job)
        except asyncio.QueueFull:
            undo()
            fix = "wait until some are done, or cancel them"
            waiting = self._queue.qsize() + 1
            raise TooLarge("the queue", waiting, _LONGEST_QUEUE, "jobs", fix) from None
        return job

    def _forget_ended(self) -> None:
        """Jobs that were cancelled while they waited make room for others."""
        waiting = [self._queue.get_nowait() for _ in range(self._queue.qsize())]
        for job in waiting:
            if not job.ended:
                self._queue.put_nowait(job)

    def cancel(self, job: Job) -> None:
        """Stop a job, wherever it is."""
        if job.ended:
            return
        job.change(state="cancelled")
        if (process := self._processes.get(job)) is not None:
            process.terminate()

    async def close(self) -> None:
        """End all processes."""
        for each in self._loops:
            each.cancel()
        for process in self._processes.values():
            process.terminate()
        await asyncio.gather(*self._loops, return_exceptions=True)
        self._threads.shutdown(wait=True)

    async def _work(self) -> None:
        """Keep one process alive, ready before it is needed, and give it the jobs."""
        while True:
            worker: _Worker = await self._in_thread(self._new_worker)
            try:
                while True:
                    job = await self._queue.get()
                    if not job.ended and not await self._run(job, worker):
                        break
            finally:
                worker.end()

    async def _run(self, job: Job, worker: _Worker) -> bool:
        """Do one job; whether the process can do another one."""
        self._processes[job] = worker.process
        job.change(state="running")
        try:
            await self._in_thread(worker.pipe.send, (job.task, job.arguments))
            while True:
                kind, value = await self._in_thread(worker.pipe.recv)
                if job.ended:  # cancelled: the process is about to end
                    continue
                if kind != "report":
                    self._settle(job, kind, value)
                    return True
                job.change(**value)
        except (EOFError, OSError):
            if not job.ended:
                fix = "try again, with a smaller picture if it is large"
                lost = JobFailed("the process that did it ended by itself", fix)
                job.change(state="failed", error=lost)
            return False
        finally:
            del self._processes[job]

    def _settle(self, job: Job, kind: str, value: Any) -> None:
        if kind == "done":
            try:
                job.change(result=job.finish(value), state="done", fraction=1.0)
                return
            except Exception as error:  # noqa: BLE001 - whatever it is, the next job must run
                value = _failure(error)
        job.change(error=value, state="failed")

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    def _new_worker(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)


@dataclass(frozen=True, eq=False)
class _Worker:
    """A process and our end of its pipe."""

    process: BaseProcess
    pipe: Connection

    def end(self) -> None:
        self.process.terminate()
        self.process.join(5)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.process.close()
        self.pipe.close()


def _serve(pipe: Connection) -> None:
    """The life of a worker: jobs until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the page, which ends us
    with contextlib.suppress(EOFError, OSError):
        while True:
            task, arguments = pipe.recv()
            pipe.send(_outcome(task, arguments, pipe))


def _outcome(task: Task, arguments: dict[str, Any], pipe: Connection) -> tuple[str, Any]:
    report = _reporter(pipe)
    try:
        with _announced(report):
            return "done", task(report, **arguments)
    except Exception as error:  # noqa: BLE001 - a bug of ours must not end in silence
        return "failed", _failure(error)


def _failure(error: Exception) -> MorebitsError:
    """What the page says of an error; the terminal gets the rest of what is a bug."""
    if isinstance(error, MorebitsError):
        return error
    if isinstance(error, MemoryError):
        return JobFailed("not enough memory", "use a smaller picture")
    traceback.print_exception(error)
    problem = f"unexpected {type(error).__name__}: {' '.join(str(error).split())}"
    return JobFailed(problem, "the terminal says more, please report it")


def _reporter(pipe: Connection) -> Report:
    """Sends reports, but no more than people can see."""
    last, before = 0.0, ""

    def report(fraction: float | None, stage: str, partial: Any = None) -> None:
        nonlocal last, before
        now = time.monotonic()
        if stage == before and now - last < _PAUSE and partial is None:
            return
        last, before = now, stage
        told = {"fraction": fraction, "stage": stage}
        pipe.send(("report", told if partial is None else {**told, "partial": partial}))

    return report


@contextlib.contextmanager
def _announced(report: Report) -> Any:
    """What the library announces, such as its first compilation, becomes a stage."""

    class Announce(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            report(None, record.getMessage(), None)

    handler, level = Announce(), _log.level
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.removeHandler(handler)
        _log.setLevel(level)
