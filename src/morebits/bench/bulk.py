"""Hide and reveal in many pictures: the workers of the benchmark, one line of results a file.

A file that cannot be used costs its own line, and nothing else.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, cast

from morebits import files, hiding, images
from morebits.bench import flow
from morebits.bench.pictures import Pictures
from morebits.bench.pools import Pool
from morebits.bench.work import one_line
from morebits.codecs.keys import Key
from morebits.errors import FileNotWritten
from morebits.images.formats import LOSSLESS, LOSSY

#: What is known of one file, ready for JSON; "status" and "error" are always there.
Line: TypeAlias = dict[str, Any]

#: What a payload is called in a folder: the picture's name, and this.
SUFFIX = ".bin"


@dataclass(frozen=True)
class Hiding:
    """What to hide in every picture, and how; as the arguments of `hiding.hide` and `save`."""

    payload: bytes = field(repr=False)
    psnr: float | None = None
    fill: bool = False
    key: Key = field(default=None, repr=False)
    codec: str = hiding.DEFAULT_CODEC
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    upright: bool = False
    quality: int | None = None

    @property
    def fragile(self) -> bool:
        """Whether only lossless files will do."""
        return self.codec in hiding.FRAGILE

    def file(self, name: str) -> Path:
        """What the marked copy of this picture is called: the same, or .png instead."""
        path, suffixes = Path(name), LOSSLESS if self.fragile else LOSSLESS | LOSSY
        return path if path.suffix.lower() in suffixes else path.with_suffix(".png")

    def quality_of(self, path: Path) -> int | None:
        """The quality that a file is written with; some keep every sample."""
        return self.quality if path.suffix.lower() in LOSSY else None


@dataclass(frozen=True)
class _Task:
    """One file, and the one to write; None: the payload goes into the line."""

    name: str
    path: Path
    target: Path | None
    max_pixels: int
    force: bool


def hide(
    pictures: Pictures, out: Path, what: Hiding, *, pool: Pool,
    force: bool = False, max_pixels: int = images.MAX_PIXELS,
) -> Iterator[Line]:  # fmt: skip
    """Mark every picture into the folder `out`, and say of each how it went, as they come.

    Names are kept; where the format is not one for this mark, it becomes .png. Each line has the
    cover's name, `status` (hidden, skipped or error), and with it the file, the PSNR in dB and the
    sizes. A file that exists is skipped, or overwritten with `force`.
    """
    targets: dict[Path, str] = {}
    tasks: list[_Task] = []
    for name, path in pictures.files.items():
        target = out / what.file(name)
        if other := targets.get(target):
            problem = f"{target.name} is where {other} goes already; rename one of them"
            yield {"cover": name, "status": "error", "error": problem}
            continue
        targets[target] = name
        tasks.append(_Task(name, path, target, max_pixels, force))
    yield from _through(pool, partial(_hide, what), pictures, tasks, "cover")


def reveal(
    pictures: Pictures, out: Path | None, *, key: Key = None, pool: Pool,
    seconds: float = hiding.DEFAULT_SECONDS, force: bool = False,
    max_pixels: int = images.MAX_PIXELS,
) -> Iterator[Line]:  # fmt: skip
    """What is hidden in every picture, into files NAME.bin of the folder `out`, as they come.

    Each line has the picture's name and `status` (found, altered, nothing, skipped or error);
    without `out` the payload is in it, in base64. `seconds` are for each edited picture.
    """
    tasks = [
        _Task(name, path, out and out / (name + SUFFIX), max_pixels, force)
        for name, path in pictures.files.items()
    ]
    yield from _through(pool, partial(_reveal, key, seconds), pictures, tasks, "picture")


def _through(
    pool: Pool, function: Callable[[_Task], Line], pictures: Pictures, tasks: list[_Task], word: str
) -> Iterator[Line]:
    """The tasks' lines; what is there already is skipped, and no input is ever an output."""
    inputs = {_file(each) for each in pictures.files.values()}
    left: list[_Task] = []
    for task in tasks:
        if task.target is not None:
            _make(task.target.parent)
        there = _file(task.target)
        if there is not None and there in inputs:
            problem = f"{task.target}: is one of the pictures themselves; give another folder"
            yield {word: task.name, "status": "error", "error": problem}
        elif there is not None and not task.force:
            note, file = "exists; --force overwrites it", str(task.target)
            yield {
                word: task.name,
                "status": "skipped",
                "file": file,
                "notes": [note],
                "error": None,
            }
        else:
            left.append(task)
    with closing(flow.results(pool, function, left)) as found:
        for task, line in found:
            if isinstance(line, flow.Lost):
                line = {"status": "error", "error": line.reason}
            yield {word: task.name, **line}


def _hide(what: Hiding, task: _Task) -> Line:
    target = cast("Path", task.target)  # there always is one
    try:
        picture = images.read(task.path, max_pixels=task.max_pixels)
        if what.upright:
            picture = images.upright(picture)
        quality = what.quality_of(target)
        images.check_write(target, picture, fragile=what.fragile, quality=quality, force=task.force)
        marked = hiding.hide(
            picture, what.payload, psnr=what.psnr, fill=what.fill, key=what.key, codec=what.codec,
            **what.options,
        )  # fmt: skip
        notes = (*picture.notes, *marked.save(target, quality=quality, force=task.force))
    except Exception as error:  # noqa: BLE001  one bad file is one line
        return {"status": "error", "error": one_line(error)}
    return {
        "status": "hidden",
        "file": str(target),
        "payload_bytes": marked.payload_bytes,
        "message_bits": marked.bits,
        "psnr": marked.psnr if math.isfinite(marked.psnr) else None,
        "codec": marked.codec,
        "survives": list(marked.survives),
        "encrypted": marked.key is not None,
        "notes": list(notes),
        "error": None,
    }


def _reveal(key: Key, seconds: float, task: _Task) -> Line:
    try:
        picture = images.read(task.path, max_pixels=task.max_pixels)
        found = hiding.reveal(picture, key=key, seconds=seconds)
        line: Line = {"status": found.status, "p_value": found.p_value, "error": None}
        if found and found.payload is not None:
            line |= {"codec": found.codec, "payload_bytes": len(found.payload)}
            line["undone"] = found.details["edits"]
            if task.target is None:
                line["payload_base64"] = base64.b64encode(found.payload).decode()
            else:
                files.write_bytes(task.target, found.payload, force=task.force)
                line["file"] = str(task.target)
    except Exception as error:  # noqa: BLE001  one bad file is one line
        return {"status": "error", "error": one_line(error)}
    return line


def _file(path: Path | None) -> tuple[int, int] | None:
    """Which file is there, whatever its name; None for nothing."""
    try:
        found = path and path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found else None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be a folder ({error.strerror})"
        raise FileNotWritten(folder, problem, "give another folder (--out)") from None
