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
#: Rows of places whose best one is made more exact, and how far apart (pixels) two places are.
_CLIMBED, _APART = 48, 12
#: Steps in pixels by which a place is made more exact.
_CLIMB = (1.0, 0.5, 0.25, 0.125)
#: Rows of places that are looked at together, so that they stay near the processor.
_TOGETHER = 96
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
    """The most likely places of `found.middle` in the first period, best first, with scores.

    A place between those of the grid may seem a third less likely than it is, so many are made
    exact before the best are taken.
    """
    total = _total(found)
    grid, along, y = _grid(found.cycles.tobytes())
    rows = np.argsort(-_tops(found, total), kind="stable")[:_CLIMBED]
    columns = _lines(along[rows], total, y).argmax(axis=1)
    scores, places = _climbed(found, total, np.column_stack([grid[rows], grid[columns]]))
    best: list[int] = []
    for each in np.argsort(-scores, kind="stable").tolist():
        away = np.abs(places[each] - places[best]) % PERIOD
        if not (np.minimum(away, PERIOD - away).max(axis=1) < _APART).any():
            best.append(each)
        if len(best) == count:
            break
    return [(float(scores[each]), places[each]) for each in best]


def tops(found: Demodulated) -> NDArray[np.int64]:
    """Places of the pixel q = 0 in the first period beside which the waves agree less, in whole
    pixels, (places, 2), those at which they agree best first.
    """
    grid, surface = _surface(found, _total(found))
    rows, columns = np.nonzero(surface >= maximum_filter(surface, 7, mode="wrap"))
    places = np.column_stack([grid[rows], grid[columns]]) - np.rint(found.middle).astype(np.int64)
    return places[np.argsort(-surface[rows, columns], kind="stable")]


def whole_positions(
    found: Demodulated, tops: NDArray[np.int64], count: int, reach: Reals
) -> NDArray[np.int64]:
    """Likely places of the pixel q = 0, in whole pixels, (places, 2).

    `count` of the tops that lie within `reach` (x, y) of the origin, and a quarter as many others,
    the highest first; for each top the four pixels at which the waves agree best.
    """
    near = np.logical_and(tops > -_BEYOND, tops < reach).min(axis=1)
    around = np.concatenate([tops[near][:count], tops[~near][: count // 4]])[:, None] + _AROUND
    turns = (around + found.middle) @ found.cycles.T
    values = (np.exp(-2j * np.pi * turns) @ _total(found)).real
    four = np.argsort(-values, axis=1, kind="stable")[:, :4]
    return np.take_along_axis(around, four[..., None], axis=1).reshape(-1, 2)


def near_positions(found: Demodulated, count: int, reach: Reals) -> NDArray[np.int64]:
    """Likely places of the pixel q = 0 within `reach` (x, y) of the origin, in whole pixels.

    `count` of them, (places, 2), those at which the waves agree best first. Not only tops:
    of a faint pilot the right place need not be one.
    """
    x, y = (np.arange(int(side)) for side in reach)
    u, v = found.cycles.T
    along = np.exp(-2j * np.pi * np.outer(x + found.middle[0], u)) * _total(found)
    down = np.exp(-2j * np.pi * np.outer(v, y + found.middle[1]))
    agreement = (along.astype(np.complex64) @ down.astype(np.complex64)).real.ravel()
    count = min(count, agreement.size)
    best = np.argpartition(-agreement, count - 1)[:count]
    best = best[np.argsort(-agreement[best], kind="stable")]
    return np.column_stack([x[best // len(y)], y[best % len(y)]])


def _total(found: Demodulated) -> NDArray[np.complex128]:
    """The sum of every wave over all blocks, about the middle instead of q = 0."""
    total = found.sums.sum(axis=1) * found.expected
    return total * np.exp(2j * np.pi * (found.cycles @ (found.linear @ found.middle)))


def _surface(
    found: Demodulated, total: NDArray[np.complex128]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """How well the waves agree on each place of the middle, (x, y), and the grid of both."""
    grid, along, y = _grid(found.cycles.tobytes())
    return grid, _lines(along, total, y)


def _lines(
    along: NDArray[np.complex64], total: NDArray[np.complex128], y: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Some rows of that surface, those with the waves `along` them."""
    x: NDArray[np.complex64] = along * total.astype(np.complex64)
    return np.hstack([x.real, -x.imag]) @ y


def _tops(found: Demodulated, total: NDArray[np.complex128]) -> NDArray[np.float32]:
    """The highest value of each row of that surface, in half the time that all of it takes.

    Two rows as far before the middle of the grid as behind it share their cosines, and their
    sines but for the sign.
    """
    cosine, sine, down = _mirrored(found.cycles.tobytes())
    turned: NDArray[np.complex64] = down * total.astype(np.complex64)[:, None]
    real, imaginary = np.ascontiguousarray(turned.real), np.ascontiguousarray(turned.imag)
    half = len(cosine)
    tops = np.empty(2 * half, np.float32)
    for near in range(0, half, _TOGETHER):
        far = min(near + _TOGETHER, half)
        even, odd = cosine[near:far] @ real, sine[near:far] @ imaginary
        tops[half + near : half + far] = (even + odd).max(axis=1)
        even -= odd
        tops[half - far : half - near] = even.max(axis=1)[::-1]
    return tops


@lru_cache(maxsize=4)
def _mirrored(
    cycles: bytes,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.complex64]]:
    """The waves of a key over one period: along x from its middle on, and along y."""
    u, v = np.frombuffer(cycles).reshape(-1, 2).T
    grid = np.arange(0, PERIOD, _STEP)
    middle = (grid[0] + grid[-1]) / 2
    turns = 2 * np.pi * np.outer(grid[len(grid) // 2 :] - middle, u)
    down = np.exp(-2j * np.pi * (u[:, None] * middle + np.outer(v, grid)))
    return (
        np.cos(turns).astype(np.float32),
        np.sin(turns).astype(np.float32),
        down.astype(np.complex64),
    )


@lru_cache(maxsize=4)
def _grid(cycles: bytes) -> tuple[NDArray[np.int64], NDArray[np.complex64], NDArray[np.float32]]:
    """The waves of a key over one period: along x, and along y with real and imaginary parts."""
    u, v = np.frombuffer(cycles).reshape(-1, 2).T
    grid = np.arange(0, PERIOD, _STEP)
    x = np.exp(-2j * np.pi * np.outer(grid, u)).astype(np.complex64)
    y: NDArray[np.complex128] = np.exp(-2j * np.pi * np.outer(v, grid))
    return grid, x, np.vstack([y.real, y.imag]).astype(np.float32)


def _climbed(
    found: Demodulated, total: NDArray[np.complex128], places: NDArray[np.int64]
) -> tuple[Reals, Reals]:
    """The scores of places (N, 2) that are made exact to within an eighth of a pixel."""
    here = places.astype(np.float64)
    values = np.zeros(len(here))
    for step, moves in zip(_CLIMB, _moves(found.cycles.tobytes()), strict=True):
        waves = np.exp(-2j * np.pi * (here @ found.cycles.T)) * total
        around = (waves @ moves.T).real
        best = around.argmax(axis=1)
        here, values = here + step * _NINE[best], around[np.arange(len(here)), best]
    return values / found.noise, here


@lru_cache(maxsize=4)
def _moves(cycles: bytes) -> list[NDArray[np.complex128]]:
    """What a step to each of nine places turns the waves of a key by, for each size of a step."""
    turns = _NINE @ np.frombuffer(cycles).reshape(-1, 2).T
    return [np.exp(-2j * np.pi * step * turns) for step in _CLIMB]


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
    along = _waves(patch.left, columns, received[:, 0])
    down = _waves(patch.top, rows, received[:, 1])
    strips = plane.reshape(-1, columns, BLOCK).transpose(1, 0, 2)
    both = np.concatenate([along.real, along.imag], axis=2).astype(np.float32)
    first = strips @ both
    count = len(received)
    mixed = first[..., :count] + 1j * first[..., count:]
    mixed = mixed.reshape(columns, rows, BLOCK, count) * down.astype(np.complex64)
    return np.ascontiguousarray(mixed.sum(axis=2).transpose(2, 0, 1))


def _waves(first: int, blocks: int, cycles: Reals) -> NDArray[np.complex128]:
    """exp(-2πi f x) of the pixels of some blocks, (blocks, BLOCK, K): of few pixels, turned."""
    start = np.exp(-2j * np.pi * np.outer(first + BLOCK * np.arange(blocks), cycles))
    inside = np.exp(-2j * np.pi * np.outer(np.arange(BLOCK), cycles))
    return start[:, None] * inside
