"""How much each number can be trusted, found from the numbers themselves.

Numbers that an edit treats alike form a group: tiles of similar activity, similar frequencies,
clipped or not. Within a group the noise has one model, a Gaussian and a share of lost numbers.
How likely each model is follows from the places in the cell, those of known bits directly, those
of unknown bits as a mixture of both; a group also listens to its neighbours, for where the noise
is strong a few hundred numbers say little. Soft values are those of all models, each as likely
as it is. Thus JPEG, blur, bad registration and clipped highlights need no models of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import lattice
from morebits.codecs.robust.tiles import NUMBERS, frequencies

#: Fewest numbers of a group, and most classes of activity and of frequency.
_LEAST, _MOST_ACTIVITY, _MOST_BANDS = 500, 12, 4
#: How much a neighbour's numbers count beside a group's own.
_NEIGHBOUR = 0.7


@dataclass(frozen=True, eq=False)
class Groups:
    """Which group every number of every tile belongs to, (tiles, 42).

    Groups are classes of tiles, calmer ones first, times bands of frequency, low ones first;
    `kinds` is the kind of each class.
    """

    index: NDArray[np.intp] = field(repr=False)
    kinds: list[int]
    bands: int


@dataclass(frozen=True, eq=False)
class Fit:
    """For every number of every tile the likeliest of `lattice.MODELS`, and its soft value."""

    trust: NDArray[np.intp] = field(repr=False)
    soft: NDArray[np.float32] = field(repr=False)


def groups(activity: NDArray[np.float32], kinds: NDArray[np.intp]) -> Groups:
    """Numbers that an edit treats alike.

    `activity` orders the tiles; tiles of different `kinds` (calm or clipped ones) are kept apart.
    """
    bands = int(np.clip(activity.size * NUMBERS // (3 * _LEAST), 1, _MOST_BANDS))
    classes = np.empty(activity.shape, np.intp)
    first: list[int] = []
    for kind in np.unique(kinds).tolist():
        part = kinds == kind
        count = int(part.sum())
        wanted = int(np.clip(count * NUMBERS / (_LEAST * bands), 1, _MOST_ACTIVITY))
        ranks = np.argsort(np.argsort(activity[part], kind="stable"), kind="stable")
        classes[part] = len(first) + ranks * wanted // count
        first += [kind] * wanted
    order = np.argsort(np.argsort(frequencies(), kind="stable"), kind="stable")
    return Groups(classes[:, None] * bands + order * bands // NUMBERS, first, bands)


def fit(where: NDArray[np.intp], groups: Groups, known: NDArray[np.bool_]) -> Fit:
    """What the places in the cell say of the noise, and what they say of the bits.

    `where` are bins. Bits that are `known` must have been turned to 0; soft values are those of
    `where` as it is.
    """
    found = _likelihood(where, groups, known)
    chance = np.exp(found - found.max(axis=1, keepdims=True))
    soft = lattice.soft_values(chance @ lattice.densities())
    return Fit(np.argmax(found, axis=1)[groups.index], soft[groups.index, where])


def likeliest(where: NDArray[np.intp], known: NDArray[np.bool_]) -> int:
    """Which of `lattice.MODELS` explains the bins of a few tiles best, taken together."""
    alone = Groups(np.zeros(where.shape, np.intp), [0], 1)
    return int(np.argmax(_likelihood(where, alone, known)))


def _likelihood(
    where: NDArray[np.intp], groups: Groups, known: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Log-likelihood of each model when all numbers moved by the usual share, (groups, models)."""
    tables = lattice.known_likelihoods(), lattice.unknown_likelihoods()
    return likelihood(where, groups, known, *tables)


def likelihood(
    where: NDArray[np.intp],
    groups: Groups,
    known: NDArray[np.bool_],
    of_known: NDArray[np.float64],
    of_unknown: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Log-likelihood of each model for each group and its neighbours, (groups, models).

    `where` are columns of the two tables (models, ...), for numbers with known and unknown bits.
    """
    count, columns = len(groups.kinds) * groups.bands, of_known.shape[1]
    index = groups.index * columns + where
    size = count * columns
    seen = np.bincount(index[known], minlength=size).reshape(count, -1)
    rest = np.bincount(index[~known], minlength=size).reshape(count, -1)
    own = seen @ of_known.T + rest @ of_unknown.T
    own = own.reshape(len(groups.kinds), groups.bands, -1)
    total = own.copy()
    total[:, 1:] += _NEIGHBOUR * own[:, :-1]
    total[:, :-1] += _NEIGHBOUR * own[:, 1:]
    alike = np.equal(groups.kinds[1:], groups.kinds[:-1])[:, None, None]
    total[1:] += _NEIGHBOUR * alike * own[:-1]
    total[:-1] += _NEIGHBOUR * alike * own[1:]
    return total.reshape(count, -1)
