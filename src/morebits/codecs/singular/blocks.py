"""The singular basis of an edit, one independent block at a time.

The samples of a picture fall into blocks that the edit never mixes: a channel of a rotation, a
macroblock of LinJPEG, a single sample of a flip. Equal blocks share one basis.

Both ends of the codec need the same basis, and singular vectors are not unique: signs are
free, and so is every rotation among equal singular values. What is unique is the space that
belongs to a singular value. So vectors whose values agree to `_GAP` are replaced by a basis
that depends on that space alone: the unit vectors of single samples, projected into it, one
after the other. That leaves differences of about 1e-8 between machines, which the codec's
margin (`codec.MARGIN`) covers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.errors import TooLarge
from morebits.linear.modes import components
from morebits.linear.operator import Operator
from morebits.linear.parts import NOISE

Array = NDArray[np.float64]
Index = NDArray[np.int64]

#: Largest side of a block: a minute, and 0.5 GB.
MAX_SIDE = 4096
#: Directions that the edit shrinks more than this carry nothing worth a coordinate.
MIN_GAIN = 1e-3
#: Squared singular values this close, relative to the largest, count as equal.
_GAP = 1e-7
#: Weights that agree to this count as equal where rounding is foreseen. (LinJPEG's colour
#: matrices are inverse to each other up to 1e-6 only. Few weights are multiples of this.)
_GRID = 7.17e-4
#: The next sample to project is the first whose remainder is this close to the largest.
_PIVOT = 0.9


@dataclass(frozen=True, eq=False)
class Block:
    """Equal, independent pieces `matrix` of an edit, and their singular vectors.

    `gains` are the singular values in use, `right` (inputs x coordinates) the singular
    vectors. Rounding the edited piece adds `bias` to its outputs, on average, and `noise`, a
    variance, to its coordinates; `loose` are outputs whose arithmetic is not exact, so that a
    tie may be rounded either way. `inputs` and `outputs` place the pieces in the planar
    picture, one row a copy.
    """

    matrix: Any
    gains: Array
    right: Array
    bias: Array
    noise: Array
    loose: NDArray[np.bool_]
    inputs: Index
    outputs: Index

    @property
    def copies(self) -> int:
        """How many pieces there are."""
        return len(self.inputs)

    def left(self) -> Array:
        """The left singular vectors (outputs x coordinates)."""
        return (self.matrix @ self.right) / self.gains

    def read(self, shown: Array) -> Array:
        """Coordinates `U^T y` of rounded output changes y (outputs x copies), less the bias."""
        changes = shown - self.bias[:, None]
        return (self.right.T @ (self.matrix.T @ changes)) / self.gains[:, None]


def blocks_of(operator: Operator) -> list[Block]:
    """The blocks of an edit; `TooLarge` where one has more than `MAX_SIDE` samples.

    >>> from morebits import ImageFormat, linear
    >>> blocks = blocks_of(linear.lin_jpeg(8).at(ImageFormat(3, 64, 64)))
    >>> [(block.copies, block.right.shape) for block in blocks]
    [(16, (768, 216))]
    """
    from scipy.sparse import csr_array

    matrix = csr_array(operator.sparse(), copy=True)
    matrix.data[np.abs(matrix.data) <= NOISE * np.abs(matrix.data).max(initial=0.0)] = 0.0
    matrix.eliminate_zeros()
    kinds: dict[tuple[bytes, ...], list[tuple[Index, Index]]] = {}
    pieces: dict[tuple[bytes, ...], Any] = {}
    for piece, rows, columns in _pieces(matrix):
        if max(piece.shape) > MAX_SIDE:
            raise TooLarge(
                f"the singular basis of {operator.text}", max(piece.shape), MAX_SIDE,
                "samples in one block", "use a smaller picture",
            )  # fmt: skip
        # Copies of a block may differ in the last digit of how they were computed.
        key = (
            np.array(piece.shape).tobytes(),
            *(part.tobytes() for part in (piece.indptr, piece.indices, piece.data.round(11))),
        )
        pieces.setdefault(key, piece)
        kinds.setdefault(key, []).append((columns, rows))
    return [
        _block(pieces[key], np.array([c for c, _ in places]), np.array([r for _, r in places]))
        for key, places in kinds.items()
    ]


def _pieces(matrix: Any) -> Any:
    """The connected pieces of a CSR matrix: (CSR, its rows, its columns)."""
    from scipy.sparse import csr_array

    entries = matrix.tocoo()
    row_piece, column_piece = components(matrix)
    row_place, row_starts, row_order = _places(row_piece)
    column_place, column_starts, column_order = _places(column_piece)
    order = np.argsort(row_piece[entries.row], kind="stable")  # within a piece: row by row
    cuts = np.searchsorted(row_piece[entries.row[order]], np.arange(len(row_starts)))
    for piece in range(len(row_starts) - 1):
        chosen = order[cuts[piece] : cuts[piece + 1]]
        if chosen.size:
            rows = row_order[row_starts[piece] : row_starts[piece + 1]]
            columns = column_order[column_starts[piece] : column_starts[piece + 1]]
            where = row_place[entries.row[chosen]], column_place[entries.col[chosen]]
            part = csr_array((entries.data[chosen], where), shape=(rows.size, columns.size))
            part.sort_indices()
            yield part, rows, columns


def _places(labels: Index) -> tuple[Index, Index, Index]:
    """Each member's place within its label, where labels start in the order, and the order."""
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max(initial=-1) + 2))
    place = np.zeros(labels.size, np.int64)
    inside = labels[order] >= 0
    place[order[inside]] = np.arange(labels.size)[inside] - starts[labels[order[inside]]]
    return place, starts, order


def _block(piece: Any, inputs: Index, outputs: Index) -> Block:
    """One kind of block with its basis, from the eigenvectors of the smaller Gram matrix."""
    from scipy.linalg import eigh

    dense = piece.toarray()
    wide = dense.shape[0] < dense.shape[1]
    gram = dense @ dense.T if wide else dense.T @ dense
    squares, vectors = eigh(gram, overwrite_a=True, check_finite=False, driver="evd")
    keep = np.flatnonzero(squares > MIN_GAIN**2)[::-1]
    squares, vectors = squares[keep], vectors[:, keep]
    right = (dense.T @ vectors) / np.sqrt(squares) if wide else vectors
    right = np.ascontiguousarray(canonical(squares, right))
    gains = np.linalg.norm(piece @ right, axis=0)
    scale, noise = _rounding(dense, (piece @ right) / gains)
    bias = np.where(scale > 1, 0.5 / scale, 0.0)
    return Block(piece.tocsc(), gains, right, bias, noise, np.isinf(scale), inputs, outputs)


def _rounding(dense: Array, left: Array) -> tuple[Array, Array]:
    """What rounding adds: q of each output (below), and a variance to each coordinate.

    An output of whole samples with weights that are multiples of `1/q`, q a power of two, is
    a multiple of `1/q` itself. Rounded, halves up, it moves by `1/(2q)` on average, with
    variance `(1 - 1/q^2) / 12`; all others by 0 with variance 1/12. Outputs whose weights
    differ by whole numbers move together.
    """
    scale = np.full(len(dense), np.inf)
    for q in (16, 8, 4, 2):
        scale[(dense * q == np.rint(dense * q)).all(axis=1)] = q
    scale[(np.abs(dense - np.rint(dense)) < _GRID).all(axis=1)] = 1
    groups: dict[bytes, list[int]] = {}
    for o, row in enumerate(np.rint((dense - np.floor(dense + 0.5 + _GRID)) / _GRID)):
        groups.setdefault(row.tobytes(), []).append(o)
    together = np.stack([left[own].sum(axis=0) for own in groups.values()])
    variance = (1 - 1 / scale**2)[[own[0] for own in groups.values()]] / 12
    return scale, variance @ together**2


def canonical(squares: Array, vectors: Array) -> Array:
    """The basis that depends only on the spaces of (nearly) equal eigenvalues `squares`.

    >>> turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    >>> np.allclose(canonical(np.array([2.0, 2.0]), turn), np.eye(2), rtol=0, atol=1e-12)
    True
    """
    ends = np.flatnonzero(-np.diff(squares) > _GAP * squares.max(initial=0.0)) + 1
    found = np.empty_like(vectors)
    for space in np.split(np.arange(squares.size), ends):
        rest = vectors[:, space]
        for column in space:
            norms = np.einsum("ij,ij->i", rest, rest)
            pivot = int(np.argmax(norms >= _PIVOT * norms.max()))
            inside = rest[pivot] / np.sqrt(norms[pivot])
            found[:, column] = vectors[:, space] @ inside
            rest = rest - np.outer(rest @ inside, inside)
    return found
