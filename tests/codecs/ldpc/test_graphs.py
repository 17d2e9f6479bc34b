"""The tables of the standard: a checksum, their shapes, and single numbers."""

import hashlib
from collections import Counter
from importlib import resources

import numpy as np
import pytest

from morebits.codecs.ldpc.graphs import LIFTING_SETS, LIFTINGS, lifted
from morebits.errors import InputError


def test_the_file_is_the_one_that_was_checked():
    # The 513 rows of TS 38.212, tables 5.3.2-2 and 5.3.2-3, as sionna 2.2.0 carries them
    # (5G_bg1.csv, 5G_bg2.csv; py3gpp 0.6.0 has the same, taken from there).
    data = (resources.files("morebits.codecs.ldpc") / "graphs.csv").read_bytes()
    assert len(data) < 60_000
    expected = "2dcf17c076221ecc3930d7ff62bbcbf563ce6d107bfc0d77b85559226cfb579e"
    assert hashlib.sha256(data).hexdigest() == expected


def test_every_lifting_size_once():
    assert len(LIFTINGS) == len(set(LIFTINGS)) == 51
    assert (LIFTINGS[0], LIFTINGS[-1]) == (2, 384)
    for index, sizes in enumerate(LIFTING_SETS):  # a 2^j with a = 2, 3, 5, ... (table 5.3.2-1)
        base = (2, 3, 5, 7, 9, 11, 13, 15)[index]
        assert sizes == tuple(base * 2**j for j in range(len(sizes)))


@pytest.mark.parametrize(
    ("graph", "rows", "columns", "cells"), [(1, 46, 68, 316), (2, 42, 52, 197)]
)
def test_shape(graph, rows, columns, cells):
    code = lifted(graph, 384)
    assert (code.rows, code.columns, len(code.column)) == (rows, columns, cells)
    assert code.first[0] == 0
    assert code.first[-1] == cells
    for row in range(rows):
        mine = code.column[code.first[row] : code.first[row + 1]]
        assert (np.diff(mine) > 0).all()
        if row >= 4:  # one new parity bit a row, never shifted
            assert mine[-1] == code.systematic + row
            assert code.shift[code.first[row + 1] - 1] == 0


def test_degrees():
    # Rows of graph 1: 19 cells in the core rows, then 3 to 10; of graph 2: 8, 10, 8, 10, then less.
    rows = np.diff(lifted(1, 2).first)
    assert rows[:5].tolist() == [19, 19, 19, 19, 3]
    assert np.diff(lifted(2, 2).first)[:5].tolist() == [8, 10, 8, 10, 4]
    assert max(rows[4:]) == 10
    # The first two columns, which are never sent, are in nearly every row.
    for graph, heavy in ((1, (30, 28)), (2, (22, 23))):
        counts = Counter(lifted(graph, 2).column.tolist())
        assert (counts[0], counts[1]) == heavy
        assert all(counts[column] == 1 for column in range(26 if graph == 1 else 14, max(counts)))


@pytest.mark.parametrize(
    ("graph", "row", "column", "values"),
    [  # V for i_LS = 0 to 7; the first ones as in sionna
        (1, 0, 0, (250, 307, 73, 223, 211, 294, 0, 135)),
        (1, 0, 1, (69, 19, 15, 16, 198, 118, 0, 227)),
        (1, 0, 2, (226, 50, 103, 94, 188, 167, 0, 126)),
        (1, 1, 22, (0, 0, 0, 0, 0, 0, 105, 0)),
        # and as in ldpc-toolbox 0.12.0 (nr5g.rs), which has its own copy
        (2, 7, 1, (129, 80, 0, 103, 97, 48, 163, 86)),
        (2, 26, 13, (122, 85, 7, 6, 133, 145, 161, 86)),
        (2, 40, 2, (0, 103, 0, 98, 6, 160, 193, 78)),
        (2, 41, 51, (0, 0, 0, 0, 0, 0, 0, 0)),
    ],
)
def test_numbers_of_the_standard(graph, row, column, values):
    for value, sizes in zip(values, LIFTING_SETS, strict=True):
        for Z in sizes:
            code = lifted(graph, Z)
            cells = slice(code.first[row], code.first[row + 1])
            where = code.column[cells].tolist().index(column)
            assert code.shift[cells][where] == value % Z


@pytest.mark.parametrize(("graph", "Z", "name"), [(3, 2, "graph"), (1, 17, "Z"), (2, 0, "Z")])
def test_errors(graph, Z, name):
    with pytest.raises(InputError) as caught:
        lifted(graph, Z)
    assert caught.value.name == name
