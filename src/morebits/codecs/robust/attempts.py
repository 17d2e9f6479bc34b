"""Hypotheses of what was done to a picture, and what reading under one of them gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust import colour, reading
from morebits.codecs.robust.equalising import Equaliser
from morebits.codecs.robust.layout import LAYERS
from morebits.codecs.robust.looks import Look
from morebits.codecs.robust.reading import Decoded, Read
from morebits.codecs.robust.rectifying import Rectified, Way

#: A step of the lattice that is better than this, in standard deviations, shows that map and filter
#: are right.
RIGHT = 4.5
#: What a tint must carry to be worth decoding, as a share of what luma carries.
_WORTH = 0.03


@dataclass(frozen=True, eq=False)
class Map:
    """A hypothesis of the geometry: original pixels to received ones, and its name."""

    matrix: NDArray[np.float64]
    model: str
    p_value: float = 1.0


@dataclass(frozen=True, eq=False)
class Attempt:
    """A hypothesis that was read: the edits that it undid, and the reading of luma."""

    map: Map
    way: Way
    look: str
    undone: str
    equaliser: Equaliser | None = field(repr=False)
    seen: Look = field(repr=False)
    rectified: Rectified = field(repr=False)
    read: Read = field(repr=False)

    @property
    def shows(self) -> bool:
        """Whether it may be right; in the many tiles of a large picture that is plain."""
        return self.rectified.whole or self.read.step.score > RIGHT

    @cached_property
    def tints(self) -> list[Read]:
        """The tints that carry something; reading them takes twice as long as luma."""
        if self.seen.colours is None or self.seen.quality is not None:
            return []
        layout, found = self.read.tiles.window.layout, []
        for which in range(LAYERS - 1):
            laid = self.rectified.of(colour.tint(self.seen.colours, which))
            tiles = laid.tiles(layout, self.equaliser, 1 + which)
            found.append(reading.read_tint(tiles, self.read.step))
        return [each for each in found if each.information > _WORTH * self.read.information]


@dataclass(frozen=True, eq=False)
class Found:
    """What `decode` found: the message (None: nothing), and the attempt with the best score."""

    decoded: Decoded | None
    best: Attempt | None
    tries: int
    seconds: float

    @property
    def details(self) -> dict[str, Any]:
        """What was undone and how sure that is, in plain numbers and words."""
        if self.best is None:
            return {"seconds": self.seconds}
        return {
            "geometry": self.best.map.model,
            "matrix": self.best.map.matrix.tolist(),
            "undone": self.best.undone,
            "step": self.best.read.step.levels,
            "score": self.best.read.step.score,
            "information": self.best.read.information,
            "seconds": self.seconds,
        }
