"""Who does the work of verbs that go through many pictures."""

from __future__ import annotations

import os
from typing import Annotated, TypeAlias

from cyclopts import Parameter

Jobs: TypeAlias = Annotated[int | None, Parameter(metavar="N", allow_leading_hyphen=True)]
Cluster: TypeAlias = Annotated[str | None, Parameter(metavar="ADDRESS")]


def cores() -> int:
    """Processes that this machine can run side by side."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
