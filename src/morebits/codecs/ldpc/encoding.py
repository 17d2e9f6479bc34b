"""The exact encoder: solves H c = 0 over GF(2) for the parity bits.

The four core rows form a small system that is solved once by adding them up (Richardson and
Kudekar, "Design of low-density parity check codes for 5G New Radio", 2018): in the sum the three
double columns cancel and the first parity column is left with a single shift. All other rows
have one new parity bit each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.ldpc.graphs import CORE_ROWS, Lifted

Bits = NDArray[np.uint8]


def codeword(graph: Lifted, systematic: Bits) -> Bits:
    """All columns x Z bits of the codeword whose first bits are `systematic`.

    >>> from morebits.codecs.ldpc.graphs import lifted
    >>> word = codeword(lifted(2, 2), np.ones(20, np.uint8))
    >>> len(word), int(word.sum())
    (104, 74)
    """
    word = np.zeros((graph.columns, graph.Z), np.uint8)
    word[: graph.systematic] = systematic.reshape(graph.systematic, graph.Z)
    known = graph.systematic  # columns filled in so far
    # The parts of the core rows that the message alone decides.
    core = [_sum(graph, word, row, known) for row in range(CORE_ROWS)]
    total = core[0] ^ core[1] ^ core[2] ^ core[3]
    word[known] = np.roll(total, _lone_shift(graph))
    # Row 0 now gives the second parity column, and so on: each row has one unknown column.
    for row in range(CORE_ROWS - 1):
        word[known + 1 + row] = _sum(graph, word, row, known + 1 + row)
    for row in range(CORE_ROWS, graph.rows):
        word[known + row] = _sum(graph, word, row, known + row)
    return word.reshape(-1)


def syndrome(graph: Lifted, word: Bits) -> Bits:
    """H c over GF(2), rows x Z bits: all zero for a codeword.

    >>> from morebits.codecs.ldpc.graphs import lifted
    >>> syndrome(lifted(2, 2), np.zeros(104, np.uint8)).any()
    np.False_
    """
    table = word.reshape(graph.columns, graph.Z)
    return np.concatenate([_sum(graph, table, row, graph.columns) for row in range(graph.rows)])


def _sum(graph: Lifted, word: Bits, row: int, below: int) -> Bits:
    """The row's sum over its columns before `below`; the later ones are not known yet."""
    total = np.zeros(graph.Z, np.uint8)
    for cell in range(graph.first[row], graph.first[row + 1]):
        column = graph.column[cell]
        if column < below:
            total ^= np.roll(word[column], -int(graph.shift[cell]))
    return total


def _lone_shift(graph: Lifted) -> int:
    """The shift of the first parity column that is left in the sum of the core rows."""
    cells = np.arange(graph.first[CORE_ROWS])
    shifts = graph.shift[cells[graph.column[cells] == graph.systematic]]
    values, counts = np.unique(shifts, return_counts=True)
    return int(values[counts % 2 == 1][0])
