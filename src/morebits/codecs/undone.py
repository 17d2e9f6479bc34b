"""What a reader undid, in words: from the map that it found to a list of edits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Smaller ones are the reader's own errors: degrees, parts of a size, and pixels.
_ANGLE, _SIZE, _PIXEL = 0.05, 0.002, 0.75
#: Skews and unequal sides below this are none.
_SKEW = 0.01


def edits(details: Mapping[str, Any]) -> list[str]:
    """The edits behind the `details` of an extraction; empty where nothing was undone.

    `matrix` (2, 3) there takes pixels of the original to those of the picture, `undone` names
    whatever is not geometry.

    >>> edits({"matrix": [[0.71, 0, 0], [0, 0.71, 0]], "undone": "blur 1.2"})
    ['resize to 71 %', 'blur 1.2']
    >>> edits({"matrix": [[-1, 0, 639], [0, 1, -20]]})
    ['horizontal flip']
    >>> edits({"matrix": [[1, 0, -30], [0, 1, -20]]})
    ['crop of 30 pixels at the left and 20 at the top']
    """
    matrix = details.get("matrix")
    found = [] if matrix is None else _geometry(np.asarray(matrix, np.float64))
    other = details.get("undone")
    # A resize has its name from the map, with its size.
    return found + ([str(other)] if other and other != "resize" else [])


def _geometry(matrix: NDArray[np.float64]) -> list[str]:
    linear = matrix[:, :2]
    flipped = bool(np.linalg.det(linear) < 0)
    upright = linear @ np.diag([-1.0, 1.0]) if flipped else linear
    # The rotation nearest to the map, in the sense of squared differences.
    angle = -math.degrees(math.atan2(upright[1, 0] - upright[0, 1], upright[0, 0] + upright[1, 1]))
    moved = ["horizontal flip"] if flipped else []
    if flipped and abs(angle) > 135:
        moved, angle = ["vertical flip"], angle - math.copysign(180, angle)
    if abs(angle) > _ANGLE:
        moved.append(f"rotation {angle:.1f} degrees")
    # After those two the corner of the picture lies somewhere else anyway.
    return [*moved, *_sizes(upright), *([] if moved else _crop(matrix))]


def _sizes(linear: NDArray[np.float64]) -> list[str]:
    across, down = np.hypot(*linear)
    if float(abs(linear[:, 0] @ linear[:, 1])) > _SKEW * across * down:
        return ["skew"]
    if abs(across - down) > _SKEW * max(across, down):
        return [f"resize to {_percent(across)} x {_percent(down)}"]
    size = math.sqrt(across * down)
    return [f"resize to {_percent(size)}"] if abs(size - 1) > _SIZE else []


def _crop(matrix: NDArray[np.float64]) -> list[str]:
    """Where the picture begins in the original."""
    left, top = np.rint(-np.linalg.solve(matrix[:, :2], matrix[:, 2])).astype(int).tolist()
    if max(left, top) <= _PIXEL or min(left, top) < -_PIXEL:
        return []
    return [f"crop of {left} pixels at the left and {top} at the top"]


def _percent(size: float) -> str:
    return f"{100 * size:.3g} %"
