"""The spectrum of `a I + U V^T`, exact: only the span of U and V differs from `a`."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from morebits.linear.basis import sparsest
from morebits.linear.combined import LowRankUpdate
from morebits.linear.layout import Array, samples
from morebits.linear.modes import Modes, union
from morebits.linear.operator import Operator
from morebits.linear.separable import Kronecker


def multiple_of_identity(operator: Operator) -> float | None:
    """`a` where the operator's matrix is `a I`, else None."""
    if not (isinstance(operator, Kronecker) and operator.pixelwise):
        return None
    channel = operator.channel
    factor = float(channel[0, 0])
    if channel.shape[0] != channel.shape[1]:
        return None
    return factor if np.array_equal(channel, factor * np.eye(len(channel))) else None


def flat(operator: LowRankUpdate) -> bool:
    """Whether U and V are constant within each channel, as for `contrast`."""
    return operator.left.shape[2:] == (1, 1) and operator.right.shape[2:] == (1, 1)


def update_modes(operator: LowRankUpdate, factor: float) -> Modes:
    """The modes of `factor I + U V^T`; the norms hold for a `flat` one only."""
    left, right, weight = _compact(operator)
    span = np.concatenate([left, right], axis=1)
    basis, size, _ = np.linalg.svd(span, full_matrices=True)
    rank = int((size > 1e-12 * size[0]).sum())
    inside, rest = basis[:, :rank], basis[:, rank:]
    small = factor * np.eye(rank) + (inside.T @ left) @ (right.T @ inside)
    turned, values, _ = np.linalg.svd(small)
    norms = math.sqrt(weight) * np.abs(inside @ turned).sum(axis=0)
    parts = [Modes(values, np.ones(rank), norms)]
    if rest.shape[1]:
        rest_norms = math.sqrt(weight) * np.abs(sparsest(rest)).sum(axis=0)
        parts.append(
            Modes(np.full(len(rest_norms), abs(factor)), np.ones(len(rest_norms)), rest_norms)
        )
    if weight > 1:
        wavelets = _haar(int(weight))
        counts = np.array(list(wavelets.values()), np.float64) * len(basis)
        parts.append(Modes(np.full(len(wavelets), abs(factor)), counts, np.array(list(wavelets))))
    return union(parts)


def _compact(operator: LowRankUpdate) -> tuple[Array, Array, float]:
    """U and V on the axes that vary, scaled so that inner products are kept.

    Vectors that are constant over `weight` samples each become shorter by that factor.
    """
    c = operator.in_shape[0]
    shape = np.broadcast_shapes(operator.left.shape[1:], operator.right.shape[1:], (c, 1, 1))
    weight = samples(operator.in_shape) / math.prod(shape)

    def pack(part: Array) -> Array:
        full = np.broadcast_to(part, (len(part), *shape))
        return math.sqrt(weight) * full.reshape(len(part), -1).T

    return pack(operator.left), pack(operator.right), weight


def _haar(length: int) -> Counter[float]:
    """1-norms of the Haar-like basis of the vectors of sum 0, with their numbers.

    A vector that is constant on two neighbouring parts of `a` and `b` samples has the norm
    `2 sqrt(ab / (a + b))`; halving again and again leaves at most two lengths a level.
    """
    norms: Counter[float] = Counter()
    parts = Counter({length: 1})
    while parts:
        halves: Counter[int] = Counter()
        for size, count in parts.items():
            a, b = size // 2, size - size // 2
            if a:
                norms[2 * math.sqrt(a * b / size)] += count
                halves[a] += count
                halves[b] += count
        parts = halves
    return norms
