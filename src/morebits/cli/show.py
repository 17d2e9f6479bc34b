"""Results on stdout: JSON for programs, tables for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

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
        ("capacity", f"{number(found.bits)} bits ({size(found.bits)})"),
        ("a sample", f"{found.bpp:.4f} bits"),
        ("bound", f"{found.bound}: {found.name}"),
        ("kind", found.kind),
        ("valid", f"{'yes' if found.valid else 'no'}, {found.reason}"),
        ("method", f"{found.method} (± {found.error:.2g} bits)"),
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
        numbers = (f"{each.psnr:g}", number(each.bits), f"{each.bpp:.4f}")
        grid.add_row(*numbers, each.kind, f"{each.bound}: {each.name}")
    first = found[0]
    print(f"cover: {first.cover}, {first.format.text}; edit: {first.under or 'none'}")
    _print(grid)


def number(bits: float) -> str:
    """Bits with two decimals and separators.

    >>> number(602672.5756)
    '602,672.58'
    """
    return f"{bits:,.2f}"


def size(bits: float) -> str:
    """Whole bytes that fit, in a unit that people read.

    >>> size(602672.58), size(12), size(0.3)
    ('73.6 KiB', '1 bytes', '0 bytes')
    """
    amount = float(max(bits, 0.0) // 8)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def _table(*, head: bool = True) -> Table:
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD if head else None, show_header=head, pad_edge=False)


def _print(table: Table) -> None:
    from rich.console import Console

    Console(highlight=False, markup=False).print(table)
