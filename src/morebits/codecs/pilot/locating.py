"""`locate`, `candidates` and `presence`: the search for the pilot, as others use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.compiled import clock
from morebits.codecs.keys import Key
from morebits.codecs.pilot.adding import rgb
from morebits.codecs.pilot.chance import p_value
from morebits.codecs.pilot.coherent import demodulate
from morebits.codecs.pilot.located import Located
from morebits.codecs.pilot.refining import objective
from morebits.codecs.pilot.search import Search
from morebits.codecs.pilot.tiers import SLOW
from morebits.codecs.pilot.view import Lock
from morebits.codecs.pilot.waves import Reals, Waves, waves
from morebits.codecs.seconds import check_seconds
from morebits.errors import InputError
from morebits.images import Samples, read

#: A p-value beyond doubt: such a map is handed out at once.
_SURE = 1e-6
#: Doubtful maps that are handed out at the end, and alternatives of each: more hardly ever help.
_DOUBTFUL, _ALTERNATIVES = 6, 2
#: A picture is also searched at half its size when its short side has so many pixels.
_HALVED = 256


def locate(image: object, key: Key = None, *, budget_seconds: float = 5.0) -> Located:
    """The map from the original picture to this one, as the pilot of this key tells it.

    `image` is a path, a PIL image or an array. The search begins with common edits and starts
    no further tier after `budget_seconds`. The answer is false when nothing was found.

    >>> from morebits.codecs import pilot
    >>> noise = np.random.default_rng(0).integers(0, 256, (240, 320, 3), np.uint8)
    >>> marked = pilot.mark(noise // 4 + 90, "key", psnr=42)
    >>> found = pilot.locate(marked[20:, 30:], "key")
    >>> found.model, found.matrix.round(3).tolist()
    ('crop', [[1.0, 0.0, -30.0], [0.0, 1.0, -20.0]])
    >>> bool(pilot.locate(marked, "another key"))
    False
    """
    started = clock()
    array = read(image).array
    nothing = Located(
        np.eye(2, 3), 0.0, 1.0, "none", "none", 0.0, False, (array.shape[1], array.shape[0])
    )
    found = next(candidates(array, key, budget_seconds=budget_seconds), nothing)
    return replace(found, seconds=clock() - started)


def candidates(image: object, key: Key = None, *, budget_seconds: float = 5.0) -> Iterator[Located]:
    """Maps worth trying, for a decoder that knows by itself when one is right.

    A map beyond doubt comes as soon as it is found, followed by its alternatives; doubtful ones
    come when all tiers are done or the time is over, the most likely one first.
    """
    check_seconds(budget_seconds, "budget_seconds")
    doubtful: list[tuple[Search, Lock]] = []
    tried = 0
    for search, locks in _locks(read(image).array, waves(key), budget_seconds):
        tried += 1
        if p_value(locks[0].log_chance, tried) < _SURE:
            found = search.located(locks.pop(0), tried)
            yield found
            yield from found.alternatives
        doubtful += [(search, lock) for lock in locks]
    doubtful.sort(key=lambda each: each[1].log_chance)
    for search, lock in doubtful[:_DOUBTFUL]:
        found = search.located(lock, tried)
        yield found
        yield from found.alternatives[:_ALTERNATIVES]


def presence(image: object, key: Key, matrix: Reals) -> float:
    """The score of a known map, in standard deviations: about 0 without the pilot.

    `matrix` (2, 3) takes original pixels to those of the picture, as `Located.matrix` does.

    >>> from morebits.codecs import pilot
    >>> noise = np.random.default_rng(0).integers(0, 256, (240, 320, 3), np.uint8)
    >>> presence(pilot.mark(noise // 4 + 90, "key", psnr=42), "key", np.eye(2, 3)) > 20
    True
    """
    known = np.asarray(matrix, np.float64)
    if known.shape != (2, 3) or np.linalg.det(known[:, :2]) == 0:
        raise InputError("matrix", f"of shape {known.shape}", "give an invertible map (2, 3)")
    view = Search(read(image).array, waves(key)).view
    linear = np.linalg.inv(known[:, :2])
    target = objective(demodulate([view.patch], view.spectrum, view.table, linear))
    place = linear @ (target.centre - known[:, 2])
    return target.score(np.concatenate([linear.ravel(), place]))


def _locks(
    array: Samples, table: Waves, budget_seconds: float
) -> Iterator[tuple[Search, list[Lock]]]:
    """Every few locks with the search that they belong to: quick tiers, half size, slow tiers."""
    started = clock()
    whole = Search(array, table)
    for locks in whole.quick():
        yield whole, locks
    if min(array.shape[:2]) >= _HALVED and clock() - started < budget_seconds:
        # Enlarged pictures have their waves too low for the tiles of the whitening.
        half = Search(_halved(array), table, (array.shape[1], array.shape[0]))
        for locks in half.quick():
            yield half, locks
    for tier in SLOW:
        if clock() - started > budget_seconds:
            return
        for locks in whole.locks(tier):
            yield whole, locks


def _halved(array: Samples) -> NDArray[np.uint16]:
    """The whole frame at half its size, with 16 bits so that nothing is rounded away."""
    from PIL import Image

    size = (array.shape[1] // 2, array.shape[0] // 2)
    planes = [
        Image.fromarray(np.ascontiguousarray(plane)).resize(size, Image.Resampling.BILINEAR)
        for plane in np.moveaxis(rgb(array), 2, 0)
    ]
    return (
        np.rint(np.stack([np.asarray(each) for each in planes], axis=2) * 257)
        .clip(0, 65535)
        .astype(np.uint16)
    )
