"""The dither of a robust key, guessed from photos that were marked with it, and a mark without it.

A number of a tile lies near `(dither + bit / 2) step` cells. Bits differ from photo to photo, so
what all photos of a key share is twice the place in the cell: its mean over the photos points to
twice the dither. The steps are not known either; those at which the photos agree are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import colour, lattice, tiles
from morebits.codecs.robust.gain import STEPS
from morebits.images import Samples

#: Steps that are tried, in levels, and around a good one.
_STEPS = STEPS[(STEPS > 3) & (STEPS < 80)]
_NEAR = np.exp(np.arange(-0.012, 0.0121, 0.0008))
#: Numbers of more cells than this tell a step too finely for the first search.
_MOST_CELLS = 4.0
#: Rounds in which the step of each photo is found from what the others say.
_ROUNDS = 2

Turns = NDArray[np.complex64]


@dataclass(frozen=True, eq=False)
class Numbers:
    """The tiles of a photo as it came, (rows, columns, 42), and how busy they are."""

    values: NDArray[np.float32]
    activity: NDArray[np.float32]

    @classmethod
    def of(cls, image: Samples) -> Numbers:
        """Of the whole tiles of a picture that was never moved."""
        rows, columns = (side // tiles.TILE for side in image.shape[:2])
        plane = colour.luma(image)[: rows * tiles.TILE, : columns * tiles.TILE]
        values = tiles.analyse(plane)
        return cls(values, lattice.activity(values))

    def steps(self, step: float) -> NDArray[np.float32]:
        """The step of each tile, (rows, columns)."""
        calm = self.activity < lattice.CALM * step
        return np.where(calm, step / 2, step).astype(np.float32)

    def turns(self, step: float) -> Turns:
        """Twice the place in its cell of every number, on the circle; large numbers count less."""
        cells = self.values / self.steps(step)[..., None]
        trust = 1 / (1 + (cells / np.float32(_MOST_CELLS)) ** 2)
        return (trust * np.exp(np.float32(4 * np.pi) * 1j * cells)).astype(np.complex64)


def guess(photos: Sequence[Samples]) -> Turns:
    """Twice the dither of every number, on the circle, from two photos or more of one key."""
    known = [Numbers.of(each) for each in photos]
    first, second = (_every(each) for each in known[:2])
    agree = (first @ second.conj().T).real
    place = np.unravel_index(int(agree.argmax()), agree.shape)
    steps = [float(_STEPS[each]) for each in place]
    total = known[0].turns(steps[0]) + known[1].turns(steps[1])
    for each in known[2:]:
        steps.append(find_step(each, total))
        total = total + each.turns(steps[-1])
    for _ in range(_ROUNDS):
        for index, each in enumerate(known):
            total = total - each.turns(steps[index])
            steps[index] = find_step(each, total)
            total = total + each.turns(steps[index])
    return total


def find_step(numbers: Numbers, total: Turns) -> float:
    """The step at which a photo agrees best with what others say of the dither."""
    direction, best = _unit(total), 1.0
    for tried in (_STEPS, _NEAR):
        agree = [np.vdot(direction, numbers.turns(best * each)).real for each in tried]
        best *= float(tried[int(np.argmax(agree))])
    return best


def erased(image: Samples, total: Turns, gain: float = 1.0) -> Samples:
    """The picture with every number moved to where its bit cannot be told, the shorter way.

    A `gain` above 1 goes further, into the other bit's half of the cell.
    """
    numbers = Numbers.of(image)
    steps = numbers.steps(find_step(numbers, total))[..., None]
    places = np.angle(np.exp(4j * np.pi * numbers.values / steps) * _unit(total).conj())
    way = np.where(places < 0, -np.pi, np.pi) - places
    plane = tiles.synthesise((gain * way / (4 * np.pi) * steps).astype(np.float32))
    result: NDArray[Any] = image.astype(np.float32)
    height, width = plane.shape
    result[:height, :width] += plane[..., None] * colour.directions(image.shape[2])
    return np.clip(np.rint(result), 0, 255).astype(np.uint8)


def right(total: Turns, dither: NDArray[np.float32]) -> float:
    """The share of numbers whose dither is known to an eighth of a cell; by chance it is half."""
    truth = np.exp(4j * np.pi * dither)
    return float((np.abs(np.angle(total * truth.conj())) < np.pi / 2).mean())


def _every(numbers: Numbers) -> Turns:
    """One row for each step."""
    return np.stack([numbers.turns(each).ravel() for each in _STEPS])


def _unit(turns: Turns) -> Turns:
    return (turns / np.maximum(np.abs(turns), 1e-12)).astype(np.complex64)
