"""One large picture in a process of its own: JSON with seconds and peak memory.

`python large.py embed COVER.npy MARKED.npy BITS` hides a message three times,
`python large.py extract EDITED.npy BITS` reads it three times. Both do a small picture first:
what is measured is not the first call.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from morebits.codecs.robust import Robust
from schemes.large import peak_bytes

_T = TypeVar("_T")
_TIMES = 3


def message(bits: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The message of so many bits: the same in both processes."""
    return np.random.default_rng(bits).integers(0, 2, bits, np.uint8)


def embed(cover: str, marked: str, bits: str) -> dict[str, Any]:
    """Hide, and save the marked picture."""
    array, codec = np.load(cover), Robust(psnr=45)
    found, seconds = _timed(lambda: codec.embed(array, message(int(bits))))
    peak = peak_bytes()
    np.save(marked, found.image)
    return {"seconds": seconds, "bytes": peak, "psnr": found.psnr}


def extract(edited: str, bits: str) -> dict[str, Any]:
    """Read, and compare."""
    array, codec = np.load(edited), Robust()
    found, seconds = _timed(lambda: codec.extract(array))
    exact = found.bits is not None and bool(np.array_equal(found.bits, message(int(bits))))
    return {"seconds": seconds, "bytes": peak_bytes(), "exact": exact}


def _timed(task: Callable[[], _T]) -> tuple[_T, list[float]]:
    """What it returns, and the seconds of each time."""
    seconds: list[float] = []
    while True:
        started = time.perf_counter()
        found = task()
        seconds.append(time.perf_counter() - started)
        if len(seconds) == _TIMES:
            return found, seconds


def _warm_up() -> None:
    small = np.random.default_rng(0).integers(96, 160, (256, 256, 3), np.uint8)
    codec = Robust(psnr=40, seconds=1)
    codec.extract(codec.embed(small, message(64)).image[8:, 8:])


if __name__ == "__main__":
    _warm_up()
    print(json.dumps({"embed": embed, "extract": extract}[sys.argv[1]](*sys.argv[2:])))
