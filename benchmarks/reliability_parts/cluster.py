"""A benchmark on a Dask cluster that loses a worker, its scheduler, or the network in between.

Namespaces stand for machines: `mb-near` and `mb-far`, joined by one cable that can be pulled.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from morebits.bench.records import SAMPLES
from reliability_parts import kills
from reliability_parts.commands import Ended, finish, photos, start

_NEAR, _FAR = "mb-near", "mb-far"
_ADDRESS = {None: "127.0.0.1", _NEAR: "10.213.7.1", _FAR: "10.213.7.2"}
_CABLE = {_NEAR: "mb-veth0", _FAR: "mb-veth1"}
_ATTACKS = ("none", "hflip", "blur:3")
_PICTURES = 150
_SAMPLES = _PICTURES * (1 + len(_ATTACKS))
#: Seconds in which a job must end, one way or the other.
_LIMIT = 420.0
#: How often the scheduler is killed, each time at another moment of the job.
_KILLS = 16
#: Seconds in which a client must have given its scheduler up.
_SOON = 60.0
#: A cable that is pulled for a moment: seconds.
_MOMENT = 5.0


@dataclass
class _Cluster:
    """Processes by name, where the scheduler is, and the prefix of the client."""

    address: str
    client: Sequence[str]
    processes: dict[str, subprocess.Popen[bytes]] = field(
        default_factory=dict[str, "subprocess.Popen[bytes]"]
    )

    def kill(self, name: str) -> None:
        """As the system does when memory runs out."""
        os.killpg(self.processes[name].pid, signal.SIGKILL)


def measure(scratch: Path) -> dict[str, Any]:
    """A worker killed, the scheduler killed; cables pulled, where namespaces can be made."""
    source = photos(scratch / "photos", _PICTURES, 64, 80)
    found: dict[str, Any] = {"samples": _SAMPLES}
    problems: list[str] = []
    here: dict[str | None, int] = {None: 2}
    cases: list[tuple[str, Any, Any, Any, Callable[[_Cluster], None], bool]] = [
        ("worker killed", None, None, here, lambda all: all.kill("worker 0"), True),
        ("scheduler killed", None, None, here, lambda all: all.kill("scheduler"), False),
    ]
    with ExitStack() as stack:
        try:
            stack.enter_context(_namespaces())
        except (OSError, subprocess.CalledProcessError) as error:
            found["left out"] = f"cannot make network namespaces here ({error})"
        else:
            both: dict[str | None, int] = {_NEAR: 1, _FAR: 1}
            far: dict[str | None, int] = {_FAR: 2}
            cases += [
                ("worker cut off", _NEAR, _NEAR, both, lambda _: _pull(), True),
                ("worker cut off for 5 s", _NEAR, _NEAR, both, lambda _: _blink(), True),
                ("scheduler cut off for 5 s", _NEAR, _FAR, far, lambda _: _blink(), True),
                ("scheduler cut off", _NEAR, _FAR, far, lambda _: _pull(), False),
            ]
        for name, client, scheduler, workers, fault, survives in cases:
            print(f"[cluster] {name}", file=sys.stderr, flush=True)
            out = scratch / name.replace(" ", "-")
            with _cluster(client, scheduler, workers) as all:
                first = _job(all, source, out, lambda all=all, fault=fault: fault(all))
            found[name] = _judge(name, first, out, survives, problems)
            if client is not None:
                _plug()
            if not survives:
                with _cluster(client, scheduler, workers) as all:
                    again = _job(all, source, out, None)
                if again.code or _count(out) != _SAMPLES:
                    problems.append(f"{name}, then healed: {_count(out)} samples, {again.last}")
                found[name]["samples after it healed"] = _count(out)
            count = kills.Count(name, 0)
            kills.samples(out, count)
            problems += [f"{name}: {each}" for each in count.problems]
    found["scheduler killed at moments"] = _moments(scratch, source, problems)
    return {**found, "problems": problems}


def _moments(scratch: Path, source: Path, problems: list[str]) -> dict[str, Any]:
    """The scheduler killed early, late and in between: how a job ends depends on what it was at."""
    seconds: list[float] = []
    for number in range(_KILLS):
        name = f"scheduler killed at moment {number}"
        print(f"[cluster] {name}", file=sys.stderr, flush=True)
        out = scratch / name.replace(" ", "-")
        with _cluster(None, None, {None: 2}) as all:
            moment = (number + 0.5) / _KILLS
            ended = _job(all, source, out, lambda all=all: all.kill("scheduler"), moment)
        _judge(name, ended, out, False, problems)
        if ended.seconds > _SOON:
            problems.append(f"{name}: ended after {ended.seconds:.0f} s")
        seconds.append(ended.seconds)
    return {"kills": _KILLS, "slowest seconds": round(max(seconds))}


def _judge(
    name: str, ended: Ended, out: Path, survives: bool, problems: list[str]
) -> dict[str, Any]:  # fmt: skip
    """It went on without the lost one, or ended soon with an error of ours."""
    if ended.hung:
        problems.append(f"{name}: still waiting after {_LIMIT:.0f} s")
    elif survives and (ended.code or _count(out) != _SAMPLES):
        problems.append(f"{name}: {_count(out)} samples, {ended.err[-300:]!r}")
    elif not survives and not ended.ours and ended.code:
        problems.append(f"{name}: not our error: {ended.err[-300:]!r}")
    return {
        "seconds": round(ended.seconds), "exit code": ended.code, "samples": _count(out),
        "said": ended.last if ended.code else "",
    }  # fmt: skip


def _job(
    all: _Cluster, source: Path, out: Path, fault: Callable[[], None] | None, moment: float = 1 / 3
) -> Ended:
    """The benchmark; the fault comes when this share of the samples is there."""
    attacks = [word for each in _ATTACKS for word in ("--attacks", each)]
    words = ["bench", "--codec", "trellis:states=16", "--images", source, *attacks]
    process = start([*words, "--cluster", all.address, "--out", out], all.client)
    while fault is not None and process.poll() is None and _count(out) < _SAMPLES * moment:
        time.sleep(0.01)
    if fault is not None:
        fault()
    return finish(process, _LIMIT)


def _count(out: Path) -> int:
    path = out / SAMPLES
    return path.read_bytes().count(b"\n") if path.exists() else 0


@contextmanager
def _cluster(
    client: str | None, scheduler: str | None, workers: dict[str | None, int]
) -> Generator[_Cluster]:  # fmt: skip
    """A scheduler and workers without nannies, each in its namespace; all are ended."""
    host = _ADDRESS[scheduler]
    words = ["scheduler", "--host", f"tcp://{host}", "--port", "0", "--no-dashboard"]
    first = _dask(scheduler, words, subprocess.PIPE)
    all = _Cluster("", _inside(client), {"scheduler": first})
    try:
        all.address = _address(first)
        for number, place in enumerate(p for p, count in workers.items() for _ in range(count)):
            words = ["worker", all.address, "--nthreads", "1", "--no-dashboard", "--no-nanny",
                     "--host", _ADDRESS[place]]  # fmt: skip
            all.processes[f"worker {number}"] = _dask(place, words, subprocess.DEVNULL)
        time.sleep(6)  # so that all of them are there when the job starts
        yield all
    finally:
        for each in all.processes.values():
            with suppress(ProcessLookupError):
                os.killpg(each.pid, signal.SIGKILL)
            each.wait()


def _address(scheduler: subprocess.Popen[bytes]) -> str:
    if scheduler.stderr is None:
        raise OSError("the scheduler has no pipe")
    for line in scheduler.stderr:
        if b"Scheduler at:" in line:
            return line.split()[-1].decode()
    raise OSError("the scheduler did not start")


def _dask(place: str | None, words: Sequence[str], errors: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*_inside(place), sys.executable, "-m", "dask", *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True,
    )  # fmt: skip


def _inside(place: str | None) -> list[str]:
    return [] if place is None else ["ip", "netns", "exec", place]


@contextmanager
def _namespaces() -> Generator[None]:
    """Two machines and a cable."""
    try:
        for name in _CABLE:
            _ip("netns", "add", name)
        _ip("link", "add", _CABLE[_NEAR], "netns", _NEAR, "type", "veth", "peer", "name",
            _CABLE[_FAR], "netns", _FAR)  # fmt: skip
        for name, cable in _CABLE.items():
            _ip("-n", name, "address", "add", f"{_ADDRESS[name]}/24", "dev", cable)
            for each in ("lo", cable):
                _ip("-n", name, "link", "set", each, "up")
        yield
    finally:
        for name in _CABLE:
            with suppress(subprocess.CalledProcessError):
                _ip("netns", "delete", name)


def _pull() -> None:
    _ip("-n", _NEAR, "link", "set", _CABLE[_NEAR], "down")


def _plug() -> None:
    _ip("-n", _NEAR, "link", "set", _CABLE[_NEAR], "up")


def _blink() -> None:
    _pull()
    time.sleep(_MOMENT)
    _plug()


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
