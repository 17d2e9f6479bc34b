"""The head: 24 bytes that tell how to read the rest, and look random without the key.

| bits | what, big-endian |
|---|---|
| 96 | the first bits of the message, zeros after a shorter one: the salt of the key |
| 2 | version of this layout: 0 |
| 5 | length of the register |
| 4 | plain bits a sample |
| 4 | which of 16 whitenings the body has |
| 33 | length of the message in bits |
| 48 | check: the start of a keyed BLAKE2b of the 144 bits before |

The last 96 bits are masked with a stream made from the key and the salt. Without the key they
are noise; with it, a picture that was never marked passes the check with a chance of 2^-48.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import keys
from morebits.codecs.trellis.layout import HEAD_BITS

#: Bits of the message that the head itself carries.
LEAD_BITS = 8 * keys.SALT_BYTES
#: Ways to whiten a body; a message that misses the PSNR with one is tried with the next.
WHITENINGS = 16
#: Chance that samples without a mark pass for a head.
P_VALUE = 2.0**-48

#: Longest message that the head can announce.
MOST_BITS = (1 << 33) - 1

_WIDTHS = (2, 5, 4, 4, 33)
_FIELD_BYTES = 6
_CHECK_BYTES = 6


@dataclass(frozen=True)
class Head:
    """What the head says; `lead` is its salt, the message's first 12 bytes."""

    lead: bytes
    length: int
    plain: int
    whitening: int
    bits: int

    def pack(self, key: keys.Key) -> NDArray[np.uint8]:
        """The bits as they are hidden."""
        number = 0
        for value, width in zip(
            (0, self.length, self.plain, self.whitening, self.bits), _WIDTHS, strict=True
        ):
            number = (number << width) | value
        fields = number.to_bytes(_FIELD_BYTES, "big")
        masked = _masked(fields + _check(key, self.lead, fields), key, self.lead)
        return np.unpackbits(np.frombuffer(self.lead + masked, np.uint8))


def unpack(bits: NDArray[np.uint8], key: keys.Key) -> Head | None:
    """The head behind these bits; None when the check or the version is not ours."""
    raw = np.packbits(bits[:HEAD_BITS]).tobytes()
    lead, masked = raw[: keys.SALT_BYTES], raw[keys.SALT_BYTES :]
    plain_text = _masked(masked, key, lead)
    fields, check = plain_text[:_FIELD_BYTES], plain_text[_FIELD_BYTES:]
    if check != _check(key, lead, fields):
        return None
    number = int.from_bytes(fields, "big")
    values: list[int] = []
    for width in reversed(_WIDTHS):
        values.append(number & ((1 << width) - 1))
        number >>= width
    message, whitening, plain, length, version = values
    return Head(lead, length, plain, whitening, message) if version == 0 else None


def whiten(bits: NDArray[np.uint8], key: keys.Key, lead: bytes, whitening: int) -> None:
    """Turn the bits of a body, in place, into what is hidden, and back."""
    stream = keys.keystream(
        keys.derive(key, lead, b"trellis-body%d" % whitening, 32), -(-bits.size // 8)
    )
    bits ^= np.unpackbits(np.frombuffer(stream, np.uint8), count=bits.size)


def _masked(data: bytes, key: keys.Key, lead: bytes) -> bytes:
    mask = keys.derive(key, lead, b"trellis-head", len(data))
    return bytes(a ^ b for a, b in zip(data, mask, strict=True))


def _check(key: keys.Key, lead: bytes, fields: bytes) -> bytes:
    secret = keys.derive(key, lead, b"trellis-check", 32)
    return hashlib.blake2b(lead + fields, digest_size=_CHECK_BYTES, key=secret).digest()
