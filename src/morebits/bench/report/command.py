"""The command that makes the same run again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from morebits.attacks import SUITES
from morebits.bench import pictures
from morebits.bench.records import label
from morebits.errors import MorebitsError


def command(run: Mapping[str, Any], folder: str | os.PathLike[str]) -> str:
    r"""`morebits bench ...` of a run.json, one option a line.

    >>> run = {"codecs": [{"codec": "box", "options": {"psnr": 42}}], "attacks": ["jpeg:50"],
    ...        "images": {"sources": ["my photos"], "files": {}}, "seed": 0, "bits": None}
    >>> print(command(run, "results"))
    morebits bench --codec box:psnr=42 \
      --images 'my photos' \
      --attacks jpeg:50 \
      --seed 0 --out results
    """
    codecs = [label(each["codec"], each["options"]) for each in run["codecs"]]
    limit = _limit(run["images"])
    last = ["--seed", str(run["seed"])]
    last += [] if run["bits"] is None else ["--bits", str(run["bits"])]
    last += [] if limit is None else ["--limit", str(limit)]
    lines = [
        _options("--codec", codecs),
        f"--images {shlex.join(run['images']['sources'])}",
        _options("--attacks", _suites(run["attacks"])),
        " ".join([*last, "--out", shlex.quote(os.fspath(folder))]),
    ]
    return "morebits bench " + " \\\n  ".join(lines)


def _options(name: str, values: Sequence[str]) -> str:
    return " ".join(f"{name} {shlex.quote(value)}" for value in values)


def _suites(attacks: Sequence[str]) -> list[str]:
    """The largest suites that are wholly in it, in place of their attacks."""
    found: list[str] = []
    left = list(attacks)
    for name, texts in sorted(SUITES.items(), key=lambda each: -len(each[1])):
        if set(texts) <= set(attacks) and set(texts) & set(left) - {"none"}:
            found.append(name)
            left = [each for each in left if each not in texts]
    return [*found, *left]


def _limit(images: Mapping[str, Any]) -> int | None:
    """How many pictures were taken, where there are more."""
    try:
        there = pictures.collect(images["sources"])
    except MorebitsError:
        return None
    count = len(images["files"])
    return count if len(there.files) > count else None
