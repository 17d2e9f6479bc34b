"""Results on stdout: JSON for programs, tables for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from morebits.types import Capacity


def print_json(found: Capacity | Sequence[Capacity]) -> None:
    """One object, or a list of them."""
    plain = [each.to_dict() for each in found] if isinstance(found, Sequence) else found.to_dict()
    print(json.dumps(plain, indent=2, allow_nan=False))


def one(found: Capacity) -> None:
    """Everything about one capacity, a line each."""
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
    table = _table(head=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    _print(table)


def many(found: Sequence[Capacity]) -> None:
    """One row a PSNR."""
    table = _table()
    for head in ("PSNR, dB", "bits", "bits a sample"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("bound")
    for each in found:
        numbers = (f"{each.psnr:g}", number(each.bits), f"{each.bpp:.4f}")
        table.add_row(*numbers, each.kind, f"{each.bound}: {each.name}")
    first = found[0]
    print(f"cover: {first.cover}, {first.format.text}; edit: {first.under or 'none'}")
    _print(table)


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
