"""Which samples to move, and in which order to read them back.

A list of cells is *triangular* when the output pixel that a cell reads depends on its own
samples and on samples of earlier cells, never of later ones (all other samples stay at the
cover). Any order of the sites gives such a list: each output pixel belongs to the last site
in its support, and each site reads the best output pixel it owns. The search below looks for
an order in which sites own output pixels that see them with a large weight.
"""

from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Bits that a sample is worth when it is seen in full: decides when weak weights are worth it.
_WORTH = 3.3
#: Moves of the annealing a site, and at most.
_MOVES, _MAX_MOVES = 400, 150_000
#: How much the greedy order minds using up output pixels that others could read.
_THRIFT = (0.3, 0.5, 0.7, 1.0)


@dataclass(frozen=True)
class Ordered:
    """Cells in reading order: site `sites[d]` reads the output row `rows[d]`."""

    sites: NDArray[np.int64]
    rows: NDArray[np.int64]


def order_cells(
    matrix: csr_array, site_of: NDArray[np.int64], usable: NDArray[np.bool_]
) -> Ordered:
    """A good triangular order for the sites of a matrix; `site_of` maps inputs to sites.

    Rows that are not `usable` are ignored. Deterministic.
    """
    graph = _Graph(matrix, site_of, usable)
    keys = [graph.greedy(thrift) for thrift in _THRIFT]
    best = max(keys, key=graph.worth)
    return graph.cells(graph.anneal(best))


class _Graph:
    """Output rows and the sites they see, each with a strength (the norm of its weights)."""

    def __init__(self, matrix: csr_array, site_of: NDArray[np.int64], usable: NDArray[np.bool_]):
        self.size = int(site_of.max(initial=-1)) + 1
        self.rows: list[list[int]] = []
        self.seen: list[list[tuple[float, int]]] = [[] for _ in range(self.size)]
        indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
        for row in range(matrix.shape[0]):
            strength: dict[int, float] = {}
            if usable[row]:
                for k in range(indptr[row], indptr[row + 1]):
                    site = int(site_of[indices[k]])
                    strength[site] = strength.get(site, 0.0) + float(data[k]) ** 2
            self.rows.append(list(strength))
            for site, square in strength.items():
                self.seen[site].append((math.sqrt(square), row))
        for seen in self.seen:
            seen.sort(key=lambda pair: (-pair[0], pair[1]))

    @staticmethod
    def _gain(strength: float) -> float:
        return max(0.0, _WORTH + math.log2(min(strength, 1.0))) if strength > 0 else 0.0

    def greedy(self, thrift: float) -> list[float]:
        """Choose the last site first: one with a strong row that uses up few other rows.

        Returns a key for each site; reading goes by ascending key.
        """
        alive = [bool(row) for row in self.rows]
        best = [0.0] * len(self.rows)
        for seen in self.seen:
            for strength, row in seen:
                best[row] = max(best[row], strength)

        def score(site: int) -> float | None:
            rows = [(strength, row) for strength, row in self.seen[site] if alive[row]]
            if not rows:
                return None
            waste = sum(self._gain(best[row]) for _, row in rows[1:])
            return self._gain(rows[0][0]) - thrift * waste

        heap = [(-value, site) for site in range(self.size) if (value := score(site)) is not None]
        heapq.heapify(heap)
        keys, turn = [-1.0] * self.size, float(self.size)
        while heap:
            value, site = heapq.heappop(heap)
            now = score(site)
            if keys[site] >= 0 or now is None:
                continue
            if now != -value:
                heapq.heappush(heap, (-now, site))
                continue
            keys[site] = turn
            turn -= 1.0
            touched = {
                other for _, row in self.seen[site] if alive[row] for other in self.rows[row]
            }
            for _, row in self.seen[site]:
                alive[row] = False
            for other in touched:
                if keys[other] < 0 and (value := score(other)) is not None:
                    heapq.heappush(heap, (-value, other))
        return keys

    def _read(self, site: int, keys: list[float]) -> tuple[float, int]:
        """The strongest row in which the site is last, as (strength, row)."""
        mine = keys[site]
        for strength, row in self.seen[site]:
            if all(keys[other] < mine or other == site for other in self.rows[row]):
                return strength, row
        return 0.0, -1

    def worth(self, keys: list[float]) -> float:
        """What an order is worth, in bits (a model; the count decides in the end)."""
        return sum(self._gain(self._read(site, keys)[0]) for site in range(self.size))

    def anneal(self, start: list[float]) -> list[float]:
        """Move single sites before or after a neighbour while that helps, now and then not."""
        chance = random.Random(0)
        keys = list(start)
        near = [
            sorted({other for _, row in seen for other in self.rows[row]}) for seen in self.seen
        ]
        movable = [site for site in range(self.size) if len(near[site]) > 1]
        if not movable:
            return keys
        value = [self._gain(self._read(site, keys)[0]) for site in range(self.size)]
        total = best = sum(value)
        best_keys = list(keys)
        moves = min(_MOVES * len(movable), _MAX_MOVES)
        for move in range(moves):
            heat = 1.0 * 0.05 ** (move / moves)
            site = movable[int(chance.random() * len(movable))]
            other = near[site][int(chance.random() * len(near[site]))]
            if other == site:
                continue
            before = keys[site]
            keys[site] = keys[other] + (2 * chance.random() - 1) * (
                1.0 if chance.random() < 0.5 else 1e-3
            )
            new = {nb: self._gain(self._read(nb, keys)[0]) for nb in near[site]}
            gain = sum(new[nb] - value[nb] for nb in new)
            if gain < 0 and chance.random() >= math.exp(gain / heat):
                keys[site] = before
                continue
            for nb, worth in new.items():
                value[nb] = worth
            total += gain
            if total > best + 1e-9:
                best, best_keys = total, list(keys)
        return best_keys

    def cells(self, keys: list[float]) -> Ordered:
        """The cells of an order, weak ones too: a cell that stays put costs nothing."""
        found = [(key, site, self._read(site, keys)[1]) for site, key in enumerate(keys)]
        found = sorted(cell for cell in found if cell[2] >= 0)
        return Ordered(
            np.array([site for _, site, _ in found], np.int64),
            np.array([row for *_, row in found], np.int64),
        )
