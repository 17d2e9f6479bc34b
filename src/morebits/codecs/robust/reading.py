"""From the numbers of the tiles to a message: step, class, soft values, code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compact import Opened, Opener
from morebits.codecs.ldpc import Code
from morebits.codecs.ldpc import Decoded as LdpcDecoded
from morebits.codecs.robust import gain, lattice, noise, sizes
from morebits.codecs.robust.gain import Step
from morebits.codecs.robust.layout import KNOWN, TELLING, Window

#: Classes whose code is tried, of the most likely ones.
_TRIED = 3
#: Rounds of code and reading, least information for each bit of a message, and from which soft
#: value on a bit is taken for known; known ones have this value.
_ROUNDS, _ENOUGH_BITS, _BELIEVED, _KNOWN_BIT = 4, 0.5, 2.0, np.float32(-20)
#: Rounds of the code, and of one that almost came.
_ITERATIONS, _PATIENCE = 40, 100
#: Blocks of a message that almost came are looked for again: with bolder soft values (they mix
#: many models of the noise, which makes them a little shy), then so many times with noise of this
#: size, for the code may be caught in a knot that a nudge unties.
_BOLDER = np.float32(1.2)
_NUDGES, _NUDGE = 12, np.float32(0.25)
#: Almost: the soft values believe that they carry this many bits for each of the message. With
#: fewer it cannot come, with more it would have.
_ALMOST = (0.8, 1.5)
#: Messages that `decode` opens at most.
MOST_TRIES = _ROUNDS + _TRIED
#: Natural logarithm of the activity over its limit within which a tile may be calm or not, and
#: how much one unit of it weighs against the likelihood.
DOUBT, PRIOR = 0.7, 6.0
#: Factors of the step that are tried with all numbers, of at most so many tiles: those that are
#: sure enough (sharpness of the second harmonic), if there are enough of them.
_FACTORS = np.exp(np.arange(-0.03, 0.0301, 0.0012))
_SURE, _FEWEST, _ENOUGH = 0.1, 8, 250
#: How firmly the step that the known numbers found stands against the others: it is right to
#: 0.5 %, and where the noise is strong any other may look better by chance.
_FIRM = 0.5 / 0.005**2
#: A tile with a larger share of clipped pixels is damaged, and one whose side is cut by a larger
#: share (half a pixel) is cut: what is made up beyond the border disturbs it in its own way.
_DAMAGED, _CUT = 0.01, 0.02


@dataclass(frozen=True, eq=False)
class Tiles:
    """The numbers of a rectangle of tiles as received, and what is known of them.

    `usable` (rows, columns) are the tiles that lie nearly inside the picture, `lost` is the share
    of each that is black, white or cut off, and `cut` the share of its side that is cut off.
    """

    numbers: NDArray[np.float32] = field(repr=False)  # (rows, columns, 42)
    window: Window = field(repr=False)
    usable: NDArray[np.bool_] = field(repr=False)
    lost: NDArray[np.float32] = field(repr=False)
    cut: NDArray[np.float32] = field(repr=False)

    @cached_property
    def values(self) -> NDArray[np.float32]:
        """Numbers of the usable tiles, (tiles, 42)."""
        return self.numbers[self.usable]

    @cached_property
    def dither(self) -> NDArray[np.float32]:
        """Dither of the usable tiles, (tiles, 42)."""
        return self.window.dither[self.usable]

    @cached_property
    def roles(self) -> NDArray[np.uint8]:
        """Roles in the usable tiles, (tiles, 42)."""
        return self.window.roles[self.usable]

    @cached_property
    def telling(self) -> NDArray[np.int64]:
        """Which numbers of the usable tiles tell the class, (tiles, 1)."""
        order = np.argsort(self.roles, axis=1)
        return order[:, KNOWN : KNOWN + TELLING]

    @cached_property
    def told(self) -> NDArray[np.int8]:
        """What they tell in each class, (classes, tiles, 1)."""
        return self.window.told(slice(0, sizes.CLASSES))[:, self.usable]

    @cached_property
    def activity(self) -> NDArray[np.float32]:
        """How busy the usable tiles are."""
        return lattice.activity(self.values)

    @cached_property
    def kinds(self) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """What orders the tiles by trust, and what it is: 0 activity, 1 clipped pixels, 2 a cut."""
        lost, cut = self.lost[self.usable], self.cut[self.usable]
        damage = np.where(cut > _CUT, 2, lost > _DAMAGED).astype(np.intp)
        return np.choose(damage, [self.activity, lost, cut]), damage

    @property
    def count(self) -> int:
        """Usable tiles."""
        return len(self.values)

    def step(self) -> Step:
        """The likeliest step of the lattice."""
        known = self.roles < KNOWN
        weights = (1 / (1 + 20 * self.lost[self.usable])).astype(np.float32).repeat(KNOWN)
        activity = self.activity.repeat(KNOWN)
        return gain.search(self.values[known], self.dither[known], weights, activity)


@dataclass(frozen=True, eq=False)
class Read:
    """A reading at one step: soft values of the usable tiles, and what they point to."""

    tiles: Tiles = field(repr=False)
    step: Step
    soft: NDArray[np.float32] = field(repr=False)  # (tiles, 42), ln P(1) / P(0)
    trust: NDArray[np.intp] = field(repr=False)  # (tiles, 42), indices into lattice.MODELS
    steps: NDArray[np.float32] = field(repr=False)  # (tiles,), levels

    @cached_property
    def information(self) -> float:
        """Bits that the soft values carry, as they believe themselves."""
        size = np.abs(self.soft[self.tiles.roles >= KNOWN + TELLING])
        wrong = 1 / (1 + np.exp(size))
        entropy = -(wrong * np.log2(wrong + 1e-12) + (1 - wrong) * np.log2(1 - wrong + 1e-12))
        return float((1 - entropy).sum())

    @cached_property
    def votes(self) -> NDArray[np.float32]:
        """How much its numbers speak for each class."""
        told = np.take_along_axis(self.soft, self.tiles.telling, axis=1)
        votes: NDArray[np.float32] = np.einsum("ctk,tk->c", self.tiles.told, told, optimize=True)
        return votes


def classes(layers: Sequence[Read]) -> list[int]:
    """The likeliest classes of those that so much information can make out."""
    votes = np.sum([each.votes for each in layers], axis=0)
    most = sum(each.information for each in layers) / _ENOUGH_BITS
    possible = (each for each in np.argsort(-votes).tolist() if sizes.message_bits(each) <= most)
    return list(islice(possible, _TRIED))


def read(tiles: Tiles, step: Step) -> Read:
    """Soft values of every number at a step, which is made more exact on the way."""
    known = tiles.roles < KNOWN
    calm = tiles.activity < lattice.CALM * step.levels
    for last in (False, True):
        steps = np.where(calm, step.levels / 2, step.levels)
        where = lattice.bins(lattice.places(tiles.values, tiles.dither, steps))
        order, damaged = tiles.kinds
        fit = noise.fit(where, noise.groups(order, 2 * damaged + calm), known)
        if not last:
            calm = _calm(tiles, step, calm)
            step = _finer(tiles, step, calm, fit.trust)
    return Read(tiles, step, fit.soft, fit.trust, steps.astype(np.float32))


def read_tint(tiles: Tiles, step: Step) -> Read:
    """Soft values of a tint, at the step that luma has."""
    steps = np.full(tiles.count, step.levels * lattice.TINT, np.float32)
    where = lattice.bins(lattice.places(tiles.values, tiles.dither, steps))
    order, damaged = tiles.kinds
    fit = noise.fit(where, noise.groups(order, damaged), tiles.roles < KNOWN)
    return Read(tiles, step, fit.soft, fit.trust, steps)


def _finer(tiles: Tiles, step: Step, calm: NDArray[np.bool_], trust: NDArray[np.intp]) -> Step:
    """The step near this one that makes all numbers most likely, not only the known ones."""
    sure = np.flatnonzero(lattice.sharpness(2)[trust].max(axis=1) > _SURE)
    if len(sure) < _FEWEST:
        return step
    sure = sure[:: max(1, len(sure) // _ENOUGH)]
    values, dither, row = tiles.values[sure], tiles.dither[sure], trust[sure]
    known = tiles.roles[sure] < KNOWN
    tables = lattice.unknown_likelihoods(), lattice.known_likelihoods()
    levels = np.where(calm[sure], step.levels / 2, step.levels)
    best, top = 1.0, -np.inf
    for factor in _FACTORS:
        where = lattice.bins(lattice.places(values, dither, levels * factor))
        total = tables[0][row, where].sum(where=~known) + tables[1][row, where].sum(where=known)
        total -= _FIRM * np.log(factor) ** 2
        if total > top:
            best, top = factor, total
    return Step(float(step.levels * best), step.score)


def _calm(tiles: Tiles, step: Step, calm: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which tiles have half the step, where their activity leaves it in doubt: by likelihood."""
    ratio = np.log(tiles.activity / (lattice.CALM * step.levels) + 1e-6)
    doubtful = np.abs(ratio) < DOUBT
    if not doubtful.any() or calm.all() or not calm.any():
        return calm
    known = tiles.roles < KNOWN
    likelihoods = []
    for kind, levels in ((True, step.levels / 2), (False, step.levels)):
        where = lattice.bins(
            lattice.places(tiles.values, tiles.dither, np.full(tiles.count, levels))
        )
        usual = noise.likeliest(where[calm == kind], known[calm == kind])
        each = np.where(
            known,
            lattice.known_likelihoods()[usual][where],
            lattice.unknown_likelihoods()[usual][where],
        )
        likelihoods.append(each[doubtful].sum(axis=1))
    result = calm.copy()
    result[doubtful] = likelihoods[0] - likelihoods[1] > PRIOR * ratio[doubtful]
    return result


@dataclass(frozen=True, eq=False)
class Decoded:
    """What the code made of a reading."""

    opened: Opened
    index: int
    bits: NDArray[np.uint8] = field(repr=False)


def decode(layers: Sequence[Read], opener: Opener) -> Decoded | None:
    """The message, if one of the likely classes gives one that opens; else None.

    `layers` are readings of luma and, after it, of tints. What the code makes of the numbers tells
    which tiles can be trusted; with that they are read again, a few times.
    """
    information = sum(each.information for each in layers)
    for rank, index in enumerate(classes(layers)):
        code = layers[0].tiles.window.code(index)
        places = [each.tiles.window.places(index)[each.tiles.usable] for each in layers]
        soft = [each.soft for each in layers]
        for turn in range(_ROUNDS if rank == 0 else 1):
            total = np.zeros(code.coded_bits, np.float32)
            for where, values in zip(places, soft, strict=True):
                total += summed(code.coded_bits, where, values)
            almost = _ALMOST[0] < information / code.payload_bits < _ALMOST[1]
            insist = almost and rank == turn == 0
            found = insisted(code, total) if insist else code.decode(total, _ITERATIONS)
            if found.ok:
                opened = opener.open(np.packbits(found.bits).tobytes())
                if opened:
                    return Decoded(opened, index, found.bits)
                break
            soft = [
                _again(each, np.where(where >= 0, found.soft[where] - own, _KNOWN_BIT))
                for each, where, own in zip(layers, places, soft, strict=True)
            ]
    return None


def insisted(code: Code, summed: NDArray[np.float32]) -> LdpcDecoded:
    """What the code makes of soft values that should be enough: each block gets some more tries."""
    return code.decode(summed, _PATIENCE, others=_nudged)


def _nudged(values: NDArray[np.float32]) -> Iterator[tuple[NDArray[np.float32], int]]:
    """The values of a block bolder, as they are and a little off, with rounds for each."""
    yield _BOLDER * values, _PATIENCE
    random = np.random.default_rng(0)
    for _ in range(_NUDGES):
        off = _NUDGE * random.standard_normal(values.size, np.float32) * (values != 0)
        yield _BOLDER * (values + off), _ITERATIONS


def summed(
    length: int, places: NDArray[np.int64], soft: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Soft values of all numbers of each coded bit together."""
    coded = places >= 0
    return np.bincount(places[coded], soft[coded], minlength=length).astype(np.float32)


def _again(reading: Read, others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Soft values anew, with what the code says of each number without its own value.

    Tiles whose numbers agree with the code are trusted, others less, whatever they look like.
    """
    tiles = reading.tiles
    belief = np.tanh(np.clip(others, -20, 20) / 2)
    inside = lattice.places(tiles.values, tiles.dither, reading.steps)
    phases = np.cos(np.float32(2 * np.pi) * inside)
    agreement = -(belief * phases).sum(axis=1) / ((belief * belief).sum(axis=1) + 1)
    groups = noise.groups(agreement.astype(np.float32), np.zeros(tiles.count, np.intp))
    where = lattice.bins(inside)
    sure = np.abs(others) > _BELIEVED
    flipped = sure & (others > 0)
    turned = np.where(flipped, (where + lattice.BINS // 2) % lattice.BINS, where)
    soft = noise.fit(turned, groups, sure).soft
    return np.where(flipped, -soft, soft)
