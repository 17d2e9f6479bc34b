"""Separable structures: `Kronecker` (channels, rows, columns) and `PlaneMap` (channels, plane)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from morebits.linear.layout import Array, shrink
from morebits.linear.operator import Operator, is_identity, longest_row

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Kronecker(Operator):
    """`C (x) R (x) K`: one matrix on the channels, one on the rows, one on the columns.

    `channel` is dense `(c_out, c_in)`, `rows` is CSR `(h_out, h_in)` and `columns` is CSR
    `(w_out, w_in)`: output `(i, y, x) = sum C[i,j] R[y,v] K[x,u] input (j, v, u)`.
    """

    def __init__(
        self, channel: Array, rows: Any, columns: Any, bias: Array | None = None, text: str = ""
    ):
        from scipy.sparse import csr_array

        self.channel = np.asarray(channel, np.float64)
        self.rows: csr_array = csr_array(rows)
        self.columns: csr_array = csr_array(columns)
        (c_out, c_in), (h_out, h_in) = self.channel.shape, self.rows.shape
        w_out, w_in = self.columns.shape
        super().__init__((c_in, h_in, w_in), (c_out, h_out, w_out), bias, text)
        self._plain = tuple(is_identity(m) for m in (self.channel, self.rows, self.columns))

    @property
    def pixelwise(self) -> bool:
        """Whether it acts on each pixel alone, so that R and K are identities."""
        return self._plain[1] and self._plain[2]

    @property
    def nonzeros(self) -> int:
        return int(np.count_nonzero(self.channel)) * int(self.rows.nnz) * int(self.columns.nnz)

    @property
    def row_width(self) -> int:
        return longest_row(self.channel) * longest_row(self.rows) * longest_row(self.columns)

    def linear(self, planar: Array) -> Array:
        return self._separable(planar, self.channel, self.rows, self.columns)

    def adjoint(self, planar: Array) -> Array:
        return self._separable(planar, self.channel.T, self.rows.T, self.columns.T)

    def _separable(self, planar: Array, channel: Array, rows: Any, columns: Any) -> Array:
        plain_channel, plain_rows, plain_columns = self._plain
        if not plain_rows:
            planar = np.stack([rows @ plane for plane in planar])
        if not plain_columns:
            planar = np.stack([(columns @ plane.T).T for plane in planar])
        return planar if plain_channel else np.tensordot(channel, planar, 1)

    def push(self, bias: Array) -> Array:
        # Constant axes stay constant where the row sums are: no array of the image's size.
        c, h, w = self.in_shape
        bias = np.broadcast_to(bias, (c, *bias.shape[1:]))
        row_sums = self.rows @ np.ones(h) if bias.shape[1] == 1 else None
        column_sums = self.columns @ np.ones(w) if bias.shape[2] == 1 else None
        if row_sums is not None:
            bias = bias * shrink(row_sums[None, :, None])
        else:
            bias = np.stack([self.rows @ plane for plane in bias])
        if column_sums is not None:
            bias = bias * shrink(column_sums[None, None, :])
        else:
            bias = np.stack([(self.columns @ plane.T).T for plane in bias])
        return shrink(np.tensordot(self.channel, bias, 1))

    def plane(self) -> csr_array:
        """`R (x) K`, the matrix on one channel."""
        from scipy.sparse import csr_array, kron

        return csr_array(kron(self.rows, self.columns, format="csr"))

    def _matrix(self) -> csr_array:
        from scipy.sparse import csr_array, kron

        return csr_array(kron(csr_array(self.channel), self.plane(), format="csr"))


class PlaneMap(Operator):
    """`C (x) S`: every channel goes through the same sparse `plane` S, then `channel` C mixes.

    `plane` is CSR `(h_out*w_out, h_in*w_in)`. Rotations and user pixel maps have C = I.
    """

    def __init__(
        self,
        channel: Array,
        plane: Any,
        in_size: tuple[int, int],
        out_size: tuple[int, int],
        bias: Array | None = None,
        text: str = "",
    ):
        from scipy.sparse import csr_array

        self.channel = np.asarray(channel, np.float64)
        self.plane: csr_array = csr_array(plane)
        c_out, c_in = self.channel.shape
        super().__init__((c_in, *in_size), (c_out, *out_size), bias, text)

    @property
    def nonzeros(self) -> int:
        return int(np.count_nonzero(self.channel)) * int(self.plane.nnz)

    @property
    def row_width(self) -> int:
        return longest_row(self.channel) * longest_row(self.plane)

    def linear(self, planar: Array) -> Array:
        flat = (self.plane @ planar.reshape(self.in_shape[0], -1).T).T
        return (self.channel @ flat).reshape(self.out_shape)

    def adjoint(self, planar: Array) -> Array:
        flat = (self.plane.T @ planar.reshape(self.out_shape[0], -1).T).T
        return (self.channel.T @ flat).reshape(self.in_shape)

    def _matrix(self) -> csr_array:
        from scipy.sparse import csr_array, kron

        return csr_array(kron(csr_array(self.channel), self.plane, format="csr"))
