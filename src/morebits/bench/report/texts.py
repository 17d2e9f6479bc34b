"""The report as Markdown, and its numbers as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from morebits.bench.published import MARK, Published
from morebits.bench.report import tables
from morebits.bench.report.content import Content, Result
from morebits.bench.report.tables import Cell, Table
from morebits.bench.statistics import Mean, Rate

#: In the column `source` of the CSV files, for what was measured here.
HERE = "measured"


def markdown(content: Content, command: str, figures: Mapping[str, tuple[str, str]]) -> str:
    """The report in one Markdown file; `figures` maps files to (title, what they show)."""
    parts = ["# Benchmark of watermarkers", lead(content)]
    parts += ["## Summary", _table(tables.summary_table(content))]
    if content.published:
        title = f"## {MARK.capitalize()}"
        parts += [title, _table(tables.published_table(content))]
    parts += ["## Bit accuracy by attack", _table(tables.attack_table(content))]
    parts += ["## Figures"]
    for file, (title, alt) in figures.items():
        parts += [f"### {title}", f"![{alt}]({file})"]
    parts += ["## Every codec in detail"]
    for each in content.results:
        parts += [f"### {_safe(each.codec)}", _table(tables.detail_table(each))]
    parts += _notes(tables.DETAIL_NOTES)
    if content.problems:
        parts += ["## What failed, and why", _table(tables.error_table(content))]
    parts += ["## Machine and versions", _table(tables.machine_table(content))]
    parts += ["## The same again", f"```sh\n{command}\n```"]
    return "\n\n".join(parts) + "\n"


def lead(content: Content) -> str:
    """What was done, in a sentence or two.

    The page begins with it, too.
    """
    run = content.run
    bits = "as many bits as each codec says that it holds"
    if run["bits"] is not None:
        bits = f"{run['bits']:,} bits"
    counts = (
        _count(len(content.results), "codec"),
        _count(len(run["images"]["files"]), "picture"),
        _count(len(content.attacks), "attack"),
    )
    text = f"{', '.join(counts)}, messages of {bits}; {_count(len(content.samples), 'sample')}."
    if content.missing > 0:
        text += f" The run is not finished, samples missing: {content.missing:,}."
    return text


def summary_csv(content: Content) -> str:
    """One row a codec, and the published methods; shares are 0 to 1."""
    rows = [_summary(each) for each in content.results]
    return _csv([*rows, *(_published(each) for each in content.published)])


def attacks_csv(content: Content) -> str:
    """One row a codec and attack, and the published figures of the same attacks."""
    rows = [row for each in content.results for row in _attacks(each)]
    for method in content.published:
        for attack in content.attacks:
            if attack in method.accuracy:
                name = f"{method.method}, {method.photos}"
                accuracy = method.accuracy[attack]
                row = {"codec": name, "source": method.mark, "attack": attack, "accuracy": accuracy}
                rows.append(row)
    return _csv(rows)


def _summary(result: Result) -> dict[str, Any]:
    quality, wrong = result.quality, result.false_positives
    low, high = quality.bits or (None, None)
    return {
        "codec": result.codec,
        "source": HERE,
        "pictures": quality.pictures,
        "accuracy": result.overall.value,
        "paper_overall": result.compact.value,
        **_rate("exact", result.exact),
        "bits_least": low,
        "bits_most": high,
        **_mean("psnr", quality.psnr),
        **_mean("ssim", quality.ssim),
        **_mean("ms_ssim", quality.ms_ssim),
        **_perceptual(quality.perceptual),
        **_mean("fraction_of_bound", quality.fraction),
        **_rate("false_positives", wrong.rate if wrong else None),
        "claims_presence": result.claims,
        "embed_seconds": quality.seconds.value,
        "extract_seconds": result.extract.value,
        "errors": result.errors,
        "best_picture": result.best,
        "worst_picture": result.worst,
    }


def _published(method: Published) -> dict[str, Any]:
    return {
        "codec": f"{method.method}, {method.photos}",
        "source": method.mark,
        "paper_overall": method.overall,
        "bits_least": method.bits,
        "bits_most": method.bits,
        "psnr": method.psnr,
        "ssim": method.ssim,
        "ms_ssim": method.ms_ssim,
        "lpips": method.lpips,
        "embed_seconds": method.embed_seconds,
        "extract_seconds": method.extract_seconds,
    }


def _attacks(result: Result) -> Iterable[dict[str, Any]]:
    for attack, row in result.rows.items():
        yield {
            "codec": result.codec,
            "source": HERE,
            "attack": attack,
            "pictures": row.n,
            "errors": row.errors,
            **_mean("accuracy", row.accuracy),
            "worst": row.worst.value,
            "worst_picture": row.worst.image,
            **_rate("exact", row.exact),
            **_rate("found", row.found),
            **_rate("present", row.present),
            **_mean("capacity", row.capacity),
            **_mean("extract_seconds", row.seconds),
        }


def _mean(name: str, found: Mean) -> dict[str, Any]:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def _perceptual(found: Mapping[str, Mean]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name in tables.METRICS:
        columns |= _mean(name, found[name])
    return columns


def _rate(name: str, found: Rate | None) -> dict[str, Any]:
    if found is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Empty where there is no value; numbers with all their digits."""
    file = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def _table(table: Table) -> str:
    lines = [_line(map(_safe, table.heads)), _line("---" for _ in table.heads)]
    lines += [_line(_cell(cell) for cell in row) for row in table.rows]
    return "\n\n".join(["\n".join(lines), *_notes(table.notes)])


def _notes(notes: Iterable[str]) -> list[str]:
    return [f"- {_safe(note)}" for note in notes]


def _cell(cell: Cell) -> str:
    return _safe(cell.words)


def _line(words: Iterable[str]) -> str:
    return "| " + " | ".join(words) + " |"


def _safe(text: str) -> str:
    """Text that no table takes apart, and no reader for markup."""
    for letter in "\\|<>*_`":
        text = text.replace(letter, f"\\{letter}")
    return text


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")
