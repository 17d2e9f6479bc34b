"""The order in which cells are read back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from morebits.bounds.triangular import Ordered, order_cells


def ordered(matrix: csr_array, sites: np.ndarray | None = None) -> Ordered:
    every = np.ones(matrix.shape[0], bool)
    return order_cells(matrix, np.arange(matrix.shape[1]) if sites is None else sites, every)


def assert_triangular(matrix: csr_array, sites: np.ndarray, found: Ordered) -> None:
    """Each row read sees its own site and none that is read later."""
    position = {int(site): place for place, site in enumerate(found.sites)}
    for place, (site, row) in enumerate(zip(found.sites, found.rows, strict=True)):
        seen = {int(sites[j]) for j in matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]}
        assert int(site) in seen
        assert all(position.get(other, -1) <= place for other in seen)
    assert len(set(found.rows.tolist())) == len(found.rows)


@given(seed=st.integers(0, 10_000), rows=st.integers(1, 30), columns=st.integers(1, 30))
def test_any_sparse_matrix_gives_a_triangular_order(seed: int, rows: int, columns: int):
    rng = np.random.default_rng(seed)
    matrix = csr_array(random_array((rows, columns), density=0.15, rng=rng))
    sites = rng.integers(0, columns, columns)
    sites = np.unique(sites, return_inverse=True)[1]
    assert_triangular(matrix, sites, ordered(matrix, sites))


def test_a_permutation_reads_every_sample():
    matrix = csr_array(np.eye(12)[np.random.default_rng(0).permutation(12)])
    assert len(ordered(matrix).sites) == 12


def test_a_bidiagonal_matrix_is_read_along_its_chain():
    matrix = csr_array(np.eye(9) * 0.75 + np.eye(9, k=1) * 0.25)
    found = ordered(matrix)
    weights = [matrix[row, site] for site, row in zip(found.sites, found.rows, strict=True)]
    assert weights == pytest.approx([0.75] * 9)


def test_unusable_rows_are_never_read():
    matrix = csr_array(np.eye(6))
    found = order_cells(matrix, np.arange(6), np.array([1, 1, 0, 1, 0, 1], bool))
    assert sorted(found.rows.tolist()) == [0, 1, 3, 5]


def test_the_search_is_deterministic():
    matrix = csr_array(random_array((60, 60), density=0.08, rng=np.random.default_rng(3)))
    first, second = ordered(matrix), ordered(matrix)
    assert first.sites.tolist() == second.sites.tolist()
    assert first.rows.tolist() == second.rows.tolist()
