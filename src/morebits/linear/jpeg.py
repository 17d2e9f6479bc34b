"""LinJPEG and its building blocks (paper, "LinJPEG and its building blocks").

The paper's `128` is mid-gray `2^(k-1)` of the format here. Its formulas for the DCT and the
inverse DCT place the normalisation differently and cannot both be read literally; used here
is the one reading under which they are inverse to each other, the orthonormal DCT-II.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from morebits.errors import InputError
from morebits.linear.blocks import (
    downsample,
    per_channel,
    rgb_to_ycbcr,
    tiling,
    upsample,
    ycbcr_to_rgb,
)
from morebits.linear.combined import SparseMap
from morebits.linear.edit import Edit, single, whole
from morebits.linear.edits import planar_shape
from morebits.linear.layout import Array, Shape
from morebits.linear.operator import Operator
from morebits.linear.tiles import Tiled, TileKind
from morebits.types import ImageFormat


def lin_jpeg(quality: int) -> Edit:
    """LinJPEG: keep the first `quality` (0 to 15) diagonals of every 8x8 DCT block.

    Colour images go through YCbCr with every second Cb and Cr pixel; one channel is luma
    alone. Sizes that 16 (or 8) does not divide are padded by repeating the last row and
    column, and cut again, so that the operator stays block-diagonal.
    """
    quality = _quality(quality)
    return single(f"linjpeg:{quality}", _lin_jpeg, quality)


def dct8x8() -> Edit:
    """Subtract mid-gray, then the orthonormal 8x8 DCT; for one 8x8 block of one channel."""
    return single("dct8x8", _dct, False)


def idct8x8() -> Edit:
    """The inverse 8x8 DCT, then add mid-gray; for one 8x8 block of one channel."""
    return single("idct8x8", _dct, True)


def jpeg_filter(quality: int) -> Edit:
    """Zero all but the first `quality` (0 to 15) diagonals of one 8x8 block of frequencies."""
    quality = _quality(quality)
    return single(f"jpeg_filter:{quality}", _filter, quality)


def _quality(quality: int) -> int:
    return whole("linjpeg quality", quality, 0, 15, "give a whole number from 0 to 15")


def dct_matrix() -> Array:
    """The orthonormal 8x8 DCT as a 64x64 matrix: rows are frequencies, columns are pixels."""
    frequency, place = np.arange(8)[:, None], np.arange(8)[None, :]
    one = 0.5 * np.cos((2 * place + 1) * frequency * np.pi / 16)
    one[0] /= np.sqrt(2)
    return np.asarray(np.kron(one, one), np.float64)


def _dct(format: ImageFormat, inverse: bool) -> Operator:
    shape = _one_block(format, "idct8x8" if inverse else "dct8x8")
    matrix, gray = dct_matrix(), np.full(64, float(format.mid))
    if inverse:
        return SparseMap(matrix.T, shape, shape, gray.reshape(shape))
    return SparseMap(matrix, shape, shape, (-matrix @ gray).reshape(shape))


def _filter(format: ImageFormat, quality: int) -> Operator:
    shape = _one_block(format, "jpeg_filter")
    mask = np.triu(np.ones((8, 8)), k=16 - 8 - quality)[:, ::-1]
    return SparseMap(np.diag(mask.ravel()), shape, shape)


def _one_block(format: ImageFormat, what: str) -> Shape:
    shape = planar_shape(format)
    if shape != (1, 8, 8):
        raise InputError(
            "format",
            format.text,
            f"{what} takes one 8x8 block of 1 channel; use tiling and per_channel for images",
        )
    return shape


def _lin_jpeg(format: ImageFormat, quality: int) -> Operator:
    if format.channels not in (1, 3):
        raise InputError("channels", format.channels, "linjpeg takes images of 1 or 3 channels")
    side = 16 if format.channels == 3 else 8
    matrix, bias = _macroblock(format.channels, quality, format.mid)
    kinds = tuple(
        _kind(matrix, format.channels, side, rows, columns)
        for rows in _spans(format.height, side)
        for columns in _spans(format.width, side)
    )
    return Tiled(kinds, planar_shape(format), planar_shape(format), bias)


@lru_cache(maxsize=32)
def _macroblock(channels: int, quality: int, mid: int) -> tuple[Array, Array]:
    """Matrix and bias of one whole tile: the paper's composition of its building blocks."""
    block = dct8x8() | jpeg_filter(quality) | idct8x8()
    depth = mid.bit_length()
    if channels == 1:
        operator = block.at(ImageFormat(1, 8, 8, depth))
    else:
        luma = tiling(block, 8)
        chroma = downsample(2) | tiling(block, 8) | upsample(2)
        edit = rgb_to_ycbcr() | per_channel(luma, chroma, chroma) | ycbcr_to_rgb()
        operator = edit.at(ImageFormat(3, 16, 16, depth))
    # A quality of 1 and more keeps the mean, and the biases cancel up to rounding.
    bias = np.where(np.abs(operator.bias) < 1e-9, 0.0, operator.bias)
    return operator.sparse().toarray(), bias


def _spans(length: int, side: int) -> list[tuple[int, int, int]]:
    """`(start, tile length, tiles)` of the whole tiles and of the cut one at the end."""
    whole_tiles, rest = divmod(length, side)
    spans = [(0, side, whole_tiles)] if whole_tiles else []
    return spans + ([(whole_tiles * side, rest, 1)] if rest else [])


def _kind(
    matrix: Array,
    channels: int,
    side: int,
    rows: tuple[int, int, int],
    columns: tuple[int, int, int],
) -> TileKind:
    """One kind of tile: the whole one between repeating the border and cutting."""
    (y, height, down), (x, width, across) = rows, columns
    tile = (channels, height, width)
    if (height, width) != (side, side):
        cut = np.kron(np.eye(channels), np.kron(np.eye(height, side), np.eye(width, side)))
        pad = np.kron(np.eye(channels), np.kron(_repeat(height, side), _repeat(width, side)))
        matrix = cut @ matrix @ pad
    return TileKind(matrix, tile, tile, (y, x), (y, x), (down, across))


def _repeat(length: int, side: int) -> Array:
    return np.eye(length)[np.minimum(np.arange(side), length - 1)]
