"""Composition that keeps what structure it can.

| first, then | result |
|---|---|
| Kronecker, Kronecker | Kronecker |
| PlaneMap or Kronecker, in either order | PlaneMap |
| Tiled and a pixel-wise Kronecker, in either order | Tiled |
| Tiled, Tiled on the same tiles | Tiled |
| a LowRankUpdate and anything, in either order | LowRankUpdate |
| ChannelBlocks, ChannelBlocks | ChannelBlocks |
| anything else | Chain (kept as factors) |
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from morebits.linear.combined import Chain, ChannelBlocks, LowRankUpdate
from morebits.linear.layout import Array
from morebits.linear.operator import MAX_NONZEROS, Operator, longest_row
from morebits.linear.separable import Kronecker, PlaneMap
from morebits.linear.tiles import Tiled, TileKind

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def compose(first: Operator, then: Operator) -> Operator:
    """`first`, then `then`; their shapes fit."""
    merged = merge(first, then)
    if merged is not None:
        return merged
    steps = [*_steps(first)]
    for step in _steps(then):
        joined = merge(steps[-1], step)
        if joined is None:
            steps.append(step)
        else:
            steps[-1] = joined
    text = f"{first.text}|{then.text}"
    return steps[0] if len(steps) == 1 else Chain(tuple(steps), text)


def merge(first: Operator, then: Operator) -> Operator | None:
    """One structured operator for both, or None where they share no structure."""
    text = f"{first.text}|{then.text}"
    bias = then.push(first.bias) + then.bias
    if isinstance(first, LowRankUpdate) or isinstance(then, LowRankUpdate):
        return _low_rank(first, then, bias, text)
    if isinstance(first, Kronecker) and isinstance(then, Kronecker):
        return Kronecker(
            then.channel @ first.channel,
            then.rows @ first.rows,
            then.columns @ first.columns,
            bias,
            text,
        )
    if isinstance(first, PlaneMap | Kronecker) and isinstance(then, PlaneMap | Kronecker):
        return _planes(first, then, bias, text)
    if isinstance(first, ChannelBlocks) and isinstance(then, ChannelBlocks):
        pairs = zip(first.blocks, then.blocks, strict=True)
        return ChannelBlocks(tuple(compose(a, b) for a, b in pairs), text)
    kinds = _kinds(first, then)
    if kinds is not None:
        return Tiled(kinds, first.in_shape, then.out_shape, bias, text)
    return None


def _steps(operator: Operator) -> tuple[Operator, ...]:
    return operator.steps if isinstance(operator, Chain) else (operator,)


def _low_rank(first: Operator, then: Operator, bias: Array, text: str) -> LowRankUpdate:
    """`B (A + U V^T) = B A + (B U) V^T` and `(B + U V^T) A = B A + U (A^T V)^T`."""
    left: list[Array] = []
    right: list[Array] = []
    base_first = first.base if isinstance(first, LowRankUpdate) else first
    base_then = then.base if isinstance(then, LowRankUpdate) else then
    if isinstance(first, LowRankUpdate):
        left += [then.push(u) for u in first.left]
        right += list(first.right)
    if isinstance(then, LowRankUpdate):
        left += list(then.left)
        right += [_back(base_first, v) for v in then.right]
    base = compose(base_first, base_then)
    return LowRankUpdate(base, _stack(left), _stack(right), bias, text)


def _back(operator: Operator, constant: Array) -> Array:
    if isinstance(operator, Kronecker):
        transposed = Kronecker(operator.channel.T, operator.rows.T, operator.columns.T)
        return transposed.push(constant)
    return operator.adjoint(np.ascontiguousarray(np.broadcast_to(constant, operator.out_shape)))


def _stack(parts: list[Array]) -> Array:
    shape = np.broadcast_shapes(*(part.shape for part in parts))
    return np.stack([np.broadcast_to(part, shape) for part in parts])


def _planes(
    first: PlaneMap | Kronecker, then: PlaneMap | Kronecker, bias: Array, text: str
) -> Operator | None:
    in_size, out_size = first.in_shape[1:], then.out_shape[1:]
    width = min(in_size[0] * in_size[1], _plane_width(first) * _plane_width(then))
    if width * out_size[0] * out_size[1] > MAX_NONZEROS:
        return None
    plane = _plane(then) @ _plane(first)
    return PlaneMap(then.channel @ first.channel, plane, in_size, out_size, bias, text)


def _plane(operator: PlaneMap | Kronecker) -> csr_array:
    return operator.plane if isinstance(operator, PlaneMap) else operator.plane()


def _plane_width(operator: PlaneMap | Kronecker) -> int:
    if isinstance(operator, PlaneMap):
        return longest_row(operator.plane)
    return longest_row(operator.rows) * longest_row(operator.columns)


def _kinds(first: Operator, then: Operator) -> tuple[TileKind, ...] | None:
    """The tiles of the composition, where both respect the same tiles."""
    if isinstance(first, Tiled) and isinstance(then, Tiled):
        if len(first.kinds) != len(then.kinds):
            return None
        pairs = list(zip(first.kinds, then.kinds, strict=True))
        if not all(a.same_grid(b) for a, b in pairs):
            return None
        return tuple(
            dataclasses.replace(
                b, matrix=b.matrix @ a.matrix, in_tile=a.in_tile, in_origin=a.in_origin
            )
            for a, b in pairs
        )
    if isinstance(first, Tiled) and isinstance(then, Kronecker) and then.pixelwise:
        return tuple(_recolour(kind, then.channel, after=True) for kind in first.kinds)
    if isinstance(then, Tiled) and isinstance(first, Kronecker) and first.pixelwise:
        return tuple(_recolour(kind, first.channel, after=False) for kind in then.kinds)
    return None


def _recolour(kind: TileKind, channel: Array, after: bool) -> TileKind:
    _, h, w = kind.out_tile if after else kind.in_tile
    colours = np.kron(channel, np.eye(h * w))
    if after:
        tile = (len(channel), h, w)
        return dataclasses.replace(kind, matrix=colours @ kind.matrix, out_tile=tile)
    tile = (channel.shape[1], h, w)
    return dataclasses.replace(kind, matrix=kind.matrix @ colours, in_tile=tile)
