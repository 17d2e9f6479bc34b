"""From wanted digits to a picture: round, edit, see what is off, repair (`search.py`)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.singular.blocks import Array, Block, Index
from morebits.codecs.singular.plan import Plan

#: What energy costs the search, beside the square of a coordinate's way out: a change by one
#: of a sample that has changed as much as most.
_WEIGHT = 0.012
#: First search, and repairs: sweeps over all samples, first and last temperature.
_FIRST = (24, 0.02, 5e-4)
_REPAIR = (16, 0.01, 3e-4)
_REPAIRS = 16
#: Below this part of the energy repairs may cost more of it.
_ROOM = 0.98
#: A coordinate counts as read when it is this far inside its cell (1 is the border).
_INSIDE = 1 - 1e-4
#: Half the cell of a coordinate that carries nothing.
_ANYWHERE = 1e9


@dataclass(eq=False)
class _Workshop:
    """A block with what the search needs: the coordinates that some copy uses."""

    block: Block
    used: Index
    left: NDArray[np.float32]
    left_t: NDArray[np.float32]
    gray: Array
    low: Array
    high: Array


@dataclass(eq=False)
class _Job:
    """One copy of a block on its way: what it changes, and what is wanted."""

    shop: _Workshop
    copy: int
    center: Array
    half: Array
    change: Array
    wrong: int

    @property
    def energy(self) -> float:
        return float(self.change @ self.change)


class Embedder:
    """Finds pictures that read as given digits after the edit.

    `edited` is the planar edited cover before rounding; `reach` how far samples may move.
    """

    def __init__(
        self, blocks: list[Block], plan: Plan, edited: Array, rho: int, reach: tuple[int, int]
    ):
        self.plan, self.reach = plan, reach
        self._shops: list[_Workshop] = []
        for b, block in enumerate(blocks):
            where = plan.where[plan.where[..., 0] == b]
            used = np.unique(where[:, 1])
            left = np.ascontiguousarray(block.left()[:, used], np.float32)
            base = edited[block.outputs]
            whole = np.floor(base + 0.5)
            shop = _Workshop(
                block, used, left, np.ascontiguousarray(left.T), base - whole, -whole, rho - whole
            )
            self._shops.append(shop)

    def change(self, digits: Index, energy: int, samples: int, seed: int) -> Array | None:
        """The planar change of the cover, of squared norm up to `energy`; None when not found.

        At most `plan.errors` coordinates are outside of their cells.
        """
        jobs = self._jobs(digits)
        live = sum(job.change.size for job in jobs)
        weight = _WEIGHT / (1 + math.sqrt(energy / max(live, 1)))
        for job in jobs:
            self._search(job, _FIRST, weight, seed)
        for repair in range(_REPAIRS + 1):
            wrong = sum(job.wrong for job in jobs)
            spent = sum(job.energy for job in jobs) / energy
            over = spent > 1
            if wrong <= self.plan.errors and not over:
                return self._picture(jobs, samples)
            if repair == _REPAIRS:
                break
            weight *= 1.5 if over else 0.7 if spent < _ROOM else 1.0
            for job in jobs:
                if over or job.wrong:
                    self._search(job, _REPAIR, weight, seed + 1 + repair, keep=not over)
        return None

    def _jobs(self, digits: Index) -> list[_Job]:
        jobs: list[_Job] = []
        for b, shop in enumerate(self._shops):
            mine = self.plan.where[..., 0] == b
            _, coordinate, copy = self.plan.where[mine].T
            step = np.broadcast_to(self.plan.steps, mine.shape)[mine]
            place = np.searchsorted(shop.used, coordinate)
            gains = shop.block.gains[shop.used]
            wanted = np.zeros((shop.used.size, shop.block.copies))
            half = np.full(wanted.shape, _ANYWHERE)
            wanted[place, copy] = digits[mine] * step
            half[place, copy] = 0.5 * step * gains[place]
            changes = np.rint(shop.block.right[:, shop.used] @ wanted).clip(*self.reach)
            for c in range(shop.block.copies):
                center = wanted[:, c] * gains
                job = _Job(shop, c, center, half[:, c].copy(), changes[:, c].copy(), 0)
                jobs.append(job)
        return jobs

    def _search(
        self, job: _Job, schedule: tuple[int, float, float], weight: float, seed: int,
        keep: bool = False,
    ) -> None:  # fmt: skip
        """Anneal one block; with `keep` the result counts only when fewer cells are missed."""
        if job.change.size == 1:
            return  # a sample that the edit treats alone is where it should be
        from morebits.codecs.singular.search import anneal

        shop, matrix = job.shop, job.shop.block.matrix
        gray, low, high = (part[job.copy] for part in (shop.gray, shop.low, shop.high))
        change = job.change.copy()
        value = matrix @ change
        shown = np.floor(value + gray + 0.5).clip(low, high)
        moved = (shown - gray - shop.block.bias).astype(np.float32)
        read = (shop.left_t @ moved).astype(np.float64)
        anneal(
            change, value, shown, read, job.center, job.half, matrix.indices, matrix.indptr,
            matrix.data, shop.left, shop.left_t, gray, shop.block.loose, low, high,
            self.reach, *schedule, weight, seed * 1000 + job.copy,
        )  # fmt: skip
        wrong = int((np.abs(read - job.center) > _INSIDE * job.half).sum())
        if not keep or wrong < job.wrong:
            job.change, job.wrong = change, wrong

    def _picture(self, jobs: list[_Job], samples: int) -> Array:
        planar = np.zeros(samples)
        for job in jobs:
            planar[job.shop.block.inputs[job.copy]] = job.change
        return planar
