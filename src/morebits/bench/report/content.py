"""What a report is about: the samples of a results folder, summed up codec by codec."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from morebits.attacks import SUITES
from morebits.bench import records, summary
from morebits.bench.perceptual import PERCEPTUAL
from morebits.bench.published import Published, published
from morebits.bench.records import UNMARKED, Problem, Problems, Sample
from morebits.bench.statistics import Mean, Rate, mean, wilson
from morebits.bench.summary import FalsePositives, Overall, Quality, Row
from morebits.errors import ResultsError

#: The suite behind the paper's "Overall".
COMPACT = "paper-compact"


@dataclass(frozen=True)
class Result:
    """All about one codec.

    `rows` are by attack. `overall` is over the attacks of this run, `compact` over the paper's
    28. `exact` counts whole messages over all attacks. `false_positives` is None where no cover
    was read, and `claims` is false for a codec that finds something in every picture, at a
    p-value of 1. `best` and `worst` are the pictures with the highest and the lowest mean
    accuracy over all attacks (then exact rate, then PSNR).
    """

    codec: str
    name: str
    options: Mapping[str, Any]
    rows: Mapping[str, Row]
    quality: Quality
    overall: Overall
    compact: Overall
    exact: Rate
    extract: Mean
    false_positives: FalsePositives | None
    claims: bool
    errors: int
    best: str
    worst: str


@dataclass(frozen=True)
class Content:
    """A results folder, ready to be shown; `missing` samples were asked for and are not there."""

    run: Mapping[str, Any]
    attacks: tuple[str, ...]
    results: tuple[Result, ...]
    samples: tuple[Sample, ...]
    problems: tuple[Problem, ...]
    missing: int
    published: tuple[Published, ...]

    def of(self, codec: str) -> list[Sample]:
        """The samples in which this codec had marked the picture."""
        return [
            each for each in self.samples if each["attack"] != UNMARKED and _label(each) == codec
        ]

    def unscored(self) -> Iterator[tuple[str, str]]:
        """Each perceptual metric without a score of some codec's pictures, and why."""
        reasons = self.run.get("machine", {}).get("metrics")
        marked = [each.quality for each in self.results if each.quality.pictures]
        for name, metric in PERCEPTUAL.items():
            if all(each.perceptual[name].n for each in marked):
                continue
            if reasons is None:
                yield name, "the run is of an earlier version, which did not measure it"
            else:
                takes = f"it takes 8 bits and at least {metric.least} pixels a side"
                yield name, reasons.get(name, f"no score was recorded; {takes}")


def gather(folder: str | os.PathLike[str], *, beside_published: bool = True) -> Content:
    """Read a results folder; ResultsError when there is nothing in it to report."""
    run = records.read_run(os.fspath(folder))
    samples = tuple(records.read(os.fspath(folder)))
    rows = summary.summary(samples)
    if not rows:
        fix = "run morebits bench with this folder as --out first"
        raise ResultsError(folder, "has no samples of marked pictures", fix)
    attacks = _ordered((row.attack for row in rows), run["attacks"])
    problems = Problems()
    problems.add(samples)
    return Content(
        run=run,
        attacks=attacks,
        results=_results(samples, rows, attacks, run),
        samples=samples,
        problems=problems.list(),
        missing=_asked(run) - len(samples),
        published=published() if beside_published else (),
    )


def _results(
    samples: Sequence[Sample], rows: Sequence[Row], attacks: Sequence[str], run: Mapping[str, Any]
) -> tuple[Result, ...]:
    qualities = {each.codec: each for each in summary.quality(samples)}
    overalls = {each.codec: each for each in summary.overall(rows, attacks)}
    compacts = {each.codec: each for each in summary.overall(rows, SUITES[COMPACT])}
    fooled = {each.codec: each for each in summary.false_positives(samples)}
    wanted = [records.label(each["codec"], each["options"]) for each in run["codecs"]]
    found: list[Result] = []
    for codec in _ordered((row.codec for row in rows), wanted):
        mine = [each for each in samples if _label(each) == codec]
        marked = [each for each in mine if each["attack"] != UNMARKED]
        by_attack = {row.attack: row for row in rows if row.codec == codec}
        pictures = _ranked(marked)
        found.append(
            Result(
                codec=codec,
                name=mine[0]["codec"],
                options=mine[0]["options"],
                rows={each: by_attack[each] for each in attacks if each in by_attack},
                quality=qualities[codec],
                overall=overalls[codec],
                compact=compacts[codec],
                exact=wilson(sum(bool(each["exact"]) for each in marked), len(marked)),
                extract=mean((each["seconds"].get("extract") for each in marked), least=0),
                false_positives=fooled.get(codec),
                claims=_claims(mine),
                errors=sum(each["error"] is not None for each in mine),
                best=pictures[0],
                worst=pictures[-1],
            )
        )
    return tuple(found)


def accuracy(sample: Sample) -> float:
    """Share of right bits; where nothing was read, that of a guess."""
    known = sample["bit_accuracy"]
    return 0.5 if known is None else known


def _ranked(marked: Sequence[Sample]) -> list[str]:
    """Pictures from the best to the worst."""
    groups: dict[str, list[Sample]] = {}
    for each in marked:
        groups.setdefault(each["image"], []).append(each)

    def key(image: str) -> tuple[float, float, float]:
        group = groups[image]
        accuracies = [accuracy(each) for each in group]
        whole = sum(bool(each["exact"]) for each in group) / len(group)
        psnr = max((each["psnr"] or 0.0 for each in group), default=0.0)
        return sum(accuracies) / len(group), whole, psnr

    return sorted(groups, key=key, reverse=True)


def _claims(mine: Sequence[Sample]) -> bool:
    """False when every cover that was read gave "found" at a p-value of 1."""
    covers = [each for each in mine if each["attack"] == UNMARKED and each["error"] is None]
    return not covers or any(each["status"] != "found" or each["p_value"] != 1.0 for each in covers)


def _asked(run: Mapping[str, Any]) -> int:
    """Samples of a finished run: every codec, picture and attack, and the pictures unmarked."""
    return len(run["codecs"]) * len(run["images"]["files"]) * (1 + len(run["attacks"]))


def _ordered(found: Any, wanted: Sequence[str]) -> tuple[str, ...]:
    """What was found, each once: as it was asked for, then the rest."""
    there = dict.fromkeys(found)
    return tuple(dict.fromkeys([*(each for each in wanted if each in there), *there]))


def _label(sample: Sample) -> str:
    return records.label(sample["codec"], sample["options"])
