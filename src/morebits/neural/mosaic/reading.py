"""From the plane of a received picture to soft values: step, features, belief.

The reader's features are those of each number and of its tile, and of the whole picture: how near
the numbers lie to the points of their lattices, how large they are, how much is cut off, how busy
the tile is, and which edit was undone. From these the network tells how far each number can be
trusted; neighbouring tiles count through its convolutions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import equalising, gain
from morebits.codecs.robust.equalising import Equaliser
from morebits.codecs.robust.gain import Step
from morebits.codecs.robust.rectifying import Rectified
from morebits.codecs.robust.tiles import split
from morebits.neural.mosaic import lattice, tiles
from morebits.neural.mosaic.layout import DENSITIES, SLOTS, Layout, Window
from morebits.neural.mosaic.network import Network
from morebits.neural.mosaic.tiles import NUMBERS, TILE

#: Luma from which on, and up to which, a pixel is cut off, in levels.
_WHITE, _BLACK = 254.5, 0.5
#: Channels of the features.
FEATURES = 4 * NUMBERS + 6
#: Least deviation of numbers with several bits, in cells, and the chance that one is lost.
_LEAST, _RARE = 0.001, 1e-3
#: How many numbers it takes until their deviation is taken for what it is, roughly.
_DOUBT = 6.0


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of a rectangle of tiles as received, and what is known of them."""

    network: Network
    values: NDArray[np.float32] = field(repr=False)  # (rows, columns, 10), over relative steps
    window: Window = field(repr=False)
    usable: NDArray[np.bool_] = field(repr=False)
    tile: NDArray[np.float32] = field(repr=False)  # (rows, columns, 2): cut off, texture
    cut: NDArray[np.float32] = field(repr=False)  # (rows, columns, 10): cut off, each number
    undone: tuple[float, float]  # blur in pixels, and logarithm of the scale

    @cached_property
    def step(self) -> Step:
        """The likeliest step of the lattice, from the own number of every tile.

        One that tells may be half a cell off: twice its value is not.
        """
        own = np.take_along_axis(self.values, self.window.own, axis=2)[..., 0][self.usable]
        dither = np.take_along_axis(self.window.dither, self.window.own, axis=2)[..., 0]
        times = np.where(self.window.known[self.usable], np.float32(1), np.float32(2))
        weights = (1 / (1 + 20 * self.tile[..., 0][self.usable])).astype(np.float32)
        never_calm = np.full(own.shape, np.inf, np.float32)
        return gain.search(own * times, dither[self.usable] * times, weights, never_calm)

    def cells(self, levels: float) -> NDArray[np.float32]:
        """All numbers in cells of a step."""
        return self.values / np.float32(levels) - self.window.dither

    def features(self, levels: float) -> NDArray[np.float32]:
        """What the reader sees, (rows, columns, features)."""
        cells = self.cells(levels)
        near = np.cos(np.float32(4 * np.pi) * cells)
        size = np.log1p(np.abs(self.values / np.float32(levels)))
        usual = near[self.usable].mean(axis=0)
        whole = np.array([np.log(levels), *self.undone], np.float32)
        rows, columns = self.usable.shape
        shared = np.broadcast_to(np.concatenate([usual, whole]), (rows, columns, NUMBERS + 3))
        inside = self.usable[..., None].astype(np.float32)
        local = np.concatenate([near, size, self.cut, self.tile, inside], axis=2)
        return np.concatenate([local * inside, shared], axis=2)


def numbers(
    rectified: Rectified, layout: Layout, network: Network, equaliser: Equaliser | None,
    undone: tuple[float, float],
) -> Numbers:  # fmt: skip
    """The numbers of a picture that lies on the original's tiles."""
    rows, columns = rectified.usable.shape
    window = layout.window(rectified.top, rectified.left, rows, columns)
    mended = equalising.undone(rectified.plane, equaliser)
    values = tiles.analyse(mended, network.functions) / network.steps
    samples = split(rectified.plane, TILE)
    off = ((samples >= _WHITE) | (samples <= _BLACK)).astype(np.float32)
    cut = off @ (network.functions**2).T
    texture = np.log1p(_rough(rectified.plane))
    tile = np.stack([rectified.lost, texture], axis=2).astype(np.float32)
    return Numbers(network, values, window, rectified.usable, tile, cut, undone)


def _rough(plane: NDArray[np.float32]) -> NDArray[Any]:
    """RMS difference of neighbouring pixels in each tile, in levels."""
    across = np.diff(plane, axis=1, append=plane[:, -1:])
    down = np.diff(plane, axis=0, append=plane[-1:])
    return np.sqrt(split(across * across + down * down, TILE).mean(axis=2))


@dataclass(frozen=True, eq=False)
class Read:
    """A reading at one step: numbers in cells, and what the network believes of each."""

    numbers: Numbers = field(repr=False)
    step: Step
    cells: NDArray[np.float32] = field(repr=False)
    sigma: NDArray[np.float32] = field(repr=False)
    lost: NDArray[np.float32] = field(repr=False)

    def soft(self, density: int) -> NDArray[np.float32]:
        """Soft values of the block of every tile, (rows, columns, block); 0 where it is lost."""
        order, chosen = self.numbers.window.order, DENSITIES[density]
        inside = self.numbers.usable[..., None]
        cells, sigma, lost = (
            np.take_along_axis(each, order, axis=2)[..., 1:]
            for each in (self.cells, self.sigma, self.lost)
        )
        parts: list[NDArray[np.float32]] = []
        if chosen.block > SLOTS:
            sigma = np.full_like(sigma, self.deviation)
            lost = np.full_like(lost, _RARE)
        for slot, bits in enumerate(chosen.slots):
            here = cells[..., slot], sigma[..., slot], lost[..., slot]
            parts.append(lattice.soft_values(*here, bits))
        return np.where(inside, np.concatenate(parts, axis=2), np.float32(0))

    @cached_property
    def deviation(self) -> float:
        """How far the tiles' own numbers are off, in cells: what many bits a number are read with.

        Few numbers may all be close by chance, so they count as a little farther off.
        """
        own = np.take_along_axis(self.cells, self.numbers.window.own, axis=2)[..., 0]
        twice = 2 * own[self.numbers.usable]  # one that tells may be half a cell off
        off = (twice - np.rint(twice)) / 2
        few = 1 + _DOUBT / len(off)
        return max(float(np.sqrt(few * np.mean(off * off))), _LEAST)

    @property
    def telling(self) -> NDArray[np.float32]:
        """Soft value of each tile that tells the kind of message, 0 elsewhere."""
        own = self.numbers.window.own
        cells, sigma, lost = (
            np.take_along_axis(each, own, axis=2)[..., 0]
            for each in (self.cells, self.sigma, self.lost)
        )
        soft = lattice.soft_values(cells, sigma, lost, 1)[..., 0]
        return np.where(self.numbers.usable & ~self.numbers.window.known, soft, np.float32(0))

    def map(self, density: int, count: int) -> NDArray[np.float32]:
        """Soft values of a map of `count` blocks: those of its copies added up."""
        soft = self.soft(density)
        blocks = self.numbers.window.blocks(density, count)
        total = np.zeros((count, soft.shape[2]), np.float32)
        np.add.at(total, blocks.reshape(-1), soft.reshape(-1, soft.shape[2]))
        return total.reshape(-1)


def read(seen: Numbers) -> Read:
    """What the network makes of numbers at their likeliest step."""
    step = seen.step
    sigma, lost = seen.network.believe(seen.features(step.levels))
    return Read(seen, step, seen.cells(step.levels), sigma, lost)
