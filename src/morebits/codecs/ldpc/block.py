"""One code block: which base graph and lifting size, what is sent, encoder and decoder.

The codeword of a block is

    [ 2Z bits never sent | rest of the message | filler | parity ... ]

The filler is zeros that both sides know; it is not sent either. What is sent, in this order, is
the circular buffer of TS 38.212, section 5.4.2.1, without its filler bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.ldpc.encoding import codeword
from morebits.codecs.ldpc.graphs import CORE_ROWS, LIFTINGS, BaseGraph, Lifted, lifted

_T = TypeVar("_T", bound=np.generic)

#: Most message bits in one block, for base graph 1 and 2 (TS 38.212, section 5.2.2).
LARGEST: dict[BaseGraph, int] = {1: 8448, 2: 3840}

#: How sure the decoder is of a filler bit, and the most that it believes of any other one.
_CERTAIN = np.float32(1000)
_MOST = np.float32(200)


class BlockDecoded(NamedTuple):
    """Message bits, whether all checks hold, rounds used, and a value for each sent bit."""

    bits: NDArray[np.uint8]
    ok: bool
    iterations: int
    soft: NDArray[np.float32]


@dataclass(frozen=True)
class Block:
    """A code block of `size` message bits over base graph `graph`.

    >>> block = Block(1, 1000)
    >>> block.Z, block.filler, block.length
    (48, 56, 3112)
    """

    graph: BaseGraph
    size: int

    @cached_property
    def Z(self) -> int:  # noqa: N802
        """The smallest lifting size that holds the message (TS 38.212, section 5.2.2)."""
        columns = 22 if self.graph == 1 else _columns_of_graph_2(self.size)
        return next(Z for Z in LIFTINGS if columns * Z >= self.size)

    @cached_property
    def lifted(self) -> Lifted:
        """The parity checks."""
        return lifted(self.graph, self.Z)

    @property
    def filler(self) -> int:
        """Known zeros between the message and the parity bits."""
        return self.lifted.systematic * self.Z - self.size

    @property
    def length(self) -> int:
        """Bits of the circular buffer: all that can be sent."""
        return (self.lifted.columns - 2) * self.Z - self.filler

    def encode(self, bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The circular buffer for `size` message bits."""
        message = np.zeros(self.lifted.systematic * self.Z, np.uint8)
        message[: self.size] = bits
        return self._sent(codeword(self.lifted, message))

    def decode(self, llr: NDArray[np.float32], iterations: int) -> BlockDecoded:
        """The message from one value for each bit of the circular buffer; positive means 1."""
        graph, Z = self.lifted, self.Z
        word = np.zeros(graph.columns * Z, np.float32)
        word[self.size : self.size + self.filler] = _CERTAIN
        message = self.size - 2 * Z
        word[2 * Z : self.size] = -np.clip(llr[:message], -_MOST, _MOST)
        word[graph.systematic * Z :] = -np.clip(llr[message:], -_MOST, _MOST)
        total = word.reshape(graph.columns, Z)
        received = np.count_nonzero(total[graph.systematic :], axis=1)
        active = (received > 0) | (np.arange(graph.rows) < CORE_ROWS)
        from morebits.codecs.ldpc.propagation import propagate

        ok, used = propagate(total, graph.first, graph.column, graph.shift, active, iterations)
        soft = -word
        return BlockDecoded((soft[: self.size] > 0).astype(np.uint8), ok, used, self._sent(soft))

    def _sent(self, word: NDArray[_T]) -> NDArray[_T]:
        return np.concatenate((word[2 * self.Z : self.size], word[self.size + self.filler :]))


def _columns_of_graph_2(size: int) -> int:
    """K_b of TS 38.212, section 5.2.2: short messages leave some columns to the filler."""
    return 10 if size > 640 else 9 if size > 560 else 8 if size > 192 else 6
