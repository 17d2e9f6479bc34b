"""A second look at what was read: how far the writer went in each tile is no secret.

The share `alpha` of the way that numbers move follows the mask (masking.py), and the received
picture has nearly the same mask. Where alpha is small the writer's own error, uniform within
`(1 - alpha) / 2` cells, is large, and its numbers deserve less trust than others of their group.
Two things the mask does not tell: how strong it is as a whole, which depends on parts of the
picture that may be gone, and how far the flattest parts were held down. Both are found by
likelihood.

Where it is in doubt whether a tile has the whole step or half of it, both are taken, each as
likely as it is.

It costs more than the first reading and gains 4 to 5 % of information after JPEG, and nothing after
blur, so it is for pictures whose message did not come at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import lattice, masking, noise
from morebits.codecs.robust.layout import KNOWN
from morebits.codecs.robust.noise import Groups
from morebits.codecs.robust.reading import DOUBT, PRIOR, Read
from morebits.codecs.robust.rectifying import Rectified

#: Shares of the way that are told apart.
_SHARES = np.linspace(0.2, 0.92, 10)
#: What is tried: how far flat parts were held down, and the strength of the whole mask.
_HELD, _STRENGTHS = (0.0, 0.3, 0.6), (0.75, 0.87, 1.0, 1.15, 1.3)
#: More doubt than this of a likelihood is none.
_MOST = 40.0


def reread(read: Read, rectified: Rectified) -> Read:
    """The same reading with soft values that know the mask."""
    tiles, levels = read.tiles, read.step.levels
    calm = read.steps < 0.75 * levels
    order, damaged = tiles.kinds
    groups = noise.groups(order, 2 * damaged + calm)
    known = tiles.roles < KNOWN
    where = lattice.bins(lattice.places(tiles.values, tiles.dither, read.steps))
    fits = (
        (*_fitted(where, groups, known, _nearest(share, calm)), share)
        for share in _shares(rectified, tiles.usable)
    )
    _, chances, share = max(fits, key=lambda each: each[0])
    ratio = np.log(tiles.activity / (lattice.CALM * levels) + 1e-6)
    chance, likelihood = [], []
    for kind in (False, True):
        moved = _moved(groups, 2 * damaged + kind)
        there = _nearest(share, np.full(calm.shape, kind))[:, None]
        steps = np.full(tiles.count, levels / 2 if kind else levels)
        bins = lattice.bins(lattice.places(tiles.values, tiles.dither, steps))
        zero = chances[moved, there, bins]
        one = chances[moved, there, (bins + lattice.BINS // 2) % lattice.BINS]
        chance.append((zero, one))
        likelihood.append(np.log(np.where(known, zero, (zero + one) / 2)).sum(axis=1))
    doubt = np.clip(likelihood[1] - likelihood[0] - PRIOR * ratio, -_MOST, _MOST)
    halved = np.where(np.abs(ratio) < DOUBT, 1 / (1 + np.exp(-doubt)), calm)[:, None]
    zero, one = ((1 - halved) * chance[0][bit] + halved * chance[1][bit] for bit in (0, 1))
    return replace(read, soft=np.log(one / zero).astype(np.float32))


def _shares(rectified: Rectified, usable: NDArray[np.bool_]) -> Iterator[NDArray[Any]]:
    """Guesses of alpha in each usable tile with the whole step."""
    mask = masking.mask(rectified.plane, 255.0)
    weights, flat = mask.tiles[usable], mask.flat_tiles[usable]
    usual = float(np.sqrt(np.mean(weights * weights))) or 1.0
    for held in _HELD:
        for strength in _STRENGTHS:
            yield lattice.ALPHA * strength / usual * weights * (1 - held * flat)


def _nearest(share: NDArray[Any], calm: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The index in `_SHARES` of each tile's alpha; half the step is gone twice as far."""
    first, apart = _SHARES[0], _SHARES[1] - _SHARES[0]
    index = np.rint((share * np.where(calm, 2, 1) - first) / apart)
    return np.clip(index, 0, len(_SHARES) - 1).astype(np.intp)


def _fitted(
    where: NDArray[np.intp], groups: Groups, known: NDArray[np.bool_], share: NDArray[np.intp]
) -> tuple[float, NDArray[np.float64]]:
    """How likely all bins are, and the chance of each when its bit is 0, (groups, shares, bins)."""
    likelihood = noise.likelihood(
        share[:, None] * lattice.BINS + where, groups, known, *_log_likelihoods()
    )
    top = likelihood.max(axis=1, keepdims=True)
    models = np.exp(likelihood - top)
    models /= models.sum(axis=1, keepdims=True)
    chances = models @ _densities().transpose(1, 0, 2).reshape(models.shape[1], -1)
    return float(top.sum()), chances.reshape(len(models), len(_SHARES), lattice.BINS)


def _moved(groups: Groups, kinds: NDArray[np.intp]) -> NDArray[np.intp]:
    """The groups of tiles that may be of another kind: of that kind the class next to their own."""
    classes, all_kinds = groups.index[:, 0] // groups.bands, np.array(groups.kinds)
    for kind in np.unique(kinds).tolist():
        there = np.flatnonzero(all_kinds == kind)
        other = (kinds == kind) & (all_kinds[classes] != kind)
        if len(there):
            classes = np.where(other, there[-1] if kind % 2 else there[0], classes)
    return classes[:, None] * groups.bands + groups.index % groups.bands


@cache
def _densities() -> NDArray[np.float64]:
    """Chance of each bin when the bit is 0, (shares, models, bins)."""
    return np.stack([lattice.densities(share) for share in _SHARES.tolist()])


@cache
def _log_likelihoods() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of a bit that is known to be 0, and of one that may be either, (models, shares x bins)."""
    chance = _densities()
    both = (chance + np.roll(chance, lattice.BINS // 2, axis=2)) / 2
    one, other = (
        np.log(each).transpose(1, 0, 2).reshape(each.shape[1], -1) for each in (chance, both)
    )
    return one, other
