"""The spectrum of every structure: exact where the structure allows, else an estimate.

| structure | how |
|---|---|
| Kronecker | products of the singular values of three small matrices |
| Tiled | one SVD for each kind of tile |
| ChannelBlocks | the union of the channels |
| PlaneMap | singular values of one channel times those of the channel matrix |
| multiple of the identity + low rank | exact on the small space that the update touches |
| others | blocks of up to 4096 rows by SVD, else `lanczos.estimate` |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from morebits.bounds.spectrum import Spectrum
from morebits.errors import TooLarge
from morebits.linear.basis import symmetric_pairs
from morebits.linear.combined import ChannelBlocks, LowRankUpdate
from morebits.linear.lanczos import Estimate, estimate
from morebits.linear.lowrank import flat, multiple_of_identity, update_modes
from morebits.linear.modes import (
    Modes,
    check_side,
    dense_modes,
    grouped,
    largest_block,
    sparse_modes,
    union,
)
from morebits.linear.operator import Operator, longest_row
from morebits.linear.separable import Kronecker, PlaneMap
from morebits.linear.tiles import Tiled

#: Largest number of different products of a Kronecker spectrum (8 bytes each, twice).
MAX_PRODUCTS = 3 * 10**7
#: Largest image side for which pairs of equal products are rotated (basis.symmetric_pairs).
MAX_PAIR_SIDE = 64
#: Most entries of a matrix that is taken apart into connected blocks.
MAX_BLOCK_ENTRIES = 2 * 10**7


def spectrum(operator: Operator, vectors: bool, seed: int) -> Spectrum:
    """The singular values of an operator; see `Operator.spectrum`."""
    try:
        found = modes_of(operator, vectors)
    except TooLarge:
        if vectors or isinstance(operator, Kronecker):
            raise
        return estimated(operator, seed)
    return Spectrum.of(
        found.values,
        found.counts,
        inputs=operator.inputs,
        outputs=operator.outputs,
        method=f"exact ({_name(operator)})",
        left_l1=found.l1 if vectors else None,
    )


def _name(operator: Operator) -> str:
    names = {
        Kronecker: "Kronecker product",
        Tiled: "tiles",
        PlaneMap: "one channel's blocks",
        ChannelBlocks: "channels",
        LowRankUpdate: "low-rank update",
    }
    return names.get(type(operator), "connected blocks")


def modes_of(operator: Operator, vectors: bool) -> Modes:
    """Exact modes, or `TooLarge`."""
    if isinstance(operator, Kronecker):
        return _kronecker(operator, vectors)
    if isinstance(operator, Tiled):
        kinds = [dense_modes(kind.matrix, vectors).times(kind.count) for kind in operator.kinds]
        return grouped(union(kinds))
    if isinstance(operator, ChannelBlocks):
        return grouped(union([modes_of(block, vectors) for block in operator.blocks]))
    if isinstance(operator, PlaneMap):
        plane = _blocks(operator.text, operator.plane, vectors)
        return dense_modes(operator.channel, vectors).product(plane)
    if isinstance(operator, LowRankUpdate):
        factor = multiple_of_identity(operator.base)
        if factor is not None and (flat(operator) or not vectors):
            return update_modes(operator, factor)
    _check_entries(operator.text, operator.nonzeros)
    return _blocks(operator.text, operator.sparse(), vectors)


def _check_entries(text: str, entries: int) -> None:
    if entries > MAX_BLOCK_ENTRIES:
        raise TooLarge(
            f"the exact spectrum of {text}", entries, MAX_BLOCK_ENTRIES, "entries",
            "use a smaller image",
        )  # fmt: skip


def _blocks(text: str, matrix: Any, vectors: bool) -> Modes:
    _check_entries(text, matrix.nnz)
    side = largest_block(matrix)
    check_side((side, side), vectors)  # before the small blocks are done
    return sparse_modes(matrix, vectors)


def _kronecker(operator: Kronecker, vectors: bool) -> Modes:
    products = _most_values(operator.rows) * _most_values(operator.columns)
    if products > MAX_PRODUCTS:
        raise TooLarge(
            f"the spectrum of {operator.text}", products, MAX_PRODUCTS, "products",
            "use a smaller image",
        )  # fmt: skip
    channel = grouped(dense_modes(operator.channel, vectors))
    plane = _square_pairs(operator) if vectors else None
    if plane is None:
        rows = sparse_modes(operator.rows, vectors)
        same = _same(operator.rows, operator.columns)
        columns = rows if same else sparse_modes(operator.columns, vectors)
        plane = rows.product(columns)
    return channel.product(plane)


def _most_values(axis: Any) -> int:
    """A bound on the number of different singular values of an axis."""
    if longest_row(axis) <= 1:  # copies of pixels: norms of columns
        return len(np.unique(np.bincount(axis.indices, axis.data**2, minlength=1).round(12)))
    return int(min(np.count_nonzero(np.diff(axis.indptr)), len(np.unique(axis.indices))))


def _same(first: Any, second: Any) -> bool:
    return first.shape == second.shape and (first != second).nnz == 0


def _square_pairs(operator: Kronecker) -> Modes | None:
    """The plane's modes with rotated pairs, where rows and columns have the same matrix."""
    from scipy.linalg import svd

    side = max(operator.rows.shape)
    if side > MAX_PAIR_SIDE or not _same(operator.rows, operator.columns):
        return None
    if largest_block(operator.rows) < side / 2:
        return None  # nearly diagonal: the block-local product basis is already sparse
    left, values, _ = svd(operator.rows.toarray(), full_matrices=False)
    norms = symmetric_pairs(left)
    products = np.multiply.outer(values, values).ravel()
    return Modes(products, np.ones(len(products)), norms.ravel())


def estimated(operator: Operator, seed: int = 0) -> Spectrum:
    """An estimate, also where the exact spectrum is within reach (for checks)."""
    if isinstance(operator, PlaneMap):
        gains = dense_modes(operator.channel, vectors=False).values
        found = estimate(operator.plane, gains, seed)
    else:
        found = estimate(operator, np.ones(1), seed)
    return _as_spectrum(found, operator)


def _as_spectrum(found: Estimate, operator: Operator) -> Spectrum:
    return Spectrum.of(
        found.values,
        found.counts,
        inputs=operator.inputs,
        outputs=operator.outputs,
        method=found.method,
        log2_xi_error=found.log2_xi_error,
        rank_error=found.rank_error,
    )
