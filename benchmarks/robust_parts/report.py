"""All parts of a results folder as one JSON object, and as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from morebits.bench import records
from morebits.bench.machine import machine
from robust_parts import false_positives, lines, plan, rows, speed, visibility
from robust_parts.rows import label
from schemes.runs import Verdict, table

#: Where the parts that are not the runner's keep what they measured.
VISIBILITY, FALSE_POSITIVES = "visibility.jsonl", "false-positives.jsonl"
SPEED, SANITY = "speed.json", "sanity.json"

_NOTE = """Exact: every bit of the message came back, blind. The published columns are mean *bit*
accuracies of the paper's COCO table (their photos): at 99 % of 1024 bits, ten are wrong."""


def collect(folder: Path) -> dict[str, Any]:
    """Everything that was measured so far, and the verdicts."""
    found: dict[str, Any] = {"psnr": plan.PSNR, "seconds": plan.SECONDS, "parts": {}}
    verdicts: list[Verdict] = []
    for part in plan.PARTS.values():
        measured = _part(folder / part.folder, part)
        if measured is not None:
            found["parts"][part.name] = measured
            asked = [each for each in plan.ASKED if each.part == part.name]
            counts = measured["pictures"], plan.PICTURES[part.photos]
            verdicts += [rows.verdict(each, measured["rows"], *counts) for each in asked]
    if (folder / VISIBILITY).exists():
        found["visibility"] = visibility.summary(lines.read(folder / VISIBILITY))
        found["not available"] = machine()["metrics"]
        verdicts += visibility.verdicts(found["visibility"])
    if (folder / FALSE_POSITIVES).exists():
        found["false positives"] = false_positives.summary(lines.read(folder / FALSE_POSITIVES))
        verdicts += false_positives.verdicts(found["false positives"])
    if (folder / SPEED).exists():
        found["speed"] = json.loads((folder / SPEED).read_text())
        verdicts += speed.verdicts(found["speed"])
    if (folder / SANITY).exists():
        found["sanity"] = json.loads((folder / SANITY).read_text())
        verdicts += [
            Verdict(f"sanity: {each['name']}, {sides}", each["expected"], each["measured"],
                    each["verdict"] == "pass")
            for sides, checks in found["sanity"].items()
            for each in checks if each["name"] == "grows with the pixels"
        ]  # fmt: skip
    return {**found, "verdicts": [vars(each) for each in verdicts]}


def text(found: Mapping[str, Any]) -> str:
    """The whole report as Markdown."""
    return "\n".join([*_tables(found), "## Asked and measured\n", *_verdicts(found)])


def _part(folder: Path, part: plan.Part) -> dict[str, Any] | None:
    if not (folder / records.SAMPLES).exists():
        return None
    samples = list(records.read(folder))
    measured = rows.rows(part, samples)
    if not measured:
        return None
    run = records.read_run(folder)
    return {
        "bits": part.bits, "psnr": part.psnr, "pictures": len(run["images"]["files"]),
        "lowest_psnr": rows.lowest_psnr(part, samples), "rows": measured,
        "unmarked": rows.unmarked(samples), "machine": run["machine"], "packages": run["packages"],
    }  # fmt: skip


def _tables(found: Mapping[str, Any]) -> Iterator[str]:
    for name, part in found["parts"].items():
        bits, pictures = part["bits"], part["pictures"]
        yield f"## {name}: {bits:,} bits at {part['psnr']} dB, {pictures} pictures\n"
        yield from _rows(part["rows"])
        yield f"\nLowest PSNR {part['lowest_psnr'] or 0:.3f} dB.{_unmarked(part['unmarked'])}\n"
    if found["parts"]:
        yield _NOTE + "\n"
    if "visibility" in found:
        yield "## Visibility, 1024 bits\n"
        yield from _visibility(found["visibility"])
        for metric, why in found["not available"].items():
            yield f"\n{metric}: not available ({why})"
        yield ""
    if "speed" in found:
        yield "## Speed, one core\n"
        yield from _speed(found["speed"])
        yield f"\n{_peer(found['speed'])} {_load(found['speed']['load'])}\n"


def _rows(part: list[rows.Row]) -> list[str]:
    sets = list(dict.fromkeys(name for row in part for name in row["sets"]))
    methods = list(dict.fromkeys(name for row in part for name in row["published"]))
    published = [f"{each} (published)" for each in methods]
    header = ["attack", "exact", "%", *sets, "median s", "worst s", "wrong", *published]
    cells = [
        [
            row["label"], f"{row['exact']} of {row['n']}", f"{100 * row['share']:.1f}",
            *(_number(row["sets"].get(each), 100, 1) for each in sets),
            _number(row["seconds_median"], 1, 2), _number(row["seconds_worst"], 1, 2),
            str(row["wrong"]),
            *(_number(row["published"].get(each), 100, 1) for each in methods),
        ]
        for row in part
    ]  # fmt: skip
    return table(header, cells)


def _unmarked(read: Mapping[str, Any] | None) -> str:
    if read is None:
        return ""
    return (
        f" Covers without a mark: {read['accepted']} of {read['n']} accepted, rejected in "
        f"{read['seconds_median']:.2f} s (median), {read['seconds_worst']:.2f} s (worst)."
    )


def _visibility(found: Mapping[str, Any]) -> list[str]:
    kept = ("psnr", "ssim", "ms_ssim", "ssimulacra2", "cvvdp", "lpips", "flat_rms")
    first = next(iter(next(iter(found.values())).values()), {})
    names = [each for each in kept if each in first]
    cells = [
        [setting, group, *(_spread(figures[name]) for name in names)]
        for setting, groups in found.items()
        for group, figures in groups.items()
    ]
    return table(["setting", "photos", *(f"{each}: mean (min to max)" for each in names)], cells)


def _speed(found: Mapping[str, Any]) -> list[str]:
    """Rows of small pictures by rotation, and of the large one by edit."""
    small, large = found["extract"], found["large"]
    cells = [
        _times("640x480: embed", found["embed"], ""),
        _times("640x480: extract", small, f"{small['exact']} of {small['of']}"),
        *(_times(f"- rotation {each}", row, "") for each, row in small["rotations"].items()),
        _times("640x480: unmarked", found["unmarked"], ""),
        _times("12 megapixels: embed", large["embed"], ""),
        *(
            _times(f"12 megapixels: extract, {label(each)}", row, "yes" if row["exact"] else "NO")
            for each, row in large["extract"].items()
        ),
    ]
    return table(["what", "median s", "worst s", "exact", "peak GiB"], cells)


def _times(what: str, row: Mapping[str, Any], exact: str) -> list[str]:
    peak = f"{row['bytes'] / 2**30:.2f}" if "bytes" in row else ""
    return [what, f"{row['median']:.3f}", f"{row['worst']:.3f}", exact, peak]


def _load(load: float | None) -> str:
    """Whether the seconds can be believed: they are of the clock on the wall.

    >>> _load(0.1), _load(2.25)
    ('', 'The machine was busy (load 2.2): these seconds are too long.')
    """
    if load is None or load < 0.5:
        return ""
    return f"The machine was busy (load {load:.1f}): these seconds are too long."


def _peer(found: Mapping[str, Any]) -> str:
    peer = found["peer"]
    if not peer["available"]:
        return f"Video Seal 1.0's networks were not measured: {peer['why']}."
    words = (
        f"{what} {peer['ours'][what]:.3f} s, Video Seal 1.0's networks {peer[what]:.3f} s "
        f"({peer[what] / peer['ours'][what]:.1f} times as long)"
        for what in ("embed", "extract")
    )
    return f"The same 640x480 picture, not edited: {'; '.join(words)}."


def _verdicts(found: Mapping[str, Any]) -> list[str]:
    cells = [
        [each["figure"], each["asked"], each["measured"], "yes" if each["reached"] else "NO"]
        for each in found["verdicts"]
    ]
    return table(("figure", "asked", "measured", "reached"), cells)


def _spread(value: Mapping[str, Any]) -> str:
    if value["mean"] is None:
        return "–"
    return f"{value['mean']:.4g} ({value['min']:.4g} to {value['max']:.4g})"


def _number(value: float | None, factor: float, digits: int) -> str:
    return "–" if value is None else f"{factor * value:.{digits}f}"
