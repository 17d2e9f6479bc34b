"""Payloads made smaller, when that helps: raw LZMA with every parameter fixed.

LZMA is in the standard library, makes the smallest streams of the three there from a few
kilobytes on, and a raw stream has no header. Deflate is some bytes shorter for one line of text,
but zlib and zlib-ng, which Pythons link to, disagree on its output; zstandard's changes between
releases, and it would be one more dependency. The same payload has to give the same picture.
"""

from __future__ import annotations

import lzma
from typing import Any

from morebits.errors import TooLarge

#: A reader needs the first five; the others are how we write, spelled out so that no default
#: of a library can change the output.
_FILTERS: list[dict[str, Any]] = [
    {
        "id": lzma.FILTER_LZMA1,
        "dict_size": 1 << 22,
        "lc": 3,
        "lp": 0,
        "pb": 0,
        "mode": lzma.MODE_NORMAL,
        "mf": lzma.MF_BT4,
        "nice_len": 64,
        "depth": 48,
    }
]
_LENGTH_BYTES = 4

# A payload above this size is looked at in samples first: photos, archives and ciphertext
# would otherwise take a second for every 2.5 MB, for nothing.
_LARGE = 1 << 20
_SAMPLES = 64
_SAMPLE_BYTES = 1 << 12


def compress(payload: bytes) -> bytes | None:
    """The payload's length (4 bytes) and its LZMA stream; None unless that is smaller.

    >>> len(compress(b"again and " * 100))
    32
    >>> compress(b"once") is None
    True
    """
    if len(payload) > _LARGE and not _promising(payload):
        return None
    body = len(payload).to_bytes(_LENGTH_BYTES, "little") + _stream(payload)
    return body if len(body) < len(payload) else None


def decompress(body: bytes, *, limit: int) -> bytes | None:
    """What `compress` was given; None when the stream is not exactly of its stated length.

    Never makes more than one byte beyond the stated length; TooLarge when that is above the
    limit (bytes).

    >>> decompress(compress(b"again and " * 100), limit=1000)[:10]
    b'again and '
    """
    stated = int.from_bytes(body[:_LENGTH_BYTES], "little")
    if stated > limit:
        raise TooLarge("the payload", stated, limit, "bytes", "raise max_payload")
    decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
    try:
        payload = decoder.decompress(body[_LENGTH_BYTES:], max_length=stated + 1)
    except lzma.LZMAError:
        return None
    complete = decoder.eof and not decoder.unused_data and len(payload) == stated
    return payload if complete else None


def _promising(payload: bytes) -> bool:
    """Whether any of 64 evenly spaced samples shrinks by a sixteenth."""
    step = len(payload) // _SAMPLES
    samples = (payload[i * step : i * step + _SAMPLE_BYTES] for i in range(_SAMPLES))
    return any(len(_stream(sample)) * 16 <= len(sample) * 15 for sample in samples)


def _stream(payload: bytes) -> bytes:
    return lzma.compress(payload, lzma.FORMAT_RAW, filters=_FILTERS)
