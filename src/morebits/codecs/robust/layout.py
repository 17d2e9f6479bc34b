"""What each number of each tile carries; everything follows from the key.

Of the 42 numbers of a tile two are **known** to the reader beforehand, one tells the **class** of
the message (sizes.py), and 39 carry a **block** of coded bits. Tile (i, j) carries block
`(a i + j) mod Q` of Q blocks, a lattice of Korobov: any part of the picture shows all blocks
about equally often, so a crop loses no block before the others. The layout repeats after 96
tiles in both directions, which is as far as the pilot tells positions apart.

There are three **layers** of tiles: luma, and the two tints, which have dithers of their own and
carry blocks some third of Q further on, so that a small part shows different ones in each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import keys
from morebits.codecs.ldpc import Code
from morebits.codecs.robust import sizes
from morebits.codecs.robust.tiles import NUMBERS, TILE

#: Tiles after which the layout repeats, and pixels.
PERIOD = 96
PERIOD_PIXELS = PERIOD * TILE
#: Numbers of a tile that are known, that tell the class, and that carry coded bits.
KNOWN, TELLING = 2, 1
BLOCK = NUMBERS - KNOWN - TELLING
#: Coded bits for each bit of a message, before tiles repeat blocks: all that the code has.
_SPREAD = 5
#: How far from the golden section the lattice of blocks is looked for.
_NEAR = 12
#: Luma, and the tints.
LAYERS = 3
#: The dither has this many values in a cell of the lattice.
DITHERS = 256

_SALT = b"robust mark "


@dataclass(frozen=True, eq=False)
class Layout:
    """Tables of one period, (96, 96, ...), for one key."""

    dither: NDArray[np.uint8] = field(repr=False)  # (3, 96, 96, 42), in 1/256 of a cell
    offset: NDArray[np.uint8] = field(repr=False)  # (96, 96), where the roles begin
    told: NDArray[np.int8] = field(repr=False)  # (512, 96, 96, 1), +1 or -1 for each class
    code_key: bytes = field(repr=False)

    @classmethod
    def of(cls, key: keys.Key) -> Layout:
        """The layout of a key; without one it is public."""
        return _layout(keys.check_key(key))

    def window(self, top: int, left: int, rows: int, columns: int, layer: int = 0) -> Window:
        """The part of a layer from tile (top, left) on."""
        i = np.arange(top, top + rows) % PERIOD
        j = np.arange(left, left + columns) % PERIOD
        return Window(self, i, j, layer)


@dataclass(frozen=True, eq=False)
class Window:
    """The layout of a rectangle of tiles of a layer, whose rows and columns are `i` and `j`."""

    layout: Layout
    i: NDArray[np.int64]
    j: NDArray[np.int64]
    layer: int = 0

    @property
    def dither(self) -> NDArray[np.float32]:
        """In cells, (rows, columns, 42)."""
        return self.layout.dither[self.layer][np.ix_(self.i, self.j)] * np.float32(1 / DITHERS)

    @property
    def roles(self) -> NDArray[np.uint8]:
        """0 and 1: known, 2: class, 3 and above: bit 0, 1, ... of the tile's block."""
        offset = self.layout.offset[np.ix_(self.i, self.j)]
        return (np.arange(NUMBERS, dtype=np.uint8) + offset[..., None]) % NUMBERS

    def told(self, index: int | slice) -> NDArray[np.int8]:
        """+1 or -1 of each tile (rows, columns, 1) for a class, or for each of a slice of them."""
        return self.layout.told[index][..., self.i[:, None], self.j, :]

    def blocks(self, count: int) -> NDArray[np.int64]:
        """Which of `count` blocks each tile carries, (rows, columns)."""
        on = self.layer * _shift(count)
        return (stride(count) * self.i[:, None] + self.j + on) % count

    def bits(self, index: int, message: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The bit of every number, (rows, columns, 42), for a message of this class."""
        code = self.code(index)
        count = code.coded_bits // BLOCK
        coded = code.encode(message).reshape(count, BLOCK)[self.blocks(count)]
        slots = np.concatenate(
            [
                np.zeros((*coded.shape[:2], KNOWN), np.uint8),
                (self.told(index) > 0).astype(np.uint8),
                coded,
            ],
            axis=2,
        )
        return np.take_along_axis(slots, self.roles.astype(np.int64), axis=2)

    def code(self, index: int) -> Code:
        """The code of a class."""
        return code_of(index, self.layout.code_key)

    def places(self, index: int) -> NDArray[np.int64]:
        """Which coded bit of a class every number (rows, columns, 42) carries; -1: none."""
        count = self.code(index).coded_bits // BLOCK
        roles = self.roles.astype(np.int64)
        places = self.blocks(count)[..., None] * BLOCK + roles - (KNOWN + TELLING)
        return np.where(roles >= KNOWN + TELLING, places, -1)


@lru_cache(maxsize=8)
def code_of(index: int, code_key: bytes) -> Code:
    """The code of a class of messages."""
    bits = sizes.message_bits(index)
    count = -(-bits * _SPREAD // BLOCK)
    return Code(bits, count * BLOCK, key32=code_key)


@lru_cache(maxsize=512)
def stride(count: int) -> int:
    """The `a` of the lattice: of those near the golden section of Q, without a common divisor,
    the one that keeps tiles with the same block farthest apart.
    """
    golden = round(count * 0.6180339887)
    near = range(max(1, golden - _NEAR), golden + _NEAR + 1)
    good = (a for a in near if math.gcd(a, count) == 1)
    return max(good, key=lambda a: (_apart(a, count), -abs(a - golden)))


@lru_cache(maxsize=512)
def _shift(count: int) -> int:
    """By how many blocks the next layer is further on: of all shifts near a third of Q the one
    whose blocks are farthest from the same ones of the other layers.
    """
    a, third = stride(count), count // LAYERS
    shifts = np.arange(max(1, third - _NEAR), third + _NEAR + 1)
    down = np.arange(-math.isqrt(2 * count) - 1, math.isqrt(2 * count) + 2)[:, None]
    apart = np.full(len(shifts), np.iinfo(np.int64).max)
    for layers in range(1, LAYERS):
        across = (layers * shifts - a * down) % count
        across = np.minimum(across, count - across)
        np.minimum(apart, (down * down + across * across).min(axis=0), out=apart)
    return int(shifts[np.argmax(apart)])


def _apart(a: int, count: int) -> int:
    """Squared distance of the closest tiles with the same block, by Gauss's reduction."""
    (i, j), (k, l) = (0, count), (1, -a)
    while True:
        if i * i + j * j < k * k + l * l:
            i, j, k, l = k, l, i, j
        least = k * k + l * l
        times = (2 * (i * k + j * l) + least) // (2 * least)
        if times == 0:
            return least
        i, j = i - times * k, j - times * l


@lru_cache(maxsize=4)
def _layout(key: bytes | None) -> Layout:
    tiles = PERIOD * PERIOD
    dither = _table(key, b"robust-dither", LAYERS * tiles * NUMBERS)
    offset = _table(key, b"robust-offset", tiles) % NUMBERS
    told = np.unpackbits(_table(key, b"robust-class", sizes.TOLD * tiles * TELLING // 8))
    return Layout(
        dither.reshape(LAYERS, PERIOD, PERIOD, NUMBERS),
        offset.reshape(PERIOD, PERIOD).astype(np.uint8),
        (2 * told.astype(np.int8) - 1).reshape(sizes.TOLD, PERIOD, PERIOD, TELLING),
        keys.derive(key, _SALT, b"robust-code", 32),
    )


def _table(key: bytes | None, purpose: bytes, length: int) -> NDArray[np.uint8]:
    stream = keys.keystream(keys.derive(key, _SALT, purpose, 32), length)
    return np.frombuffer(stream, np.uint8)
