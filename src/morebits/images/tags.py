"""TIFF directories, which are also EXIF: parsed without looking at what the values mean.

Values stay the raw bytes of their file, in its byte order, so that nothing is lost between
reading and writing (TIFF 6.0 section 2, EXIF 2.32 section 4.6). Pointers to sub-directories
(EXIF, GPS, interoperability) become nested directories. BigTIFF is read, not written.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from morebits.errors import InputError

ORIENTATION, X_RESOLUTION, Y_RESOLUTION, RESOLUTION_UNIT = 274, 282, 283, 296
BYTE, SHORT, LONG, RATIONAL, UNDEFINED = 1, 3, 4, 5, 7

#: Bytes a value of each type.
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_WHOLE = {BYTE: "B", SHORT: "H", LONG: "I"}
_NESTED = {34665, 34853, 40965}

#: How pixels are stored, which a new file decides for itself: everything else is kept.
STRUCTURE = {
    *range(254, 260), *range(262, 267), 273, *range(277, 285), *range(286, 294), RESOLUTION_UNIT,
    297, 317, *range(320, 326), 330, 332, 334, 336, *range(338, 342), 347, *range(512, 522),
    *range(529, 533), 34675,
}  # fmt: skip


class Value(NamedTuple):
    """`number` values of a type, as raw bytes."""

    kind: int
    number: int
    data: bytes


Directory: TypeAlias = Mapping[int, "Value | Directory"]


@dataclass(frozen=True)
class Tags:
    """The first directory of a file; `order` is `<` or `>`, `more` says that another follows."""

    order: str
    entries: Directory
    more: bool = False


def parse(data: bytes) -> Tags | None:
    r"""The first directory of TIFF or EXIF bytes; None where they are neither.

    >>> parse(serialise(Tags("<", {ORIENTATION: short("<", 6)}))).entries
    {274: Value(kind=3, number=1, data=b'\x06\x00')}
    """
    try:
        order, big, offset = _begin(data)
        entries, more = _directory(data, order, big, offset, 0)
    except (struct.error, OverflowError):  # something else, or cut short
        return None
    return Tags(order, entries, more)


def neutral(data: bytes) -> bytes:
    """The same TIFF bytes, but with orientation 1 where they have one."""
    try:
        order, big, offset = _begin(data)
        places, size, _ = _places(data, order, big, offset)
    except struct.error:
        return data
    for place in places:
        if data[place : place + 2] == struct.pack(order + "H", ORIENTATION):
            entry = struct.pack(order + ("HHQH" if big else "HHIH"), ORIENTATION, SHORT, 1, 1)
            return data[:place] + entry.ljust(size, b"\0") + data[place + size :]
    return data


def repeated(data: bytes) -> int:
    """Bytes that the values of the first directory take beyond those that are there.

    Values that lie apart take none; many that point to the same bytes may take any number.
    """
    try:
        order, big, offset = _begin(data)
        head, size = ("Q", 20) if big else ("H", 12)
        (count,) = struct.unpack_from(order + head, data, offset)
    except struct.error:
        return 0
    start = offset + struct.calcsize(order + head)
    total = 0
    for place in range(start, min(start + size * count, len(data) - size + 1), size):
        _, kind, number = struct.unpack_from(order + ("HHQ" if big else "HHI"), data, place)
        (target,) = struct.unpack_from(
            order + ("Q" if big else "I"), data, place + (12 if big else 8)
        )
        total += min(_SIZES.get(kind, 0) * number, max(0, len(data) - target))
    return max(0, total - len(data))


def _begin(data: bytes) -> tuple[str, bool, int]:
    """Byte order, whether it is BigTIFF, and where the first directory is."""
    order = {b"II": "<", b"MM": ">"}.get(data[:2], "")
    magic = struct.unpack(order + "H", data[2:4])[0] if order else 0
    if magic not in (42, 43):
        raise struct.error("neither TIFF nor EXIF")
    big = magic == 43
    (offset,) = struct.unpack_from(order + ("Q" if big else "I"), data, 8 if big else 4)
    return order, big, offset


def _places(data: bytes, order: str, big: bool, offset: int) -> tuple[range, int, int]:
    """Where the entries of a directory are, their size, and that of the value inside."""
    head, size, wide = ("Q", 20, 8) if big else ("H", 12, 4)
    start = offset + struct.calcsize(order + head)
    (count,) = struct.unpack(order + head, data[offset:start])
    if start + size * count + wide > len(data):
        raise struct.error("more entries than bytes")
    return range(start, start + size * count, size), size, wide


def _directory(
    data: bytes, order: str, big: bool, offset: int, level: int
) -> tuple[dict[int, Value | Directory], bool]:
    """The entries of a directory, and whether another one follows it."""
    places, size, wide = _places(data, order, big, offset)
    entries: dict[int, Value | Directory] = {}
    left = len(data)  # many entries may point to the same bytes
    for place in places:
        value = place + size - wide
        tag, kind, number = struct.unpack(order + ("HHQ" if big else "HHI"), data[place:value])
        field = data[value : value + wide]
        (target,) = struct.unpack(order + ("Q" if big else "I"), field)
        length = _SIZES.get(kind, 0) * number
        left -= length
        if tag in _NESTED and level < 2:
            with suppress(struct.error, OverflowError):  # a pointer to nowhere
                entries[tag] = _directory(data, order, big, target, level + 1)[0]
        elif length and left >= 0:
            raw = field[:length] if length <= wide else data[target : target + length]
            if len(raw) == length:
                entries[tag] = Value(kind, number, raw)
    return entries, any(data[places.stop : places.stop + wide])


def serialise(tags: Tags, start: int = 8) -> bytes:
    """TIFF bytes of one directory, which begins at `start`; what lies before it is zero."""
    head = (b"II" if tags.order == "<" else b"MM") + struct.pack(tags.order + "HI", 42, start)
    return head.ljust(start, b"\0") + _block(tags.order, tags.entries, start)


def _block(order: str, entries: Directory, start: int) -> bytes:
    """A directory and, after it, the values that do not fit into its entries."""
    begin = start + 2 + 12 * len(entries) + 4
    table, tail = bytearray(struct.pack(order + "H", len(entries))), bytearray()
    for tag, value in sorted(entries.items()):
        place = begin + len(tail)
        if isinstance(value, Value):
            kind, number, data = value
            field = data if len(data) <= 4 else struct.pack(order + "I", place)
            tail += b"" if len(data) <= 4 else data
        else:
            kind, number, field = LONG, 1, struct.pack(order + "I", place)
            tail += _block(order, value, place)
        tail += bytes(len(tail) % 2)  # offsets are even
        table += struct.pack(order + "HHI", tag, kind, number) + field.ljust(4, b"\0")
    return bytes(table + bytes(4) + tail)


def short(order: str, *values: int) -> Value:
    """16-bit numbers."""
    return Value(SHORT, len(values), struct.pack(f"{order}{len(values)}H", *values))


def long(order: str, *values: int) -> Value:
    """32-bit numbers."""
    return Value(LONG, len(values), struct.pack(f"{order}{len(values)}I", *values))


def orientation(exif: bytes | None) -> int:
    """The EXIF orientation, 1 to 8; 1 where nothing or nonsense is said.

    >>> orientation(b"MM...")
    1
    """
    found = parse(exif) if exif else None
    value = found.entries.get(ORIENTATION) if found else None
    if found is None or not isinstance(value, Value) or value.kind not in _WHOLE:
        return 1
    letter = found.order + _WHOLE[value.kind]
    (number,) = struct.unpack_from(letter, value.data)
    return number if 1 <= number <= 8 else 1


def with_orientation(exif: bytes, number: int) -> bytes:
    """The same EXIF data with another orientation; the thumbnail, which would lie, is left out."""
    found = parse(exif)
    if found is None:
        raise InputError("exif", exif, "give EXIF data that can be parsed")
    entries = {**found.entries, ORIENTATION: short(found.order, number)}
    return serialise(Tags(found.order, entries))


def resolution(tags: Tags) -> tuple[float, float] | None:
    """Pixels an inch, across and down; None where the file does not say."""
    unit = tags.entries.get(RESOLUTION_UNIT)
    code = 2
    if isinstance(unit, Value) and unit.kind == SHORT:
        (code,) = struct.unpack(tags.order + "H", unit.data[:2])
    numbers: list[float] = []
    for tag in (X_RESOLUTION, Y_RESOLUTION):
        value = tags.entries.get(tag)
        if code not in (2, 3) or not isinstance(value, Value) or value.kind != RATIONAL:
            return None
        top, bottom = struct.unpack(tags.order + "II", value.data[:8])
        numbers.append(top / bottom * (2.54 if code == 3 else 1) if bottom else 0.0)
    return numbers[0], numbers[1]
