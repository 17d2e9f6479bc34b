"""The received picture with one edit of its colours undone: hue, clipped channels, speckles."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.attacks.colour import hue
from morebits.codecs.robust import colour, speckles, unpressing


@dataclass(frozen=True, eq=False)
class Look:
    """Luma of the picture after its colours were mended, and how much of each pixel is lost.

    `colours` are kept where the tints may be worth reading.
    """

    plane: NDArray[np.float32] = field(repr=False)
    clipped: NDArray[np.float32] = field(repr=False)
    colours: NDArray[Any] | None = field(default=None, repr=False)

    @cached_property
    def quality(self) -> int | None:
        """Of the JPEG that it was last, None if it was none: then its tints may be there."""
        return unpressing.quality(self.plane)


class Looks:
    """All looks of a picture (H, W, C), each made when it is asked for."""

    def __init__(self, image: NDArray[Any]) -> None:
        self.image = image
        self._made: dict[str, Look] = {}

    @cached_property
    def clean(self) -> NDArray[Any] | None:
        """The picture without speckles; None when it has none."""
        return speckles.removed(self.image)

    def of(self, name: str) -> Look:
        """A look by its name: "" as it is, "clean", "restored", or "hue" and by how much."""
        if name not in self._made:
            kept = self.image.shape[2] == 3
            if name == "restored":
                colours, doubt = colour.restored(self.image)
            elif name == "clean" and self.clean is not None:
                colours, doubt = self.clean, colour.clipped(self.clean)
            elif name:
                colours = hue(self.image, -float(name.split()[1]))
                doubt, kept = self.of("").clipped, False  # hue does not come back exactly
            else:
                colours, doubt = self.image, colour.clipped(self.image)
            self._made[name] = Look(colour.luma(colours), doubt, colours if kept else None)
        return self._made[name]
