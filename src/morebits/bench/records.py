"""What the benchmark measures: one record a sample, as lines of JSON.

A sample is one codec on one picture under one attack; `unmarked` in place of the attack means
that the codec read the cover itself. Every sample of a run has exactly one record: where
something went wrong, `error` says what in one line, and what could not be measured is null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, cast

from morebits.errors import NewerFormat, ResultsError

#: Of records and of run.json; a change that old readers would misread makes it one more.
SCHEMA = 1

#: In place of an attack: the codec read the cover, where nothing is hidden.
UNMARKED = "unmarked"

SAMPLES = "samples.jsonl"
RUN = "run.json"

Key: TypeAlias = tuple[str, str, str, int]


class Sample(TypedDict):
    """One record.

    `bits` is the length of the message. `psnr` in dB (null where nothing changed), `ssim`,
    `ms_ssim` and `perceptual` (name to score of every metric of `bench.perceptual` that could
    run; `{}` in records from before it was there) compare marked and cover, before any attack;
    `fraction` is bits over the exact capacity of this very photo at the measured PSNR. `exact`:
    found, with every bit right; what a codec returns behind the message does not count.
    `capacity` is `bits (1 - H2(error))`. `seconds` of embed, attack, extract and metric; a
    picture is marked once for all its attacks, so their records share the seconds of embed.
    """

    schema: int
    run: str
    codec: str
    options: dict[str, Any]
    image: str
    attack: str
    seed: int
    bits: int | None
    width: int | None
    height: int | None
    psnr: float | None
    ssim: float | None
    ms_ssim: float | None
    perceptual: dict[str, float]
    fraction: float | None
    status: str | None
    bit_accuracy: float | None
    exact: bool | None
    capacity: float | None
    p_value: float | None
    seconds: dict[str, float]
    error: str | None


def label(codec: str, options: Mapping[str, Any]) -> str:
    """A codec and its options as one writes them on the command line.

    >>> label("trellis", {"states": 256, "psnr": 42})
    'trellis:psnr=42,states=256'
    """
    words = ",".join(f"{name}={options[name]}" for name in sorted(options))
    return f"{codec}:{words}" if words else codec


def key(sample: Sample) -> Key:
    """What makes a sample the same sample: a run that goes on skips those that it has."""
    name = label(sample["codec"], sample["options"])
    return name, sample["image"], sample["attack"], sample["seed"]


def line(sample: Sample) -> bytes:
    """The record as a line of the file."""
    return json.dumps(sample, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def read(folder: str | Path) -> Iterator[Sample]:
    """Every sample of a results folder, each once, in the order in which they were finished.

    A last line that is not complete belongs to a run that goes on, or was killed: it is left out.
    """
    path = Path(folder) / SAMPLES
    seen: set[Key] = set()
    try:
        with path.open("rb") as file:
            for number, text in enumerate(file, start=1):
                if not text.endswith(b"\n"):
                    return
                sample = _parse(text, folder, number)
                if key(sample) not in seen:
                    seen.add(key(sample))
                    yield sample
    except FileNotFoundError:
        fix = "give the folder that `morebits bench --out` filled"
        raise ResultsError(folder, f"has no {SAMPLES}", fix) from None


def read_run(folder: str | Path) -> dict[str, Any]:
    """What run.json says of the run: versions, machine, codecs, attacks, pictures, times."""
    path = Path(folder) / RUN
    fix = "give the folder that `morebits bench --out` filled, or a new one"
    try:
        run = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ResultsError(folder, f"has no {RUN}", fix) from None
    except ValueError:
        raise ResultsError(folder, f"its {RUN} is not JSON", fix) from None
    if not isinstance(run, dict) or not isinstance(run.get("schema"), int):
        raise ResultsError(folder, f"its {RUN} is not of morebits", fix)
    _check_schema(run["schema"], folder, str(run.get("morebits")))
    return cast("dict[str, Any]", run)


def _parse(text: bytes, folder: str | Path, number: int) -> Sample:
    try:
        sample = json.loads(text)
        schema = sample["schema"]
    except (ValueError, TypeError, KeyError):
        problem = f"line {number} of {SAMPLES} is not a record"
        raise ResultsError(folder, problem, "remove that line") from None
    _check_schema(schema, folder, "another version")
    sample.setdefault("perceptual", {})
    if set(sample) != set(Sample.__annotations__):
        problem = f"line {number} of {SAMPLES} has other fields than a record"
        raise ResultsError(folder, problem, "remove that line")
    return sample


def _check_schema(schema: int, folder: str | Path, version: str) -> None:
    if schema > SCHEMA:
        raise NewerFormat(f"results folder {folder}", str(schema), str(SCHEMA))
    if schema < SCHEMA:
        problem = f"has results of schema {schema}, made by morebits {version}"
        raise ResultsError(folder, problem, "give another folder (--out)")


@dataclass(frozen=True)
class Problem:
    """One error, how many samples have it, and of which codecs, pictures and attacks."""

    error: str
    samples: int
    codecs: tuple[str, ...]
    images: tuple[str, ...]
    attacks: tuple[str, ...]


class Problems:
    """Errors of many samples, each told once: a broken picture fails under every attack."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[list[int], dict[str, None], dict[str, None], dict[str, None]]]
        self._found = {}

    def add(self, samples: Iterable[Sample]) -> None:
        """Take in the errors of some samples."""
        for each in samples:
            if each["error"] is not None:
                count, *sets = self._found.setdefault(each["error"], ([0], {}, {}, {}))
                count[0] += 1
                words = label(each["codec"], each["options"]), each["image"], each["attack"]
                for known, word in zip(sets, words, strict=True):
                    known[word] = None

    def list(self) -> tuple[Problem, ...]:
        """The errors, the most frequent first."""
        found = (
            Problem(error, count[0], tuple(codecs), tuple(images), tuple(attacks))
            for error, (count, codecs, images, attacks) in self._found.items()
        )
        return tuple(sorted(found, key=lambda each: -each.samples))
