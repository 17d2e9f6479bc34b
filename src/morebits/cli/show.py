"""Results on stdout: JSON for programs, tables for people."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from morebits.human import grouped, in_bytes

if TYPE_CHECKING:
    from rich.table import Table

    from morebits.bench.sanity import Check
    from morebits.cli.models import Model
    from morebits.demo import Demo
    from morebits.doctor import Check as Health
    from morebits.hiding import Marked
    from morebits.types import Capacity, Extraction


#: Edits that are named one by one.
_TOLD = 3


def print_json(plain: object) -> None:
    """An object or a list, for programs."""
    print(json.dumps(plain, indent=2, allow_nan=False))


def table(found: Sequence[Capacity]) -> None:
    """All about one capacity, or one row a PSNR."""
    if len(found) == 1:
        _all_about(found[0])
    else:
        _rows(found)


def _all_about(found: Capacity) -> None:
    rows = [
        ("capacity", f"{grouped(found.bits, 2)} bits ({in_bytes(found.bits)})"),
        ("error", f"± {_short(found.error)} bits"),
        ("a sample", f"{found.bpp:.4f} bits"),
        ("bound", f"{found.bound}: {found.name}"),
        ("kind", found.kind),
        ("valid", f"{'yes' if found.valid else 'no'}, {found.reason}"),
        ("method", found.method),
        ("cover", f"{found.cover}, {found.format.text}"),
        ("edit", found.under or "none"),
        ("PSNR", f"at least {found.psnr:g} dB, peak {found.peak:g}"),
        ("time", f"{1000 * found.seconds:.1f} ms"),
    ]
    pairs(rows)


def _rows(found: Sequence[Capacity]) -> None:
    grid = _table()
    for head in ("PSNR, dB", "bits", "bits a sample"):
        grid.add_column(head, justify="right", no_wrap=True)
    grid.add_column("kind", no_wrap=True)
    grid.add_column("bound")
    for each in found:
        error = f" ± {_short(each.error)}" if each.error >= 0.01 else ""
        numbers = (f"{each.psnr:g}", grouped(each.bits, 2) + error, f"{each.bpp:.4f}")
        grid.add_row(*numbers, each.kind, f"{each.bound}: {each.name}")
    first = found[0]
    print(f"cover: {first.cover}, {first.format.text}; edit: {first.under or 'none'}")
    _print(grid)


def demo(shown: Demo) -> None:
    """The table of the demonstration and what was written."""
    grid = _table()
    for head in ("edit", "size"):
        grid.add_column(head, no_wrap=True)
    for head in ("PSNR", "heuristic", "certified", ""):
        grid.add_column(head, justify="right", no_wrap=True)
    for row in shown.rows:
        best, sure = row.best, row.certified.bits
        size = f"{best.format.width}x{best.format.height}"
        guess = grouped(best.bits) if best.under else "exact"
        grid.add_row(
            best.under or "none", size, f"{best.psnr:g}", guess, grouped(sure), in_bytes(sure)
        )
    print("Bits that this photo can hide; under an edit, bits of a gray picture that survive it.")
    _print(grid)
    for each in shown.hidden:
        marked = each.marked
        print(
            f"Hidden and revealed: {each.words}: {marked.payload_bytes:,} bytes, "
            f"{marked.psnr:.2f} dB, {100 * each.share:.1f} % of the exact bound."
        )
    if shown.journey is not None:
        steps = ", ".join(each.words for each in shown.journey.stages[1:])
        print(f"Read from a photo that was {steps}: {shown.journey.note}")
    for path in shown.files:
        print(f"wrote {path}")


def hidden(marked: Marked, out: Path, *, as_json: bool) -> None:
    """What was hidden and what it cost."""
    from morebits import measure

    lowest = marked.lowest_psnr
    fill = lowest is None and marked.fragile
    level = 0.0 if fill else marked.psnr if lowest is None else lowest
    bound = measure.capacity(marked.cover, psnr=level).bits
    if as_json:
        print_json({
            "file": str(out),
            "payload_bytes": marked.payload_bytes,
            "message_bits": marked.bits,
            "psnr": marked.psnr if math.isfinite(marked.psnr) else None,
            "lowest_psnr": lowest,
            "bound_bits": bound,
            "codec": marked.codec,
            "survives": list(marked.survives),
            "encrypted": marked.key is not None,
            "revealed": True,
        })  # fmt: skip
        return
    limit = "of all its bits" if fill else f"of the most that is possible at {level:.4g} dB"
    lock = "encrypted" if marked.key is not None else "no key: anyone can reveal it"
    pairs([
        ("hidden", f"{marked.payload_bytes:,} bytes, {lock}"),
        ("PSNR", f"{marked.psnr:.2f} dB"),
        ("full", f"{100 * marked.bits / bound:.2g} % {limit}"),
        ("survives", _edits(marked)),
        ("written", f"{_name(out)} ({in_bytes(8 * out.stat().st_size)})"),
        ("revealed again", "yes"),
    ])  # fmt: skip


def _edits(marked: Marked) -> str:
    """What the mark was read after: all of a few edits, the number of many."""
    if marked.fragile:
        return "no edit at all"
    tried = [each for each in marked.survives if each != "none"]
    if not tried:
        return "no edit was tried, --survive does that"
    some = ", ".join(tried[:_TOLD])
    return f"{some} and {len(tried) - _TOLD} more edits" if len(tried) > _TOLD else some


def revealed(found: Extraction, out: Path | None) -> None:
    """The answer as JSON; the payload is in it where it went nowhere else."""
    plain: dict[str, object] = {"status": found.status, "codec": None, "p_value": found.p_value}
    if found.payload is not None and found:
        plain |= {"codec": found.codec, "payload_bytes": len(found.payload)}
        if out is None:
            plain["payload_base64"] = base64.b64encode(found.payload).decode()
        else:
            plain["file"] = str(out)
        details = {**found.details}
        plain |= {"undone": details.pop("edits"), "details": details}
    print_json(plain)


def written(out: Path, length: int) -> None:
    """One line on a file."""
    print(f"wrote {_name(out)} ({in_bytes(8 * length)})")


def models(known: Sequence[Model]) -> None:
    """One line a codec."""
    grid = _table()
    for head in ("codec", "blind", "extra"):
        grid.add_column(head, no_wrap=True)
    grid.add_column("for")
    for each in known:
        grid.add_row(each.name, "yes" if each.blind else "no", each.extra or "none", each.purpose)
    print("Blind codecs read a picture without its cover; extra: pip install 'morebits[EXTRA]'.")
    _print(grid)


def checks(found: Sequence[Check]) -> None:
    """One line a check: expected, measured, verdict and why."""
    grid = _table()
    for head in ("check", "expected", "measured", "verdict"):
        grid.add_column(head, overflow="fold")
    for each in found:
        grid.add_row(each.name, each.expected, each.measured, f"{each.verdict}: {each.reason}")
    _print(grid)


def health(found: Sequence[Health]) -> None:
    """One line a check of `morebits doctor`."""
    grid = _table()
    for head in ("check", "state"):
        grid.add_column(head, no_wrap=True)
    for head in ("seconds", "memory"):
        grid.add_column(head, justify="right", no_wrap=True)
    grid.add_column("what", overflow="fold")
    for each in found:
        ran = f"{each.seconds:.1f}" if each.seconds else ""
        memory = "" if each.memory is None else in_bytes(8 * each.memory)
        grid.add_row(each.name, each.state, ran, memory, each.words)
    _print(grid)


def _name(path: Path) -> str:
    """A path that any terminal can show."""
    return str(path) if str(path).isprintable() else repr(str(path))


def _short(error: float) -> str:
    return grouped(error) if error >= 100 else f"{error:.2g}"


def pairs(rows: Sequence[tuple[str, str]]) -> None:
    """Names and values, one line each."""
    grid = _table(head=False)
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for row in rows:
        grid.add_row(*row)
    _print(grid)


def _table(*, head: bool = True) -> Table:
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD if head else None, show_header=head, pad_edge=False)


def _print(table: Table) -> None:
    from rich.console import Console

    Console(highlight=False, markup=False).print(table)
