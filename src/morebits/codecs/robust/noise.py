"""How much each number can be trusted, found from the numbers themselves.

Numbers that an edit treats alike form a group: tiles of similar activity, similar frequencies,
clipped or not. Within a group the noise has one model, a Gaussian and a share of lost numbers:
the one that makes the places in the cell most likely, those of known bits directly, those of
unknown bits as a mixture of both. Thus JPEG, blur, bad
registration and clipped highlights need no models of their own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import lattice
from morebits.codecs.robust.tiles import NUMBERS, frequencies

#: Fewest numbers of a group, and most classes of activity and of frequency.
_LEAST, _MOST_ACTIVITY, _MOST_BANDS = 350, 12, 4
#: Log-likelihood that a model must be better by for each unit of sharpness: a little caution.
_CAUTION = 1.5


def groups(activity: NDArray[np.float32], kinds: NDArray[np.intp]) -> NDArray[np.intp]:
    """The group of every number of every tile, (tiles, 42).

    `activity` orders the tiles; tiles of different `kinds` (calm or clipped ones) are kept apart.
    """
    bands = _bands(activity.size)
    classes = np.empty(activity.shape, np.intp)
    first = 0
    for kind in np.unique(kinds):
        part = kinds == kind
        count = int(part.sum())
        wanted = int(np.clip(count * NUMBERS / (_LEAST * bands), 1, _MOST_ACTIVITY))
        ranks = np.argsort(np.argsort(activity[part], kind="stable"), kind="stable")
        classes[part] = first + ranks * wanted // count
        first += wanted
    order = np.argsort(np.argsort(frequencies(), kind="stable"), kind="stable")
    return classes[:, None] * bands + (order * bands // NUMBERS)[None, :]


def models(
    where: NDArray[np.intp], group: NDArray[np.intp], known: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """For each group the index into `lattice.MODELS` that is most likely.

    `where` are bins, with known bits already turned to 0.
    """
    count = int(group.max()) + 1
    index = group * lattice.BINS + where
    size = count * lattice.BINS
    seen = np.bincount(index[known], minlength=size).reshape(count, -1)
    rest = np.bincount(index[~known], minlength=size).reshape(count, -1)
    likelihood = seen @ lattice.known_likelihoods().T + rest @ lattice.unknown_likelihoods().T
    likelihood -= _CAUTION * lattice.sharpness(1)
    return np.argmax(likelihood, axis=1)


def _bands(tiles: int) -> int:
    return int(np.clip(tiles * NUMBERS // (3 * _LEAST), 1, _MOST_BANDS))
