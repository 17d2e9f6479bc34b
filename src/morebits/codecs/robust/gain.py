"""The step of the lattice in the received picture, from the known numbers.

A change of light multiplies the step, and the writer chose it for its own picture: the reader
tries every step from 1 to 250 levels and takes the one at which the known numbers agree most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import lattice

#: Steps tried first, in levels: 1.2 % apart.
STEPS = np.exp(np.arange(np.log(1.0), np.log(250.0), 0.012))
#: Around a good one: up to 1.5 % off, 0.06 % apart.
_NEAR = np.exp(np.arange(-0.015, 0.0151, 0.0006))
#: Numbers of more cells than this tell a step too finely for the first search.
_MOST_CELLS = 12.0


@dataclass(frozen=True)
class Step:
    """A step in levels, and how far above chance it is, in standard deviations."""

    levels: float
    score: float


def search(
    numbers: NDArray[np.float32],
    dither: NDArray[np.float32],
    weights: NDArray[np.float32],
    activity: NDArray[np.float32],
) -> Step:
    """The best step for numbers whose bits are all 0.

    `activity` is that of each number's tile, which decides whether it has the step or its half.

    Numbers near zero say nothing about the step, and large ones are off before the grid finds
    them: both count less.
    """
    coarse = _scores(numbers, dither, weights, activity, STEPS, _MOST_CELLS)
    near = STEPS[np.argmax(coarse)] * _NEAR
    fine = _scores(numbers, dither, weights, activity, near, 4 * _MOST_CELLS)
    place = int(np.argmax(fine))
    return Step(float(near[place]), float(fine[place]))


def _scores(
    numbers: NDArray[np.float32],
    dither: NDArray[np.float32],
    weights: NDArray[np.float32],
    activity: NDArray[np.float32],
    steps: NDArray[np.float64],
    most: float,
) -> NDArray[np.float64]:
    """Sum of the cosines of the phases, in standard deviations of random phases."""
    each = steps.astype(np.float32)[:, None]
    calm = activity < np.float32(lattice.CALM) * each
    cells = numbers / np.where(calm, each / 2, each)
    trust = weights / (1 + (cells / np.float32(most)) ** 2)
    phases = np.cos(np.float32(2 * np.pi) * (cells - dither))
    return (trust * phases).sum(axis=1) / np.sqrt(0.5 * (trust * trust).sum(axis=1) + 1e-12)
