"""Structures made of others: channel blocks, low-rank updates, chains; any sparse matrix."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from morebits.linear.layout import Array, Shape
from morebits.linear.operator import Operator, longest_row

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class ChannelBlocks(Operator):
    """The paper's per-channel transform: `blocks[i]` acts on channel `i` alone."""

    def __init__(self, blocks: tuple[Operator, ...], text: str = ""):
        self.blocks = blocks
        in_size, out_size = blocks[0].in_shape[1:], blocks[0].out_shape[1:]
        biases = [np.broadcast_to(b.bias, (1, *out_size)) for b in blocks]
        bias = np.concatenate(biases) if any(b.bias.any() for b in blocks) else None
        super().__init__((len(blocks), *in_size), (len(blocks), *out_size), bias, text)

    @property
    def nonzeros(self) -> int:
        return sum(block.nonzeros for block in self.blocks)

    @property
    def row_width(self) -> int:
        return max(block.row_width for block in self.blocks)

    def linear(self, planar: Array) -> Array:
        return np.concatenate([b.linear(x[None]) for b, x in zip(self.blocks, planar, strict=True)])

    def adjoint(self, planar: Array) -> Array:
        return np.concatenate(
            [b.adjoint(y[None]) for b, y in zip(self.blocks, planar, strict=True)]
        )

    def _matrix(self) -> csr_array:
        from scipy.sparse import block_diag, csr_array

        return csr_array(block_diag([b.sparse() for b in self.blocks], format="csr"))


class LowRankUpdate(Operator):
    """`A_0 + U V^T`: `left` is `(r, *out_shape)` and `right` is `(r, *in_shape)`.

    Both broadcast: their image axes may have length 1 (a constant), as for `contrast`.
    """

    def __init__(
        self,
        base: Operator,
        left: Array,
        right: Array,
        bias: Array | None = None,
        text: str = "",
    ):
        self.base, self.left, self.right = base, left, right
        super().__init__(base.in_shape, base.out_shape, bias, text)

    @property
    def nonzeros(self) -> int:
        return self.inputs * self.outputs

    @property
    def row_width(self) -> int:
        return self.inputs

    def linear(self, planar: Array) -> Array:
        weights = [float((v * planar).sum()) for v in self.right]
        return self.base.linear(planar) + np.tensordot(np.array(weights), self.left, 1)

    def adjoint(self, planar: Array) -> Array:
        weights = [float((u * planar).sum()) for u in self.left]
        return self.base.adjoint(planar) + np.tensordot(np.array(weights), self.right, 1)

    def full_left(self) -> Array:
        """U as a matrix `(outputs, r)`."""
        return (
            np.broadcast_to(self.left, (len(self.left), *self.out_shape))
            .reshape(len(self.left), -1)
            .T
        )

    def full_right(self) -> Array:
        """V as a matrix `(inputs, r)`."""
        return (
            np.broadcast_to(self.right, (len(self.right), *self.in_shape))
            .reshape(len(self.right), -1)
            .T
        )

    def _matrix(self) -> csr_array:
        from scipy.sparse import csr_array

        return csr_array(self.base.sparse().toarray() + self.full_left() @ self.full_right().T)


class SparseMap(Operator):
    """Any sparse matrix: `matrix` is CSR `(outputs, inputs)` on planar vectors."""

    def __init__(
        self,
        matrix: Any,
        in_shape: Shape,
        out_shape: Shape,
        bias: Array | None = None,
        text: str = "",
    ):
        from scipy.sparse import csr_array

        self.matrix: csr_array = csr_array(matrix)
        super().__init__(in_shape, out_shape, bias, text)

    @property
    def nonzeros(self) -> int:
        return int(self.matrix.nnz)

    @property
    def row_width(self) -> int:
        return longest_row(self.matrix)

    def linear(self, planar: Array) -> Array:
        return (self.matrix @ planar.ravel()).reshape(self.out_shape)

    def adjoint(self, planar: Array) -> Array:
        return (self.matrix.T @ planar.ravel()).reshape(self.in_shape)

    def _matrix(self) -> csr_array:
        return self.matrix


class Chain(Operator):
    """A composition whose factors share no structure: kept as `steps`, first applied first."""

    def __init__(self, steps: tuple[Operator, ...], text: str = ""):
        self.steps = steps
        bias = steps[0].bias
        for step in steps[1:]:
            bias = step.push(bias) + step.bias
        super().__init__(steps[0].in_shape, steps[-1].out_shape, bias, text)

    @property
    def nonzeros(self) -> int:
        return self.outputs * self.row_width

    @property
    def row_width(self) -> int:
        return min(self.inputs, math.prod(step.row_width for step in self.steps))

    def linear(self, planar: Array) -> Array:
        for step in self.steps:
            planar = step.linear(planar)
        return planar

    def adjoint(self, planar: Array) -> Array:
        for step in reversed(self.steps):
            planar = step.adjoint(planar)
        return planar

    def _matrix(self) -> csr_array:
        product = self.steps[0].sparse()
        for step in self.steps[1:]:
            product = step.sparse() @ product
        return product
