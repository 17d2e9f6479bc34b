"""Edits that the pilot only suspects, for a decoder that can tell by itself which one is right.

The pilot of a small or compressed picture may be too faint for `locate`. It still puts the right
place, size or angle among the first few hundred; a message has more to tell it by.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.keys import Key
from morebits.codecs.pilot import framed
from morebits.codecs.pilot.coherent import (
    Demodulated,
    demodulate,
    near_positions,
    tops,
    whole_positions,
)
from morebits.codecs.pilot.search import Search
from morebits.codecs.pilot.view import View
from morebits.codecs.pilot.waves import Reals, waves
from morebits.images import read

#: A part is likely to lie within so many times its own size from the original's first pixel.
_REACH = 3
#: The same where all places are looked at, not only tops: a third of the sides may be left.
_NEAR = 2.2


class Suspects:
    """What may have been done to a picture, each question answered with the likeliest first.

    `image` is a path, a PIL image or an array.

    >>> from morebits.codecs import pilot
    >>> noise = np.random.default_rng(0).integers(0, 256, (240, 320, 3), np.uint8)
    >>> marked = pilot.mark(noise // 4 + 90, "key", psnr=42)
    >>> suspects = Suspects(marked[30:, 20:], "key")
    >>> suspects.crops(3)[0].tolist(), suspects.places(3)[0].tolist()
    ([20, 30], [20, 30])
    """

    def __init__(self, image: object, key: Key = None) -> None:
        self._search = Search(read(image).array, waves(key))
        self._size = self._search.width, self._search.height

    def crops(self, count: int) -> NDArray[np.int64]:
        """Where a picture that was cut out and not otherwise moved may have been.

        Places (x, y) of its first pixel in the original, `count` of those that are not much farther
        than the picture is large, and a quarter as many others, each with the pixels beside it.
        """
        return whole_positions(self._unturned, self._tops, count, _REACH * self._shown)

    def places(self, count: int) -> NDArray[np.int64]:
        """The same near the origin alone, `count` of them whether they are tops or not."""
        return near_positions(self._unturned, count, _NEAR * self._shown)

    def sizes(self, count: int) -> NDArray[np.int64]:
        """Sizes (width, height) that the original may have had if all of it is there.

        >>> from PIL import Image
        >>> from morebits.codecs import pilot
        >>> noise = np.random.default_rng(0).integers(0, 256, (240, 320, 3), np.uint8)
        >>> marked = Image.fromarray(pilot.mark(noise // 4 + 90, "key", psnr=42))
        >>> (320, 240) in map(tuple, Suspects(marked.resize((227, 170)), "key").sizes(8).tolist())
        True
        """
        every = framed.sizes(self._size)
        return _likeliest(every, framed.resized(self._view, self._size, every), count)

    def turns(self, degrees: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """By how many of `degrees` it may have been turned counterclockwise in its frame.

        >>> from PIL import Image
        >>> from morebits.codecs import pilot
        >>> noise = np.random.default_rng(0).integers(0, 256, (240, 320, 3), np.uint8)
        >>> marked = Image.fromarray(pilot.mark(noise // 4 + 90, "key", psnr=42))
        >>> Suspects(marked.rotate(-30), "key").turns(np.arange(360), 1).tolist()
        [330]
        """
        scores = framed.turned(self._view, self._size, degrees.astype(np.float64))
        return _likeliest(degrees, scores, count)

    @property
    def _view(self) -> View:
        return self._search.view

    @cached_property
    def _unturned(self) -> Demodulated:
        """The waves as they are when the picture was only cut out."""
        view = self._view
        return demodulate([view.patch], view.spectrum, view.table, np.eye(2))

    @cached_property
    def _tops(self) -> NDArray[np.int64]:
        return tops(self._unturned)

    @property
    def _shown(self) -> Reals:
        """Width and height of what is searched."""
        height, width = self._view.patch.planes.shape[1:]
        return np.array([width, height], np.float64)


def _likeliest(every: NDArray[np.int64], scores: Reals, count: int) -> NDArray[np.int64]:
    return every[np.argsort(-scores, kind="stable")[:count]]
