"""Pictures without a mark of this key: messages that are accepted, the pilot's p-values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from morebits import images
from morebits.bench.statistics import clopper_pearson
from morebits.codecs import pilot
from morebits.codecs.robust import Robust
from morebits.images import Samples
from robust_parts import lines, plan
from robust_parts.rows import few
from schemes.runs import Verdict

#: Sides in pixels of what is read.
_SMALLEST, _LARGEST = 128, 512
#: What is read in turn: parts of photos, with and without a key, whole ones made smaller, and
#: marks of another key.
KINDS = ("crop", "crop, no key", "small", "wrong key")
#: The pilot is searched on its own in one of so many pictures: it costs as much again.
_EVERY = 4
_BINS = 20
#: Pictures of a chunk.
CHUNK = 100
#: A message of this many bits is what the others hide.
_BITS = 64


def tasks(pictures: Sequence[Path], count: int, seconds: float) -> list[lines.Task]:
    """So many pictures, in turn of each kind and of each file, in chunks that leave a line each."""
    paths = [str(each) for each in pictures]
    return [
        {"id": f"{first}", "count": min(CHUNK, count - first), "paths": paths, "seconds": seconds}
        for first in range(0, count, CHUNK)
    ]


def measure(task: lines.Task) -> lines.Record:
    """Read the pictures of a chunk: numbers of those that were accepted, p-values of the pilot."""
    accepted: list[int] = []
    p_values: list[float] = []
    first = int(task["id"])
    for number in range(first, first + task["count"]):
        rng = np.random.default_rng([5, number])
        kind, turn = KINDS[number % len(KINDS)], number // len(KINDS)
        key = None if kind == "crop, no key" else _key("read", number)
        picture = _picture(task["paths"][turn % len(task["paths"])], kind, number, rng)
        if Robust(key=key, seconds=task["seconds"]).extract(picture).status != "nothing":
            accepted.append(number)
        if turn % _EVERY == 0:
            found = pilot.locate(picture, key, budget_seconds=task["seconds"])
            p_values.append(float(f"{found.p_value:.4g}"))
    return {"pictures": task["count"], "accepted": accepted, "p_values": p_values}


def summary(records: Iterable[lines.Record]) -> dict[str, Any]:
    """Counts with their interval, and how far the p-values are from uniform ones."""
    known = list(records)
    pictures = sum(each["pictures"] for each in known)
    accepted = sum(len(each["accepted"]) for each in known)
    values = np.sort([value for each in known for value in each["p_values"]])
    found: dict[str, Any] = {
        "pictures": pictures, "kinds": list(KINDS), "accepted": accepted,
        "high": clopper_pearson(accepted, pictures).high, "p_values": len(values),
    }  # fmt: skip
    if len(values):
        found |= {
            "histogram": np.histogram(values, _BINS, (0, 1))[0].tolist(),
            "ks_distance": ks_distance(values),
            "ks_critical": 1.358 / len(values) ** 0.5,  # 5 %, Kolmogorov's distribution
            "smallest": float(values[0]),
            "below": {str(level): float(np.mean(values < level)) for level in (0.1, 0.01, 0.001)},
        }
    return found


def ks_distance(values: Iterable[float]) -> float:
    """Largest distance of the values' distribution to the uniform one.

    >>> ks_distance([0.5])
    0.5
    >>> round(ks_distance([0.125, 0.375, 0.625, 0.875]), 3)
    0.125
    """
    ordered = np.sort(np.asarray(list(values), np.float64))
    steps = np.arange(ordered.size + 1) / ordered.size
    return float(max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max()))


def verdicts(found: dict[str, Any]) -> list[Verdict]:
    """None accepted, and the p-value uniform."""
    pictures, accepted = found["pictures"], found["accepted"]
    if not pictures:
        return []
    rows = [Verdict("false positives: accepted payloads", "0", f"{accepted}", not accepted)]
    if found["p_values"]:
        near = found["ks_distance"] <= found["ks_critical"]
        asked, measured = f"{found['ks_critical']:.3f}", f"{found['ks_distance']:.3f}"
        rows.append(Verdict("false positives: p-value, distance to uniform", asked, measured, near))
    return [few(each, pictures, plan.UNMARKED) for each in rows]


def _picture(path: str, kind: str, number: int, rng: np.random.Generator) -> Samples:
    array = _read(path)
    height, width = (int(rng.integers(_SMALLEST, _LARGEST + 1)) for _ in range(2))
    if kind == "small":
        return _resized(array, width, height)
    height, width = min(height, array.shape[0]), min(width, array.shape[1])
    top = int(rng.integers(array.shape[0] - height + 1))
    left = int(rng.integers(array.shape[1] - width + 1))
    part = np.ascontiguousarray(array[top : top + height, left : left + width])
    if kind != "wrong key":
        return part
    message = rng.integers(0, 2, _BITS, np.uint8)
    return Robust(psnr=plan.PSNR, key=_key("hide", number)).embed(part, message).image


@lru_cache(maxsize=8)
def _read(path: str) -> Samples:
    return images.read(path).array


def _resized(array: Samples, width: int, height: int) -> Samples:
    from PIL import Image

    picture = Image.fromarray(array[..., 0] if array.shape[2] == 1 else array)
    small = np.asarray(picture.resize((width, height), Image.Resampling.LANCZOS))
    return small[..., None] if small.ndim == 2 else small


def _key(purpose: str, number: int) -> bytes:
    """A key of its own for each picture, so that no chance is met twice."""
    return hashlib.blake2b(f"{purpose} {number}".encode(), digest_size=32).digest()
