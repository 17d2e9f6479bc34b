"""The encoder against parity checks and a dense solver that read the table on their own."""

from importlib import resources

import numpy as np
import pytest

from morebits.codecs.ldpc.encoding import codeword, syndrome
from morebits.codecs.ldpc.graphs import LIFTING_SETS, LIFTINGS, lifted

SHAPES = {1: (46, 68), 2: (42, 52)}


def dense(graph, Z):
    """H as a table of zeros and ones, straight from the file and the standard's definition."""
    index = next(number for number, sizes in enumerate(LIFTING_SETS) if Z in sizes)
    rows, columns = SHAPES[graph]
    H = np.zeros((rows * Z, columns * Z), np.uint8)
    text = (resources.files("morebits.codecs.ldpc") / "graphs.csv").read_text()
    for line in text.splitlines()[1:]:
        which, i, j, *values = map(int, line.split(","))
        if which == graph:
            block = np.roll(np.eye(Z, dtype=np.uint8), values[index] % Z, axis=1)
            H[i * Z : (i + 1) * Z, j * Z : (j + 1) * Z] = block
    return H


def solve(A, b):
    """x with A x = b over GF(2), by elimination; A must be invertible."""
    table = np.column_stack([A, b])
    for k in range(len(A)):
        pivot = k + int(np.argmax(table[k:, k]))
        assert table[pivot, k]
        table[[k, pivot]] = table[[pivot, k]]
        others = table[:, k].astype(bool)
        others[k] = False
        table[others] ^= table[k]
    return table[:, -1]


@pytest.mark.parametrize("graph", [1, 2])
@pytest.mark.parametrize("Z", [2, 3, 4, 5, 7, 9, 11, 13, 15])  # every set
def test_parity_against_a_dense_solution(graph, Z):
    H = dense(graph, Z)
    split = H.shape[1] - H.shape[0]
    message = np.random.default_rng(Z).integers(0, 2, split).astype(np.uint8)
    parity = solve(H[:, split:], H[:, :split] @ message % 2)
    word = codeword(lifted(graph, Z), message)
    assert word[:split].tolist() == message.tolist()
    assert word[split:].tolist() == parity.tolist()
    noise = np.random.default_rng(Z + 1).integers(0, 2, H.shape[1]).astype(np.uint8)
    assert syndrome(lifted(graph, Z), noise).tolist() == (H @ noise % 2).tolist()


@pytest.mark.parametrize("graph", [1, 2])
def test_every_lifting_size_fulfils_every_check(graph):
    rng = np.random.default_rng(0)
    for Z in LIFTINGS:
        code = lifted(graph, Z)
        word = codeword(code, rng.integers(0, 2, code.systematic * Z).astype(np.uint8))
        assert not syndrome(code, word).any(), Z
        word[rng.integers(len(word))] ^= 1
        assert syndrome(code, word).any(), Z
