"""The map from the phases: maximum likelihood over any family of maps with a few parameters.

A map is six numbers, (L00, L01, L10, L11, X, Y): p = L (q - c) + (X, Y), with c the middle of
the blocks that were demodulated. The score is the sum of all waves in phase, in standard
deviations of the noise; the log-likelihood of a map is the score times the best score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.pilot.coherent import Demodulated
from morebits.codecs.pilot.waves import Reals

#: From the parameters of a family of maps to the six numbers of one.
Family: TypeAlias = Callable[[Reals], Reals]

_ROUNDS = 25
#: Pixels: a step that moves no point by more than this is the last.
_SMALL = 2e-3


@dataclass(frozen=True)
class Objective:
    """The score as a function of the map, with its slope."""

    found: Demodulated
    centre: Reals
    offsets: Reals
    curvature: Reals

    def score(self, six: Reals) -> float:
        """The score of a map, in standard deviations."""
        cosine, sine = self._turns(six)
        real, imaginary = self._weighted
        total = (real * cosine - imaginary * sine).sum(dtype=np.float64)
        return float(total) / self.found.noise

    def slope(self, six: Reals) -> tuple[float, Reals]:
        """The score, and its derivative by the six numbers."""
        cosine, sine = self._turns(six)
        real, imaginary = self._weighted
        moments = (real * sine + imaginary * cosine) @ self._offsets
        gradient = 2 * np.pi * self.found.cycles.T @ moments
        ordered = np.concatenate([gradient[:, :2].ravel(), gradient[:, 2]])
        total = (real * cosine - imaginary * sine).sum(dtype=np.float64)
        return float(total) / self.found.noise, ordered / self.found.noise

    @cached_property
    def _weighted(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Real and imaginary parts of the sums, strong waves for more."""
        weighted = self.found.sums * self.found.expected.astype(np.float32)[:, None]
        return np.ascontiguousarray(weighted.real), np.ascontiguousarray(weighted.imag)

    @cached_property
    def _offsets(self) -> NDArray[np.float32]:
        return self.offsets.astype(np.float32)

    def _turns(self, six: Reals) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Cosine and sine of what a map turns every wave by in every block, (K, B)."""
        change = six[:4].reshape(2, 2) - self.found.linear
        origin = six[4:] - self.found.linear @ self.centre
        moved = self.offsets[:, :2] @ change.T + origin
        cycles = self.found.cycles @ moved.T
        phase = ((-2 * np.pi) * cycles).astype(np.float32)
        return np.cos(phase), np.sin(phase)


def objective(found: Demodulated) -> Objective:
    """The score of maps near the one that the waves were demodulated for."""
    centre = found.middle
    offsets = np.column_stack([found.places - centre, np.ones(len(found.places))])
    energy = found.expected**2 / max(float((found.expected**2).sum()), 1e-30)
    waves = (2 * np.pi) ** 2 * (found.cycles.T * energy) @ found.cycles
    spread = offsets.T @ offsets / len(offsets)
    full = np.einsum("ij,kl->ikjl", waves, spread)
    order = [0, 1, 3, 4, 2, 5]
    curvature = full.reshape(6, 6)[np.ix_(order, order)]
    return Objective(found, centre, offsets, curvature)


def maximise(target: Objective, family: Family, start: Reals) -> tuple[float, Reals]:
    """The best score within a family of maps, uphill from a start, and its parameters."""
    here = np.array(start, np.float64)
    score, gradient = target.slope(family(here))
    damping = 1.0
    for _ in range(_ROUNDS):
        across = _jacobian(family, here)
        bend = across.T @ target.curvature @ across * max(score, 1.0)
        bend += 1e-9 * np.trace(bend) * np.eye(len(bend)) / len(bend)
        # A tiny picture may not tell all parameters apart: the smallest step of the best ones.
        step = damping * np.linalg.lstsq(bend, across.T @ gradient, rcond=None)[0]
        there, slope = target.slope(family(here + step))
        if there < score:
            damping /= 4
            if damping < 1e-3:
                break
            continue
        moved = across @ step
        here, score, gradient, damping = here + step, there, slope, min(1.0, damping * 2)
        if float(moved @ target.curvature @ moved) < _SMALL**2:
            break
    return score, here


def affine(six: Reals) -> Reals:
    """The family of all maps."""
    return six


def _jacobian(family: Family, here: Reals) -> Reals:
    middle = family(here)
    steps = 1e-6 * np.maximum(1.0, np.abs(here))
    columns = [
        (family(here + h * unit) - middle) / h
        for h, unit in zip(steps, np.eye(len(here)), strict=True)
    ]
    return np.column_stack(columns)
