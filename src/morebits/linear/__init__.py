"""Image edits as affine operators `A x + b` that keep their structure.

An `Edit` has no size: it composes with `|`, has a `text` that `parse` reads back, and becomes
an `Operator` with `.at(format)`. An operator applies to images (`apply`, `quantised`), gives
its matrix where that is small (`sparse`, `dense`) and its singular values (`spectrum`).

Edits: `hflip`, `vflip`, `crop_rescale`, `rotation`, `lin_jpeg`, `resize`, `rescale`,
`gaussian_blur`, `brightness`, `contrast`, `grayscale`, `translation`, `from_matrix`.
Building blocks of the paper: `pixel_wise`, `rgb_to_ycbcr`, `ycbcr_to_rgb`,
`take_rows_and_columns`, `downsample`, `upsample`, `dct8x8`, `idct8x8`, `jpeg_filter`,
`tiling`, `per_channel`, `pixel_map`. Grammar: `parse`, `KNOWN`.

Structures, as classes with public attributes (matrices act on planar vectors, index
`chan*h*w + y*w + x`; channel matrices are dense, the others scipy CSR arrays):

| class | matrix | attributes |
|---|---|---|
| `Kronecker` | `C (x) R (x) K` | `channel` C, `rows` R, `columns` K |
| `PlaneMap` | `C (x) S` | `channel` C, `plane` S, which acts on one channel |
| `Tiled` | block-diagonal over tiles | `kinds`: `TileKind` matrices, places, counts |
| `ChannelBlocks` | `diag(A_1, .., A_c)` | `blocks`: a single-channel operator a channel |
| `LowRankUpdate` | `A_0 + U V^T` | `base` A_0, `left` U, `right` V (planar arrays) |
| `SparseMap` | any | `matrix` |
| `Chain` | `A_m .. A_1` | `steps`, first applied first |
"""

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

__all__ = [
    "KNOWN",
    "Chain",
    "ChannelBlocks",
    "Edit",
    "Kronecker",
    "LowRankUpdate",
    "Operator",
    "PlaneMap",
    "SparseMap",
    "TileKind",
    "Tiled",
    "brightness",
    "contrast",
    "crop_rescale",
    "dct8x8",
    "downsample",
    "from_matrix",
    "gaussian_blur",
    "grayscale",
    "hflip",
    "idct8x8",
    "jpeg_filter",
    "lin_jpeg",
    "parse",
    "per_channel",
    "pixel_map",
    "pixel_wise",
    "rescale",
    "resize",
    "rgb_to_ycbcr",
    "rotation",
    "take_rows_and_columns",
    "tiling",
    "translation",
    "upsample",
    "vflip",
    "ycbcr_to_rgb",
]
