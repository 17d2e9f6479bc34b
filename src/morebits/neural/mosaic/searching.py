"""From a received picture to its message: maps of the geometry, edits to undo, then the code.

The pilot gives maps, as for the robust codec. Under each map the picture is looked at with its
clipped channels rebuilt or not, and filtered against blur or the smoothing of a resize. The known
numbers tell which look is right: those that agree best are decoded first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import pilot
from morebits.codecs.compact import Opened, Opener
from morebits.codecs.compiled import clock
from morebits.codecs.keys import Key
from morebits.codecs.robust import colour, equalising, sizes
from morebits.codecs.robust.equalising import Equaliser
from morebits.codecs.robust.rectifying import Rectified, rectify, ways
from morebits.neural.mosaic import reading
from morebits.neural.mosaic.layout import DENSITIES, Layout
from morebits.neural.mosaic.network import Network
from morebits.neural.mosaic.reading import Numbers, Read
from morebits.neural.mosaic.tiles import TILE

#: A step that is no better than this is chance, in standard deviations.
_CHANCE = 3.5
#: One that is better is decoded before other looks are made.
_PLAIN = 9.0
#: Looks of a map that are decoded, the best first, and kinds of messages tried for each.
_LOOKS, _KINDS = 3, 32
#: A kind whose votes are this far below the best one's, in soft values, is not tried.
_BEHIND = 12.0
#: Deviation of the numbers, in steps between neighbouring symbols, from which on none can be told.
_FINEST = 1.0
#: Share of clipped pixels from which on they are rebuilt, and scale below which a picture was
#: made smaller.
_CLIPPED, _SHRUNK = 0.003, 0.98
#: Pixels up to which crops are tried that the pilot cannot tell from chance, and how many.
_SMALL, _CROPS = 160_000, 64
#: A map with a smaller p-value is tried against blur too.
_SURE = 1e-6
_UNMOVED = np.eye(2, 3)


@dataclass(frozen=True, eq=False)
class Found:
    """What was found: the message (None: nothing), and the reading that agrees best."""

    opened: Opened | None
    best: Read | None = field(repr=False)
    undone: str
    matrix: NDArray[np.float64] = field(repr=False)
    tries: int
    seconds: float

    @property
    def details(self) -> dict[str, Any]:
        """What was undone and how sure that is, in plain numbers and words."""
        found: dict[str, Any] = {"seconds": self.seconds}
        if self.best is not None:
            step = self.best.step
            found |= {"undone": self.undone, "matrix": self.matrix.tolist()}
            found |= {"step": step.levels, "score": step.score}
        return found


@dataclass(frozen=True, eq=False)
class Look:
    """A picture on the original's tiles, with one edit undone."""

    undone: str
    numbers: Numbers = field(repr=False)
    matrix: NDArray[np.float64] = field(repr=False)


def search(
    image: NDArray[Any], key: Key, network: Network, *, seconds: float, moved: bool = True
) -> Found:
    """Read a picture (H, W, C) of 8-bit levels; one that is not `moved` needs no pilot."""
    return Search(image, key, network, seconds).run(moved=moved)


class Search:
    """One picture, one key; what it found so far."""

    def __init__(self, image: NDArray[Any], key: Key, network: Network, seconds: float):
        self.image, self.network, self.key = image, network, key
        self.layout, self.opener = Layout.of(key), Opener(key)
        self.started, self.seconds = clock(), seconds
        self.tries = 0
        self.best: tuple[Look, Read] | None = None

    def run(self, *, moved: bool = True) -> Found:
        """Maps in turn until a message opens or the time is up."""
        opened = None
        for matrix, sure in self._maps() if moved else [(_UNMOVED, True)]:
            opened = self._under(self.looks(matrix, sure=sure))
            if opened is not None or self._over():
                break
        look, read = self.best if self.best is not None else (None, None)
        undone, where = ("", _UNMOVED) if look is None else (look.undone, look.matrix)
        return Found(opened, read, undone, where, self.tries, self._spent())

    def best_look(self) -> Look | None:
        """The look in which the known numbers agree best; None when they agree in none."""
        best: Look | None = None
        for matrix, sure in self._maps():
            looks = [*self.looks(matrix, sure=sure), *([] if best is None else [best])]
            best = max(looks, key=lambda each: each.numbers.step.score, default=None)
            if self._over() or (best is not None and best.numbers.step.score > _PLAIN):
                break
        return best if best is not None and best.numbers.step.score > _CHANCE else None

    def _under(self, looks: Iterator[Look]) -> Opened | None:
        """What the looks under a map give: a plain one at once, of the others the best first."""
        later: list[Look] = []
        for look in looks:
            score = look.numbers.step.score
            # In a small picture a filter may agree as well by chance: as it is comes first.
            if score > (_CHANCE if not look.undone else _PLAIN):
                opened = self._decoded(look)
                if opened is not None or self._over():
                    return opened
            elif score > _CHANCE:
                later.append(look)
        for look in sorted(later, key=lambda each: -each.numbers.step.score)[:_LOOKS]:
            opened = self._decoded(look)
            if opened is not None or self._over():
                return opened
        return None

    def looks(self, matrix: NDArray[np.float64], *, sure: bool) -> Iterator[Look]:
        """The picture under a map, with every edit that may be undone."""
        across, down = np.hypot(*matrix[:, :2])
        small = min(across, down) < _SHRUNK
        scale = float(np.log(min(across, down, 1.0)))
        plain = equalising.shrink(down, across) if small else None
        edits: list[tuple[str, float, Equaliser | None]] = [("", 0.0, plain)]
        if sure and not small:
            edits += [(f"blur {s:g}", s, equalising.blur(s)) for s in equalising.BLURS]
        for way in ways(matrix):
            for rebuilt in (False, True)[: 1 + self._cut_off]:
                rectified = self._rectified(matrix, way, rebuilt=rebuilt)
                if rectified is None:
                    continue
                for name, blur, equaliser in edits[: 1 if rebuilt else None]:
                    seen = reading.numbers(
                        rectified, self.layout, self.network, equaliser, (blur, scale)
                    )
                    yield Look("clipping" if rebuilt else name, seen, matrix)

    def _rectified(self, matrix: Any, way: Any, *, rebuilt: bool) -> Rectified | None:
        plane, doubt = self._rebuilt if rebuilt else self._plain
        return rectify(plane, doubt, matrix, way, tile=TILE)

    @cached_property
    def _plain(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return colour.luma(self.image), colour.clipped(self.image)

    @cached_property
    def _rebuilt(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        colours, doubt = colour.restored(self.image)
        return colour.luma(colours), doubt

    @property
    def _cut_off(self) -> bool:
        return self.image.shape[2] == 3 and float(self._plain[1].mean()) > _CLIPPED

    def _maps(self) -> Iterator[tuple[NDArray[np.float64], bool]]:
        """Maps worth trying, and whether they are sure enough to try every edit."""
        yield _UNMOVED, True
        for found in pilot.candidates(self.image, self.key, budget_seconds=self.seconds):
            yield found.matrix.astype(np.float64), found.p_value < _SURE
        if self.image.shape[0] * self.image.shape[1] <= _SMALL:
            for place in pilot.Suspects(self.image, self.key).crops(_CROPS):
                yield np.column_stack([np.eye(2), -place]), False

    def _decoded(self, look: Look) -> Opened | None:
        """The message, if one of the likely kinds gives one that opens."""
        read = reading.read(look.numbers)
        better = self.best is None or read.step.score > self.best[1].step.score
        if better:
            self.best = look, read
        for density, index in kinds(read):
            code = read.numbers.window.code(density, index)
            self.tries += 1
            found = code.decode(read.map(density, code.coded_bits // DENSITIES[density].block))
            if found.ok and (opened := self.opener.open(np.packbits(found.bits).tobytes())):
                self.best = look, read
                return opened
            if self._over():
                break
        return None

    def _spent(self) -> float:
        return clock() - self.started

    def _over(self) -> bool:
        return self._spent() > self.seconds


def kinds(read: Read) -> list[tuple[int, int]]:
    """Densities and classes of messages that the telling numbers vote for, the likeliest first.

    Of those alone that the tiles at hand can carry, and whose bits are not finer than the numbers
    are exact: to read many bits a number takes long, and only untouched pictures have them.
    """
    telling, tiles = read.telling, int(read.numbers.usable.sum())
    lengths = np.array([sizes.message_bits(index) for index in range(sizes.CLASSES)])
    votes = np.stack(
        [
            np.where(
                (lengths <= tiles * chosen.block)
                & (read.deviation * 2 ** max(chosen.slots) < _FINEST),
                np.tensordot(read.numbers.window.told(density), telling, axes=2),
                -np.inf,
            )
            for density, chosen in enumerate(DENSITIES)
        ]
    )
    order = np.argsort(-votes, axis=None, kind="stable")[:_KINDS]
    top = votes.max() - _BEHIND
    return [divmod(each, sizes.CLASSES) for each in order.tolist() if votes.flat[each] > top]
