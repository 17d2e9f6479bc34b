"""Waves added up in phase: where in the original the received picture lies.

Points of the two pictures are related by p = L q + o, with q a pixel of the received picture,
p the same place in the original, both as (x, y) with pixel centres at whole numbers. A wave
exp(2πi f·p) is then a wave of frequency Lᵀf in the received picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter

from morebits.codecs.pilot.spectrum import HIGHEST, LOWEST, Spectrum
from morebits.codecs.pilot.waves import GRID, PERIOD, Reals, Waves
from morebits.codecs.pilot.whitening import Patch

#: Side of the squares over which a wave is summed before the map is refined.
BLOCK = 32
#: Pixels between two positions that are tried at first.
_STEP = 2
#: Pixels by which a likely place may lie before the origin: the grid is not that exact.
_BEYOND = 3
#: Log-likelihood that another period than the first must bring.
_REASON = 10.0


@dataclass(frozen=True)
class Demodulated:
    """What the picture holds of every wave under one linear map.

    `sums` (K, B) are the sums of picture · exp(-2πi Lᵀf·q) · exp(-iφ) over B blocks, divided by
    the noise of the whole; `places` (B, 2) are the blocks' centres q; `expected` (K) is how
    strong each wave should be, in units that do not matter.
    """

    linear: Reals
    cycles: Reals
    sums: NDArray[np.complex64]
    places: Reals
    expected: Reals
    radians: Reals

    @property
    def noise(self) -> float:
        """Standard deviation of the weighted sum over all waves when there is no pilot."""
        return float(np.sqrt((self.expected**2).sum() / 2)) or 1.0

    @property
    def middle(self) -> Reals:
        """The mean of the blocks' centres."""
        return self.places.mean(axis=0)

    def turned(self) -> Demodulated:
        """The same for the map turned by 180 degrees, p = -linear · q + anything."""
        sums = np.conj(self.sums) * np.exp(-2j * self.radians).astype(np.complex64)[:, None]
        return replace(self, linear=-self.linear, sums=sums)


def demodulate(
    patches: Sequence[Patch], spectrum: Spectrum, table: Waves, linear: Reals
) -> Demodulated:
    """The sums of every wave over the blocks of the patches, for p = linear · q + anything."""
    received = table.cycles @ linear
    seen = (np.abs(received).max(axis=1) < HIGHEST) & (np.hypot(*received.T) > LOWEST)
    main = patches[0].planes[0].size
    area = sum(patch.planes[0].size for patch in patches) / main
    noise = np.sqrt(area * spectrum.noise(received, table.channel))
    sums, places = [], []
    for patch in patches:
        sums.append(np.zeros((len(received), *_blocks(patch)), np.complex64))
        for channel in (0, 1):
            chosen = (table.channel == channel) & seen
            sums[-1][chosen] = _demodulate(patch, channel, received[chosen])
        places.append(_places(patch))
    turned = np.concatenate([each.reshape(len(received), -1) for each in sums], axis=1)
    turned *= (np.exp(-1j * table.radians) / noise).astype(np.complex64)[:, None]
    expected = np.sqrt(table.energy) * seen
    return Demodulated(
        linear, table.cycles, turned, np.concatenate(places), expected, table.radians
    )


def positions(found: Demodulated, count: int) -> list[tuple[float, Reals]]:
    """The most likely places of `found.middle` in the first period, best first, with scores."""
    total = _total(found)
    grid, surface = _surface(found, total)
    best: list[tuple[float, Reals]] = []
    for _ in range(count):
        place = np.unravel_index(int(surface.argmax()), surface.shape)
        row, column = int(place[0]), int(place[1])
        best.append(_climbed(found, total, np.array([grid[row], grid[column]])))
        near = np.ix_(
            np.arange(row - 6, row + 7) % len(grid), np.arange(column - 6, column + 7) % len(grid)
        )
        surface[near] = -np.inf
    return sorted(best, key=lambda each: -each[0])


def whole_positions(found: Demodulated, count: int, reach: Reals) -> NDArray[np.int64]:
    """Likely places of the pixel q = 0 in the first period, in whole pixels, (places, 2).

    `count` tops that lie within `reach` (x, y) of the origin, and a quarter as many others, the
    highest first; for each top the four pixels at which the waves agree best.
    """
    total = _total(found)
    grid, surface = _surface(found, total)
    tops = surface >= maximum_filter(surface, 7, mode="wrap")
    rows, columns = np.nonzero(tops)
    places = np.column_stack([grid[rows], grid[columns]]) - np.rint(found.middle).astype(np.int64)
    order = np.argsort(-surface[rows, columns], kind="stable")
    near = np.logical_and(places > -_BEYOND, places < reach)[order].min(axis=1)
    chosen = np.concatenate([order[near][:count], order[~near][: count // 4]])
    around = places[chosen][:, None] + _AROUND
    turns = (around + found.middle) @ found.cycles.T
    values = (np.exp(-2j * np.pi * turns) @ total).real
    four = np.argsort(-values, axis=1, kind="stable")[:, :4]
    return np.take_along_axis(around, four[..., None], axis=1).reshape(-1, 2)


def _total(found: Demodulated) -> NDArray[np.complex128]:
    """The sum of every wave over all blocks, about the middle instead of q = 0."""
    total = found.sums.sum(axis=1) * found.expected
    return total * np.exp(2j * np.pi * (found.cycles @ (found.linear @ found.middle)))


def _surface(
    found: Demodulated, total: NDArray[np.complex128]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """How well the waves agree on each place of the middle, (x, y), and the grid of both."""
    grid, along, y = _grid(found.cycles.tobytes())
    x: NDArray[np.complex64] = along * total.astype(np.complex64)
    return grid, np.hstack([x.real, -x.imag]) @ y


@lru_cache(maxsize=4)
def _grid(cycles: bytes) -> tuple[NDArray[np.int64], NDArray[np.complex64], NDArray[np.float32]]:
    """The waves of a key over one period: along x, and along y with real and imaginary parts."""
    u, v = np.frombuffer(cycles).reshape(-1, 2).T
    grid = np.arange(0, PERIOD, _STEP)
    x = np.exp(-2j * np.pi * np.outer(grid, u)).astype(np.complex64)
    y: NDArray[np.complex128] = np.exp(-2j * np.pi * np.outer(v, grid))
    return grid, x, np.vstack([y.real, y.imag]).astype(np.float32)


def _climbed(
    found: Demodulated, total: NDArray[np.complex128], place: Reals
) -> tuple[float, Reals]:
    """A place to within a quarter of a pixel, and its score."""
    place = place.astype(np.float64)
    value = 0.0
    for step in (1.0, 0.5, 0.25):
        around = place + step * _NINE
        values = np.exp(-2j * np.pi * (around @ found.cycles.T)) @ total
        place, value = around[int(values.real.argmax())], float(values.real.max())
    return value / found.noise, place


_NINE = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)], np.float64)
_AROUND = np.array([(x, y) for x in range(-2, 3) for y in range(-2, 3)])


def _blocks(patch: Patch) -> tuple[int, int]:
    height, width = patch.planes.shape[1:]
    return -(-width // BLOCK), -(-height // BLOCK)


def _places(patch: Patch) -> Reals:
    columns, rows = _blocks(patch)
    x = patch.left + BLOCK * np.arange(columns) + (BLOCK - 1) / 2
    y = patch.top + BLOCK * np.arange(rows) + (BLOCK - 1) / 2
    return np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)


def periods(found: Demodulated, place: Reals) -> Reals:
    """A place moved by whole periods to where the waves off the grid agree best.

    The first period is left only for a reason: small pictures are more common than large ones.
    """
    total = _total(found)
    count = np.arange(GRID // PERIOD) * PERIOD
    moves = np.stack(np.meshgrid(count, count, indexing="ij"), axis=-1).reshape(-1, 2)
    values = (np.exp(-2j * np.pi * ((place + moves) @ found.cycles.T)) @ total).real / found.noise
    best = int(values.argmax())
    convincing = values[best] * (values[best] - values[0]) > _REASON
    return place + moves[best if convincing else 0]


def _demodulate(patch: Patch, channel: int, received: Reals) -> NDArray[np.complex64]:
    """Sums over blocks, (K, columns, rows)."""
    columns, rows = _blocks(patch)
    height, width = patch.planes.shape[1:]
    plane = np.zeros((rows * BLOCK, columns * BLOCK), np.float32)
    plane[:height, :width] = patch.planes[channel]
    x = patch.left + np.arange(columns * BLOCK)
    y = patch.top + np.arange(rows * BLOCK)
    along: NDArray[np.complex128] = np.exp(-2j * np.pi * np.outer(x, received[:, 0]))
    along = along.reshape(columns, BLOCK, -1)
    down = np.exp(-2j * np.pi * np.outer(y, received[:, 1])).reshape(rows, BLOCK, -1)
    strips = plane.reshape(-1, columns, BLOCK).transpose(1, 0, 2)
    both = np.concatenate([along.real, along.imag], axis=2).astype(np.float32)
    first = strips @ both
    count = len(received)
    mixed = first[..., :count] + 1j * first[..., count:]
    mixed = mixed.reshape(columns, rows, BLOCK, count) * down.astype(np.complex64)
    return np.ascontiguousarray(mixed.sum(axis=2).transpose(2, 0, 1))
