"""Example pictures: made again from the run, since results hold numbers only.

The same seed gives the same message, the same marked picture and the same attack. A marked
picture is shown only when its PSNR is the one on record.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from morebits import attacks, distortion, images
from morebits.attacks.attack import eight_bits
from morebits.bench import pictures, work
from morebits.bench.records import Sample
from morebits.bench.report.content import Content, Result, accuracy
from morebits.bench.specs import CodecSpec
from morebits.codecs import registry
from morebits.errors import MorebitsError
from morebits.images import Picture, Samples

#: Pixels a side of the part that is shown as it is, and of a picture that is shown whole.
PART, WHOLE = 192, 288
#: How many times a difference is enlarged.
TIMES = 10
#: A PSNR on record is this near to the one of the same picture, in dB.
_SAME = 1e-6


@dataclass(frozen=True)
class Panel:
    """A picture as a data URI, what it is, and the text for those who do not see it."""

    title: str
    words: str
    alt: str
    uri: str


@dataclass(frozen=True)
class Example:
    """One photo of one codec; without panels `problem` says why."""

    codec: str
    which: str
    image: str
    panels: tuple[Panel, ...] = ()
    problem: str | None = None


def examples(content: Content) -> tuple[Example, ...]:
    """The best and the worst photo of every codec."""
    files = _files(content.run)
    found: list[Example] = []
    for result in content.results:
        wanted = {"best photo": result.best, "worst photo": result.worst}
        if result.best == result.worst:
            wanted = {"its photo": result.best}
        found += [_example(content, result, image, which, files) for which, image in wanted.items()]
    return tuple(found)


def _example(
    content: Content, result: Result, image: str, which: str, files: Mapping[str, Path]
) -> Example:
    mine = [each for each in content.of(result.codec) if each["image"] == image]
    try:
        panels = _panels(content, result, mine, files.get(image))
    except (Exception, SystemExit) as error:  # noqa: BLE001  the codec may be anybody's
        return Example(result.codec, which, image, problem=work.one_line(error))
    return Example(result.codec, which, image, panels)


class _NotAvailable(MorebitsError):
    """Why there is no example."""


def _panels(
    content: Content, result: Result, mine: list[Sample], path: Path | None
) -> tuple[Panel, ...]:
    marked_ones = [each for each in mine if each["psnr"] is not None and each["bits"]]
    if not marked_ones:
        raise _NotAvailable("the codec did not mark this photo")
    if path is None:
        raise _NotAvailable("the photo is not where it was, or is another one now")
    sample = _hardest(marked_ones)
    spec = CodecSpec(result.name, result.options, registry.maker(result.name))
    task = work.Task(
        content.run["run"], spec, sample["image"], str(path), (), sample["seed"], sample["bits"]
    )
    cover = images.read(path)
    message = work.message_of(task, sample["bits"] or 0)
    marked = spec.make().embed(cover.array.copy(), message).image
    psnr = distortion.psnr(cover.array, marked, peak=cover.format.rho)
    if not math.isclose(psnr, sample["psnr"] or 0.0, abs_tol=_SAME):
        raise _NotAvailable(f"marked again, this photo has {psnr:.2f} dB, and had another PSNR")
    attacked = attacks.parse(sample["attack"])(marked, seed=work.attack_seed(task))
    return _four(cover, marked, attacked, sample)


def _four(cover: Picture, marked: Samples, attacked: Samples, sample: Sample) -> tuple[Panel, ...]:
    name = sample["image"]
    part = f"middle {PART} x {PART} pixels of {cover.format.width} x {cover.format.height}"
    right = f"{100 * accuracy(sample):.2f} % of the bits right"
    size = f"{attacked.shape[1]} x {attacked.shape[0]}"
    change = marked.astype(np.int64) - cover.array
    # Around mid-gray, so that both directions show.
    enlarged = np.clip(cover.format.mid + TIMES * change, 0, cover.format.rho)
    return (
        Panel("Cover", part, f"Middle of {name}", _part(cover.array)),
        Panel("Marked", f"{sample['bits']:,} bits, {sample['psnr']:.2f} dB",
              f"Middle of {name} with the message in it", _part(marked)),
        Panel(f"Difference x {TIMES}", "around mid-gray",
              f"Marked less cover, {TIMES} times", _part(enlarged.astype(cover.array.dtype))),
        Panel("Attacked", f"{sample['attack']}, {size}: {right}",
              f"The marked picture after {sample['attack']}", _whole(attacked)),
    )  # fmt: skip


def _hardest(mine: list[Sample]) -> Sample:
    """The sample with the fewest right bits, after an edit if there was one."""
    edited = [each for each in mine if each["attack"] != "none"] or mine
    return min(edited, key=accuracy)


def _files(run: Mapping[str, Any]) -> dict[str, Path]:
    """The pictures of the run that are still there and still the same, by name."""
    sources, known = run["images"]["sources"], run["images"]["files"]
    try:
        there = pictures.collect(sources)
    except MorebitsError:
        return {}
    wanted = {name: path for name, path in there.files.items() if name in known}
    now = replace(there, files=wanted).digests()
    return {name: path for name, path in wanted.items() if now[name] == known[name]}


def _part(array: Samples) -> str:
    """The middle of a picture at its own pixels, as PNG: nothing may hide the change."""
    height, width = array.shape[:2]
    top, left = max(0, (height - PART) // 2), max(0, (width - PART) // 2)
    return _uri(array[top : top + PART, left : left + PART], "PNG", optimize=True)


def _whole(array: Samples) -> str:
    """All of a picture, small, as JPEG."""
    return _uri(array, "JPEG", side=WHOLE, quality=85)


def _uri(array: Samples, kind: str, *, side: int | None = None, **options: Any) -> str:
    from PIL import Image

    eight = eight_bits(array)
    image = Image.fromarray(eight if eight.shape[2] != 1 else eight[..., 0])
    if side is not None:
        image.thumbnail((side, side))
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(buffer.getvalue()).decode()}"
