"""Small errors of a map, found from the numbers themselves.

A shift of a tile by (dx, dy) pixels changes its numbers by `Gx dx + Gy dy`, where Gx and Gy are the
numbers of the plane's derivatives. The best affine field of shifts, together with a factor of
the step, is the one that brings the numbers closest to the points of their lattices: known bits
to whole cells, unknown ones to half cells. Shifts of known bits are searched on a grid first,
since the sum of cosines that is climbed then has many tops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import equalising, lattice, tiles
from morebits.codecs.robust.equalising import Equaliser
from morebits.codecs.robust.layout import KNOWN
from morebits.codecs.robust.reading import Read
from morebits.codecs.robust.tiles import TILE

#: Shifts of the grid, in pixels, and rounds of the climb.
_SHIFTS = np.arange(-0.6, 0.61, 0.12)
_ROUNDS = 12
#: Uncertainty of the shifts at the start and at the end of the climb, in pixels.
_FROM, _TO = 0.15, 0.03


@dataclass(frozen=True, eq=False)
class _Numbers:
    """All that the climb needs of the usable tiles, one row a number."""

    cells: NDArray[np.float32]  # number / step - dither
    slopes: NDArray[np.float32]  # (numbers, 7): cells for each parameter
    harmonic: NDArray[np.float32]  # 1 for known bits, 2 for others
    steep: NDArray[np.float32]  # cells for a shift of one pixel
    weight: NDArray[np.float32]


def aligned(
    plane: NDArray[np.float32], equaliser: Equaliser | None, read: Read,
    matrix: NDArray[np.float64], origin: tuple[int, int],
) -> NDArray[np.float64]:  # fmt: skip
    """The map, corrected so that the numbers of its reading fit their lattices best.

    `origin` is the place (x, y) of the plane's first pixel in the original.
    """
    numbers, span = _numbers(plane, equaliser, read)
    start = _best_shift(numbers)
    found = _climbed(numbers, start)
    # Parameters are shifts at the centre and at the ends of the frame.
    middle, half = span
    linear = np.array([[found[1], found[2]], [found[4], found[5]]]) / half
    constant = np.array([found[0], found[3]]) - linear @ (middle + origin)
    forward = matrix[:, :2]
    return np.column_stack([forward @ (np.eye(2) + linear), matrix[:, 2] + forward @ constant])


def _numbers(plane: Any, equaliser: Equaliser | None, read: Read) -> tuple[_Numbers, Any]:
    seen = read.tiles
    steps = read.steps
    down, across = map(np.asarray, np.gradient(equalising.undone(plane, equaliser)))
    gx = tiles.analyse(across)[seen.usable] / steps[:, None]
    gy = tiles.analyse(down)[seen.usable] / steps[:, None]
    rows, columns = np.nonzero(seen.usable)
    centres = np.column_stack([columns, rows]) * TILE + (TILE - 1) / 2
    middle = (centres.min(axis=0) + centres.max(axis=0)) / 2
    half = np.maximum((centres.max(axis=0) - centres.min(axis=0)) / 2, TILE)
    x, y = ((centres - middle) / half).astype(np.float32).T[:, :, None]
    cells = seen.values / steps[:, None]
    slopes = np.stack([gx, gx * x, gx * y, gy, gy * x, gy * y, cells], axis=-1)
    known = seen.roles < KNOWN
    harmonic = np.where(known, 1, 2).astype(np.float32)
    sharp = lattice.sharpness(1)[read.trust], lattice.sharpness(2)[read.trust]
    weight = np.where(known, *sharp)
    flat = _Numbers(
        (cells - seen.dither).reshape(-1),
        slopes.reshape(-1, 7).astype(np.float32),
        harmonic.reshape(-1),
        np.hypot(gx, gy).reshape(-1),
        weight.reshape(-1).astype(np.float32),
    )
    return flat, (middle, half)


def _best_shift(numbers: _Numbers) -> NDArray[np.float64]:
    """The common shift at which the known numbers agree best."""
    known = numbers.harmonic == 1
    cells, slopes = numbers.cells[known], numbers.slopes[known]
    trust = 1 / (1 + (_FROM * numbers.steep[known] / 0.15) ** 2)
    best, top = np.zeros(7), -np.inf
    for dx in _SHIFTS:
        for dy in _SHIFTS:
            moved = cells + slopes[:, 0] * np.float32(dx) + slopes[:, 3] * np.float32(dy)
            score = float(trust @ np.cos(np.float32(2 * np.pi) * moved))
            score -= 0.02 * abs(score) * (dx * dx + dy * dy)
            if score > top:
                top = score
                best = np.array([dx, 0, 0, dy, 0, 0, 0])
    return best


def _climbed(numbers: _Numbers, start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Damped Newton steps up the weighted sum of cosines, steep numbers coming in late."""
    found = start.copy()
    turn = np.float32(2 * np.pi) * numbers.harmonic
    for unsure in np.geomspace(_FROM, _TO, _ROUNDS):
        trust = numbers.weight / (
            1 + (np.float32(unsure) * numbers.steep * numbers.harmonic / 0.15) ** 2
        )
        phase = turn * (numbers.cells + numbers.slopes @ found.astype(np.float32))
        pull = -(trust * turn * np.sin(phase)) @ numbers.slopes
        # The expected curvature is that of numbers near their points, as sure as they are.
        bend = (numbers.slopes * (trust * turn * turn * numbers.weight)[:, None]).T @ numbers.slopes
        bend[np.diag_indices(7)] += 1e-3 * np.trace(bend) / 7 + 1e-9
        change = np.linalg.solve(bend, pull)
        found += np.clip(change, -0.2, 0.2)
    return found
