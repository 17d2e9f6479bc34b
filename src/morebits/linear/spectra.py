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
    MAX_SVD_SIDE,
    MAX_VECTOR_SIDE,
    Modes,
    dense_modes,
    grouped,
    largest_block,
    sparse_modes,
    union,
)
from morebits.linear.operator import Operator
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
    except _NotExact as reason:
        if vectors:
            raise reason.error from None
        return estimated(operator, seed)
    return Spectrum.of(
        found.values,
        found.counts,
        inputs=operator.inputs,
        outputs=operator.outputs,
        method=f"exact ({_name(operator)})",
        left_l1=found.l1 if vectors else None,
    )


class _NotExact(Exception):
    """The exact spectrum is out of reach; carries the error for callers that need it."""

    def __init__(self, operator: Operator, side: int, limit: int):
        self.error = TooLarge(
            f"the exact spectrum of {operator.text}",
            side,
            limit,
            "rows in one block",
            "use a smaller image, or a bound that needs no singular vectors",
        )
        super().__init__(str(self.error))


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
    """Exact modes, or `_NotExact`."""
    if isinstance(operator, Kronecker):
        return _kronecker(operator, vectors)
    if isinstance(operator, Tiled):
        kinds = [dense_modes(kind.matrix, vectors).times(kind.count) for kind in operator.kinds]
        return grouped(union(kinds))
    if isinstance(operator, ChannelBlocks):
        return grouped(union([modes_of(block, vectors) for block in operator.blocks]))
    if isinstance(operator, PlaneMap):
        plane = _blocks(operator, operator.plane, vectors)
        return dense_modes(operator.channel, vectors).product(plane)
    if isinstance(operator, LowRankUpdate):
        factor = multiple_of_identity(operator.base)
        if factor is not None and (flat(operator) or not vectors):
            return update_modes(operator, factor)
    if operator.nonzeros > MAX_BLOCK_ENTRIES:
        raise _NotExact(operator, operator.outputs, MAX_SVD_SIDE)
    return _blocks(operator, operator.sparse(), vectors)


def _blocks(operator: Operator, matrix: Any, vectors: bool) -> Modes:
    side, limit = largest_block(matrix), MAX_VECTOR_SIDE if vectors else MAX_SVD_SIDE
    if side > limit:
        raise _NotExact(operator, side, limit)
    return sparse_modes(matrix, vectors)


def _kronecker(operator: Kronecker, vectors: bool) -> Modes:
    for axis in (operator.rows, operator.columns):
        if largest_block(axis) > (MAX_VECTOR_SIDE if vectors else MAX_SVD_SIDE):
            raise TooLarge(
                f"the spectrum of {operator.text}",
                largest_block(axis),
                MAX_SVD_SIDE,
                "pixels a side",
                "use a smaller image",
            )
    channel = dense_modes(operator.channel, vectors)
    plane = _square_pairs(operator) if vectors else None
    if plane is None:
        rows = sparse_modes(operator.rows, vectors)
        same = _same(operator.rows, operator.columns)
        columns = rows if same else sparse_modes(operator.columns, vectors)
        products = rows.values.size * columns.values.size
        if products * channel.values.size > MAX_PRODUCTS:
            raise TooLarge(
                f"the spectrum of {operator.text}",
                products,
                MAX_PRODUCTS,
                "products",
                "use a smaller image",
            )
        plane = rows.product(columns)
    return grouped(channel).product(plane)


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
        gains = np.linalg.svd(operator.channel, compute_uv=False)
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
