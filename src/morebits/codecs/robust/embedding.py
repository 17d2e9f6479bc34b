"""The message into the picture, at exactly the PSNR asked for.

The step of the lattice is what the PSNR leaves room for. It is searched twice: first in the
numbers of the tiles, where the squared error is a sum, then in the rounded picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import distortion
from morebits.codecs.robust import lattice, tiles
from morebits.codecs.robust.colour import TINTS, directions, luma, tint
from morebits.codecs.robust.masking import Mask
from morebits.codecs.robust.tiles import TILE

#: Share of the way that a number moves at most and at least.
_ALPHAS = (0.15, 0.92)
#: RMS change of the flattest quarter over that of the whole picture: what is aimed at first, 0.96
#: levels at 45 dB, and what it may be once it is rounded, 1 level at 45 dB.
_FLAT_SHARE, _FLAT_MOST = 0.67, 0.696
#: How often it is aimed again when it is more (tiles that are flat in part are held down in part
#: only), and what is aimed at least.
_FLAT_ROUNDS, _FLAT_LEAST = 4, 0.3
#: A larger share of the picture than this is no quarter: where much of it is one colour.
_FLAT_QUARTER = 0.3
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


@dataclass(frozen=True, eq=False)
class Content:
    """What goes into a layer: the dither and the bit of every number, (rows, columns, 42)."""

    dither: NDArray[np.float32]
    bits: NDArray[np.uint8]


def embed(canvas: Canvas, layers: Sequence[Content], budget: int) -> tuple[NDArray[Any], float]:
    """The marked samples, with a squared error of at most `budget`, and the step in levels.

    `layers` are luma, and for a picture in colour the two tints. `budget` counts in samples of
    the cover, as `codecs.budget.allowed_error` gives it.
    """
    task = _Task(canvas, layers[0], layers[1:], budget)
    share, slope = _FLAT_SHARE**2, 1.0
    found = _searched(task, task.shares(share))
    there = task.flat_share(found[0])
    for _ in range(_FLAT_ROUNDS):
        if there <= _FLAT_MOST**2 or share <= _FLAT_LEAST**2:
            break
        before = share, there
        share = max(share - (there - (0.998 * _FLAT_MOST) ** 2) / slope, _FLAT_LEAST**2)
        found = _searched(task, task.shares(share))
        there = task.flat_share(found[0])
        slope = float(np.clip((before[1] - there) / (before[0] - share), 0.2, 1))
    return found


def _searched(task: _Task, shares: NDArray[np.float32]) -> tuple[NDArray[Any], float]:
    """The marked samples and the step that come closest to the budget from below."""
    canvas, budget = task.canvas, task.budget
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
    luma: Content
    tints: Sequence[Content]
    budget: int

    @cached_property
    def numbers(self) -> NDArray[np.float32]:
        """Of luma, with the pilot."""
        return tiles.analyse(self.canvas.inner(luma(self.canvas.piloted)))

    @cached_property
    def tint_numbers(self) -> list[NDArray[np.float32]]:
        """Of the tints, with the pilot."""
        inner = self.canvas.inner(self.canvas.piloted)
        return [tiles.analyse(tint(inner, which)) for which in range(len(self.tints))]

    @property
    def _per_luma(self) -> float:
        """Squared error of the samples, in levels of 8 bits, for one of luma."""
        towards = directions(self.canvas.cover.shape[2])
        return float(towards @ towards)

    def flat_share(self, marked: NDArray[Any]) -> float:
        """Squared change of the flattest quarter over the one that the budget allows everywhere;
        0 when nothing tells it from the rest.
        """
        flat = self.canvas.mask.flat > 0
        if not 0 < flat.mean() <= _FLAT_QUARTER:
            return 0.0
        error = distortion.squared_error(self.canvas.cover[flat], marked[flat])
        return float(error / flat.sum() / (self.budget / flat.size))

    def shares(self, share: float) -> NDArray[np.float32]:
        """What each tile may move by, in steps: the mask, with the flattest quarter held down to
        a share of the squared change that the whole picture may have.
        """
        weights = self.canvas.mask.tiles
        flat = self.canvas.mask.flat_tiles
        area = max(float(self.canvas.mask.flat.sum(dtype=np.float64)), 1.0)
        total = self.budget / self.canvas.scale**2 / self.canvas.cover[..., 0].size
        already = self._pilot_errors[1] + self._rounding()
        held = 1.0
        shares = self._shares(weights)
        for _ in range(6):
            step = self.step(shares)
            error = self._errors(step, shares)
            there = float((error * flat).sum()) / area + already
            room = max(share * total - already, 0.02 * total)
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
            error = float(self._errors(np.exp(middle), shares).sum())
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
            for which, moves in enumerate(self._tint_moves(step)):
                change = tiles.synthesise(moves)
                for channel, towards in enumerate(TINTS[which]):
                    if towards:
                        inner[..., channel] += towards * change
        if canvas.scale != 1:
            result *= np.float32(canvas.scale)
        top = np.iinfo(canvas.cover.dtype).max
        np.rint(result, out=result)
        return np.clip(result, 0, top, out=result).astype(canvas.cover.dtype)

    def _errors(self, step: float, shares: NDArray[np.float32]) -> NDArray[np.float32]:
        """Squared error of all channels in each tile."""
        moves = self._moves(step, shares)
        error = np.einsum("ijk,ijk->ij", moves, moves) * np.float32(self._per_luma)
        for moves in self._tint_moves(step):
            error += np.einsum("ijk,ijk->ij", moves, moves)
        return error

    def _tint_moves(self, step: float) -> Iterator[NDArray[np.float32]]:
        """How every number of each tint changes."""
        for numbers, content in zip(self.tint_numbers, self.tints, strict=True):
            steps = np.full(numbers.shape[:2], step * lattice.TINT)
            whole = lattice.moves(numbers, content.dither, content.bits, steps)
            yield np.float32(lattice.TINT_ALPHA) * whole

    def _moves(self, step: float, shares: NDArray[np.float32]) -> NDArray[np.float32]:
        """How every number of luma changes."""
        calm = self._activity < lattice.CALM * step
        alphas = np.clip(np.where(calm, 2, 1) * shares, *_ALPHAS).astype(np.float32)
        steps = np.where(calm, step / 2, step)
        whole = lattice.moves(self.numbers, self.luma.dither, self.luma.bits, steps)
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
