"""Whether the pilot's p-value is what it says: `calibration.py PHOTOS... --out FILE`.

Parts of photos, 96 to 320 pixels a side, are searched for the pilot of a key that is not in them:
some have no mark and some that of another key, some are as they are and some edited. Of so many the
share with a p-value below any level must be that level. A chunk has 1000 parts and leaves a line
in FILE: chunks that are there are not done again, so a run may be cut and go on. `--figure FILE`
draws all that is there; `--chunks 0` only reads. Without photos the project's own pictures show
how it works.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core a process, before numpy wakes up
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

from morebits import drawing, images
from morebits.attacks import parse
from morebits.bench.pictures import collect
from morebits.bench.statistics import clopper_pearson
from morebits.codecs import pilot
from morebits.codecs.robust.codec import mark
from morebits.images import Samples
from robust_parts import lines
from schemes import pictures
from schemes.runs import table

CHUNK = 1000
#: Sides of a part in pixels.
SIDES = (96, 320)
KINDS = ("no mark", "no mark, edited", "another key", "another key, edited")
EDITS = ("jpeg:70", "jpeg:40", "resize:0.71", "rotate:10", "blur:5", "brightness:1.5",
         "contrast:0.5", "hflip")  # fmt: skip
#: Different keys that are read with, and that others have marked with: a new one costs 50 ms and
#: more, so they come again, each time with another part.
KEYS, OTHERS = 61, 3
#: The mark of another key: bytes and dB.
MARKED, PSNR = 8, 45.0
#: p-values are counted by their size, ten bins a factor of ten, down to 1e-8 and below.
DECADES, FINE = 8, 10
LEVELS = (0.1, 0.01, 1e-3, 1e-4)


def main() -> None:
    """Measure what is missing, then print what is there."""
    options = _options()
    paths = _paths(options.photos)
    tasks = [{"id": f"{number}", "paths": paths} for number in _range(options)]
    lines.run(options.out, measure, tasks, options.jobs, lines.Meter("calibration"))
    counts = collected(options.out)
    print("\n".join(table(("parts", "n", *(f"below {level:g}" for level in LEVELS)), rows(counts))))
    if options.figure:
        options.figure.write_text(drawing.as_svg(drawn(counts)))


def measure(task: lines.Task) -> lines.Record:
    """Counts of p-values of one chunk, for each kind."""
    values: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for number in range(CHUNK):
        rng = np.random.default_rng([7, int(task["id"]), number])
        kind = KINDS[number % len(KINDS)]
        part, key = _part(_photos(tuple(task["paths"])), rng), int(rng.integers(KEYS))
        if "another" in kind:
            other = f"another {rng.integers(OTHERS)}".encode()
            part = mark(images.read(part), rng.bytes(MARKED), other, PSNR)
        if "edited" in kind:
            part = parse(EDITS[int(rng.integers(len(EDITS)))])(part, seed=number)
        values[kind].append(pilot.locate(part, f"key {key}".encode()).p_value)
    return {kind: histogram(each).tolist() for kind, each in values.items()}


def histogram(values: Sequence[float]) -> NDArray[np.int64]:
    """Counts by size: ten bins from 1 to 0.1, ten to 0.01 and so on, the last for all below.

    >>> found = histogram([1.0, 0.5, 0.05, 1e-30])
    >>> [int(each) for each in np.flatnonzero(found)], len(found)
    ([0, 3, 13, 80], 81)
    """
    places = [
        min(math.floor(-FINE * math.log10(max(value, 1e-300)) + 1e-9), DECADES * FINE)
        for value in values
    ]
    return np.bincount(places, minlength=DECADES * FINE + 1)


def collected(path: Path) -> dict[str, NDArray[np.int64]]:
    """The counts of all chunks, of each kind and of all together."""
    found = {kind: np.zeros(DECADES * FINE + 1, np.int64) for kind in ("all", *KINDS)}
    for record in lines.read(path):
        for kind in KINDS:
            found[kind] += np.array(record[kind])
            found["all"] += np.array(record[kind])
    return found


def below(counts: NDArray[np.int64], level: float) -> int:
    """How many are below a level, an edge of the bins."""
    return int(counts[round(-FINE * math.log10(level)) :].sum())


def rows(found: dict[str, NDArray[np.int64]]) -> list[list[str]]:
    """For each kind the counts below each level, beside what the level promises."""
    return [
        [kind, f"{counts.sum():,}",
         *(f"{below(counts, level)} of {level * counts.sum():.0f}" for level in LEVELS)]
        for kind, counts in found.items()
    ]  # fmt: skip


def drawn(found: dict[str, NDArray[np.int64]]) -> Any:
    """The share below each level, over the level, with intervals of 95 % for all together."""
    figure = drawing.figure(drawing.WIDTH, 3.6)
    axes: Any = figure.subplots()
    drawing.frame(axes, x="p-value", y="share of parts with a smaller one")
    levels = 10.0 ** (-np.arange(DECADES * FINE + 1) / FINE)
    axes.loglog([1e-6, 1], [1e-6, 1], color=drawing.FAINT, linewidth=0.8, label="as promised")
    for index, (kind, counts) in enumerate(found.items()):
        total = max(int(counts.sum()), 1)
        shares = counts[::-1].cumsum()[::-1] / total
        seen = shares > 0
        axes.plot(
            levels[seen], shares[seen], color=drawing.COLOURS[index],
            linestyle=drawing.DASHES[index], linewidth=1.6 if kind == "all" else 0.9,
            label=f"{kind} ({total:,})",
        )  # fmt: skip
    every = found["all"]
    for level in levels[:: FINE // 2]:
        hits = below(every, level)
        if hits:
            rate = clopper_pearson(hits, int(every.sum()))
            axes.plot([level, level], [rate.low, rate.high], color=drawing.INK, linewidth=1.2)
    axes.legend(fontsize=drawing.SMALL, frameon=False)
    axes.set_xlim(1e-6, 1.2)
    axes.set_ylim(1e-6, 1.2)
    return figure


def _part(photos: Sequence[Samples], rng: np.random.Generator) -> Samples:
    array = photos[int(rng.integers(len(photos)))]
    height, width = (
        int(rng.integers(min(SIDES[0], side), min(SIDES[1], side) + 1)) for side in array.shape[:2]
    )
    top = int(rng.integers(array.shape[0] - height + 1))
    left = int(rng.integers(array.shape[1] - width + 1))
    return np.ascontiguousarray(array[top : top + height, left : left + width])


@lru_cache(maxsize=1)
def _photos(paths: tuple[str, ...]) -> list[Samples]:
    if not paths:
        return [each.array for each in pictures.own(None).wholes]
    return [images.read(path).array for path in paths]


def _paths(folders: Sequence[Path]) -> list[str]:
    return [str(path) for path in collect(folders).files.values()] if folders else []


def _range(options: argparse.Namespace) -> range:
    return range(options.first, options.first + options.chunks)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, nargs="*", help="folders of photos")
    parser.add_argument("--first", type=int, default=0, help="number of the first chunk")
    parser.add_argument("--chunks", type=int, default=1, help="how many, of 1000 parts each")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="file of the chunks, one for each set of photos")
    parser.add_argument("--figure", type=Path, help="SVG file to draw")
    options = parser.parse_args()
    if options.out is None:  # the project's own pictures are not counted among photos
        name = "calibration" if options.photos else "calibration-own"
        options.out = Path("build", f"{name}.jsonl")
    return options


if __name__ == "__main__":
    main()
