"""Mosaic and `robust` on the same photos, with the same payloads and edits, at the same PSNR."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import morebits as mb
from morebits import attacks, images
from morebits.codecs import compact
from morebits.codecs.robust import decoding, sizes
from morebits.errors import DoesNotFit
from morebits.images import Samples
from morebits.neural.mosaic import network, searching
from morebits.neural.mosaic.layout import DENSITIES

EDITS = (
    "none", *(f"jpeg:{quality}" for quality in (40, 50, 60, 70, 80, 90)),
    "blur:9", "blur:17", "resize:0.5", "resize:0.32", "brightness:0.5", "brightness:1.25",
    "brightness:1.5", "contrast:1.5", "hue:0.1", "crop:0.71", "crop:0.45", "hflip", "rotate:5",
    "rotate:30", "resize:0.71|jpeg:60", "crop:0.71|jpeg:60",
)  # fmt: skip
CODECS = ("mosaic", "robust")
LENGTHS = (1024, 4096)
#: Seconds are those of the processor, so that a busy machine changes no result.
PSNR, SECONDS = 45.0, 5.0
#: Edits after which nothing is filtered or moved. After others a codec stops at the first look that
#: gives the message, which need not be its best one.
_COMPARABLE = ("none", *EDITS[1:7], "brightness:0.5")


@dataclass(frozen=True)
class Outcome:
    """One photo after one edit, as one codec read it; an edit of None is embedding.

    `information` are the bits that the soft values of single numbers carry of what was written, as
    the codec believes them; None where the message was not found.
    """

    photo: str
    codec: str
    bits: int
    edit: str | None
    exact: bool
    information: float | None
    seconds: float


def measure_photo(path: Path, seed: int) -> list[Outcome]:
    """Both codecs, both lengths, every edit."""
    cover = images.read(path).array[..., :3]
    cover = np.ascontiguousarray(np.broadcast_to(cover, (*cover.shape[:2], 3)))
    found: list[Outcome] = []
    for bits in LENGTHS:
        payload = np.random.default_rng([seed, bits]).bytes(bits // 8)
        for name in CODECS:
            found += _measure(path.name, cover, payload, name)
    return found


def _measure(photo: str, cover: Samples, payload: bytes, name: str) -> list[Outcome]:
    codec = mb.codec(name, psnr=PSNR, seconds=SECONDS)
    bits, started = 8 * len(payload), time.process_time()
    try:
        message = np.unpackbits(np.frombuffer(payload, np.uint8))
        marked = np.asarray(codec.embed(cover, message).image)
    except DoesNotFit:
        marked = None
    found = [Outcome(photo, name, bits, None, marked is not None, None, _since(started))]
    for edit in EDITS:
        started, opened, information = time.process_time(), None, None
        if marked is not None:
            edited = attacks.parse(edit)(marked)
            started = time.process_time()
            opened, information = _READ[name](edited, payload)
        right = opened == payload
        found.append(Outcome(photo, name, bits, edit, right, information, _since(started)))
    return found


def _since(started: float) -> float:
    return time.process_time() - started


def _mosaic(image: Samples, payload: bytes) -> tuple[bytes | None, float | None]:
    found = searching.search(image, None, network.trained(), seconds=SECONDS)
    if found.opened is None or found.best is None:
        return None, None
    read, (index, message) = found.best, _message(payload)
    window, tiles = read.numbers.window, read.numbers.usable
    # The density is the safest one that fits the picture, which only the writer knows.
    density = next(k for k, one in searching.kinds(read) if one == index)
    block = DENSITIES[density].block
    coded = window.code(density, index).encode(message).reshape(-1, block)
    truth = coded[window.blocks(density, len(coded))]
    return found.opened.payload, _information(read.soft(density)[tiles], truth[tiles])


def _robust(image: Samples, payload: bytes) -> tuple[bytes | None, float | None]:
    found = decoding.decode(image, None, seconds=SECONDS)
    if found.decoded is None or found.best is None:
        return None, None
    total, (index, message) = 0.0, _message(payload)
    for read in (found.best.read, *found.best.tints):
        window, tiles = read.tiles.window, read.tiles.usable
        coded = window.places(index)[tiles] >= 0
        truth = window.bits(index, message)[tiles]
        total += _information(read.soft[coded], truth[coded])
    return found.decoded.opened.payload, total


_READ = {"mosaic": _mosaic, "robust": _robust}


def _message(payload: bytes) -> tuple[int, NDArray[np.uint8]]:
    """The class of a payload without a key, and the bits that its code carries."""
    index = sizes.class_of(8 * compact.size(payload)) or 0
    packed = compact.pack(payload, key=None, size=sizes.message_bits(index) // 8)
    return index, np.unpackbits(np.frombuffer(packed, np.uint8))


def _information(soft: NDArray[np.float32], truth: NDArray[np.uint8]) -> float:
    """Bits that soft values carry of the truth, as they believe themselves."""
    right = soft.astype(np.float64) * (2.0 * truth - 1)
    return max(0.0, float((1 - np.logaddexp(0, -right) / np.log(2)).sum()))


def rows(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """A row an edit: the share of exact payloads of each codec and length, and the information.

    Information is the mean of those photos whose messages both codecs found.
    """
    found = []
    for edit in (None, *EDITS):
        here = [each for each in outcomes if each.edit == edit]
        row: dict[str, Any] = {"edit": edit or "embed"}
        for bits in LENGTHS:
            for name in CODECS:
                these = [each for each in here if (each.codec, each.bits) == (name, bits)]
                row[f"{name}_{bits}"] = statistics.fmean(each.exact for each in these)
                row[f"{name}_{bits}_seconds"] = statistics.fmean(each.seconds for each in these)
        if edit not in _COMPARABLE:
            found.append(row)
            continue
        told = {name: _told(here, name) for name in CODECS}
        both = sorted(set.intersection(*(set(each) for each in told.values())))
        row["photos_with_information"] = len(both)
        for name in CODECS if both else ():
            row[f"{name}_information"] = statistics.fmean(told[name][photo] for photo in both)
            row[f"{name}_least_information"] = min(told[name][photo] for photo in both)
        found.append(row)
    return found


def _told(outcomes: Sequence[Outcome], name: str) -> dict[str, float]:
    """The information of the shorter message by photo, where it was found."""
    these = (each for each in outcomes if (each.codec, each.bits) == (name, LENGTHS[0]))
    return {each.photo: each.information for each in these if each.information is not None}
