"""Messages of any length to coded bits of any number, and back from soft values.

A message is cut into code blocks of equal size; each has its circular buffer (block.py). The
**mother code** is all buffers together, taking one bit of each block in turn, so that any run of
it protects every block alike. The coded bits are a run of the mother code that goes round
again when it ends (repetition), sent in a pseudo-random order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from morebits.codecs.bits import check_bits
from morebits.codecs.ldpc.block import LARGEST, Block, BlockDecoded
from morebits.codecs.ldpc.graphs import BaseGraph
from morebits.codecs.ldpc.interleaving import PUBLIC, permutation
from morebits.errors import InputError

#: What else to try where the values of a block came to no end: other values, and rounds for each.
Others: TypeAlias = Callable[[NDArray[np.float32]], Iterable[tuple[NDArray[np.float32], int]]]

#: Fewest and most message bits of a code, and the most coded bits.
SMALLEST_PAYLOAD, LARGEST_PAYLOAD, LARGEST_CODED = 16, 2**20, 2**26


@dataclass(frozen=True, eq=False)
class Decoded:
    """What a decoder found.

    `bits` is its best guess of the message; `ok` says that all parity checks hold, which is not
    yet a proof: the container has its own check. `iterations` counts rounds of the slowest
    block. `soft` is one log-likelihood ratio for each value that went in, after decoding
    (positive means 1), so that a receiver can take the coded bits as known and measure again.
    """

    bits: NDArray[np.uint8] = field(repr=False)
    ok: bool
    iterations: int
    soft: NDArray[np.float32] = field(repr=False)

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True)
class Code:
    """`payload_bits` message bits as `coded_bits` coded bits.

    `start` is where in the mother code the coded bits begin (0: the message itself first), and
    `key32` (32 bytes) decides their order; the default is public. There are at least 5 coded
    bits for 4 of the message.

    Soft values are log-likelihood ratios ln P(1) / P(0): positive means 1, zero means lost. Their
    scale matters: all of them 1.4 times too large or too small costs 0.2 dB, twice costs 1 dB.

    >>> code = Code(100, 300)
    >>> coded = code.encode([1, 0] * 50)
    >>> llr = 4.0 * coded - 2.0
    >>> llr[:60] = 0
    >>> found = code.decode(llr)
    >>> found.ok, found.bits[:4].tolist(), bool(((found.soft > 0) == coded).all())
    (True, [1, 0, 1, 0], True)
    """

    payload_bits: int
    coded_bits: int
    start: int = 0
    key32: bytes = field(default=PUBLIC, repr=False)

    def __post_init__(self) -> None:
        _check_whole("payload_bits", self.payload_bits, SMALLEST_PAYLOAD, LARGEST_PAYLOAD)
        _check_whole("coded_bits", self.coded_bits, 1, LARGEST_CODED)
        _check_whole("start", self.start, 0, LARGEST_CODED)
        if not isinstance(self.key32, bytes) or len(self.key32) != 32:
            raise InputError("key32", "not a key", "give 32 bytes, as from `keys.derive`")
        if self.coded_bits < (least := -(-self.payload_bits * 5 // 4)):
            raise InputError("coded_bits", self.coded_bits, f"give at least {least}")

    @cached_property
    def graph(self) -> BaseGraph:
        """Base graph 1 or 2, by length and rate as in TS 38.212, section 7.2.2.

        Its limit of 3824 bits is 3840 here: there is no checksum of 16 bits to make room for.
        """
        rate = self.payload_bits / self.coded_bits
        short = self.payload_bits <= LARGEST[2] and rate <= 0.67
        return 2 if self.payload_bits <= 292 or short or rate <= 0.25 else 1

    @cached_property
    def blocks(self) -> int:
        """Number of code blocks."""
        return -(-self.payload_bits // LARGEST[self.graph])

    @cached_property
    def block(self) -> Block:
        """The code of each block; the last one may end with a few zeros."""
        return Block(self.graph, -(-self.payload_bits // self.blocks))

    @property
    def length(self) -> int:
        """Bits of the mother code; more coded bits than this repeat some."""
        return self.blocks * self.block.length

    def positions(self, start: int = 0, count: int | None = None) -> NDArray[np.int64]:
        """Where in the mother code coded bits `start` to `start + count - 1` come from.

        Goes round after `coded_bits`; without `count` all coded bits once. The same numbers may
        come back: the soft values of one position add up.

        >>> code = Code(16, 64)
        >>> (code.positions(62, 4) == code.positions()[[62, 63, 0, 1]]).all()
        np.True_
        """
        first = _check_whole("start", start, 0, LARGEST_CODED)
        if count is None:
            count = self.coded_bits
        many = _check_whole("count", count, 0, LARGEST_CODED)
        return self._order[np.arange(first, first + many) % self.coded_bits]

    def mother(self, bits: ArrayLike) -> NDArray[np.uint8]:
        """All `length` bits of the mother code for a message."""
        message = check_bits(bits)
        if len(message) != self.payload_bits:
            raise InputError("bits", f"{len(message)} long", f"give {self.payload_bits} bits")
        padded = np.zeros(self.blocks * self.block.size, np.uint8)
        padded[: len(message)] = message
        buffers = [self.block.encode(part) for part in padded.reshape(self.blocks, -1)]
        return np.stack(buffers, axis=1).reshape(-1)

    def encode(self, bits: ArrayLike) -> NDArray[np.uint8]:
        """The coded bits of a message: exact, the same on every machine."""
        return self.mother(bits)[self._order]

    def decode(
        self, llr: ArrayLike, iterations: int = 50, *, others: Others | None = None
    ) -> Decoded:
        """The message from one soft value for each coded bit.

        Of a long message some blocks may come and others not: `others` are tried for these alone.
        """
        values = _check_soft(llr, self.coded_bits)
        summed = np.bincount(self._order, values, minlength=self.length)
        found = self.decode_mother(summed, iterations, others=others)
        return Decoded(found.bits, found.ok, found.iterations, found.soft[self._order])

    def decode_mother(
        self, llr: ArrayLike, iterations: int = 50, *, others: Others | None = None
    ) -> Decoded:
        """The message from one soft value for each bit of the mother code, repetitions summed.

        >>> code = Code(16, 40)
        >>> where = code.positions(10, 500)
        >>> seen = code.mother([1] * 16)[where] - 0.5
        >>> code.decode_mother(np.bincount(where, seen, minlength=code.length)).bits.sum()
        np.uint64(16)
        """
        values = _check_soft(llr, self.length).reshape(-1, self.blocks)
        _check_whole("iterations", iterations, 0, 10_000)
        parts = [np.ascontiguousarray(values[:, each]) for each in range(self.blocks)]
        found = [self.block.decode(each, iterations) for each in parts]
        if others is not None:
            found = list(self._better(found, parts, others))
        return Decoded(
            bits=np.concatenate([each.bits for each in found])[: self.payload_bits],
            ok=all(each.ok for each in found),
            iterations=max(each.iterations for each in found),
            soft=np.stack([each.soft for each in found], axis=1).reshape(-1),
        )

    def _better(
        self, found: list[BlockDecoded], parts: list[NDArray[np.float32]], others: Others
    ) -> Iterator[BlockDecoded]:
        """The blocks, those that did not come from other values, up to one that does not either:
        without it the rest is no message.
        """
        hopeful = True
        for first, values in zip(found, parts, strict=True):
            best = first
            if hopeful and not first.ok:
                tried = (self.block.decode(each, rounds) for each, rounds in others(values))
                best = next((each for each in tried if each.ok), first)
                hopeful = best.ok
            yield best

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The mother position of each coded bit."""
        order = (self.start + permutation(self.coded_bits, self.key32)) % self.length
        order.flags.writeable = False
        return order


def _check_whole(name: str, value: Any, least: int, most: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        raise InputError(name, value, f"give a whole number from {least} to {most}")
    return number


def _check_soft(llr: ArrayLike, length: int) -> NDArray[np.float32]:
    try:
        values = np.asarray(llr, np.float32)
    except (TypeError, ValueError):
        raise InputError("llr", "not numbers", f"give {length} log-likelihood ratios") from None
    if values.shape != (length,):
        raise InputError("llr", f"of shape {values.shape}", f"give {length} values in a row")
    if not np.isfinite(values).all():
        raise InputError("llr", "not finite", "give 0 where nothing is known")
    return values
