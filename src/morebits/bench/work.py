"""What a worker does with one codec and one picture: mark it once, then attack, read, compare.

Nothing that a codec, an attack or a picture does wrong leaves this module as an exception: it
becomes the `error` of the samples that it spoils.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from morebits import images
from morebits.bench.records import SCHEMA, UNMARKED, Sample
from morebits.bench.specs import CodecSpec
from morebits.codecs.bits import check_bits
from morebits.errors import InputError, MorebitsError
from morebits.images import Picture, Samples
from morebits.types import Codec

#: An error in a record has at most so many letters.
LONGEST = 300


@dataclass(frozen=True)
class Task:
    """One codec on one picture, and the attacks that are still missing (or `unmarked`)."""

    run: str
    codec: CodecSpec
    image: str
    path: str
    attacks: tuple[str, ...]
    seed: int
    bits: int | None


class Measured(TypedDict):
    """The records of a task, and the seconds that codec, attacks and metrics took."""

    samples: list[Sample]
    busy: float


class CodecFault(MorebitsError):
    """A codec or an attack gave back something that is not what it promised."""


@dataclass
class Clock:
    """Seconds by what they went into; `busy` is all of them."""

    busy: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def on(self, name: str) -> Generator[None]:
        """Count the seconds of the block."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.busy += spent
            self.seconds[name] = self.seconds.get(name, 0.0) + spent


@dataclass(frozen=True)
class _Marked:
    """The marked picture, its message, and the fields that all its samples share."""

    image: Samples
    message: NDArray[np.uint8]
    fields: Mapping[str, Any]
    seconds: Mapping[str, float]


def measure(task: Task) -> Measured:
    """All samples of the task, in the order of its attacks."""
    clock = Clock()
    picture, marked, problem = None, None, None
    try:
        picture = images.read(task.path)
        with clock.on("codec"):
            codec = _codec(task)
    except (Exception, SystemExit) as error:  # noqa: BLE001  the picture or the codec may be broken
        problem = one_line(error, task)
        return {"samples": [_failed(task, each, picture, problem) for each in task.attacks],
                "busy": clock.busy}  # fmt: skip
    if any(each != UNMARKED for each in task.attacks):
        try:
            marked = _mark(task, codec, picture, clock)
        except (Exception, SystemExit) as error:  # noqa: BLE001  the codec may be anybody's
            problem = one_line(error, task)
    samples: list[Sample] = []
    for attack in task.attacks:
        if attack != UNMARKED and marked is None:
            samples.append(_failed(task, attack, picture, problem))
            continue
        try:
            samples.append(_sample(task, attack, codec, picture, marked, clock))
        except (Exception, SystemExit) as error:  # noqa: BLE001  so may the attack
            shared = {} if marked is None or attack == UNMARKED else marked.fields
            samples.append(_failed(task, attack, picture, one_line(error, task), shared))
    return {"samples": samples, "busy": clock.busy}


def one_line(error: BaseException, task: Task | None = None) -> str:
    r"""The error in one line; of ours the message says all, of others the type says more.

    >>> one_line(ValueError("no\nroom"))
    'ValueError: no room'
    """
    text = str(error) if isinstance(error, MorebitsError) else f"{type(error).__name__}: {error}"
    if task is not None:  # the same on every machine
        text = text.replace(task.path, task.image)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def message_of(task: Task, bits: int) -> NDArray[np.uint8]:
    """The random message of this run, codec and picture."""
    words = "\0".join((str(task.seed), task.codec.label, task.image))
    return np.random.Generator(np.random.PCG64(_number(words))).integers(0, 2, bits, np.uint8)


def attack_seed(task: Task) -> int:
    """What the attacks' randomness starts from: the same for every codec, so that they are paired.

    A crop hits all codecs at the same place of a picture.
    """
    return _number(f"{task.seed}\0{task.image}") >> 65  # 63 bits


def _number(words: str) -> int:
    digest = hashlib.blake2b(words.encode(errors="surrogatepass"), digest_size=16).digest()
    return int.from_bytes(digest, "little")


_kept = threading.local()


def _codec(task: Task) -> Codec:
    """The codec, made once a run and worker: weights may take seconds to load."""
    made: dict[tuple[str, str], Codec] = _kept.__dict__.setdefault("codecs", {})
    key = task.run, task.codec.label
    if key not in made:
        made.clear()  # one at a time: some are large
        made[key] = task.codec.make()
    return made[key]


def _mark(task: Task, codec: Codec, picture: Picture, clock: Clock) -> _Marked:
    from morebits.bench import metrics, perceptual

    own = Clock()
    if task.bits is None:
        with clock.on("codec"):
            bits = int(codec.capacity(picture.array.copy()))
        if bits < 1:
            raise CodecFault("the codec says that this picture holds no bits; leave it out")
    else:
        bits = task.bits
    message = message_of(task, bits)
    with clock.on("embed"), own.on("embed"):
        embedding = codec.embed(picture.array.copy(), message.copy())
    image = _checked_image(getattr(embedding, "image", None), picture)
    with clock.on("metric"), own.on("metric"):
        psnr = metrics.psnr(picture.array, image, peak=picture.format.rho)
        pair = picture.array, image
        fields = {
            "bits": bits,
            "psnr": psnr if math.isfinite(psnr) else None,
            "ssim": metrics.ssim(*pair, peak=picture.format.rho),
            "ms_ssim": metrics.ms_ssim(*pair, peak=picture.format.rho),
            "perceptual": perceptual.scores(*pair),
            "fraction": metrics.fraction_of_bound(picture, bits, psnr),
        }
    return _Marked(image, message, fields, own.seconds)


def _sample(
    task: Task, attack: str, codec: Codec, picture: Picture, marked: _Marked | None, clock: Clock
) -> Sample:
    """Attack, read, compare; without a marked picture the codec reads the cover."""
    from morebits.bench import metrics

    own = Clock()
    image = picture.array.copy()
    fields: dict[str, Any] = {}
    if attack != UNMARKED and marked is not None:
        fields |= marked.fields
        with own.on("attack"):
            image = _attacked(attack, marked.image, attack_seed(task))
    with own.on("extract"):
        found = codec.extract(image)
    fields |= _checked_extraction(found)
    bits = fields.pop("found")
    if attack != UNMARKED and marked is not None:
        sent = marked.message
        with own.on("metric"):
            got = None if bits is None else bits[: sent.size]  # a box is padded with zeros
            accuracy = metrics.bit_accuracy(sent, got)
            fields["bit_accuracy"] = accuracy
            fields["capacity"] = metrics.capacity_bits(sent.size, 1 - accuracy)
            fields["exact"] = fields["status"] == "found" and metrics.is_exact(sent, got)
    clock.busy += own.busy
    seconds = dict(own.seconds)
    if attack != UNMARKED and marked is not None:
        seconds["embed"] = marked.seconds["embed"]
        seconds["metric"] += marked.seconds["metric"]
    return _record(task, attack, picture, {**fields, "seconds": _rounded(seconds)})


def _attacked(attack: str, image: Samples, seed: int) -> Samples:
    from morebits import attacks

    found = attacks.parse(attack)(image, seed=seed)
    if not isinstance(found, np.ndarray) or found.ndim != 3:
        raise CodecFault(f"the attack {attack} gave no (H, W, C) array; repair it")
    if not found.size:
        raise CodecFault(f"the attack {attack} left nothing of the picture; use a weaker one")
    return found if found.flags.writeable else found.copy()


def _checked_image(image: object, picture: Picture) -> Samples:
    """What `embed` returned, if it is a picture like the cover."""
    cover = picture.array
    if not isinstance(image, np.ndarray):
        raise CodecFault(f"embed returned a {type(image).__name__}, not an Embedding with an array")
    if image.shape != cover.shape:
        raise CodecFault(f"embed returned the size {image.shape}, the cover has {cover.shape}")
    if image.dtype != cover.dtype:
        raise CodecFault(f"embed returned {image.dtype} samples, the cover has {cover.dtype}")
    return images.read(image).array  # read-only: no attack spoils it for the next


def _checked_extraction(found: object) -> dict[str, Any]:
    """Status, p-value and bits of what `extract` returned, if it is an Extraction."""
    status, p_value = getattr(found, "status", None), getattr(found, "p_value", None)
    if status not in ("found", "altered", "nothing"):
        raise CodecFault(f"extract returned a {type(found).__name__}, not an Extraction")
    if not isinstance(p_value, (int, float, np.number)) or not 0 <= p_value <= 1:
        raise CodecFault(f"extract returned the p-value {p_value!r}, not a number from 0 to 1")
    bits = getattr(found, "bits", None)
    try:
        bits = None if bits is None else check_bits(bits)
    except InputError as error:
        raise CodecFault(f"extract returned no message: {error}") from None
    return {"status": status, "p_value": float(p_value), "found": bits}


def _failed(
    task: Task, attack: str, picture: Picture | None, problem: str | None,
    shared: Mapping[str, Any] = {},
) -> Sample:  # fmt: skip
    return _record(task, attack, picture, {**shared, "error": problem})


def _record(task: Task, attack: str, picture: Picture | None, fields: Mapping[str, Any]) -> Sample:
    shape = (None, None) if picture is None else picture.array.shape
    blank: Sample = {
        "schema": SCHEMA,
        "run": task.run,
        "codec": task.codec.name,
        "options": dict(task.codec.options),
        "image": task.image,
        "attack": attack,
        "seed": task.seed,
        "bits": None,
        "width": shape[1],
        "height": shape[0],
        "psnr": None,
        "ssim": None,
        "ms_ssim": None,
        "perceptual": {},
        "fraction": None,
        "status": None,
        "bit_accuracy": None,
        "exact": None,
        "capacity": None,
        "p_value": None,
        "seconds": {},
        "error": None,
    }
    return {**blank, **fields}  # pyright: ignore[reportReturnType]


def lost(task: Task, reason: str) -> list[Sample]:
    """The records of a task that no worker outlived."""
    return [_failed(task, each, None, reason) for each in task.attacks]


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in seconds.items()}
