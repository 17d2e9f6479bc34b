"""How long a message is, as a small number: the class that the mark tells its reader.

Up to 31 payload bytes every length has its class; above, 32 lengths for every doubling, so that
at most 3 % of a message is padding. The longest payload has 32,256 bytes.
"""

from __future__ import annotations

from morebits.codecs import compact

#: Number of classes; a mark can tell up to `TOLD` of them, the rest is for later versions.
CLASSES, TOLD = 352, 512
#: Lengths a doubling.
_STEPS = 32


def payload_bytes(index: int) -> int:
    """Longest payload of a class.

    >>> [payload_bytes(each) for each in (0, 8, 33, 64, 65, 351)]
    [0, 8, 33, 64, 66, 32256]
    """
    if index < _STEPS:
        return index
    octave, step = divmod(index - _STEPS, _STEPS)
    return (_STEPS + step) << octave


def message_bits(index: int) -> int:
    """Bits of the messages of a class, the container included.

    >>> message_bits(96)
    1080
    """
    return 8 * payload_bytes(index) + compact.OVERHEAD_BITS


def class_of(bits: int) -> int | None:
    """The smallest class whose messages have at least so many bits; None if there is none.

    >>> class_of(1080), class_of(1), class_of(300_000)
    (96, 0, None)
    """
    for index in range(CLASSES):
        if message_bits(index) >= bits:
            return index
    return None
