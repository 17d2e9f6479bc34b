"""Reveal what is in a picture, and say in words what was found."""

from __future__ import annotations

import time
from typing import Any

from morebits import hiding
from morebits.app.work.pictures import File
from morebits.app.workers import Report
from morebits.codecs.pilot import locate
from morebits.human import plain_text
from morebits.types import Extraction

#: Seconds for which traces of a mark are looked for that can no longer be read.
_TRACES = 2.0
#: A trace is one beyond doubt.
_SURE = 1e-6


def reveal(
    report: Report, *, file: File, key: str | None, seconds: float, traces: bool
) -> tuple[dict[str, Any], bytes | None]:
    """Facts for the page, and the payload; with `traces` a failure says if a mark is there yet."""
    report(None, f"revealing what is in {file.name}", None)
    picture = file.read()
    started = time.perf_counter()
    found = hiding.reveal(picture, key=key, seconds=seconds)
    took = time.perf_counter() - started
    plain = {
        "status": found.status,
        "codec": found.codec if found else None,
        "p_value": found.p_value,
        "seconds": took,
        "edits": list(found.details.get("edits", ())),
    }
    payload = found.payload if found else None
    if payload is not None:
        return plain | {"payload_bytes": len(payload), "text": plain_text(payload)}, payload
    plain["why"] = why_not(found, seconds, keyed=key is not None)
    if traces and found.status == "nothing":
        report(None, "looking for traces of a mark", None)
        traced = locate(picture.array, key, budget_seconds=_TRACES)
        plain["trace"] = traced.model if traced and traced.p_value < _SURE else None
    return plain, None


def why_not(found: Extraction, seconds: float, *, keyed: bool) -> str:
    """One sentence that ends with what to do.

    >>> why_not(Extraction("altered", "trellis"), 10, keyed=True)
    'Something is hidden here, but the picture was changed after that: get the original file.'
    """
    if found.status == "altered":
        return (
            "Something is hidden here, but the picture was changed after that: "
            "get the original file."
        )
    tried = list(found.details["tried"])
    limit = f", up to {seconds:g} seconds" if "robust" in tried else ""
    what = f"({', '.join(tried)}{limit})"
    if keyed:
        return f"Nothing found with this key {what}: check the key, or look longer."
    return f"Nothing found without a key {what}: give the key if there is one, or look longer."
