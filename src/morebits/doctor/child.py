"""A check in a process of its own: a crash, a hang or a memory hog is an answer, not an end."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

#: Seconds after which a check counts as broken. The first use of a codec compiles its loops.
PATIENCE = 300.0
#: What is run before the code of a check: its answers go out by `tell`, and whatever packages print
#: while they are loaded goes elsewhere, so that a greeting is not taken for an answer.
_TELL = """
import sys
answers, sys.stdout = sys.stdout, sys.stderr
def tell(words, end="\\n"):
    answers.write(str(words) + end)
    answers.flush()
"""
#: What is run after it: the most memory that the process used, on the last line.
_PEAK = """
try:
    import resource
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tell(f"peak {most * (1 if sys.platform == 'darwin' else 1024)}")
except ImportError:  # Windows
    tell("peak 0")
"""


@dataclass(frozen=True)
class Outcome:
    """`lines` that the code told, and `problem`: why it did not end well, or nothing."""

    lines: tuple[str, ...]
    problem: str
    seconds: float
    memory: int | None


def run(code: str, words: Sequence[str] = (), *, patience: float = PATIENCE) -> Outcome:
    """Run Python code with `words` as its arguments; it answers with `tell(text)`, line by line.

    >>> run("tell(sys.argv[1])", ["here"]).lines
    ('here',)
    >>> run("raise ValueError('no such thing')").problem
    'ValueError: no such thing'
    """
    started = time.perf_counter()
    command = [sys.executable, "-W", "ignore", "-c", _TELL + code + _PEAK, *words]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=patience, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return Outcome((), f"no answer after {patience:g} seconds", patience, None)
    lines = done.stdout.splitlines()
    memory = None
    if done.returncode == 0 and lines and lines[-1].startswith("peak "):
        memory = int(lines.pop().split()[1]) or None
    problem = "" if done.returncode == 0 else _why(done.returncode, done.stderr)
    return Outcome(tuple(lines), problem, time.perf_counter() - started, memory)


def _why(code: int, said: str) -> str:
    """The last line of a traceback, or the signal that ended the process."""
    if code < 0:
        return f"the process was ended by signal {-code}"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else f"exit code {code}"
