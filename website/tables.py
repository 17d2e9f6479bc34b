"""Tables from the files in benchmarks/results: nothing in them is typed by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results"


def make(name: str) -> str:
    """The table of a name, as Markdown; KeyError if there is none."""
    return _TABLES[name]()


@cache
def robust() -> dict[str, Any]:
    """The report of benchmarks/robust.py."""
    return json.loads((RESULTS / "robust" / "report.json").read_text())


def front() -> str:
    """Four numbers for the first page: counted here, or from the results."""
    import morebits as mb
    from notebooks import photo

    bound = mb.capacity(photo(), psnr=42)
    room = mb.room(photo(), codec="trellis", psnr=42)
    rows = robust()["parts"]["paper1024"]["rows"]
    mean = sum(row["share"] for row in rows) / len(rows)
    wrong = sum(row["wrong"] for row in rows)
    tried = sum(row["n"] for row in rows)
    numbers = (
        (f"{bound.bits / 8192:.0f} KiB", "can be hidden in a photo of 512x600 pixels at 42 dB"),
        (f"{100 * 8 * room / bound.bits:.0f} %", "of that is what <code>trellis</code> takes"),
        (_percent(mean), f"of 1024-bit notes read whole, mean over {len(rows)} edits at 45 dB"),
        (f"{wrong}", f"wrong payloads returned in {tried:,} edited photos"),
    )
    cells = "".join(f"<div><strong>{a}</strong><span>{b}</span></div>" for a, b in numbers)
    return f'<div class="numbers">{cells}</div>'


def paper_rows() -> str:
    """Every row of the paper's tables: ours beside what the paper printed."""
    part = robust()["parts"]["paper1024"]
    others = list(part["rows"][0].get("published", {}))
    heads = ["edit", "photos", "message exact", "at least (95 %)", "median, worst s"]
    rows = [
        [
            f"{row['label']} (`{row['attack']}`)", str(row["n"]), _percent(row["share"]),
            _percent(row["low"]), f"{row['seconds_median']:.2f}, {row['seconds_worst']:.1f}",
            *(_bits(row, other) for other in others),
        ]
        for row in part["rows"]
    ]  # fmt: skip
    return _about(part) + _table([*heads, *(f"{other}, bits right" for other in others)], rows)


def other_parts() -> str:
    """Whatever else was measured, one table a part."""
    texts: list[str] = []
    for name, part in robust()["parts"].items():
        if name == "paper1024" or "rows" not in part:
            continue
        rows = [
            [f"{row['label']} (`{row['attack']}`)".replace("|", "\\|"), str(row["n"]),
             _percent(row["share"]), _percent(row["low"])]
            for row in part["rows"]
        ]  # fmt: skip
        heads = ["edit", "photos", "message exact", "at least (95 %)"]
        texts.append(f"**{name}.** {_about(part)}{_table(heads, rows)}")
    return "\n\n".join(texts)


def visibility() -> str:
    """What metrics say of the marked pictures at both settings, mean and worst picture."""
    figures = {
        "ssim": ("SSIM", 4), "ssimulacra2": ("SSIMULACRA2", 1),
        "cvvdp": ("ColorVideoVDP (JOD)", 2), "flat_rms": ("flattest quarter, levels", 2),
    }  # fmt: skip
    rows: list[list[str]] = []
    for setting, groups in robust()["visibility"].items():
        for group, found in groups.items():
            cells = [setting, group]
            for name, (_, digits) in figures.items():
                worst = found[name]["max" if name == "flat_rms" else "min"]
                cells.append(f"{found[name]['mean']:.{digits}f} ({worst:.{digits}f})")
            rows.append(cells)
    return _table(["setting", "photos", *(label for label, _ in figures.values())], rows)


def verdicts() -> str:
    """What was asked of the codec, and whether it is reached."""
    rows = [
        [each["figure"], each["asked"], each["measured"], "yes" if each["reached"] else "**no**"]
        for each in robust()["verdicts"]
    ]
    return _table(["figure", "asked", "measured", "reached"], rows, words=True)


def _about(part: dict[str, Any]) -> str:
    wrong = sum(row["wrong"] for row in part["rows"])
    return (
        f"{part['bits']:,} bits, {part['pictures']} pictures, the lowest PSNR "
        f"{part['lowest_psnr']:.2f} dB. Wrong messages returned: {wrong}. Unmarked pictures "
        f"accepted: {part['unmarked']['accepted']} of {part['unmarked']['n']}.\n\n"
    )


def _bits(row: dict[str, Any], other: str) -> str:
    share = row.get("published", {}).get(other)
    return "–" if share is None else _percent(share)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: bool = False) -> str:
    """Numbers stand right, words and the first column left."""
    right = "|".join(":--" if words or i == 0 else "--:" for i in range(len(heads)))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", f"|{right}|", *lines])


_TABLES: dict[str, Callable[[], str]] = {
    "front": front,
    "robust-paper": paper_rows,
    "robust-others": other_parts,
    "robust-verdicts": verdicts,
    "robust-visibility": visibility,
}
