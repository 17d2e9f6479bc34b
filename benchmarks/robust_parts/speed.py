"""Seconds on one core, and memory: small pictures here, a large one in processes of its own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from morebits import attacks, images
from morebits.bench.machine import machine, packages
from morebits.codecs.robust import Robust
from morebits.images import Samples
from robust_parts import networks, plan
from robust_parts.lines import Say
from schemes.runs import Verdict

_SIZE = (640, 480)
_BITS = 1024
_PHOTOS = 12
#: Degrees by which marked pictures are turned.
_ANGLES = (0, 2, 5, -7, 10, 17, 30, 45, 60, 90, 135, 180)
_LARGE = (4000, 3000)
_LARGE_BITS = 16384
_LARGE_EDITS = ("none", "jpeg:60", "crop:0.71", "resize:0.5", "rotate:10")


def measure(pictures: Sequence[Path], large: Sequence[Path], say: Say) -> dict[str, Any]:
    """Every figure of this part; the process is held on one core while it lasts."""
    with _OneCore():
        covers = [_small(path) for path in pictures[:_PHOTOS]]
        found: dict[str, Any] = {"machine": machine(), "packages": packages(), "size": _SIZE}
        found["load"] = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
        codec = Robust(psnr=plan.PSNR)
        _warm_up(codec, covers[0])
        found |= _round_trips(codec, covers, say)
        found["peer"] = {**networks.measure(covers[0], say), "ours": _ours(codec, covers[0])}
        found["large"] = _large(list(large or pictures), say)
    return found


def verdicts(found: dict[str, Any]) -> list[Verdict]:
    """What was asked, beside what was measured."""
    embed, extract, unmarked = found["embed"], found["extract"], found["unmarked"]
    large, reads = found["large"], found["large"]["extract"]
    peak = max(large["embed"]["bytes"], *(each["bytes"] for each in reads.values())) / 2**30
    middle = statistics.median(each["median"] for each in reads.values())
    return [
        _verdict("640x480: embed, median", 0.3, embed["median"]),
        _verdict("640x480: extract, median over rotations", 1.0, extract["median"]),
        _verdict("640x480: extract, worst over rotations", 5.0, extract["worst"]),
        _verdict("640x480: unmarked picture, worst", 5.0, unmarked["worst"]),
        _verdict("12 megapixels: embed, median", 6.0, large["embed"]["median"]),
        _verdict("12 megapixels: extract, median over edits", 4.0, middle),
        Verdict("12 megapixels: peak memory", "1.5 GiB", f"{peak:.2f} GiB", peak < 1.5),
    ]


def _round_trips(codec: Robust, covers: Sequence[Samples], say: Say) -> dict[str, Any]:
    """Embed, extract after each rotation, and covers without a mark."""
    message = np.random.default_rng(0).integers(0, 2, _BITS, np.uint8)
    embeds, reads, covers_read = [], {angle: [] for angle in _ANGLES}, []
    exact = 0
    for number, cover in enumerate(covers):
        say(f"640x480, picture {number + 1} of {len(covers)}")
        seconds, marked = _timed(lambda cover=cover: codec.embed(cover, message))
        embeds.append(seconds)
        for angle in _ANGLES:
            turned = attacks.parse(f"rotate:{angle}" if angle else "none")(
                marked.image, seed=number
            )
            seconds, found = _timed(lambda turned=turned: codec.extract(turned))
            reads[angle].append(seconds)
            exact += found.bits is not None and np.array_equal(found.bits, message)
        covers_read.append(_timed(lambda cover=cover: codec.extract(cover))[0])
    return {
        "pictures": len(covers), "bits": _BITS, "budget": codec.seconds,
        "embed": _summary(embeds),
        "extract": {
            **_summary(seconds for each in reads.values() for seconds in each),
            "exact": exact, "of": len(covers) * len(_ANGLES),
            "rotations": {str(angle): _summary(each) for angle, each in reads.items()},
        },
        "unmarked": _summary(covers_read),
    }  # fmt: skip


def _ours(codec: Robust, cover: Samples) -> dict[str, float]:
    """Seconds for the picture that the networks get, measured as theirs are."""
    message = np.random.default_rng(0).integers(0, 2, _BITS, np.uint8)
    marked = codec.embed(cover, message).image
    return {
        "embed": networks.seconds(lambda: codec.embed(cover, message)),
        "extract": networks.seconds(lambda: codec.extract(marked)),
    }


def _large(paths: Sequence[Path], say: Say) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        cover, marked, edited = (
            Path(name) / f"{each}.npy" for each in ("cover", "marked", "edited")
        )
        np.save(cover, _mosaic(paths))
        say("12 megapixels: embed")
        made = _child("embed", cover, marked, _LARGE_BITS)
        reads: dict[str, Any] = {}
        for edit in _LARGE_EDITS:
            say(f"12 megapixels: extract after {edit}")
            np.save(edited, attacks.parse(edit)(np.load(marked), seed=0))
            read = _child("extract", edited, _LARGE_BITS)
            reads[edit] = {
                **_summary(read["seconds"]),
                "bytes": read["bytes"],
                "exact": read["exact"],
            }
    embed = {**_summary(made["seconds"]), "bytes": made["bytes"], "psnr": made["psnr"]}
    return {"size": _LARGE, "bits": _LARGE_BITS, "embed": embed, "extract": reads}


def _child(*words: object) -> dict[str, Any]:
    script = Path(__file__).with_name("large.py")
    command = [sys.executable, str(script), *map(str, words)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def _mosaic(paths: Sequence[Path]) -> Samples:
    """Twelve megapixels of real texture: photos side by side, none of them enlarged."""
    width, height = _LARGE
    canvas = Image.new("RGB", _LARGE)
    top, number = 0, 0
    while top < height:
        left, tallest = 0, height
        while left < width:
            photo = Image.fromarray(_colour(paths[number % len(paths)]))
            canvas.paste(photo, (left, top))
            left, tallest, number = left + photo.width, min(tallest, photo.height), number + 1
        top += tallest
    return np.asarray(canvas)


def _small(path: Path) -> Samples:
    """The photo with 640x480 pixels: its middle, made smaller or larger."""
    return np.asarray(ImageOps.fit(Image.fromarray(_colour(path)), _SIZE, Image.Resampling.LANCZOS))


def _colour(path: Path) -> Samples:
    array = images.read(path).array
    return np.ascontiguousarray(np.broadcast_to(array, (*array.shape[:2], 3)))


def _warm_up(codec: Robust, cover: Samples) -> None:
    """Every path once: the first call compiles."""
    marked = codec.embed(cover, np.ones(_BITS, np.uint8)).image
    for text in ("none", "rotate:30", "blur:9"):
        codec.extract(attacks.parse(text)(marked, seed=0))
    codec.extract(cover)


def _timed(task: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    found = task()
    return time.perf_counter() - started, found


def _summary(seconds: Iterable[float]) -> dict[str, float]:
    known = list(seconds)
    return {"median": statistics.median(known), "worst": max(known), "n": len(known)}


def _verdict(figure: str, asked: float, measured: float) -> Verdict:
    return Verdict(figure, f"{asked:g} s", f"{measured:.2f} s", measured <= asked)


class _OneCore:
    """Keeps this process and its children on one core, where the system can do that."""

    def __enter__(self) -> None:
        self._before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
        if self._before:
            os.sched_setaffinity(0, {max(self._before)})

    def __exit__(self, *_: object) -> None:
        if self._before:
            os.sched_setaffinity(0, self._before)
