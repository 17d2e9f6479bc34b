"""Results on stdout: JSON for programs, tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from morebits.human import grouped, in_bytes

if TYPE_CHECKING:
    from rich.table import Table

    from morebits.demo import Demo
    from morebits.types import Capacity


def print_json(found: Sequence[Capacity]) -> None:
    """One object, or a list where there are several."""
    plain = [each.to_dict() for each in found]
    print(json.dumps(plain[0] if len(plain) == 1 else plain, indent=2, allow_nan=False))


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
    grid = _table(head=False)
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for row in rows:
        grid.add_row(*row)
    _print(grid)


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
    for path in shown.files:
        print(f"wrote {path}")


def _short(error: float) -> str:
    return grouped(error) if error >= 100 else f"{error:.2g}"


def working(message: str | None) -> AbstractContextManager[object]:
    """A spinner on a terminal's stderr while something slow runs; nothing without a message."""
    if message is None or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True, markup=False).status(message)


def _table(*, head: bool = True) -> Table:
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD if head else None, show_header=head, pad_edge=False)


def _print(table: Table) -> None:
    from rich.console import Console

    Console(highlight=False, markup=False).print(table)
