"""The tables of a report: text for people, the same in the page and in Markdown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from morebits import attacks
from morebits.attacks import SUITES
from morebits.bench.perceptual import NOT_AVAILABLE
from morebits.bench.published import MARK
from morebits.bench.report.content import COMPACT, Content, Result
from morebits.bench.statistics import Mean, Rate
from morebits.bench.summary import Row

#: Where there is nothing to say.
NOTHING = "–"

#: The perceptual metrics in the order of the columns: their own names, and digits to show.
METRICS = {"lpips": ("LPIPS", 4), "ssimulacra2": ("SSIMULACRA2", 2), "cvvdp": ("ColorVideoVDP", 3)}


@dataclass(frozen=True)
class Cell:
    """A value and what is said of it in small letters; `head` names the row."""

    text: str
    small: tuple[str, ...] = ()
    head: bool = False

    @property
    def words(self) -> str:
        """All of it on one line."""
        return " ".join((self.text, *(f"({each})" for each in self.small)))


@dataclass(frozen=True)
class Table:
    """Rows of cells under their heads; `groups` are heads over several columns."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    groups: tuple[tuple[str, int], ...] = ()


def summary_table(content: Content) -> Table:
    """One row a codec."""
    heads = (
        "codec", "bit accuracy, %", "paper's overall, %", "exact messages, %", "bits",
        "of the bound, %", "PSNR, dB", "false positives, %", "embed, s", "extract, s", "failed",
        "SSIM", "MS-SSIM", *(title for title, _ in METRICS.values()),
    )  # fmt: skip
    notes = (
        "Bit accuracy: mean over the attacks of the mean over the pictures. A picture that failed "
        "counts as one from which nothing was read, half of its bits right.",
        f"Paper's overall: the same over the {len(SUITES[COMPACT])} attacks of the suite "
        f"{COMPACT}, if this run has all of them.",
        "Exact messages: found, and every bit right, over all attacks.",
        "Of the bound: message bits over the exact capacity of that very photo at its own PSNR.",
        "False positives: how often a codec found something in a cover without a mark.",
        "LPIPS: less is better. SSIMULACRA2 and ColorVideoVDP: more is better, 100 and 10 at most.",
        *(f"{METRICS[name][0]} is {NOT_AVAILABLE}: {why}." for name, why in content.unscored()),
        "Small print: how many, and 95 % intervals.",
    )
    return Table(heads, tuple(_summary_row(each) for each in content.results), notes)


def _summary_row(result: Result) -> tuple[Cell, ...]:
    quality = result.quality
    return (
        Cell(result.codec, (f"{quality.pictures:,} pictures",), head=True),
        Cell(percent(result.overall.value), _worst(result)),
        Cell(percent(result.compact.value)),
        _rate(result.exact),
        Cell(_span(quality.bits)),
        Cell(share(quality.fraction.value)),
        _mean(quality.psnr, 2),
        _false_positives(result),
        Cell(_number(quality.seconds.value, 3)),
        Cell(_number(result.extract.value, 3)),
        Cell(f"{result.errors:,}"),
        _mean(quality.ssim, 4),
        _mean(quality.ms_ssim, 4),
        *(_perceptual(result, name) for name in METRICS),
    )


def _perceptual(result: Result, name: str) -> Cell:
    """The mean score, and of how many pictures where not all have one."""
    quality, found = result.quality, result.quality.perceptual[name]
    if not quality.pictures:
        return Cell(NOTHING)
    if found.value is None:
        return Cell(NOT_AVAILABLE)
    cell = _mean(found, METRICS[name][1])
    if found.n == quality.pictures:
        return cell
    return Cell(cell.text, (*cell.small, f"{found.n:,} of {quality.pictures:,} pictures"))


def published_table(content: Content) -> Table:
    """What the paper prints of others, to be read beside the summary."""
    heads = (
        "method", "photos", "paper's overall, %", "bits", "PSNR, dB", "SSIM", "MS-SSIM", "LPIPS",
        "embed, s", "extract, s",
    )  # fmt: skip
    rows = [
        (
            Cell(each.method, head=True),
            Cell(each.photos),
            Cell(percent(each.overall)),
            Cell(f"{each.bits:,}"),
            Cell(_number(each.psnr, 2)),
            Cell(_number(each.ssim, 4)),
            Cell(_number(each.ms_ssim, 4)),
            Cell(_number(each.lpips, 4)),
            Cell(_number(each.embed_seconds, 2)),
            Cell(_number(each.extract_seconds, 2)),
        )
        for each in content.published
    ]
    source = content.published[0].source.partition(";")[0] if content.published else ""
    note = f"Printed in {source}; their photos, their code and their machine, not measured here."
    return Table(heads, tuple(rows), (note,))


def attack_table(content: Content) -> Table:
    """One row an attack: mean bit accuracy of every codec with its interval and its worst."""
    beside = [
        each
        for each in content.published
        if any(attack in each.accuracy for attack in content.attacks)
    ]
    heads = ("attack", *(each.codec for each in content.results), *(each.method for each in beside))
    rows: list[tuple[Cell, ...]] = []
    for attack in content.attacks:
        ours = [_accuracy(each.rows.get(attack)) for each in content.results]
        theirs = [Cell(percent(each.accuracy.get(attack))) for each in beside]
        rows.append((_named(attack), *ours, *theirs))
    groups = [("", 1), ("measured here", len(content.results))]
    note = (
        "Mean bit accuracy in %, its 95 % interval, and the picture where it was lowest; nothing "
        "beside a mean that all pictures share."
    )
    if beside:
        sets = Counter(each.photos for each in beside)
        groups += [(f"{MARK}: {photos}", count) for photos, count in sets.items()]
    return Table(heads, tuple(rows), (note,), tuple(groups))


def detail_table(result: Result) -> Table:
    """Everything that was measured of one codec, one row an attack."""
    heads = (
        "attack", "pictures", "bit accuracy, %", "worst, %", "exact, %", "found, %",
        "present, %", "capacity, bits", "extract, s", "failed",
    )  # fmt: skip
    rows = [
        (
            _named(attack),
            Cell(f"{row.n:,}"),
            Cell(percent(row.accuracy.value), _interval(row.accuracy)),
            Cell(percent(row.worst.value), (row.worst.image,)),
            _rate(row.exact),
            _rate(row.found),
            _rate(row.present),
            Cell(_number(row.capacity.value, 0)),
            Cell(_number(row.seconds.value, 3)),
            Cell(f"{row.errors:,}"),
        )
        for attack, row in result.rows.items()
    ]
    return Table(heads, tuple(rows))


#: What the columns of `detail_table` mean.
DETAIL_NOTES = (
    "Found: the codec itself says that a message is there. Present: whoever knows the message "
    "is sure of it, by the bits that are right (chance below one in a million).",
    "Capacity: message bits times 1 - H2(share of wrong bits), what perfect error correction "
    "would leave.",
)


def error_table(content: Content) -> Table:
    """What failed, why, and where; each reason once."""
    heads = ("what went wrong", "samples", "codecs", "pictures", "attacks")
    rows = [
        (
            Cell(each.error, head=True),
            Cell(f"{each.samples:,}"),
            Cell(_few(each.codecs)),
            Cell(_few(each.images)),
            Cell(_few(each.attacks)),
        )
        for each in content.problems
    ]
    return Table(heads, tuple(rows))


def machine_table(content: Content) -> Table:
    """Where and with what it was measured."""
    run, machine = content.run, content.run.get("machine", {})
    versions = {"morebits": run["morebits"], **run.get("packages", {})}
    busy = sum(each.get("seconds", 0.0) for each in run.get("sessions", ()))
    pairs = {
        "processor": f"{machine.get('processor', NOTHING)}, {machine.get('cores', '?')} cores",
        "system": machine.get("system", NOTHING),
        "Python": machine.get("python", NOTHING),
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "started": run.get("started") or NOTHING,
        "finished": run.get("finished") or "not finished",
        "time": f"{busy:,.0f} s in {len(run.get('sessions', ()))} sessions",
        "pictures": f"{len(run['images']['files'])} of {_few(tuple(run['images']['sources']))}",
        "samples": f"{len(content.samples):,}",
        "run": run["run"],
    }
    rows = tuple((Cell(name, head=True), Cell(value)) for name, value in pairs.items())
    return Table(("", ""), rows)


def percent(value: float | None) -> str:
    """A share in percent, with two digits as in the paper.

    >>> percent(0.99146), percent(None)
    ('99.15', '–')
    """
    return NOTHING if value is None else f"{100 * value:.2f}"


def share(value: float | None) -> str:
    """A share that may be tiny, in percent.

    >>> share(0.98401), share(9.0123e-06)
    ('98.4', '0.0009')
    """
    if value is None:
        return NOTHING
    if value >= 0.001:
        return f"{100 * value:.1f}"
    return f"{100 * value:.1g}" if value >= 1e-8 else f"{100 * value:.0e}"


def _accuracy(row: Row | None) -> Cell:
    if row is None:
        return Cell(NOTHING)
    if row.worst.value == row.accuracy.value:
        return Cell(percent(row.accuracy.value))
    worst = f"worst {percent(row.worst.value)} {row.worst.image}"
    return Cell(percent(row.accuracy.value), (*_interval(row.accuracy), worst))


def _interval(found: Mean) -> tuple[str, ...]:
    if found.low is None or found.high is None or found.low == found.high:
        return ()
    return (f"{percent(found.low)} to {percent(found.high)}",)


def _mean(found: Mean, digits: int) -> Cell:
    if found.low is None or found.high is None:
        return Cell(_number(found.value, digits))
    return Cell(_number(found.value, digits), (f"± {(found.high - found.low) / 2:.{digits}f}",))


def _rate(found: Rate) -> Cell:
    if found.value is None:
        return Cell(NOTHING)
    interval = f"{percent(found.low)} to {percent(found.high)}"
    return Cell(percent(found.value), (f"{found.hits:,} of {found.n:,}", interval))


def _false_positives(result: Result) -> Cell:
    if result.false_positives is None:
        return Cell(NOTHING)
    rate = result.false_positives.rate
    if not result.claims:
        return Cell("no claim", (f"found in {rate.hits:,} of {rate.n:,} covers",))
    return _rate(rate)


def _worst(result: Result) -> tuple[str, ...]:
    if result.overall.missing:
        return (f"attacks missing: {len(result.overall.missing)}",)
    return (f"worst {percent(result.overall.worst.value)}",) if result.overall.worst else ()


def _span(bits: tuple[int, int] | None) -> str:
    if bits is None:
        return NOTHING
    low, high = bits
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _number(value: float | None, digits: int) -> str:
    return NOTHING if value is None else f"{value:,.{digits}f}"


def _named(attack: str) -> Cell:
    """An attack by its name, with the text of the grammar where that says more."""
    label = attacks.parse(attack).label
    return Cell(label, () if label == attack else (attack,), head=True)


def _few(words: tuple[str, ...]) -> str:
    return ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")
