"""One round trip of a codec, measured; and what a benchmark has to say in the end."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import numpy as np

from morebits import capacity, distortion
from morebits.errors import DoesNotFit
from morebits.images import Samples
from morebits.types import Codec

_T = TypeVar("_T")


@dataclass(frozen=True)
class Run:
    """A random message of full capacity, hidden and read again; times in seconds."""

    scheme: str
    picture: str
    states: int
    target: float
    samples: int
    bits: int
    exact_count: float
    psnr: float
    intact: bool
    capacity_seconds: float
    embed_seconds: float
    extract_seconds: float

    @property
    def fraction(self) -> float:
        """Bits against the exact count for this very picture."""
        return self.bits / self.exact_count

    @property
    def kept(self) -> bool:
        """Whether the message came back and the PSNR was as promised."""
        return self.intact and self.psnr >= self.target


@dataclass(frozen=True)
class Verdict:
    """A figure that was asked for, and what came out."""

    figure: str
    asked: str
    measured: str
    reached: bool


@dataclass(frozen=True)
class Section:
    """A table with its verdicts; `figures` is the same for machines."""

    title: str
    header: Sequence[str]
    rows: list[list[str]]
    runs: list[Run] = field(default_factory=list[Run])
    verdicts: list[Verdict] = field(default_factory=list[Verdict])
    figures: dict[str, Any] = field(default_factory=dict[str, Any])
    note: str = ""

    def text(self) -> str:
        """As Markdown."""
        lines = [f"## {self.title}", "", *table(self.header, self.rows)]
        return "\n".join([*lines, *(["", self.note] if self.note else []), ""])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON."""
        return {"title": self.title, "runs": [asdict(run) for run in self.runs], **self.figures}


def round_trip(
    codec: Codec, name: str, cover: Samples, *, target: float, states: int = 0, repeats: int = 1,
    clock: Callable[[], float] = time.process_time,
) -> Run:  # fmt: skip
    """Fill the cover with a random message and read it, and both again for the best time.

    The clock counts what one core works on a picture of one thread, whoever else is there.
    """
    exact = capacity(cover, psnr=target).bits
    room, capacity_seconds = timed(lambda: codec.capacity(cover), 1, clock)
    message = np.random.default_rng(room).integers(0, 2, room, np.uint8)

    def run(psnr: float, intact: bool, embed: float, extract: float) -> Run:
        return Run(
            codec.name, name, states, target, cover.size, room, exact, psnr, intact,
            capacity_seconds, embed, extract,
        )  # fmt: skip

    try:
        marked, embed_seconds = timed(lambda: codec.embed(cover, message), repeats, clock)
    except DoesNotFit:  # the capacity promised too much: counted, not hidden
        return run(float("-inf"), False, float("nan"), float("nan"))
    found, extract_seconds = timed(lambda: codec.extract(marked.image), 3 * repeats, clock)
    intact = found.bits is not None and np.array_equal(found.bits, message)
    psnr = distortion.psnr(cover, marked.image, peak=float(np.iinfo(cover.dtype).max))
    return run(psnr, intact, embed_seconds, extract_seconds)


def timed(task: Callable[[], _T], repeats: int, clock: Callable[[], float]) -> tuple[_T, float]:
    """What a task returns, and its best time in seconds."""
    best = float("inf")
    while True:
        started = clock()
        result = task()
        best = min(best, clock() - started)
        repeats -= 1
        if repeats < 1:
            return result, best


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean."""
    return statistics.fmean(values)


def worst(runs: Sequence[Run]) -> Run:
    """The run with the smallest fraction."""
    return min(runs, key=lambda run: run.fraction)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table that also reads well as plain text."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return f"| {' | '.join([first, *rest])} |"

    rule = "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])])
    return [line(header), f"|{rule}|", *(line(row) for row in rows)]
