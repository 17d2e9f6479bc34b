"""How a message is divided: plain bits a sample, coded bits a segment, length of the register."""

from __future__ import annotations

from dataclasses import dataclass

from morebits.codecs.trellis.layout import Layout

#: Most coded bits a sample, as a fraction: above it, one more plain bit costs less.
_MOST_CODED = (3, 2)
#: Steps of a segment for each place of the register: short segments get a short register.
_FILL = 16
_SHORTEST = 3


@dataclass(frozen=True)
class Plan:
    """What every segment carries: `plain` bits in each sample, and `coded` bits together.

    `length` is that of the register: `2^(length-1)` states at one coded bit a sample.
    """

    plain: int
    coded: int
    length: int

    def bits(self, steps: int) -> int:
        """Message bits of a segment."""
        return self.plain * steps + self.coded


def register_length(states: int, steps: int) -> int:
    """Length of the register for this many states, less where a segment is short.

    >>> register_length(256, 10_000), register_length(256, 100)
    (9, 6)
    """
    return min(states.bit_length(), max(_SHORTEST, steps // _FILL))


def plan(layout: Layout, bits: int, *, depth: int, length: int) -> Plan | None:
    """The plan for a body of this many bits; None when no sample has that many values.

    The rate is set to the message, not to the capacity: changes then spread evenly over the
    picture, and the PSNR is as high as this message allows.

    >>> plan(Layout(196_608), 590_000, depth=8, length=11)
    Plan(plain=2, coded=12317, length=11)
    """
    steps = layout.steps
    share = -(-bits // layout.segments)
    most = max(0, steps - length) * _MOST_CODED[0] // _MOST_CODED[1]
    plain = 0 if share <= most else -(-(share - most) // max(1, steps))
    if plain > depth - 2 or (share > 0 and steps <= length):
        return None
    return Plan(plain, max(0, share - plain * steps), length)


def told(layout: Layout, bits: int, *, plain: int, length: int) -> Plan | None:
    """The plan that a head tells of; None when no encoder can have made it.

    The decoder takes any plan, so that a later encoder may divide a message otherwise.
    """
    steps = layout.steps
    coded = max(0, -(-bits // layout.segments) - plain * steps)
    possible = length >= _SHORTEST and coded <= 2 * max(0, steps - length)
    return Plan(plain, coded, length) if possible else None


def most_bits(layout: Layout, *, depth: int, length: int) -> int:
    """The longest body that any plan carries, whatever it does to the picture."""
    steps = layout.steps
    if steps <= length:
        return 0
    coded = (steps - length) * _MOST_CODED[0] // _MOST_CODED[1]
    return layout.segments * ((depth - 2) * steps + coded)
