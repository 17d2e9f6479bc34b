"""An estimate of a spectrum that no exact method reaches, with a stated error.

Two tools, both on a matrix freed from its rows and columns of zeros (or, for a composition,
from the null spaces of its first and last step, `ends.py`):

- Stochastic quadrature. Golub-Kahan bidiagonalisation from a random sign vector gives nodes
  (singular values) and weights; averaged over probes they integrate smooth functions of the
  singular values, weights times the number of columns being the multiplicities. The bulk of
  the spectrum is accurate, the smallest values are not.
- Sparse factorisation (`slicing.py`), where the matrix is sparse enough: exact counts of the
  singular values above a few levels, their total logarithm and the rank. The nodes are then
  rescaled to agree with these.

The stated errors are the spread between probes plus a bias that was measured where the dense
spectrum is known: rotations at 32 and 64 pixels, compositions at 32 (tests/linear/test_lanczos.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from morebits.bounds.spectrum import RANK_TOLERANCE
from morebits.errors import TooLarge
from morebits.linear.ends import trimmed
from morebits.linear.layout import Array
from morebits.linear.operator import Operator
from morebits.linear.slicing import Slices, can_slice, slices

#: Largest smaller side of a matrix whose spectrum is estimated.
MAX_ESTIMATE_SIDE = 2**20
#: Length of each bidiagonalisation.
STEPS = 48
#: Probes, and probes beyond `MANY` columns, where one averages over more values anyway.
PROBES, PROBES_LARGE, MANY = 6, 3, 20_000
#: Without a factorisation, nodes below this fraction of the largest value count as zero.
BLIND_BELOW = 1e-6
#: By quadrature alone, nodes below this fraction may stand for zeros as well: what they
#: contribute is the stated error.
UNSURE_BELOW = 0.05
#: Relative bias of `log2 xi` and of the rank by quadrature alone.
BLIND_BIAS = 0.05
#: Relative bias of `log2 xi` with a factorisation.
SLICED_BIAS = 0.004


@dataclass(frozen=True)
class Estimate:
    """Nodes, fractional counts, and standard errors (bits; number of values)."""

    values: Array
    counts: Array
    log2_xi_error: float
    rank_error: float
    method: str


def estimate(source: Any, gains: Array, seed: int) -> Estimate:
    """The spectrum of `diag(gains) (x) M` for a CSR matrix or an operator M."""
    matrix = _Map.of(source)
    probes = _probe_all(matrix, seed)
    if isinstance(source, Operator) or not can_slice(matrix.matrix):
        return _blind(probes, gains)
    return _sliced(probes, slices(matrix.matrix, _largest(probes)), gains)


@dataclass(frozen=True)
class _Map:
    """A matrix by its action, rows and columns of zeros removed, at least as tall as wide."""

    forward: Any
    backward: Any
    side: int
    matrix: Any = None

    @classmethod
    def of(cls, source: Any) -> _Map:
        if isinstance(source, Operator):
            return cls._of_operator(source)
        full = source.tocsr()
        _check(min(full.shape))
        rows = np.flatnonzero(np.diff(full.indptr))
        columns = np.flatnonzero(np.bincount(full.indices, minlength=full.shape[1]))
        used = full[rows][:, columns].tocsr()
        used = used if used.shape[0] >= used.shape[1] else used.T.tocsr()
        transposed = used.T.tocsr()
        return cls(used.__matmul__, transposed.__matmul__, used.shape[1], used)

    @classmethod
    def _of_operator(cls, operator: Operator) -> _Map:
        _check(min(operator.inputs, operator.outputs))
        flat = trimmed(operator)
        flat = flat if flat.outputs >= flat.inputs else flat.transposed
        return cls(flat.forward, flat.backward, flat.inputs)


def _check(side: int) -> None:
    if side > MAX_ESTIMATE_SIDE:
        raise TooLarge(
            "an estimate of the spectrum",
            side,
            MAX_ESTIMATE_SIDE,
            "samples",
            "use a smaller image",
        )


def _probe_all(matrix: _Map, seed: int) -> list[tuple[Array, Array]]:
    random = np.random.default_rng(seed)
    count = PROBES if matrix.side <= MANY else PROBES_LARGE
    return [_probe(matrix, random.choice([-1.0, 1.0], size=matrix.side)) for _ in range(count)]


def _probe(matrix: _Map, start: Array) -> tuple[Array, Array]:
    """Nodes and counts from one vector: Golub-Kahan with full reorthogonalisation."""
    steps = min(STEPS, matrix.side)
    basis = np.zeros((steps, matrix.side))
    diagonal, above = np.zeros(steps), np.zeros(steps)
    vector, left, scale = start / np.linalg.norm(start), np.zeros(1), 0.0
    length = steps
    for step in range(steps):
        basis[step] = vector
        left = matrix.forward(vector) - above[step - 1] * left if step else matrix.forward(vector)
        diagonal[step] = np.linalg.norm(left)
        scale = max(scale, diagonal[step])
        if diagonal[step] <= 1e-14 * scale:
            length = step + 1
            break
        left = left / diagonal[step]
        vector = matrix.backward(left) - diagonal[step] * vector
        done = basis[: step + 1]
        vector = vector - done.T @ (done @ vector)
        above[step] = np.linalg.norm(vector)
        if above[step] <= 1e-14 * scale:
            length = step + 1
            break
        vector = vector / above[step]
    small = np.diag(diagonal[:length]) + np.diag(above[: length - 1], 1)
    _, nodes, right = np.linalg.svd(small)
    return nodes, matrix.side * right[:, 0] ** 2


def _largest(probes: list[tuple[Array, Array]]) -> float:
    return max(float(nodes[0]) for nodes, _ in probes)


def _blind(probes: list[tuple[Array, Array]], gains: Array) -> Estimate:
    """Quadrature alone."""
    floor = BLIND_BELOW * _largest(probes)
    kept = [(nodes[nodes > floor], counts[nodes > floor]) for nodes, counts in probes]
    xi = [_log2_xi(nodes, counts, gains) for nodes, counts in kept]
    ranks = [float(counts.sum()) * len(gains) for _, counts in kept]
    values, counts = _merge(kept)
    unsure = values < UNSURE_BELOW * values.max()
    doubt = abs(_log2_xi(values[unsure], counts[unsure], gains))
    return Estimate(
        np.multiply.outer(gains, values).ravel(),
        np.tile(counts, len(gains)),
        _spread(xi) + doubt + BLIND_BIAS * abs(float(np.mean(xi))),
        _spread(ranks)
        + float(counts[unsure].sum()) * len(gains)
        + BLIND_BIAS * float(np.mean(ranks)),
        f"estimate (stochastic quadrature, {len(probes)} probes)",
    )


def _sliced(probes: list[tuple[Array, Array]], exact: Slices, gains: Array) -> Estimate:
    """Quadrature, made to agree with the exact counts and the total logarithm."""
    single = [_agree(*_merge([probe]), exact) for probe in probes]
    xi = [_log2_xi(nodes, counts, gains) for nodes, counts in single]
    values, counts = _agree(*_merge(probes), exact)
    loss = abs(np.log2(RANK_TOLERANCE * exact.largest)) * exact.rank_error * len(gains)
    total = _log2_xi(values, counts, gains)
    return Estimate(
        np.multiply.outer(gains, values).ravel(),
        np.tile(counts, len(gains)),
        _spread(xi) + loss + SLICED_BIAS * abs(total),
        exact.rank_error * len(gains),
        f"estimate (stochastic quadrature, {len(probes)} probes, and sparse factorisation)",
    )


def _agree(nodes: Array, counts: Array, exact: Slices) -> tuple[Array, Array]:
    """Rescale the counts between the levels, then the logarithms below 1, to the exact sums."""
    edges = np.concatenate([[np.inf], exact.levels])
    above = np.concatenate([[0.0], exact.above])
    values_out, counts_out = [], []
    for high, low, target in zip(edges[:-1], edges[1:], np.diff(above), strict=True):
        inside = (nodes <= high) & (nodes > low)
        mass = float(counts[inside].sum())
        if mass > 0.2 * target:
            values_out.append(nodes[inside])
            counts_out.append(counts[inside] * target / mass)
        elif target > 0:
            values_out.append(np.array([np.sqrt(low * min(high, exact.largest))]))
            counts_out.append(np.array([target]))
    values, weights = np.concatenate(values_out), np.concatenate(counts_out)
    logs = np.log2(values)
    short = values < 1
    below = float(weights[short] @ logs[short])
    if below < 0:
        wanted = exact.log2_sum - float(weights[~short] @ logs[~short])
        logs[short] *= max(wanted, 2 * below) / below if wanted < 0 else 1.0
    return 2.0**logs, weights


def _log2_xi(nodes: Array, counts: Array, gains: Array) -> float:
    logs = np.log2(np.multiply.outer(gains, nodes))
    return float((np.minimum(logs, 0.0) @ counts).sum())


def _merge(probes: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    values = np.concatenate([nodes for nodes, _ in probes])
    counts = np.concatenate([counts for _, counts in probes]) / len(probes)
    return values, counts


def _spread(estimates: list[float]) -> float:
    return float(np.std(estimates, ddof=1) / np.sqrt(len(estimates))) if len(estimates) > 1 else 0.0
