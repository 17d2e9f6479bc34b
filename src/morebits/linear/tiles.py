"""Block-diagonal structure: an image cut into tiles, each transformed by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from morebits.linear.layout import Array, Shape
from morebits.linear.operator import Operator, longest_row

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class TileKind:
    """`count` tiles with one matrix, on a regular grid of `grid = (down, across)` tiles.

    `matrix` maps the planar vector of an input tile `in_tile = (c, h, w)` to that of the
    output tile `out_tile`. The tile at grid place `(i, j)` reads the input from row
    `in_origin[0] + i*in_tile[1]` and column `in_origin[1] + j*in_tile[2]` on, all channels,
    and writes the output in the same way from `out_origin` on.
    """

    matrix: Array
    in_tile: Shape
    out_tile: Shape
    in_origin: tuple[int, int]
    out_origin: tuple[int, int]
    grid: tuple[int, int]

    @property
    def count(self) -> int:
        """How many tiles of this kind the image has."""
        return self.grid[0] * self.grid[1]

    def split(self, planar: NDArray[Any], output: bool) -> NDArray[Any]:
        """The `(samples of a tile, count)` matrix of this kind's tiles of a planar image."""
        (c, th, tw), (y, x) = self._side(output)
        down, across = self.grid
        area = planar[:, y : y + down * th, x : x + across * tw]
        tiles = area.reshape(c, down, th, across, tw).transpose(0, 2, 4, 1, 3)
        return tiles.reshape(c * th * tw, down * across)

    def join(self, tiles: Array, planar: Array, output: bool) -> None:
        """Write tiles as `split` gives them into a planar image."""
        (c, th, tw), (y, x) = self._side(output)
        down, across = self.grid
        area = tiles.reshape(c, th, tw, down, across).transpose(0, 3, 1, 4, 2)
        planar[:, y : y + down * th, x : x + across * tw] = area.reshape(c, down * th, across * tw)

    def _side(self, output: bool) -> tuple[Shape, tuple[int, int]]:
        if output:
            return self.out_tile, self.out_origin
        return self.in_tile, self.in_origin

    def same_grid(self, then: TileKind) -> bool:
        """Whether `then` reads exactly the tiles that this kind writes."""
        return (self.out_tile, self.out_origin, self.grid) == (
            then.in_tile,
            then.in_origin,
            then.grid,
        )


class Tiled(Operator):
    """Each tile is transformed by itself. `kinds` cover the image without overlap."""

    def __init__(
        self,
        kinds: tuple[TileKind, ...],
        in_shape: Shape,
        out_shape: Shape,
        bias: Array | None = None,
        text: str = "",
    ):
        self.kinds = kinds
        super().__init__(in_shape, out_shape, bias, text)

    @property
    def nonzeros(self) -> int:
        return sum(int(np.count_nonzero(kind.matrix)) * kind.count for kind in self.kinds)

    @property
    def row_width(self) -> int:
        return max(longest_row(kind.matrix) for kind in self.kinds)

    def linear(self, planar: Array) -> Array:
        out = np.zeros(self.out_shape)
        for kind in self.kinds:
            kind.join(kind.matrix @ kind.split(planar, output=False), out, output=True)
        return out

    def adjoint(self, planar: Array) -> Array:
        out = np.zeros(self.in_shape)
        for kind in self.kinds:
            kind.join(kind.matrix.T @ kind.split(planar, output=True), out, output=False)
        return out

    def _matrix(self) -> csr_array:
        from scipy.sparse import coo_array

        # Numbering the samples and splitting the numbers gives each tile its indices.
        sources = np.arange(self.inputs).reshape(self.in_shape)
        targets = np.arange(self.outputs).reshape(self.out_shape)
        rows, columns, values = [], [], []
        for kind in self.kinds:
            i, j = np.nonzero(kind.matrix)
            rows.append(kind.split(targets, output=True)[i].ravel())
            columns.append(kind.split(sources, output=False)[j].ravel())
            values.append(np.repeat(kind.matrix[i, j], kind.count))
        where = (np.concatenate(rows), np.concatenate(columns))
        shape = (self.outputs, self.inputs)
        return coo_array((np.concatenate(values), where), shape=shape).tocsr()
