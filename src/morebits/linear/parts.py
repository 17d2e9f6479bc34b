"""An edit cut into independent parts, each with the cells found in it.

Structure keeps this cheap at any size: cells of a Kronecker product are products of cells of
its factors, a tiled edit needs one search a kind of tile, a channel-wise one a search a plane.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from morebits.bounds.cells import SAFE
from morebits.bounds.collisions import Reduced, reduce_block
from morebits.bounds.spectrum import RANK_TOLERANCE
from morebits.bounds.triangular import order_cells
from morebits.errors import TooLarge
from morebits.linear.combined import ChannelBlocks
from morebits.linear.operator import Operator
from morebits.linear.separable import Kronecker, PlaneMap
from morebits.linear.tiles import Tiled, TileKind
from morebits.types import ImageFormat

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Weights closer to 0 than this are rounding noise of building the matrix.
NOISE = 1e-12
#: Largest matrix (stored entries) that is searched for cells: about a minute.
MAX_SEARCH = 800_000
#: Largest block (samples) for the collision argument.
MAX_COLLISION_BLOCK = 1024
#: Rows with more entries than this are no use to cells, and slow.
MAX_ROW = 64


@dataclass(frozen=True, eq=False)
class Factor:
    """Cells of one matrix, in reading order.

    Cell d moves `inputs[d]` with weights `functionals[d]` and reads row `rows[d]`; `scale[d]`
    is 1 where the row's arithmetic is exact, else `SAFE` (see `bounds/cells.py`).
    """

    rows: NDArray[np.int64]
    inputs: tuple[tuple[int, ...], ...]
    functionals: tuple[tuple[float, ...], ...]
    scale: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    """`copies` equal, independent pieces of an edit; its cells are products over `factors`.

    `input_index` and `output_index` place the piece's samples in the whole picture, one
    column a copy. `matrix` is the piece's own with whole-number rows made exact (None for a
    product of several factors). `room` is the least distance of an output pixel in use from
    being clipped, `reduced` what the collision argument needs.
    """

    factors: tuple[Factor, ...]
    copies: int
    in_sizes: tuple[int, ...]
    out_sizes: tuple[int, ...]
    row_l1: float
    row_l2: float
    column_l1: float
    seen_inputs: int
    live_outputs: int
    room: float
    input_index: NDArray[np.int64]
    output_index: NDArray[np.int64]
    matrix: csr_array | None = None
    reduced: Reduced | None = None

    @property
    def rows(self) -> range:
        """One entry a cell of a single copy."""
        return range(int(np.prod([len(f.rows) for f in self.factors])))

    def classes(self, most: int) -> dict[tuple[float, ...], float]:
        """How many cells the whole picture has of each functional (signs do not matter).

        With more than `most` different weights they are rounded down, which keeps the bound.
        """
        tails = {1.0: 1.0}
        for factor in self.factors[1:]:
            grown: dict[float, float] = {}
            weights = np.abs([f[0] for f in factor.functionals]) * factor.scale
            for weight, count in zip(*np.unique(weights, return_counts=True), strict=True):
                for before, many in tails.items():
                    key = before * float(weight)
                    grown[key] = grown.get(key, 0.0) + many * float(count)
            tails = _rounded_down(grown, most)
        classes: dict[tuple[float, ...], float] = {}
        heads = self.factors[0]
        for functional, scale in zip(heads.functionals, heads.scale, strict=True):
            for weight, many in tails.items():
                key = tuple(abs(x) * weight * scale for x in functional)
                classes[key] = classes.get(key, 0.0) + many * self.copies
        if all(len(functional) == 1 for functional in classes):
            single = {functional[0]: many for functional, many in classes.items()}
            classes = {(w,): many for w, many in _rounded_down(single, most).items()}
        return classes


def _rounded_down(classes: dict[float, float], most: int) -> dict[float, float]:
    if len(classes) <= most:
        return classes
    fewer: dict[float, float] = {}
    for weight, count in classes.items():
        down = float(np.floor(weight * most) / most) if weight < 1 else weight
        fewer[down] = fewer.get(down, 0.0) + count
    fewer.pop(0.0, None)
    return fewer


def parts_of(operator: Operator, format: ImageFormat) -> list[Part]:
    """The independent parts of an edit on the gray cover of this format."""
    shape = (format.height, format.width, format.channels)
    center = np.moveaxis(np.atleast_3d(operator.apply(np.full(shape, float(format.mid)))), -1, 0)
    center = center.reshape(operator.out_shape)
    room = np.minimum(center, format.rho - center)
    if isinstance(operator, Kronecker):
        factors = [operator.channel, operator.rows, operator.columns]
        return [_product(factors, operator, center, room)]
    if isinstance(operator, PlaneMap):
        return [_product([operator.channel, operator.plane], operator, center, room)]
    if isinstance(operator, Tiled):
        return [
            _block(
                kind.matrix,
                _placed(kind, operator.in_shape, output=False),
                _placed(kind, operator.out_shape, output=True),
                kind.in_tile,
                center,
                room,
            )
            for kind in operator.kinds
        ]
    if isinstance(operator, ChannelBlocks):
        return list(_channels(operator, center, room))
    _refuse_large(operator.text, operator.nonzeros)
    index_in = np.arange(operator.inputs)[:, None]
    index_out = np.arange(operator.outputs)[:, None]
    return [_block(operator.sparse(), index_in, index_out, operator.in_shape, center, room)]


def _refuse_large(text: str, entries: int) -> None:
    """Say so before a search that would take too long."""
    if entries > MAX_SEARCH:
        raise TooLarge(
            f"the search for cells under {text}", entries, MAX_SEARCH, "matrix entries",
            "use a smaller size",
        )  # fmt: skip


def _placed(kind: TileKind, shape: tuple[int, int, int], *, output: bool) -> NDArray[np.int64]:
    """Where each sample of each tile of a kind is in the whole picture: (samples, copies)."""
    whole = np.arange(int(np.prod(shape))).reshape(shape)
    return kind.split(whole, output)


def _channels(operator: ChannelBlocks, center: Any, room: Any) -> Iterable[Part]:
    in_at = out_at = 0
    for block in operator.blocks:
        inputs = in_at + np.arange(block.inputs)[:, None]
        outputs = out_at + np.arange(block.outputs)[:, None]
        yield _block(block.sparse(), inputs, outputs, block.in_shape, center, room)
        in_at, out_at = in_at + block.inputs, out_at + block.outputs


def _clean(matrix: Any) -> csr_array:
    from scipy.sparse import csr_array

    clean = csr_array(matrix, dtype=np.float64, copy=True)
    clean.sum_duplicates()
    clean.data[np.abs(clean.data) < NOISE] = 0.0
    clean.eliminate_zeros()
    near = np.round(clean.data)
    clean.data = np.where(np.abs(clean.data - near) < NOISE, near, clean.data)
    return clean


def _norms(matrix: csr_array) -> tuple[float, float, float, int, int]:
    """Largest row l1, row l2 and column l1 norm, inputs seen, outputs that are not constant."""
    absolute = abs(matrix)
    row_l1 = np.asarray(absolute.sum(1)).ravel()
    column_l1 = np.asarray(absolute.sum(0)).ravel()
    row_l2 = np.sqrt(np.asarray(matrix.multiply(matrix).sum(1)).ravel())
    return (
        float(row_l1.max(initial=0)), float(row_l2.max(initial=0)), float(column_l1.max(initial=0)),
        int((column_l1 > 0).sum()), int((row_l1 > 0).sum()),
    )  # fmt: skip


def _product(
    matrices: Sequence[Any],
    operator: Operator,
    center: NDArray[np.float64],
    room: NDArray[np.float64],
) -> Part:
    _refuse_large(operator.text, sum(getattr(m, "nnz", 0) for m in matrices))
    cleaned = [_clean(m) for m in matrices]
    norms = np.array([_norms(m) for m in cleaned])
    live = _outer([np.diff(m.indptr) > 0 for m in cleaned]).reshape(room.shape)
    tight = float(room[live].min(initial=np.inf)) if live.any() else 0.0
    exact = _dyadic(center[live])
    axes = [
        _factor(m, np.arange(m.shape[1]), np.diff(m.indptr) <= MAX_ROW, exact) for m in cleaned[1:]
    ]
    l1, l2, column, seen, outputs = norms.prod(0)
    return Part(
        (_channel_factor(cleaned[0], exact), *axes), 1,
        tuple(m.shape[1] for m in cleaned), tuple(m.shape[0] for m in cleaned),
        l1, l2, column, int(seen), int(outputs), tight,
        np.arange(operator.inputs)[:, None], np.arange(operator.outputs)[:, None],
    )  # fmt: skip


def _outer(flags: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    whole = np.ones(1, bool)
    for flag in flags:
        whole = np.logical_and.outer(whole, flag).ravel()
    return whole


def _channel_factor(matrix: csr_array, exact: bool) -> Factor:
    """Channels one by one where they do not mix, else all channels of a pixel as one site."""
    sites = np.zeros(matrix.shape[1], np.int64)
    if (np.diff(matrix.indptr) <= 1).all():
        sites = np.arange(matrix.shape[1])
    return _factor(matrix, sites, np.ones(matrix.shape[0], bool), exact)


def _factor(
    matrix: csr_array, site_of: NDArray[np.int64], usable: NDArray[np.bool_], exact: bool
) -> Factor:
    ordered = order_cells(matrix, site_of, usable)
    members: dict[int, list[int]] = {}
    for j, site in enumerate(site_of):
        members.setdefault(int(site), []).append(j)
    inputs: list[tuple[int, ...]] = []
    functionals: list[tuple[float, ...]] = []
    scale: list[float] = []
    for site, row in zip(ordered.sites, ordered.rows, strict=True):
        span = slice(matrix.indptr[row], matrix.indptr[row + 1])
        weights = dict(zip(matrix.indices[span].tolist(), matrix.data[span].tolist(), strict=True))
        mine = tuple(j for j in members[int(site)] if j in weights)
        inputs.append(mine)
        functionals.append(tuple(weights[j] for j in mine))
        data = matrix.data[span]
        whole = bool((data == np.round(data)).all())
        scale.append(1.0 if whole or (exact and _dyadic(data)) else SAFE)
    return Factor(ordered.rows, tuple(inputs), tuple(functionals), np.array(scale))


def _dyadic(values: NDArray[np.float64]) -> bool:
    """Whether sums of these times whole numbers have no rounding error."""
    return bool((values * 2.0**20 == np.round(values * 2.0**20)).all())


def _block(
    matrix: Any, index_in: Any, index_out: Any, in_shape: tuple[int, int, int],
    center: NDArray[np.float64], room: NDArray[np.float64],
) -> Part:  # fmt: skip
    """A part with one factor; pixels whose channels no row shows alone become one site."""
    clean = _clean(matrix)
    here = center.ravel()[index_out]
    space = room.ravel()[index_out].min(1)
    clean = _snap(clean, here, space)
    usable = (space >= 1.0) & (np.diff(clean.indptr) <= MAX_ROW)
    factor = _factor(clean, _sites(clean, in_shape, usable), usable, _dyadic(here))
    l1, l2, column, seen, outputs = _norms(clean)
    live = space[np.diff(clean.indptr) > 0]
    reduced = None
    if max(clean.shape) <= MAX_COLLISION_BLOCK and clean.nnz > MAX_ROW * clean.shape[0] // 4:
        dense = clean.toarray()
        scale = RANK_TOLERANCE * float(np.abs(dense).sum(1).max(initial=1.0))
        reduced = reduce_block(dense, index_in.shape[1], scale)
    return Part(
        (factor,), index_in.shape[1], (clean.shape[1],), (clean.shape[0],),
        l1, l2, column, seen, outputs, float(live.min(initial=np.inf)) if live.size else 0.0,
        index_in, index_out, clean, reduced,
    )  # fmt: skip


def _snap(matrix: csr_array, center: NDArray[np.float64], space: NDArray[np.float64]) -> csr_array:
    """Rows that are whole numbers up to less than half a step over all movement are made so.

    Colour conversions there and back leave 0.9999 and 0.0001; after rounding the pixel that
    comes out is the pixel that went in, whatever the others do.
    """
    rounded = np.round(matrix.data)
    lost = matrix.copy()
    lost.data = np.abs(matrix.data - rounded)
    offset = np.abs(center - np.round(center)).max(1)
    drift = np.asarray(lost.sum(1)).ravel() * np.maximum(space, 1.0) + offset
    whole = (drift < 0.49) & (np.diff(matrix.indptr) > 0)
    per_entry = np.repeat(whole, np.diff(matrix.indptr))
    matrix.data = np.where(per_entry, rounded, matrix.data)
    matrix.eliminate_zeros()
    return matrix


def _sites(
    matrix: csr_array, in_shape: tuple[int, int, int], usable: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Samples that some row shows alone stand for themselves, the rest of a pixel together."""
    channels, height, width = in_shape
    size = channels * height * width
    single = np.flatnonzero((np.diff(matrix.indptr) == 1) & usable)
    shown = np.zeros(size, bool)
    shown[matrix.indices[matrix.indptr[single]]] = True
    pixel = np.arange(size) % (height * width)
    mixed = bool((np.diff(matrix.indptr) > 0).any()) and _mixes_channels(matrix, pixel, size)
    if channels == 1 or not mixed:
        return np.arange(size)
    labels = np.where(shown, size + np.arange(size), pixel)
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _mixes_channels(matrix: csr_array, pixel: NDArray[np.int64], size: int) -> bool:
    """Whether any row sees two channels."""
    plane = int(pixel.max()) + 1
    channel = matrix.indices // plane
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    low = np.full(matrix.shape[0], size)
    high = np.full(matrix.shape[0], -1)
    np.minimum.at(low, row, channel)
    np.maximum.at(high, row, channel)
    return bool((high > low).any())
