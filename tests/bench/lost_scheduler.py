"""What `test_lost_scheduler.py` runs in a process of its own; pytest does not collect it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from morebits.bench import flow, pools
from morebits.errors import WorkersLost

pytest.importorskip("distributed")

#: Seconds in which everything must have ended; without the watch it never does.
LIMIT = 60

pytestmark = [
    # What Dask leaves to the garbage collector when its scheduler was killed.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Heavy:
    """A result that is done, and takes long to hand over: a file says that it has begun."""

    def __init__(self, mark: str):
        self.mark = mark

    def __reduce__(self) -> Any:
        Path(self.mark).touch()
        time.sleep(LIMIT)
        return Heavy, (self.mark,)


def heavy(mark):
    return Heavy(mark)


def ready(word):
    return word


@dataclass
class Scheduler:
    address: str
    process: subprocess.Popen[bytes]


@pytest.fixture
def scheduler():
    """A scheduler with one worker, each a process of its own, and where it is."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # they know this file
    with ExitStack() as stack:

        def start(*words, **pipes):
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, env=environment, **pipes,
            )  # fmt: skip
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        first = start("scheduler", "--host", "tcp://127.0.0.1", "--port", "0", "--no-dashboard",
                      stderr=subprocess.PIPE)  # fmt: skip
        assert first.stderr is not None
        line = next(line for line in first.stderr if b"Scheduler at:" in line)
        address = line.split()[-1].decode()
        start("worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny",
              stderr=subprocess.DEVNULL)  # fmt: skip
        yield Scheduler(address, first)


@pytest.fixture
def pool(scheduler):
    pool = pools.Cluster(scheduler.address)
    yield pool
    pool.close(now=True)


def ended(call):
    """The exception that the call ended with; it runs beside this thread, so it may hang."""
    found = []

    def run():
        try:
            call()
        except BaseException as error:  # noqa: BLE001  whatever it is
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(LIMIT)
    assert not thread.is_alive(), "still waiting"
    return found[0] if found else None


def test_killed_while_a_result_is_handed_over(scheduler, pool, tmp_path):
    """The call is done, so nobody cancels it; only its result is lost."""
    mark = tmp_path / "handing over"

    def kill():
        while not mark.exists():
            time.sleep(0.01)
        scheduler.process.kill()

    threading.Thread(target=kill, daemon=True).start()
    error = ended(lambda: list(flow.results(pool, heavy, [str(mark)])))
    assert isinstance(error, WorkersLost)
    assert "start them again" in str(error)


def test_killed_while_calls_are_handed_in(scheduler, monkeypatch):
    """Before, while and after the client gives up: all of them end, and all but some fail."""
    monkeypatch.setattr(pools, "PATIENCE", 3)
    pool = pools.Cluster(scheduler.address)
    calls = [pool.submit(ready, "before")]
    assert calls[0].result(LIMIT) == "before"
    scheduler.process.kill()
    until = time.monotonic() + 5
    while time.monotonic() < until:
        calls.append(pool.submit(ready, "after"))
    done, waiting = wait(calls, LIMIT)
    assert not waiting
    assert done
    assert isinstance(calls[-1].exception(), Exception)
    with pytest.raises(WorkersLost):
        pool.check()
    pool.close(now=True)
    assert pool._client.status == "closed"  # else the garbage collector would close it


def test_what_cannot_travel_is_no_lost_scheduler(pool):
    with pytest.raises(TypeError, match="serialize"):
        pool.submit(ready, threading.Lock())
