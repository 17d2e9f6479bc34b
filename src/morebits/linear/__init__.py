"""Image edits as affine operators `A x + b` that keep their structure."""

from __future__ import annotations

from morebits.linear.blocks import (
    downsample,
    per_channel,
    pixel_map,
    pixel_wise,
    rgb_to_ycbcr,
    take_rows_and_columns,
    tiling,
    upsample,
    ycbcr_to_rgb,
)
from morebits.linear.combined import Chain, ChannelBlocks, LowRankUpdate, SparseMap
from morebits.linear.edit import Edit
from morebits.linear.edits import (
    brightness,
    contrast,
    crop_rescale,
    from_matrix,
    gaussian_blur,
    grayscale,
    hflip,
    rescale,
    resize,
    rotation,
    translation,
    vflip,
)
from morebits.linear.jpeg import dct8x8, idct8x8, jpeg_filter, lin_jpeg
from morebits.linear.operator import Operator
from morebits.linear.parse import KNOWN, parse
from morebits.linear.separable import Kronecker, PlaneMap
from morebits.linear.tiles import Tiled, TileKind
