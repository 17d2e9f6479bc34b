"""What each number of each tile carries; everything follows from the key.

One of the 10 numbers of a tile is for the reader itself: in every other tile its bit is known, and
gives the step; in the rest it tells which kind of message this is. The other 9 carry a block of
the message's map. Tile (i, j) carries block `(a i + j) mod Q` of Q blocks, as in the robust codec,
so that a crop loses no block before the others, and a map that is smaller than the picture is
there several times.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import keys
from morebits.codecs.ldpc import Code
from morebits.codecs.robust import sizes
from morebits.codecs.robust.layout import DITHERS, PERIOD_PIXELS, stride
from morebits.neural.mosaic import lattice
from morebits.neural.mosaic.tiles import NUMBERS, TILE

#: Tiles after which the layout repeats: as far as the pilot tells positions apart.
PERIOD = PERIOD_PIXELS // TILE
#: Numbers of a tile that carry the map.
SLOTS = NUMBERS - 1
#: Coded bits a bit of a message from which on some of them may be missing.
_SPARE = 2.0
_SALT = b"mosaic mark "


@dataclass(frozen=True)
class Density:
    """How tightly a map is packed: bits of a block, and coded bits for each bit of a message.

    >>> Density(14, 1.4).slots
    (2, 2, 2, 2, 2, 1, 1, 1, 1)
    """

    block: int
    spread: float

    @property
    def slots(self) -> tuple[int, ...]:
        """Bits of each of the 9 numbers."""
        each, more = divmod(self.block, SLOTS)
        return tuple(each + (slot < more) for slot in range(SLOTS))

    @property
    def fragile(self) -> bool:
        """Whether every block is needed, so that a crop loses the message."""
        return self.spread < _SPARE

    def blocks(self, bits: int) -> int:
        """Blocks of a message with so many bits."""
        return -(-int(np.ceil(bits * self.spread)) // self.block)


#: From the safest to the fullest. One bit a number survives edits; more are for pictures that
#: nobody will touch.
DENSITIES = (
    *(Density(SLOTS, spread) for spread in (5.0, 2.5, 1.5)),
    *(Density(round(SLOTS * half / 2), 1.4) for half in range(3, 18)),
)


@dataclass(frozen=True, eq=False)
class Layout:
    """Tables of one period, (144, 144, ...), for one key."""

    dither: NDArray[np.uint8] = field(repr=False)  # (144, 144, 10), in 1/256 of a cell
    offset: NDArray[np.uint8] = field(repr=False)  # (144, 144), the number that is for the reader
    lengths: NDArray[np.int8] = field(repr=False)  # (classes, 144, 144), +1 or -1
    densities: NDArray[np.int8] = field(repr=False)  # (densities, 144, 144), likewise
    code_key: bytes = field(repr=False)

    @classmethod
    def of(cls, key: keys.Key) -> Layout:
        """The layout of a key; without one it is public."""
        return _layout(keys.check_key(key))

    def window(self, top: int, left: int, rows: int, columns: int) -> Window:
        """The part of the layout from tile (top, left) on."""
        i, j = np.arange(top, top + rows), np.arange(left, left + columns)
        return Window(self, i % PERIOD, j % PERIOD)


@dataclass(frozen=True, eq=False)
class Window:
    """The layout of a rectangle of tiles, whose rows and columns are `i` and `j`."""

    layout: Layout
    i: NDArray[np.int64]
    j: NDArray[np.int64]

    @property
    def dither(self) -> NDArray[np.float32]:
        """In cells, (rows, columns, 10)."""
        return self.layout.dither[np.ix_(self.i, self.j)] * np.float32(1 / DITHERS)

    @property
    def own(self) -> NDArray[np.int64]:
        """Which number of each tile is for the reader, (rows, columns, 1)."""
        return self.layout.offset[np.ix_(self.i, self.j)][..., None].astype(np.int64)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Tiles whose own number has the bit 0; the others tell, (rows, columns)."""
        return (self.i[:, None] + self.j) % 2 == 0

    @property
    def order(self) -> NDArray[np.int64]:
        """The numbers of each tile, (rows, columns, 10): its own first, then its slots."""
        return (self.own + np.arange(NUMBERS)) % NUMBERS

    def told(self, density: int) -> NDArray[np.int8]:
        """+1 or -1 in each tile for every class of lengths, (classes, rows, columns)."""
        here = np.s_[..., self.i[:, None], self.j]
        return self.layout.lengths[here] * self.layout.densities[density][here]

    def blocks(self, density: int, count: int) -> NDArray[np.int64]:
        """Which of `count` blocks each tile carries, (rows, columns).

        A map that leaves no room for a crop goes on from row to row: then no block is missing.
        """
        if DENSITIES[density].fragile:
            rows, columns = len(self.i), len(self.j)
            return np.arange(rows * columns).reshape(rows, columns) % count
        return (stride(count) * self.i[:, None] + self.j) % count

    def places(
        self, density: int, told: NDArray[np.bool_], coded: NDArray[np.uint8]
    ) -> NDArray[np.float32]:
        """Where in its cell every number shall lie, (rows, columns, 10).

        `told` are the bits of the tiles that tell, (rows, columns), `coded` those of the map.
        """
        chosen = DENSITIES[density]
        block = coded.reshape(-1, chosen.block)[self.blocks(density, len(coded) // chosen.block)]
        parts = [np.where(~self.known & told, np.float32(0.5), np.float32(0))]
        start = 0
        for bits in chosen.slots:
            parts.append(lattice.places(block[..., start : start + bits]))
            start += bits
        result = np.empty((*block.shape[:2], NUMBERS), np.float32)
        np.put_along_axis(result, self.order, np.stack(parts, axis=-1), axis=2)
        return result

    def shares(self, density: int, first: float) -> NDArray[np.float32]:
        """Which share of the way every number moves, (rows, columns, 10); `first`: with one bit.

        A tile's own number is as exact as the fullest of the others, which are read by it.
        """
        slots = DENSITIES[density].slots
        alphas = np.array([lattice.share(bits, first) for bits in (max(slots), *slots)])
        result = np.empty((len(self.i), len(self.j), NUMBERS), np.float32)
        wide = np.broadcast_to(alphas.astype(np.float32), result.shape)
        np.put_along_axis(result, self.order, wide, axis=2)
        return result

    def code(self, density: int, index: int) -> Code:
        """The code of a class of messages at a density."""
        return _code(density, index, self.layout.code_key)


@lru_cache(maxsize=16)
def _code(density: int, index: int, code_key: bytes) -> Code:
    bits = sizes.message_bits(index)
    chosen = DENSITIES[density]
    return Code(bits, chosen.blocks(bits) * chosen.block, key32=code_key)


@lru_cache(maxsize=4)
def _layout(key: bytes | None) -> Layout:
    tiles = PERIOD * PERIOD
    shape = (PERIOD, PERIOD)
    dither = _table(key, b"mosaic-dither", tiles * NUMBERS)
    offset = _table(key, b"mosaic-offset", tiles) % NUMBERS
    signs = [
        (2 * np.unpackbits(_table(key, purpose, count * tiles // 8)).astype(np.int8) - 1)
        for purpose, count in ((b"mosaic-length", sizes.CLASSES), (b"mosaic-density", 32))
    ]
    return Layout(
        dither.reshape(*shape, NUMBERS), offset.reshape(shape).astype(np.uint8),
        signs[0].reshape(-1, *shape), signs[1].reshape(-1, *shape),
        keys.derive(key, _SALT, b"mosaic-code", 32),
    )  # fmt: skip


def _table(key: bytes | None, purpose: bytes, length: int) -> NDArray[np.uint8]:
    stream = keys.keystream(keys.derive(key, _SALT, purpose, 32), length)
    return np.frombuffer(stream, np.uint8)
