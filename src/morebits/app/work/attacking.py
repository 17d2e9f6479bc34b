"""Edit a marked picture as the world does, and see what is left."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from morebits import attacks, hiding
from morebits.app.work import pictures
from morebits.app.work.pictures import File
from morebits.app.workers import Report
from morebits.attacks import compression


def attack(report: Report, *, file: File, edits: str, seed: int, folder: Path) -> dict[str, Any]:
    """The edited picture as samples and as a preview."""
    chosen = attacks.parse(edits)
    report(None, f"applying {chosen.text}", None)
    started = time.perf_counter()
    edited = chosen(file.read(), seed=seed)
    seconds = time.perf_counter() - started
    np.save(folder / pictures.SAMPLES, edited)
    pictures.write_preview(folder / pictures.PREVIEW, edited)
    height, width = edited.shape[:2]
    return {"edits": chosen.text, "width": width, "height": height, "seconds": seconds}


def suffix(edits: str) -> str:
    """The file that edits end in: that of a compression if it is the last step, else a PNG.

    >>> suffix("crop:0.8|jpeg:50"), suffix("hflip")
    ('.jpg', '.png')
    """
    steps = attacks.parse(edits).steps
    known = compression.BY_WORD.get(steps[-1].name) if steps else None
    return known.suffixes[0] if known else ".png"


def save(report: Report, *, file: File, edits: str, seed: int, target: Path) -> dict[str, Any]:
    """Write the edited picture: a compression is the very file that it made."""
    report(None, f"writing {target.name}", None)
    with pictures.called(target.name):
        done = attacks.write(target, file.read(), attacks.parse(edits), seed=seed, force=True)
    return {"path": target, "bytes": target.stat().st_size, "notes": list(done.notes)}


def trials(
    report: Report, *, file: File, suite: str, payload: bytes, key: str | None,
    seconds: float, seed: int,
) -> list[dict[str, Any]]:  # fmt: skip
    """Every edit of a suite: whether the payload comes back, and how long that takes."""
    picture = file.read()
    chosen = attacks.suite(suite)
    rows: list[dict[str, Any]] = []
    report(0.0, f"trying {len(chosen)} edits", rows)
    for edit in chosen:
        edited = edit(picture, seed=seed)
        started = time.perf_counter()
        found = hiding.reveal(edited, key=key, seconds=seconds)
        rows.append({
            "edits": edit.text,
            "label": edit.label,
            "survived": found.payload == payload and bool(found),
            "seconds": time.perf_counter() - started,
        })  # fmt: skip
        report(len(rows) / len(chosen), f"trying {len(chosen)} edits", rows)
    return rows
