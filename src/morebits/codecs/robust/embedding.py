"""The message into the picture, at exactly the PSNR asked for.

The step of the lattice is what the PSNR leaves room for. It is searched twice: first in the
numbers of the tiles, where the squared error is a sum, then in the rounded picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import distortion
from morebits.codecs.robust import lattice, tiles
from morebits.codecs.robust.colour import directions, luma
from morebits.codecs.robust.masking import Mask
from morebits.codecs.robust.tiles import TILE

#: Share of the way that a number moves at most and at least.
_ALPHAS = (0.15, 0.92)
#: RMS change of the flattest quarter over that of the whole picture: 0.96 levels at 45 dB.
_FLAT_SHARE = 0.67
#: Steps of the lattice that are tried, in levels of 8 bits.
_STEPS = (0.2, 250.0)
#: Rounds of the search in the rounded picture; it ends when it is this close below the budget.
_ROUNDS, _CLOSE = 8, 0.0015
#: Rows at a time.
_ROWS = 256


@dataclass(frozen=True, eq=False)
class Canvas:
    """A cover with its pilot, in levels of 8 bits; the payload goes on top.

    `cover` are the samples (H, W, C) as they were, `scale` their value of one level of 8 bits.
    """

    cover: NDArray[Any]
    piloted: NDArray[np.float32]
    mask: Mask
    scale: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of whole tiles."""
        return self.cover.shape[0] // TILE, self.cover.shape[1] // TILE

    def inner(self, plane: NDArray[Any]) -> NDArray[Any]:
        """The part of a plane that the whole tiles cover."""
        rows, columns = self.shape
        return plane[: rows * TILE, : columns * TILE]


def embed(
    canvas: Canvas, dither: NDArray[np.float32], bits: NDArray[np.uint8], budget: int
) -> tuple[NDArray[Any], float]:
    """The marked samples, with a squared error of at most `budget`, and the step in levels.

    `budget` counts in samples of the cover, as `codecs.budget.allowed_error` gives it.
    """
    numbers = tiles.analyse(canvas.inner(luma(canvas.piloted)))
    task = _Task(canvas, numbers, dither, bits, budget)
    shares = task.shares()
    step = task.step(shares)
    best: tuple[NDArray[Any], float] | None = None
    low, high = 0.0, np.inf  # steps known to be within the budget, and over it
    for _ in range(_ROUNDS):
        marked = task.marked(step, shares)
        error = distortion.squared_error(canvas.cover, marked)
        if error <= budget:
            best, low = (marked, step), step
            if error >= budget * (1 - _CLOSE):
                break
        else:
            high = step
        # Over the pilot and rounding the error grows with the square of the step.
        guess = step * np.sqrt(max(budget * (1 - _CLOSE / 2) / max(error, 1), 0.25))
        inside = low < guess < high
        step = float(guess if inside else (low + min(high, 2 * step)) / 2)
        if high - low < 1e-4 * high:
            break
    return best if best is not None else (task.marked(0.0, shares), 0.0)


@dataclass(frozen=True, eq=False)
class _Task:
    """What stays the same while the step is searched."""

    canvas: Canvas
    numbers: NDArray[np.float32]
    dither: NDArray[np.float32]
    bits: NDArray[np.uint8]
    budget: int

    @property
    def _per_luma(self) -> float:
        """Squared error of the samples, in levels of 8 bits, for one of luma."""
        towards = directions(self.canvas.cover.shape[2])
        return float(towards @ towards)

    def shares(self) -> NDArray[np.float32]:
        """What each tile may move by, in steps: the mask, with the flattest quarter held down."""
        weights = self.canvas.mask.tiles
        flat = self.canvas.mask.flat_tiles
        area = max(float(self.canvas.mask.flat.sum(dtype=np.float64)), 1.0)
        total = self.budget / self.canvas.scale**2 / self.canvas.cover[..., 0].size
        already = self._pilot_errors[1] + self._rounding()
        held = 1.0
        shares = self._shares(weights)
        for _ in range(6):
            step = self.step(shares)
            error = self._errors(step, shares) * self._per_luma
            there = float((error * flat).sum()) / area + already
            room = max(_FLAT_SHARE**2 * total - already, 0.02 * total)
            if there - already <= room * 1.01:
                break
            held *= float(np.sqrt(room / (there - already)))
            shares = self._shares(weights * (np.float32(1) - np.float32(1 - held) * flat))
        return shares

    def step(self, shares: NDArray[np.float32]) -> float:
        """The step at which the numbers use up what pilot and rounding leave of the budget."""
        pixels = self.canvas.cover[..., 0].size
        total = self.budget / self.canvas.scale**2
        room = total - self._pilot_errors[0] - self._rounding() * pixels
        low, high = np.log(_STEPS)
        for _ in range(16):
            middle = (low + high) / 2
            error = float(self._errors(np.exp(middle), shares).sum()) * self._per_luma
            low, high = (middle, high) if error < room else (low, middle)
        return float(np.exp(low))

    def marked(self, step: float, shares: NDArray[np.float32]) -> NDArray[Any]:
        """The samples for a step, rounded and clipped."""
        canvas = self.canvas
        result = canvas.piloted.copy()
        if step:
            change = tiles.synthesise(self._moves(step, shares))
            inner = canvas.inner(result)
            for channel, towards in enumerate(directions(result.shape[2])):
                inner[..., channel] += towards * change
        if canvas.scale != 1:
            result *= np.float32(canvas.scale)
        top = np.iinfo(canvas.cover.dtype).max
        np.rint(result, out=result)
        return np.clip(result, 0, top, out=result).astype(canvas.cover.dtype)

    def _errors(self, step: float, shares: NDArray[np.float32]) -> NDArray[np.float32]:
        """Squared error of luma in each tile."""
        moves = self._moves(step, shares)
        return np.einsum("ijk,ijk->ij", moves, moves)

    def _moves(self, step: float, shares: NDArray[np.float32]) -> NDArray[np.float32]:
        """How every number changes."""
        calm = self._activity < lattice.CALM * step
        alphas = np.clip(np.where(calm, 2, 1) * shares, *_ALPHAS).astype(np.float32)
        steps = np.where(calm, step / 2, step)
        whole = lattice.moves(self.numbers, self.dither, self.bits, steps)
        return whole * alphas[..., None]

    @cached_property
    def _activity(self) -> NDArray[np.float32]:
        return lattice.activity(self.numbers)

    def _shares(self, weights: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
        usual = float(np.sqrt(np.mean(weights * weights))) or 1.0
        return (lattice.ALPHA / usual * weights).astype(np.float32)

    @cached_property
    def _pilot_errors(self) -> tuple[float, float]:
        """Squared error of the pilot: all of it, and a pixel of the flattest quarter."""
        canvas, total, flat = self.canvas, 0.0, 0.0
        for top in range(0, len(canvas.cover), _ROWS):
            rows = slice(top, top + _ROWS)
            change = canvas.piloted[rows] - canvas.cover[rows] / np.float32(canvas.scale)
            error = np.einsum("ijk,ijk->ij", change, change)
            total += float(error.sum(dtype=np.float64))
            flat += float((error * canvas.mask.flat[rows]).sum(dtype=np.float64))
        return total, flat / max(float(canvas.mask.flat.sum(dtype=np.float64)), 1.0)

    def _rounding(self) -> float:
        """Squared error of rounding, all channels of a pixel, in levels of 8 bits."""
        return self.canvas.cover.shape[2] / 12 / self.canvas.scale**2
