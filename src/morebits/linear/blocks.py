"""The paper's building blocks: pixel-wise, colour spaces, take, sampling, tiles, pixel maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from morebits.errors import InputError
from morebits.linear import axes
from morebits.linear.axes import Interpolation
from morebits.linear.combined import ChannelBlocks
from morebits.linear.edit import Edit, single, whole
from morebits.linear.edits import pixelwise, planar_shape, plane_map, separable
from morebits.linear.layout import Array
from morebits.linear.operator import MAX_NONZEROS, Operator
from morebits.linear.separable import Kronecker, PlaneMap
from morebits.linear.tiles import Tiled, TileKind
from morebits.types import ImageFormat

TO_YCBCR = np.array(
    [[0.299, 0.587, 0.114], [-0.168736, -0.331364, 0.5], [0.5, -0.418688, -0.081312]]
)
TO_RGB = np.array([[1, 0, 1.402], [1, -0.344136, -0.714136], [1, 1.772, 0]])


def pixel_wise(matrix: ArrayLike, bias: ArrayLike | None = None) -> Edit:
    """`B p + c` on the channels of every pixel; `matrix` is `(c_out, c_in)`."""
    given = np.asarray(matrix, np.float64)
    if given.ndim != 2 or given.size == 0 or not np.isfinite(given).all():
        raise InputError("matrix", np.shape(matrix), "give a finite (c_out, c_in) array")
    offset = np.zeros(len(given)) if bias is None else np.asarray(bias, np.float64).ravel()
    if len(offset) != len(given) or not np.isfinite(offset).all():
        raise InputError("bias", np.shape(offset), f"give {len(given)} finite numbers")
    return single("pixel_wise", _pixel_wise, _freeze(given), tuple(offset))


def rgb_to_ycbcr() -> Edit:
    """RGB to YCbCr, with Cb and Cr about mid-gray."""
    return single("rgb_to_ycbcr", _to_ycbcr)


def ycbcr_to_rgb() -> Edit:
    """YCbCr, with Cb and Cr about mid-gray, to RGB."""
    return single("ycbcr_to_rgb", _to_rgb)


def take_rows_and_columns(rows: Sequence[int], columns: Sequence[int]) -> Edit:
    """Output pixel `(i, j)` copies input pixel `(rows[i], columns[j])`, counted from 0."""
    return single("take", _take, tuple(rows), tuple(columns))


def downsample(k: int) -> Edit:
    """Every `k`-th row and column, from the first one on; `k` divides both sides."""
    k = whole("downsample factor", k, 1, 1e6, "give a whole number of at least 1")
    return single(f"downsample:{k}", _downsample, k)


def upsample(k: int) -> Edit:
    """Every row and column `k` times."""
    k = whole("upsample factor", k, 1, 1e3, "give a whole number from 1 to 1000")
    return single(f"upsample:{k}", _upsample, k)


def tiling(edit: Edit, size: int = 8) -> Edit:
    """`edit` on each `size` x `size` tile by itself; `size` divides both sides."""
    size = whole("tile size", size, 1, 64, "give a whole number from 1 to 64")
    return single(f"tiling({edit.text},{size})", _tiling, edit, size)


def per_channel(*edits: Edit) -> Edit:
    """`edits[i]` on channel `i`; a single edit is used for every channel."""
    if not edits:
        raise InputError("edits", edits, "give one edit, or one a channel")
    return single(f"per_channel({','.join(e.text for e in edits)})", _per_channel, edits)


def pixel_map(
    mu: Callable[[Array, Array], tuple[Array, Array]], interpolation: Interpolation = "bilinear"
) -> Edit:
    """Output pixel `(x, y)` reads the input at `mu(x, y) = (u, v)`, clipped to the border.

    `mu` gets and returns arrays; `interpolation` is `bilinear` or `nearest`.
    """
    if interpolation not in ("bilinear", "nearest"):
        raise InputError("interpolation", interpolation, "give bilinear or nearest")
    return single(f"pixel_map:{interpolation}", plane_map, mu, interpolation)


def _freeze(matrix: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(x) for x in row) for row in matrix)


def _pixel_wise(
    format: ImageFormat, matrix: tuple[tuple[float, ...], ...], bias: tuple[float, ...]
) -> Operator:
    channel = np.array(matrix)
    if channel.shape[1] != format.channels:
        raise InputError(
            "channels", format.channels, f"this pixel-wise edit takes {channel.shape[1]}"
        )
    return pixelwise(format, channel, np.array(bias))


def _to_ycbcr(format: ImageFormat) -> Operator:
    _three_channels(format, "rgb_to_ycbcr")
    return pixelwise(format, TO_YCBCR, np.array([0.0, format.mid, format.mid]))


def _to_rgb(format: ImageFormat) -> Operator:
    _three_channels(format, "ycbcr_to_rgb")
    return pixelwise(format, TO_RGB, TO_RGB @ np.array([0.0, -format.mid, -format.mid]))


def _three_channels(format: ImageFormat, what: str) -> None:
    if format.channels != 3:
        raise InputError("channels", format.channels, f"{what} takes images of 3 channels")


def _take(format: ImageFormat, rows: tuple[int, ...], columns: tuple[int, ...]) -> Operator:
    for name, chosen, side in (("rows", rows, format.height), ("columns", columns, format.width)):
        if not chosen or not all(0 <= i < side for i in chosen):
            raise InputError(name, chosen, f"give indices from 0 to {side - 1}")
    return separable(format, axes.take(rows, format.height), axes.take(columns, format.width))


def _downsample(format: ImageFormat, k: int) -> Operator:
    _divides(k, format)
    rows, columns = range(0, format.height, k), range(0, format.width, k)
    return separable(format, axes.take(rows, format.height), axes.take(columns, format.width))


def _upsample(format: ImageFormat, k: int) -> Operator:
    rows, columns = np.repeat(np.arange(format.height), k), np.repeat(np.arange(format.width), k)
    return separable(format, axes.take(rows, format.height), axes.take(columns, format.width))


def _divides(size: int, format: ImageFormat) -> None:
    if format.width % size or format.height % size:
        raise InputError("format", format.text, f"give sides that {size} divides")


def _tiling(format: ImageFormat, edit: Edit, size: int) -> Operator:
    _divides(size, format)
    tile = edit.at(ImageFormat(format.channels, size, size, format.depth))
    grid = (format.height // size, format.width // size)
    kind = TileKind(tile.dense(), tile.in_shape, tile.out_shape, (0, 0), (0, 0), grid)
    channels, height, width = tile.out_shape
    bias = tile.bias
    if bias.shape[1] > 1 or bias.shape[2] > 1:
        bias = np.tile(np.broadcast_to(bias, (len(bias), height, width)), (1, *grid))
    out_shape = (channels, height * grid[0], width * grid[1])
    return Tiled((kind,), planar_shape(format), out_shape, bias)


def _per_channel(format: ImageFormat, edits: tuple[Edit, ...]) -> Operator:
    if len(edits) not in (1, format.channels):
        raise InputError(
            "edits", f"{len(edits)} edits", f"give 1, or {format.channels}, one a channel"
        )
    plane = ImageFormat(1, format.width, format.height, format.depth)
    blocks = tuple(edit.at(plane) for edit in edits)
    if {block.out_shape for block in blocks} != {blocks[0].out_shape}:
        raise InputError("edits", len(edits), "give edits with the same output size")
    if blocks[0].out_shape[0] != 1:
        raise InputError("edits", edits[0].text, "give edits that keep a single channel")
    if len(edits) == 1:
        return _shared(blocks[0], format.channels)
    return ChannelBlocks(blocks)


def _shared(block: Operator, channels: int) -> Operator:
    """The same single-channel operator for each channel, with its structure."""
    if isinstance(block, Kronecker):
        channel = float(block.channel[0, 0]) * np.eye(channels)
        return Kronecker(channel, block.rows, block.columns, block.bias)
    if isinstance(block, PlaneMap) or block.nonzeros <= MAX_NONZEROS:
        in_size, out_size = block.in_shape[1:], block.out_shape[1:]
        return PlaneMap(np.eye(channels), block.sparse(), in_size, out_size, block.bias)
    return ChannelBlocks((block,) * channels)
