"""From records to tables: pure functions over the samples of a run.

One `Row` a codec and attack, one `Quality` a codec, and the paper's "Overall". A sample that
failed counts as a picture from which nothing was read (accuracy 1/2, not exact): a codec that
refuses hard pictures must not look better for it. Failures are counted beside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from morebits.bench.metrics import binomial_p_value
from morebits.bench.perceptual import PERCEPTUAL
from morebits.bench.records import UNMARKED, Sample, label
from morebits.bench.statistics import Mean, Rate, clopper_pearson, mean, wilson

#: `Row.present` asks for a p-value below this.
SURE = 1e-6

_Item = TypeVar("_Item")
_Group = TypeVar("_Group")


@dataclass(frozen=True)
class Worst:
    """The lowest bit accuracy and the picture that has it."""

    value: float
    image: str
    seed: int


@dataclass(frozen=True)
class Row:
    """One codec under one attack, over `n` samples of which `errors` failed.

    `accuracy` is the mean share of right bits, `exact` the rate of messages without one wrong
    bit, `found` the rate at which the codec itself said "found", `capacity` the mean of
    `bits (1 - H2(error))`, `present` the rate at which a reader who knows the message is sure
    of it (`p_bits` below `SURE`), and `seconds` the mean time of one extraction.
    """

    codec: str
    attack: str
    n: int
    errors: int
    accuracy: Mean
    worst: Worst
    exact: Rate
    found: Rate
    present: Rate
    capacity: Mean
    seconds: Mean


@dataclass(frozen=True)
class Quality:
    """What a codec's marks cost, one value a picture; `bits`, fewest and most of a message.

    `psnr` is over pictures that changed at all. `perceptual` has every metric of `PERCEPTUAL` by
    name, over the pictures that have its score. `fraction` is the share of the exact capacity
    of each photo at its own PSNR.
    """

    codec: str
    pictures: int
    bits: tuple[int, int] | None
    psnr: Mean
    ssim: Mean
    ms_ssim: Mean
    perceptual: Mapping[str, Mean]
    fraction: Mean
    seconds: Mean


@dataclass(frozen=True)
class FalsePositives:
    """How often a codec said "found" of `rate.n` pictures in which it had hidden nothing."""

    codec: str
    rate: Rate
    errors: int

    def holds(self, claim: float) -> bool:
        """Whether the measurement is in keeping with a claimed rate."""
        return self.rate.low <= claim


@dataclass(frozen=True)
class Overall:
    """Mean of the mean accuracies under each attack of a suite; None while some are missing."""

    codec: str
    value: float | None
    worst: Worst | None
    missing: tuple[str, ...]


def summary(samples: Iterable[Sample]) -> tuple[Row, ...]:
    """One row a codec and attack, in the order in which they first occur.

    >>> summary([])
    ()
    """
    marked = (each for each in samples if each["attack"] != UNMARKED)
    groups = _grouped(marked, lambda each: (_codec(each), each["attack"]))
    return tuple(_row(*name, group) for name, group in groups.items())


def quality(samples: Iterable[Sample]) -> tuple[Quality, ...]:
    """One row a codec; a picture that was marked once counts once, whatever its attacks."""
    marked = (each for each in samples if each["attack"] != UNMARKED)
    groups = _grouped(marked, _codec)
    return tuple(_quality(name, group) for name, group in groups.items())


def false_positives(samples: Iterable[Sample]) -> tuple[FalsePositives, ...]:
    """One row a codec, over the samples where it read covers; failures are no answer."""
    covers = (each for each in samples if each["attack"] == UNMARKED)
    rows: list[FalsePositives] = []
    for codec, group in _grouped(covers, _codec).items():
        answered = [each for each in group if each["error"] is None]
        hits = sum(each["status"] == "found" for each in answered)
        rate = clopper_pearson(hits, len(answered))
        rows.append(FalsePositives(codec, rate, len(group) - len(answered)))
    return tuple(rows)


def overall(rows: Iterable[Row], attacks: Sequence[str]) -> tuple[Overall, ...]:
    """The paper's "Overall" for our codecs: every attack of the suite weighs the same.

    `attacks` are the texts of a suite, `paper-compact` for the paper's figure.
    """
    found: list[Overall] = []
    for codec, group in _grouped(rows, lambda row: row.codec).items():
        by_attack = {row.attack: row for row in group}
        missing = tuple(each for each in attacks if each not in by_attack)
        asked = [by_attack[each] for each in attacks if each in by_attack]
        worst = min((row.worst for row in asked), key=lambda each: each.value, default=None)
        value = None if missing else mean(row.accuracy.value for row in asked).value
        found.append(Overall(codec, value, worst, missing))
    return tuple(found)


def p_bits(sample: Sample) -> float:
    """Chance of this bit accuracy without a mark, for a reader who knows the message.

    Apart from `p_value`, which is the codec's own; 1 where nothing was measured.
    """
    accuracy, bits = sample["bit_accuracy"], sample["bits"]
    if accuracy is None or not bits:
        return 1.0
    return binomial_p_value(math.floor(accuracy * bits + 1e-6), bits)


def _row(codec: str, attack: str, group: list[Sample]) -> Row:
    n = len(group)
    worst = min(group, key=_accuracy)
    return Row(
        codec=codec,
        attack=attack,
        n=n,
        errors=sum(each["error"] is not None for each in group),
        accuracy=mean(map(_accuracy, group), least=0, most=1),
        worst=Worst(_accuracy(worst), worst["image"], worst["seed"]),
        exact=wilson(sum(bool(each["exact"]) for each in group), n),
        found=wilson(sum(each["status"] == "found" for each in group), n),
        present=wilson(sum(p_bits(each) < SURE for each in group), n),
        capacity=mean((each["capacity"] or 0.0 for each in group), least=0),
        seconds=mean((each["seconds"].get("extract") for each in group), least=0),
    )


def _quality(codec: str, group: list[Sample]) -> Quality:
    """From one sample a picture that has a marked picture at all."""
    once: dict[tuple[str, int], Sample] = {}
    for each in group:
        if each["ssim"] is not None or each["psnr"] is not None:
            once.setdefault((each["image"], each["seed"]), each)
    marked = list(once.values())
    bits = [each["bits"] for each in marked if each["bits"] is not None]
    return Quality(
        codec=codec,
        pictures=len(marked),
        bits=(min(bits), max(bits)) if bits else None,
        psnr=mean(each["psnr"] for each in marked),
        ssim=mean((each["ssim"] for each in marked), least=-1, most=1),
        ms_ssim=mean((each["ms_ssim"] for each in marked), least=0, most=1),
        perceptual={name: _perceptual(name, marked) for name in PERCEPTUAL},
        fraction=mean((each["fraction"] for each in marked), least=0),
        seconds=mean((each["seconds"].get("embed") for each in marked), least=0),
    )


def _perceptual(name: str, marked: list[Sample]) -> Mean:
    metric, scores = PERCEPTUAL[name], (each["perceptual"].get(name) for each in marked)
    if metric.better == "higher":
        return mean(scores, most=metric.equal)
    return mean(scores, least=metric.equal)


def _codec(sample: Sample) -> str:
    return label(sample["codec"], sample["options"])


def _accuracy(sample: Sample) -> float:
    """Nothing measured is nothing read."""
    known = sample["bit_accuracy"]
    return 0.5 if known is None else known


def _grouped(items: Iterable[_Item], by: Callable[[_Item], _Group]) -> dict[_Group, list[_Item]]:
    groups: dict[_Group, list[_Item]] = {}
    for each in items:
        groups.setdefault(by(each), []).append(each)
    return groups
