"""The scheduler of a real Dask cluster is killed at the worst moments: no call is waited for.

In a process of its own: what Dask leaves behind then, threads and locks among it, is not for the
tests that come after.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")

CASES = Path(__file__).with_name("lost_scheduler.py")


@pytest.mark.parametrize("case", ["handed_over", "handed_in", "cannot_travel"])
def test_calls_end(case):
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", case, str(CASES)]
    run = subprocess.run(
        [sys.executable, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=240, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 passed" in run.stdout
