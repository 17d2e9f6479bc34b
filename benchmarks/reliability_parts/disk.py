"""A file system that is full, or read-only: an error of ours, nothing half, and it goes on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reliability_parts import kills
from reliability_parts.commands import Ended, parts, photos, run

#: Kilobytes of the file system by job: too few for all of it, enough for a part.
_SIZES = {"hide": (64,), "reveal": (4,), "bulk hide": (700,), "benchmark": (4, 16),
          "training": (12, 60, 200)}  # fmt: skip
_PLENTY = "size=64m"


def measure(scratch: Path) -> dict[str, Any]:
    """Every job on a full disk, then with room; and on a read-only one."""
    try:
        with _mounted(scratch / "try", "size=64k"):
            pass
    except (OSError, subprocess.CalledProcessError) as error:
        return {"left out": f"cannot mount a file system here ({error})"}
    jobs, problems, told = _jobs(scratch), list[str](), dict[str, list[str]]()
    for name, words in jobs.items():
        print(f"[disk] {name}", file=sys.stderr, flush=True)
        for size in _SIZES[name]:
            with _mounted(scratch / f"{name}-{size}".replace(" ", "-"), f"size={size}k") as disk:
                told.setdefault(name, []).append(_full(name, words, disk, problems))
        with _mounted(scratch / f"{name}-ro".replace(" ", "-"), _PLENTY) as disk:
            _mount("remount,ro", disk)
            ended = run([*words, disk / _out(name)])
            _check(ended, f"{name}, read-only", problems)
            told[name].append(ended.last.replace(str(disk), "DISK"))
    return {"jobs": list(jobs), "errors": told, "problems": problems}


def _full(name: str, words: Sequence[str | Path], disk: Path, problems: list[str]) -> str:
    """Full, then with room; what it said when it was full."""
    out = disk / _out(name)
    ended = run([*words, out])
    where = f"{name}, full"
    _check(ended, where, problems)
    problems += [f"{where}: {each} is left" for each in parts(disk)]
    if name in ("hide", "reveal") and out.exists():
        problems.append(f"{where}: something is there under the final name")
    _mount(f"remount,{_PLENTY}", disk)
    resumed = (out / "state.safetensors").exists()
    again = run([*words, out, *["--resume"] * resumed])
    if again.code:
        problems.append(f"{where}, then with room: {again.last}")
    problems += [f"{where}: {each}" for each in _wrong(name, out)]
    return (ended.last or ended.out.splitlines()[-1]).replace(str(disk), "DISK")


def _out(name: str) -> str:
    """What a job writes: a file, or a folder."""
    return "out.png" if name in ("hide", "reveal") else "out"


def _wrong(name: str, out: Path) -> list[str]:
    """What is not as it should be after the job went on."""
    count = kills.Count(name, 0)
    if name == "benchmark" and len(kills.samples(out, count)) != 8 * 4:
        count.problems.append("samples are missing")
    if name == "training":
        kills.whole(out, count)
        kills.weights(out, count)
    if name == "bulk hide" and len(list(out.iterdir())) != 8:
        count.problems.append("pictures are missing")
    return count.problems


def _check(ended: Ended, where: str, problems: list[str]) -> None:
    lines = where.startswith("bulk") and '"error": "' in ended.out
    if not (ended.ours or lines) or "Traceback" in ended.err:
        problems.append(f"{where}: exit code {ended.code}, {ended.err[-300:]!r}")


def _jobs(scratch: Path) -> dict[str, list[str | Path]]:
    """Commands that end with where they write."""
    many = photos(scratch / "photos", 8, 200, 260)
    marked, photo = scratch / "marked.png", many / "000.png"
    note = scratch / "note.bin"
    note.write_bytes(bytes(range(256)) * 64)
    hide: list[str | Path] = ["hide", "--codec", "trellis"]
    run([*hide, photo, "--file", note, "-o", marked])
    small = photos(scratch / "small", 8, 48, 64)
    attacks = [word for each in ("none", "hflip", "blur:3") for word in ("--attacks", each)]
    return {
        "hide": [*hide, photo, "--text", "note", "-o"],
        "reveal": ["reveal", marked, "-o"],
        "bulk hide": [*hide, many, "--text", "note", "--jobs", "2", "-o"],
        "benchmark": ["bench", "--codec", "trellis:states=16", "--images", small, *attacks,
                      "--jobs", "1", "--out"],
        "training": ["train", "--config", kills.training_config(scratch, epochs=4), "--out"],
    }  # fmt: skip


@contextmanager
def _mounted(path: Path, options: str) -> Generator[Path]:
    """A file system in memory, of a size; gone in the end."""
    path.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "morebits", str(path)],
        check=True, capture_output=True,
    )  # fmt: skip
    try:
        yield path
    finally:
        subprocess.run(["umount", str(path)], check=True, capture_output=True)


def _mount(options: str, path: Path) -> None:
    subprocess.run(["mount", "-o", options, str(path)], check=True, capture_output=True)
