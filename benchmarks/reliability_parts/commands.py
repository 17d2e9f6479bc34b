"""morebits in processes of its own, that may be killed at any moment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from morebits import images

#: Nothing here takes longer; a process that does hangs.
PATIENCE = 600.0


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit code, what it printed, seconds; `hung` if it had to be ended."""

    code: int
    out: str
    err: str
    seconds: float
    hung: bool = False

    @property
    def last(self) -> str:
        """The last line of its errors: what people read."""
        lines = self.err.strip().splitlines()
        return lines[-1] if lines else ""

    @property
    def ours(self) -> bool:
        """Whether it failed with an error of ours: one line with a next step, no traceback."""
        return self.code in (1, 2) and "Traceback" not in self.err and ("; " in self.last)


def start(
    words: Sequence[str | Path], prefix: Sequence[str] = (), environment: Mapping[str, str] = {}
) -> subprocess.Popen[str]:
    """`morebits WORDS` in a session of its own, so that it can be killed with its workers."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-m", "morebits", *map(str, words)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env={**os.environ, **environment},
    )  # fmt: skip


def finish(process: subprocess.Popen[str], limit: float = PATIENCE) -> Ended:
    """Wait for it; what hangs is killed."""
    started, hung = time.perf_counter(), False
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        hung = True
        kill(process, group=True)
        out, err = process.communicate()
    return Ended(process.returncode, out, err, time.perf_counter() - started, hung)


def run(words: Sequence[str | Path], limit: float = PATIENCE) -> Ended:
    """The command from start to end."""
    return finish(start(words), limit)


def kill(process: subprocess.Popen[str], *, group: bool) -> bool:
    """Send -9, to it alone or to all its workers too; False if it had ended before."""
    if process.poll() is not None:
        return False
    with suppress(ProcessLookupError):
        (os.killpg if group else os.kill)(process.pid, signal.SIGKILL)
    process.wait()
    return process.returncode == -signal.SIGKILL


class Killer:
    """Starts a command and kills it at a random moment of the time that it takes."""

    def __init__(self, seed: int, seconds: float):
        self._rng, self._seconds = random.Random(seed), seconds

    def __call__(self, words: Sequence[str | Path], *, alone: bool = False) -> bool:
        """False if it ended before; the time that it takes is learnt from that.

        Half the time its workers are killed with it, unless it is to be hit `alone`.
        """
        process, started = start(words), time.perf_counter()
        with suppress(subprocess.TimeoutExpired):
            process.wait(self._rng.uniform(0.1, 1.05) * self._seconds)
        hit = kill(process, group=not alone and self._rng.random() < 0.5)
        process.communicate()
        spent = time.perf_counter() - started
        self._seconds = 1.05 * self._seconds if hit else (self._seconds + spent) / 2
        return hit


def photos(folder: Path, count: int, height: int, width: int) -> Path:
    """Pictures with slopes and a little noise."""
    folder.mkdir(parents=True)
    y, x, c = np.ogrid[:height, :width, :3]
    for number in range(count):
        noise = np.random.default_rng(number).integers(-6, 7, (height, width, 3))
        slopes = 128 + 60 * np.sin((x + number) / 17 + c) + 40 * np.cos(y / 23)
        images.write(folder / f"{number:03}.png", np.clip(slopes + noise, 0, 255).astype(np.uint8))
    return folder


def parts(folder: Path) -> list[str]:
    """Temporary files that are still there."""
    return [str(each.relative_to(folder)) for each in folder.rglob(".*.part")]
