"""Numbers and bytes as people read them."""

from __future__ import annotations


def grouped(bits: float, decimals: int = 0) -> str:
    """Bits with separators.

    >>> grouped(602672.5787, 2), grouped(904.6)
    ('602,672.58', '905')
    """
    return f"{bits:,.{decimals}f}"


def in_bytes(bits: float) -> str:
    """Whole bytes that fit, in a unit that people read.

    >>> in_bytes(602672.58), in_bytes(12), in_bytes(0.3)
    ('73.6 KiB', '1 byte', '0 bytes')
    """
    amount = float(max(bits, 0.0) // 8)
    if amount < 1024:
        return "1 byte" if amount == 1 else f"{amount:.0f} bytes"
    for unit in ("KiB", "MiB"):
        amount /= 1024
        if amount < 1024:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1024:.1f} GiB"


def plain_text(payload: bytes) -> str | None:
    """The text of some bytes; None where a screen would do more than show it.

    >>> plain_text("bits für alle".encode()), plain_text(bytes([0, 255]))
    ('bits für alle', None)
    """
    try:
        text = payload.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    return text if all(each.isprintable() or each in "\n\t" for each in text) else None
