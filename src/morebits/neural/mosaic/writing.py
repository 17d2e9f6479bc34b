"""The map into the picture, at exactly the PSNR asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import distortion
from morebits.codecs import keys, pilot
from morebits.codecs.robust import masking
from morebits.codecs.robust.colour import directions, luma
from morebits.images import Picture
from morebits.neural.mosaic import tiles
from morebits.neural.mosaic.network import Network
from morebits.neural.mosaic.tiles import TILE

#: How far the pilot lies below the whole mark, in dB.
_PILOT = 8.5
#: Rounds in which the rounded picture, cut off at black and white, gets closer to what it should
#: be: most of what rounding does to the numbers can be undone by rounding a few pixels otherwise.
_MENDING = 4
#: Rounds of the search for the step, and how close below the budget it ends.
_ROUNDS, _CLOSE = 9, 0.0015
#: Steps that are tried at most, in levels of 8 bits.
_LARGEST = 600.0


@dataclass(frozen=True, eq=False)
class Canvas:
    """A cover with its pilot, in levels of 8 bits, on which a map is written.

    `cover` are the samples (H, W, C) as they were, `scale` their value of one level of 8 bits.
    """

    network: Network
    cover: NDArray[Any] = field(repr=False)
    piloted: NDArray[np.float32] = field(repr=False)
    scale: int

    @classmethod
    def of(cls, picture: Picture, network: Network, key: keys.Key, psnr: float) -> Canvas:
        """The canvas of a picture for a mark with this PSNR."""
        array = picture.array
        scale = 257 if array.dtype == np.uint16 else 1
        levels = array.astype(np.float32) / np.float32(scale)
        mask = masking.mask(luma(levels), 255.0).pixels
        colours = np.broadcast_to(levels, (*array.shape[:2], 3))
        piloted = pilot.add(colours, key, psnr=psnr + _PILOT, mask=mask)
        if array.shape[2] == 1:
            piloted = luma(piloted)[..., None]
        return cls(network, array, np.clip(piloted, 0, 255), scale)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of whole tiles."""
        return self.cover.shape[0] // TILE, self.cover.shape[1] // TILE

    def write(
        self, targets: NDArray[np.float32], alphas: NDArray[np.float32], budget: int
    ) -> tuple[NDArray[Any], float]:
        """The marked samples, with a squared error of at most `budget`, and the step in levels.

        Every number moves by its share `alphas` of the way to its place in the cell, `targets`.
        """
        numbers = self._numbers(self.piloted)
        step = self._first(numbers, targets, alphas, budget)
        low, high = 0.0, _LARGEST  # steps known to be within the budget, and over it
        best: tuple[NDArray[Any], float] | None = None
        for _ in range(_ROUNDS):
            wanted = numbers + self._moves(numbers, targets, alphas, step)
            marked = self._marked(wanted)
            error = distortion.squared_error(self.cover, marked)
            if error <= budget:
                best, low = (marked, step), step
                if error >= budget * (1 - _CLOSE):
                    break
            else:
                high = step
            # Over the pilot and rounding the error grows with the square of the step.
            guess = step * np.sqrt(max(budget * (1 - _CLOSE / 2) / max(error, 1), 0.25))
            step = float(guess if low < guess < high else (low + min(high, 2 * step)) / 2)
        return best if best is not None else (self._marked(numbers), 0.0)

    def _numbers(self, picture: NDArray[np.float32]) -> NDArray[np.float32]:
        return tiles.analyse(luma(picture), self.network.functions)

    def _moves(self, numbers: Any, targets: Any, alphas: Any, step: float) -> NDArray[np.float32]:
        steps = np.float32(step) * self.network.steps
        cells = numbers / steps - targets
        return alphas * (np.rint(cells) - cells) * steps

    def _first(self, numbers: Any, targets: Any, alphas: Any, budget: int) -> float:
        """The step at which the numbers use up what pilot and rounding leave of the budget."""
        towards = directions(self.cover.shape[2])
        change = self.piloted - self.cover / np.float32(self.scale)
        taken = float(np.einsum("ijk,ijk->", change, change)) + self.cover.size / 12
        room = max(budget / self.scale**2 - taken, 0.05 * budget / self.scale**2)
        moved = self._moves(numbers, targets, alphas, 16.0)
        error = float((moved * moved).sum()) * float(towards @ towards)
        return min(16.0 * float(np.sqrt(room / max(error, 1e-9))), _LARGEST / 2)

    def _marked(self, wanted: NDArray[np.float32]) -> NDArray[Any]:
        """Samples whose numbers are the wanted ones, as far as rounding and white allow."""
        levels = self.piloted.copy()
        part = tiles.inner(levels)
        towards = directions(levels.shape[2])
        samples = levels * np.float32(self.scale)
        for _ in range(_MENDING):
            seen = (samples / np.float32(self.scale)).astype(np.float32, copy=False)
            change = tiles.synthesise(wanted - self._numbers(seen), self.network.functions)
            part += change[..., None] * towards
            np.clip(levels, 0, 255, out=levels)
            samples = np.rint(levels * np.float32(self.scale))
        return samples.astype(self.cover.dtype)
