"""From samples to rows and verdicts: pure functions."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from morebits.attacks.labels import BY_TEXT
from morebits.bench.published import published
from morebits.bench.records import UNMARKED, Sample
from morebits.bench.statistics import wilson
from robust_parts.plan import Ask, Part
from schemes.runs import Verdict

Row: TypeAlias = dict[str, Any]

#: The published columns that go beside ours: method and photos.
_COLUMNS = (("Chunky Seal", "COCO"), ("Video Seal 256", "COCO"))


def rows(part: Part, samples: Iterable[Sample]) -> list[Row]:
    """One row an attack of the part, in its order; none when the part was not measured.

    Another part may have left some of its samples in the same folder, but never all.
    """
    groups: dict[str, list[Sample]] = {text: [] for text in part.attacks}
    for each in samples:
        if _belongs(each, part):
            groups[each["attack"]].append(each)
    if not all(groups.values()):
        return []
    return [_row(text, group) for text, group in groups.items()]


def verdict(ask: Ask, part: Sequence[Row], pictures: int, needed: int) -> Verdict:
    """Whether the rows of a part reach what was asked; a gap is not reached.

    `pictures` is how many photos each row must have, `needed` how many the figure is asked of.
    """
    return few(_verdict(ask, part, pictures), pictures, needed)


def few(verdict: Verdict, pictures: int, needed: int) -> Verdict:
    """The same verdict, but not reached when it rests on fewer pictures than were asked for.

    >>> few(Verdict("x", "90 %", "95.0 %", True), 2, 120)
    Verdict(figure='x', asked='90 %', measured='95.0 % (2 of 120 pictures)', reached=False)
    """
    if pictures >= needed:
        return verdict
    text = f"{verdict.measured} ({pictures:,} of {needed:,} pictures)"
    return replace(verdict, measured=text, reached=False)


def _verdict(ask: Ask, part: Sequence[Row], pictures: int) -> Verdict:
    by_attack = {row["attack"]: row for row in part}
    asked = f"{100 * ask.share:g} %"
    missing = [text for text in ask.attacks if by_attack.get(text, {"n": 0})["n"] < pictures]
    if missing or not pictures:
        return Verdict(
            ask.figure, asked, f"{len(missing)} of {len(ask.attacks)} rows missing", False
        )
    shares = {text: by_attack[text]["share"] for text in ask.attacks}
    if ask.how == "mean":
        mean = statistics.fmean(shares.values())
        return Verdict(ask.figure, asked, _percent(mean), mean >= ask.share)
    worst = min(shares, key=lambda text: shares[text])
    below = sum(share < ask.share for share in shares.values())
    note = f"worst {_percent(shares[worst])} ({label(worst)})"
    if below:
        note += f", {below} of {len(shares)} below"
    return Verdict(ask.figure, asked, note, not below)


def unmarked(samples: Iterable[Sample]) -> Row | None:
    """Covers that were read as they are: how many claimed a message, and the seconds."""
    group = [each for each in samples if each["attack"] == UNMARKED and each["error"] is None]
    if not group:
        return None
    found = sum(each["status"] != "nothing" for each in group)
    return {"n": len(group), "accepted": found, **_seconds(group, "extract")}


def lowest_psnr(part: Part, samples: Iterable[Sample]) -> float | None:
    """Of all marked pictures of a part, in dB."""
    known = [each["psnr"] for each in samples if _belongs(each, part)]
    return min((each for each in known if each is not None), default=None)


def label(attack: str) -> str:
    """An attack as tables print it.

    >>> label("jpeg:50"), label("resize:1.8|jpeg:70")
    ('JPEG 50', 'resize:1.8, jpeg:70')
    """
    return BY_TEXT.get(attack, attack.replace("|", ", "))


def by_set(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    """All of them, and those of each folder where there are several.

    >>> [*by_set([{"image": "coco/1.jpg"}, {"image": "kodak/2.png"}])]
    ['all', 'coco', 'kodak']
    """
    groups: dict[str, list[Sample]] = {"all": list(samples)}
    for each in groups["all"]:
        folder, slash, _ = each["image"].rpartition("/")
        if slash:
            groups.setdefault(folder, []).append(each)
    return groups


def spread(values: Iterable[float | None]) -> Row:
    """Mean, lowest and highest of what was measured.

    >>> spread([1.0, 3.0, None])
    {'mean': 2.0, 'min': 1.0, 'max': 3.0, 'n': 2}
    """
    known = [each for each in values if each is not None]
    if not known:
        return {"mean": None, "min": None, "max": None, "n": 0}
    mean = statistics.fmean(known)
    return {"mean": mean, "min": min(known), "max": max(known), "n": len(known)}


def _belongs(sample: Sample, part: Part) -> bool:
    return sample["attack"] in part.attacks and sample["options"].get("psnr") == part.psnr


def _row(attack: str, group: list[Sample]) -> Row:
    exact = sum(bool(each["exact"]) for each in group)
    rate = wilson(exact, len(group))
    return {
        "attack": attack,
        "label": label(attack),
        "n": len(group),
        "exact": exact,
        "share": exact / len(group),
        "low": rate.low,
        "sets": {name: _share(each) for name, each in by_set(group).items() if name != "all"},
        "errors": sum(each["error"] is not None for each in group),
        "wrong": sum(each["status"] == "found" and not each["exact"] for each in group),
        **_seconds(group, "extract"),
        "failed": sorted(each["image"] for each in group if not each["exact"]),
        "published": _published(attack),
    }


def _share(group: list[Sample]) -> float:
    return sum(bool(each["exact"]) for each in group) / len(group)


def _seconds(group: Iterable[Sample], what: str) -> Row:
    known = [each["seconds"][what] for each in group if what in each["seconds"]]
    if not known:
        return {"seconds_median": None, "seconds_worst": None}
    return {"seconds_median": statistics.median(known), "seconds_worst": max(known)}


def _published(attack: str) -> Mapping[str, float]:
    """Bit accuracies that the paper prints for this attack."""
    return {
        each.method: each.accuracy[attack]
        for each in published()
        if (each.method, each.photos) in _COLUMNS and attack in each.accuracy
    }


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
