"""The linear maps to try, in tiers: common edits first, and few of them.

Every tier is a list of candidates scored by the spectrum alone, which does not know the
translation and cannot tell a map from the same map turned by 180 degrees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from morebits.codecs.pilot.snapping import orientations
from morebits.codecs.pilot.spectrum import Spectrum, scores
from morebits.codecs.pilot.waves import Reals, Waves

#: Two maps are neighbours when waves of this frequency (cycles per pixel) move by half a bin.
_TYPICAL = 0.15
#: The largest step, for pictures of a few pixels.
_COARSEST = 0.05


@dataclass(frozen=True)
class Tier:
    """A name, the maps (original frequency to received) at a relative step, how many to keep."""

    name: str
    maps: Callable[[float], Iterator[Reals]]
    keep: int
    exact: bool = False


def best(spectrum: Spectrum, table: Waves, tier: Tier, side: int) -> list[Reals]:
    """The linear maps L of a tier (p = L q + o) with the highest scores, the best one first.

    `side` is the longer side of the patch in pixels: it sets how close two maps may be.
    """
    step = min(0.5 / (_TYPICAL * side), _COARSEST)
    kept: list[_Scored] = []
    for maps in tier.maps(step):
        found = scores(spectrum, table, maps)
        count = min(4 * tier.keep, len(found))
        kept += [
            (float(found[index]), maps[index].reshape(2, 2))
            for index in np.argpartition(-found, count - 1)[:count]
        ]
    kept.sort(key=_score, reverse=True)
    apart: list[_Scored] = []
    for score, each in kept:
        if len(apart) < tier.keep and all(_far(each, other, step) for _, other in apart):
            apart.append((score, each))
    if not tier.exact:
        apart = [_climb(spectrum, table, each, step) for _, each in apart]
        apart.sort(key=_score, reverse=True)
    return [each.T for _, each in apart]


#: A score, and the map that has it.
_Scored: TypeAlias = tuple[float, Reals]


def _score(scored: _Scored) -> float:
    return scored[0]


def _far(one: Reals, other: Reals, step: float) -> bool:
    reach = 3 * step * np.abs(one).max()
    return bool(min(np.abs(one - other).max(), np.abs(one + other).max()) > reach)


def _climb(spectrum: Spectrum, table: Waves, start: Reals, step: float) -> tuple[float, Reals]:
    """Uphill over all four numbers, with smaller and smaller steps."""
    here = start.ravel()
    score = -math.inf
    size = step * math.sqrt(abs(float(np.linalg.det(start))))
    for part in (0.5, 0.5, 0.25, 0.25):
        around = here + part * size * _NEIGHBOURS
        found = scores(spectrum, table, around)
        index = int(found.argmax())
        score, here = float(found[index]), around[index]
    return score, here.reshape(2, 2)


_NEIGHBOURS = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 4, indexing="ij"), axis=-1).reshape(-1, 4)

#: Flips and quarter turns without those that differ by 180 degrees only.
_UPRIGHT = orientations()[[0, 1, 4, 5]]


def _upright(step: float) -> Iterator[Reals]:  # noqa: ARG001 - as of all tiers
    """The picture at its own scale."""
    yield _UPRIGHT.reshape(-1, 4)


def _even(step: float) -> Iterator[Reals]:
    """Both sides times the same factor, 0.25 to 2."""
    scales = _scales(step, 0.25, 2)
    yield np.concatenate([each.ravel() / scales[:, None] for each in _UPRIGHT])


def _turns(step: float) -> Iterator[Reals]:
    """Any angle, with and without a flip."""
    yield _rotations(step)


def _similar(step: float) -> Iterator[Reals]:
    """Any angle and any factor."""
    turns = _rotations(step)
    for part in np.array_split(_scales(step, 0.3, 1.6), 16):
        yield np.concatenate([turns / scale for scale in part])


def _stretched(step: float) -> Iterator[Reals]:
    """Sides times factors of their own, up to 2 apart."""
    scales = _scales(step, 0.3, 1.6)
    for each in _UPRIGHT:
        for part in np.array_split(scales, 4):
            x, y = (axis.ravel() for axis in np.meshgrid(part, scales, indexing="ij"))
            near = np.abs(np.log(x / y)) < math.log(2)
            diagonal = np.stack([1 / x[near], 1 / y[near]], axis=1)
            yield (diagonal[:, :, None] * each).reshape(-1, 4)


def _rotations(step: float) -> Reals:
    angles = np.arange(0, math.pi, step)
    cos, sin = np.cos(angles), np.sin(angles)
    plain = np.stack([cos, -sin, sin, cos], axis=1)
    return np.concatenate([plain, plain * np.array([-1, 1, -1, 1])])


def _scales(step: float, low: float, high: float) -> Reals:
    return np.exp(np.arange(math.log(low), math.log(high), step))


#: Common edits, a few thousand maps; and the others, a million each.
QUICK = (
    Tier("upright", _upright, 4, exact=True),
    Tier("resize", _even, 4),
    Tier("rotation", _turns, 4),
)
SLOW = (Tier("similarity", _similar, 5), Tier("stretch", _stretched, 4))
