"""The two base graphs and the lifting sizes of 3GPP TS 38.212, section 5.3.2.

A base graph is a small table of cells (i, j). Lifted by Z, cell (i, j) becomes the Z x Z
identity with its columns shifted by V(i, j) mod Z: row r has its one in column (r + V) mod Z.
The numbers V depend on the set i_LS that Z belongs to. `graphs.csv` beside this module has all
of them: facts of the standard.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from morebits.errors import InputError

BaseGraph = Literal[1, 2]

#: TS 38.212, table 5.3.2-1: the lifting sizes, a tuple for each set index i_LS.
LIFTING_SETS = (
    (2, 4, 8, 16, 32, 64, 128, 256),
    (3, 6, 12, 24, 48, 96, 192, 384),
    (5, 10, 20, 40, 80, 160, 320),
    (7, 14, 28, 56, 112, 224),
    (9, 18, 36, 72, 144, 288),
    (11, 22, 44, 88, 176, 352),
    (13, 26, 52, 104, 208),
    (15, 30, 60, 120, 240),
)

#: Every lifting size, ascending: 51 of them, 2 to 384.
LIFTINGS = tuple(sorted(size for sizes in LIFTING_SETS for size in sizes))

#: The first rows of either graph; their four parity columns need more than a substitution.
CORE_ROWS = 4

_SHAPES = {1: (46, 68), 2: (42, 52)}


@dataclass(frozen=True, eq=False)
class Lifted:
    """A base graph with the shifts of one lifting size.

    The cells of row i are `first[i]` to `first[i + 1] - 1`; cell e is in column `column[e]` and
    shifts by `shift[e]`, 0 <= shift < Z. Columns ascend within a row.
    """

    graph: BaseGraph
    Z: int
    rows: int
    columns: int
    first: NDArray[np.int32]
    column: NDArray[np.int32]
    shift: NDArray[np.int32]

    @property
    def systematic(self) -> int:
        """Columns that carry the message: 22 or 10; the others are parity, one for each row."""
        return self.columns - self.rows


@cache
def lifted(graph: BaseGraph, Z: int) -> Lifted:
    """Base graph 1 or 2, lifted by one of the 51 lifting sizes.

    >>> code = lifted(1, 384)
    >>> code.rows, code.columns, code.systematic, len(code.column)
    (46, 68, 22, 316)
    >>> code.column[:4].tolist(), code.shift[:4].tolist()
    ([0, 1, 2, 3], [307, 19, 50, 369])
    """
    if graph not in _SHAPES:
        raise InputError("graph", graph, "give base graph 1 or 2")
    if Z not in LIFTINGS:
        raise InputError("Z", Z, "give a lifting size of TS 38.212, table 5.3.2-1 (2 to 384)")
    set_index = next(index for index, sizes in enumerate(LIFTING_SETS) if Z in sizes)
    cells = _cells()
    cells = cells[cells[:, 0] == graph]
    rows, columns = _SHAPES[graph]
    first = np.searchsorted(cells[:, 1], np.arange(rows + 1)).astype(np.int32)
    column = np.ascontiguousarray(cells[:, 2])
    shift = cells[:, 3 + set_index] % Z
    for array in (first, column, shift):
        array.flags.writeable = False
    return Lifted(graph, Z, rows, columns, first, column, shift)


@cache
def _cells() -> NDArray[np.int32]:
    """All cells of both graphs: graph, row, column, and V for the eight sets."""
    lines = (
        (resources.files("morebits.codecs.ldpc") / "graphs.csv")
        .read_text(encoding="ascii")
        .splitlines()
    )
    numbers = [[int(word) for word in line.split(",")] for line in lines[1:]]
    return np.array(numbers, np.int32)
