"""Results on stdout: JSON for programs, tables for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from morebits.demo import Demo
    from morebits.types import Capacity


def print_json(found: Capacity | Sequence[Capacity]) -> None:
    """One object, or a list of them."""
    one_only = not isinstance(found, Sequence)
    plain = found.to_dict() if one_only else [each.to_dict() for each in found]
    print(json.dumps(plain, indent=2, allow_nan=False))


def one(found: Capacity) -> None:
    """Everything about one capacity, a line each."""
    rows = [
        ("capacity", f"{_bits(found.bits)} bits"),
        ("", f"{_size(found.bits)}, {found.bpp:.4f} bits a sample"),
        ("bound", f"{found.bound}: {found.name}"),
        ("kind", found.kind),
        ("valid", f"{'yes' if found.valid else 'no'}: {found.reason}"),
        ("method", f"{found.method}, ± {found.error:.2g} bits"),
        ("cover", f"{found.cover}, {found.format.text}"),
        ("PSNR", f"at least {found.psnr:g} dB with peak {found.peak:g}"),
        ("edit", found.under or "none"),
        ("time", f"{1000 * found.seconds:.1f} ms"),
    ]
    table = _table()
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    _print(table)


def many(found: Sequence[Capacity]) -> None:
    """One row a PSNR."""
    first = found[0]
    table = _table(title=f"{first.cover}, {first.format.text}; edit: {first.under or 'none'}")
    for head in ("PSNR, dB", "bits", "bits a sample"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("bound")
    table.add_column("kind")
    for each in found:
        numbers = (f"{each.psnr:g}", _bits(each.bits), f"{each.bpp:.4f}")
        table.add_row(*numbers, f"{each.bound}: {each.name}", each.kind)
    _print(table)
