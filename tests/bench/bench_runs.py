"""Small pictures for whole runs, and what must be the same in the results of two of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from morebits import images
from morebits.bench import records


def make(folder: Path, count: int) -> Path:
    """So many pictures of noise, none of which kills a codec."""
    folder.mkdir()
    for number in range(count):
        cover = np.random.default_rng(number).integers(14, 256, (24, 40, 3), np.uint8)
        images.write(folder / f"{number:04}.png", cover)
    return folder


def found(out: Path) -> list[tuple[records.Key, dict[str, Any]]]:
    """Every record without what may differ between runs, in order."""
    rows = []
    for each in records.read(out):
        row = {name: value for name, value in each.items() if name not in ("run", "seconds")}
        rows.append((records.key(each), row))
    keys = [key for key, _ in rows]
    assert len(set(keys)) == len(keys)
    assert len((out / records.SAMPLES).read_bytes().splitlines()) == len(keys)
    return sorted(rows, key=lambda each: each[0])
