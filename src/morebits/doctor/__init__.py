"""Is this installation well? What is installed, which extras work, and a round trip of each codec.

| module | idea |
|---|---|
| `trials` | small real jobs: a count, and marks that are hidden, edited and revealed |
| `extras` | what each extra needs, what of it is there, and whether it can be imported |
| `child` | every check runs in a process of its own, so that a crash is an answer too |
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

#: Works; is not installed, which is fine; or is there and does not work.
State: TypeAlias = Literal["works", "absent", "broken"]


@dataclass(frozen=True)
class Check:
    """One answer: `words` say what worked, what is missing, or what is wrong.

    `seconds` is how long its process ran; `memory` the most bytes that it used, None where the
    system does not tell.
    """

    name: str
    kind: Literal["trial", "extra"]
    state: State
    words: str
    seconds: float = 0.0
    memory: int | None = None


@dataclass(frozen=True)
class Report:
    """The machine, and every check."""

    version: str
    folder: str
    python: str
    system: str
    cores: int
    memory: int | None
    checks: tuple[Check, ...]
    seconds: float

    def __bool__(self) -> bool:
        """Whether everything that is installed works."""
        return all(check.state != "broken" for check in self.checks)

    def to_dict(self) -> dict[str, object]:
        """Plain numbers and strings, ready for JSON."""
        return {"well": bool(self), **asdict(self)}


def examine(progress: Callable[[str], None] = lambda _: None) -> Report:
    """Run every check, one after the other; `progress` gets the name of each before it starts."""
    from morebits import __file__ as here
    from morebits import __version__
    from morebits.doctor import extras, trials

    started = time.perf_counter()
    found: list[Check] = []
    for name in trials.TRIALS:
        progress(name)
        found.append(trials.check(name))
    for name, needs in extras.listed().items():
        progress(f"extra {name}")
        found.append(extras.check(name, needs))
    return Report(
        version=__version__,
        folder=str(Path(here).parent),
        python=f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}",
        system=f"{platform.system()} {platform.machine()}",
        cores=os.cpu_count() or 1,
        memory=_total_memory(),
        checks=tuple(found),
        seconds=time.perf_counter() - started,
    )


def _total_memory() -> int | None:
    """Bytes of the machine, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
