"""Hide a payload, and write the marked picture to a file that people take away."""

from __future__ import annotations

import math
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from morebits import hiding, measure
from morebits.app.work import pictures
from morebits.app.work.pictures import File
from morebits.app.workers import Report
from morebits.hiding import Marked

#: Fields of a marked picture that are in files, not in memory.
_LARGE = ("image", "cover")


def hide(
    report: Report, *, file: File, payload: bytes, key: str | None, codec: str,
    psnr: float | None, survive: list[str] | None, mask: bool, folder: Path,
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """Hide bytes; facts for the page, and what `save` needs to know, which stays in memory."""
    stage = f"hiding {len(payload):,} bytes"
    options: dict[str, Any] = {"progress": lambda fraction: report(fraction, stage, None)}
    if survive is not None:
        options["survive"] = survive
    if mask:
        from morebits.codecs import masks

        options["mask"] = masks.texture
    report(None, stage, None)
    started = time.perf_counter()
    picture = file.read()
    marked = hiding.hide(picture, payload, psnr=psnr, key=key, codec=codec, **options)
    seconds = time.perf_counter() - started
    report(None, "drawing the difference", None)
    np.save(folder / pictures.SAMPLES, marked.image)
    np.save(folder / pictures.COVER, picture.array)
    pictures.write_preview(folder / pictures.PREVIEW, marked.image, picture.icc)
    pictures.write_changes(folder / pictures.CHANGES, picture.array, marked.image)
    secret = {
        each.name: getattr(marked, each.name) for each in fields(marked) if each.name not in _LARGE
    }
    return {**pictures.facts(picture), **_facts(marked), "seconds": seconds}, secret


def save(
    report: Report, *, file: File, samples: Path, secret: dict[str, Any],
    target: Path, quality: int | None,
) -> dict[str, Any]:  # fmt: skip
    """Write a marked picture with the cover's metadata; it is read and revealed again."""
    report(None, f"writing {target.name}, and revealing it again", None)
    cover = file.read()
    marked = Marked(**secret, cover=cover, image=np.load(samples))
    with pictures.called(target.name):
        notes = marked.save(target, quality=quality, force=True)
    return {"path": target, "bytes": target.stat().st_size, "notes": list(notes)}


def _facts(marked: Marked) -> dict[str, Any]:
    lowest = marked.psnr if marked.lowest_psnr is None else marked.lowest_psnr
    level = lowest if math.isfinite(lowest) else 0.0
    changed = np.count_nonzero(marked.image != marked.cover.array) / marked.image.size
    return {
        "psnr": marked.psnr if math.isfinite(marked.psnr) else None,
        "codec": marked.codec,
        "payload_bytes": marked.payload_bytes,
        "message_bits": marked.bits,
        "bound_bits": measure.capacity(marked.cover, psnr=level).bits,
        "bound_psnr": level,
        "fragile": marked.fragile,
        "survives": [each for each in marked.survives if each != "none"],
        "encrypted": marked.key is not None,
        "changed": changed,
        "block": pictures.block(marked.image.shape),
    }
