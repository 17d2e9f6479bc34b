"""One trip of the soak: hide, write, read, reveal, compare; and what counts as right."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import morebits as mb
from morebits import images
from morebits.errors import DoesNotFit, ImageError, MorebitsError
from morebits.hiding import Marked
from morebits.types import Codec
from reliability_parts import cases
from reliability_parts.cases import Case

#: Pixels a side of the tiles.
_TILE = 16


class Wrong(Exception):
    """Something that must not happen."""


def run(seed: int, case: Case, folder: Path) -> dict[str, Any]:
    """The trip as a line: its case, and the `outcome`.

    exact: the payload came back byte by byte. refused: with the right error, which the case
    allows. wrong: anything else; `problem` says what.
    """
    start = time.perf_counter()
    problem = None
    try:
        outcome = _trip(seed, case, folder)
    except Wrong as error:
        outcome, problem = "wrong", str(error)
    except Exception as error:  # noqa: BLE001  whatever it is, it is none of ours
        outcome, problem = "wrong", f"{type(error).__name__}: {error}"
    spent = round(time.perf_counter() - start, 4)
    return {**case.plain(), "outcome": outcome, "problem": problem, "seconds": spent}


def _trip(seed: int, case: Case, folder: Path) -> str:
    key, cover = cases.KEYS[case.key], cases.cover(seed, case)
    codec, options = _codec(case, key)
    room = _Room(lambda: mb.room(cover, codec=codec, **options))
    size = _size(case, room)
    payload = cases.noise(seed, case, size)
    words = {"fill": True} if case.payload == "fill" else options
    try:
        marked = mb.hide(cover, payload, key=key, codec=codec, **words)
    except MorebitsError as error:
        _check_refusal(case, size, room, error)
        return "refused"
    if case.payload == "double" and room() >= 0:
        raise Wrong(f"{size} bytes were taken, where {room()} fit")
    return _through_file(case, marked, payload, folder)


def _through_file(case: Case, marked: Marked, payload: bytes, folder: Path) -> str:
    """Written, read again and revealed; then the file is removed."""
    path = folder / f"trip-{case.number}.{case.suffix}"
    lossy = case.suffix in ("jpg", "avif")
    try:
        marked.save(path)
    except ImageError as error:
        if lossy and "did not come back" in str(error):
            return "refused"
        raise
    try:
        again = images.read(path)
        known = marked.reader if not isinstance(marked.reader, str) else None
        found = mb.reveal(again, key=marked.key, codec=known)
    finally:
        path.unlink()
    if found.payload != payload:
        raise Wrong(f"{found.status}: {_difference(payload, found.payload)}")
    if not lossy and not np.array_equal(again.array, marked.image):
        raise Wrong("the file has other samples")
    if case.alpha and not lossy and not _same(again.alpha, marked.cover.alpha):
        raise Wrong("the file has another alpha channel")
    if marked.lowest_psnr and marked.psnr < marked.lowest_psnr - 1e-9:
        raise Wrong(f"{marked.psnr} dB, where {marked.lowest_psnr} were promised")
    return "exact"


class _Room:
    """What fits, asked once and only if need be; -1 where the codec refuses the picture."""

    def __init__(self, ask: Callable[[], int]):
        self._ask, self._known = ask, None

    def __call__(self) -> int:
        if self._known is None:
            try:
                self._known = self._ask()
            except (ImageError, DoesNotFit):
                self._known = -1
        return self._known


def _size(case: Case, room: _Room) -> int:
    if case.payload == "fill":
        return case.width * case.height // 8
    if case.payload.isdigit():
        return int(case.payload)
    more = {"room - 1": -1, "room": 0, "room + 1": 1}
    fits = room()
    return 2 * max(0, fits) + 64 if case.payload == "double" else max(0, fits + more[case.payload])


def _check_refusal(case: Case, size: int, room: _Room, error: MorebitsError) -> None:
    """Raise Wrong unless this payload may be refused, and with this error."""
    told = f"{type(error).__name__}: {error}"
    tiny = isinstance(error, ImageError) and (
        case.payload == "fill" or room() < (case.codec in cases.STURDY)
    )
    if not isinstance(error, DoesNotFit) and not tiny:
        raise Wrong(f"the wrong error: {told}")
    if case.payload != "fill" and size <= room() and case.codec not in cases.STURDY:
        raise Wrong(f"{size} of {room()} bytes were refused: {told}")


def _codec(case: Case, key: str | bytes | None) -> tuple[str | Codec, dict[str, Any]]:
    """What `hide` is given: a name with options, or a codec that was made before."""
    if case.codec in ("trellis", "box", "robust"):
        return case.codec, {"psnr": case.psnr}
    extra: dict[str, dict[str, Any]] = {
        "tiled": {"codec": "trellis", "size": _TILE, "key": key},
        "mosaic": {"key": key},
    }
    return mb.codec(case.codec, psnr=case.psnr, **extra.get(case.codec, {})), {}


def _difference(sent: bytes, found: bytes | None) -> str:
    if found is None:
        return f"nothing came back of {len(sent)} bytes"
    wrong = sum(a != b for a, b in zip(sent, found, strict=False)) + abs(len(sent) - len(found))
    return f"{wrong} of {len(sent)} bytes differ"


def _same(first: Any, second: Any) -> bool:
    return first is not None and second is not None and np.array_equal(first, second)
