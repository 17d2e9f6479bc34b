"""What `locate` answers: the map from the original picture to the received one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.pilot.adding import rgb


@dataclass(frozen=True, eq=False)
class Located:
    """Where the original pixels are in a received picture; false when no pilot was found.

    `matrix` (2, 3) takes an original pixel (x, y, 1) to the received one, pixel centres at
    whole numbers. `score` is in standard deviations of the noise, `p_value` the chance of such
    a score in a picture without this pilot. `model` names the edit, `tier` where it was found.
    `alternatives` are other maps that explain the picture nearly as well, best first.
    """

    matrix: NDArray[np.float64]
    score: float
    p_value: float
    model: str
    tier: str
    seconds: float
    found: bool
    alternatives: tuple[Located, ...] = ()

    def __bool__(self) -> bool:
        return self.found

    def original(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Received points (N, 2) in the coordinates of the original."""
        linear = np.linalg.inv(self.matrix[:, :2])
        return (np.asarray(points, np.float64) - self.matrix[:, 2]) @ linear.T
