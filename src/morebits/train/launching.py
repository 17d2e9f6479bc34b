"""Several processes on this machine, one a device; what the first one says comes back here.

Processes that are there already, of `torchrun` on one machine or on many, are used as they are.
"""

from __future__ import annotations

import os
import queue
import socket
from pathlib import Path
from typing import Any

import torch
import torch.multiprocessing as mp
from torch.multiprocessing.spawn import ProcessException, start_processes

from morebits.errors import MorebitsError, WorkersLost
from morebits.train import data, loop, machines, models
from morebits.train.config import TrainConfig
from morebits.train.loop import Fit, Progress

#: Seconds between looks at what the processes said.
_LOOK = 0.2
#: New processes run a script anew up to this line, and would start processes of their own.
_GO_ON = (
    "go on with --resume (resume=True); "
    'if none ever began, call fit under `if __name__ == "__main__":` in your script'
)


def launch(config: TrainConfig, out: Path, *, resume: bool, progress: Progress | None) -> Fit:
    """Run the loop here, or in as many processes as there are devices.

    Devices and pictures that are not there, and cards that are wrong, are missed before a network
    is made or a folder begun.
    """
    machines.accelerator(config)
    models.check(config)
    data.check(config)
    if config.devices == 1 or machines.launched():
        return loop.run(config, out, resume=resume, progress=progress)
    context = mp.get_context("spawn")
    said = context.Queue()
    settings = config, out, resume, progress is not None, said, _free_port()
    started = start_processes(_work, settings, config.devices, join=False, start_method="spawn")
    if started is None:
        raise WorkersLost("none was started", "use devices = 1")
    return _listen(started, said, progress)


def _listen(started: Any, said: Any, progress: Progress | None) -> Fit:
    """Hand on progress, the result, or the error of the first process that has one."""
    result: Fit | None = None
    running = True
    try:
        while running:
            try:
                running = not started.join(_LOOK)
            except ProcessException as error:
                _raise_what_was(said)
                reason = str(error).strip().splitlines()[-1]
                raise WorkersLost(reason, _GO_ON) from None
            for word, value in _heard(said):
                if word == "progress" and progress is not None:
                    progress(*value)
                elif word == "done":
                    result = value
                elif word == "error":
                    raise value
    finally:
        for process in started.processes:
            process.terminate()
            process.join()
    if result is None:
        raise WorkersLost("they ended without a result", _GO_ON)
    return result


def _work(
    rank: int, config: TrainConfig, out: Path, resume: bool, tell: bool, said: Any, port: int
) -> None:
    """One process: its place among the others, then the loop."""
    world = str(config.devices)
    os.environ |= {
        "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": world,
        "LOCAL_WORLD_SIZE": world, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
    }  # fmt: skip
    if machines.accelerator(config) == "cpu":  # else each takes all the cores
        torch.set_num_threads(max(1, torch.get_num_threads() // config.devices))

    def report(*values: Any) -> None:
        said.put(("progress", values))

    try:
        done = loop.run(config, out, resume=resume, progress=report if tell else None)
        if rank == 0:
            said.put(("done", done))
    except MorebitsError as error:
        said.put(("error", error))
    finally:
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()


def _heard(said: Any) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    while True:
        try:
            found.append(said.get_nowait())
        except queue.Empty:
            return found


def _raise_what_was(said: Any) -> None:
    """An error of ours explains why the others failed."""
    for word, value in _heard(said):
        if word == "error":
            raise value


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
