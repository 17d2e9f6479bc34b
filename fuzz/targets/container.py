"""Messages: any bytes, and any bytes that somebody sealed properly without a key."""

from __future__ import annotations

from contextlib import suppress

from morebits.codecs import compact, container
from morebits.errors import MorebitsError

#: Most bytes of a payload: a compressed body must not make more.
_LIMIT = 1 << 20


def check(data: bytes) -> None:
    """Open them as they are, and as head, version, encoding and body of a forger."""
    first, rest = data[:2], data[2:]
    version, encoding = (first[0] >> 4, first[0] & 15) if first else (1, 0)
    size = len(rest) + compact.OVERHEAD_BITS // 8 + (first[1] if len(first) > 1 else 0)
    secrets = compact._secrets(None)
    forged = [
        container._seal(encoding, rest, None, first, version),
        compact._seal(encoding, rest, size, secrets, version),
    ]
    for message in (data, *forged):
        for opens in (container.unpack, compact.unpack):
            with suppress(MorebitsError):
                opened = opens(message, key=None, max_payload=_LIMIT)
                length = len(opened.payload or b"")
                if length > _LIMIT or (opened.payload is None) == bool(opened):
                    raise AssertionError(f"{opened.status} with {length} bytes")
    if container.unpack(container.pack(data, key=None, context=first), key=None).payload != data:
        raise AssertionError("not what was packed")
