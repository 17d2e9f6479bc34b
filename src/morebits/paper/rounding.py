"""Numbers of the two figures of quantised rotations, counted out in the plane."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.bounds.quantised import PAPER_RADIUS, rotation, survivors, vladimirov
from morebits.paper import printed
from morebits.paper.bench import Bench
from morebits.paper.tables import Row, Table

#: Angles of the panels, in degrees, and the stretch of the paper's first figure.
ANGLES = (0, 15, 45)
STRETCH = np.diag([2.0, 0.5])
#: A disk large enough to show where the factors go.
LARGE_RADIUS = 150.0


def ellipse(bench: Bench) -> dict[str, Any]:
    """A disk stretched by 2 and 1/2, then turned: more points survive than the heuristic says."""
    bench.progress("quantised rotations of an ellipse")
    return _figure(STRETCH, printed.ELLIPSE_XI.value) | {"limit": None}


def disk(bench: Bench) -> dict[str, Any]:
    """A disk, turned: fewer points survive than the heuristic says."""
    bench.progress("quantised rotations of a disk")
    angles = _sweep()
    limit = {"angle": angles, "factor": [vladimirov(angle) for angle in angles]}
    return _figure(np.eye(2), printed.DISK_XI.value) | {"limit": limit}


def table(bench: Bench) -> Table:
    """The factors that the paper prints for 45 degrees, and the limit for large disks."""
    bench.progress("table of quantised rotations")
    order = "the paper prints the product the other way round, which gives "
    other = survivors(STRETCH @ rotation(45), PAPER_RADIUS).factor
    return Table(
        "quantised",
        "Quantised rotations: the share of messages that survives",
        "fig:quantization_ellipsoid and fig:quantization_sphere",
        (
            _row("ellipse, 45 degrees", printed.ELLIPSE_45, _turned(STRETCH, 45, PAPER_RADIUS)),
            _row("disk, 45 degrees", printed.DISK_45, _turned(np.eye(2), 45, PAPER_RADIUS)),
            _row("disk, 45 degrees, Vladimirov's formula", printed.DISK_45, vladimirov(45)),
            _row("disk, 0 degrees", printed.DISK_XI, _turned(np.eye(2), 0, PAPER_RADIUS)),
            _row("ellipse, 0 degrees", printed.ELLIPSE_XI, _turned(STRETCH, 0, PAPER_RADIUS)),
            _row(
                "ellipse, 0 degrees, large disk",
                printed.ELLIPSE_XI,
                _turned(STRETCH, 0, LARGE_RADIUS),
            ),
        ),
        (
            f"A disk of radius {PAPER_RADIUS:g}, rounded to the nearest point: the radius is not "
            "printed, this one gives both of the paper's factors.",
            f"The ellipse is `R D`, stretched first and turned then; {order}{other:.3f}.",
        ),
    )


def _row(what: str, paper: printed.Printed, ours: float) -> Row:
    because = (
        "the formula and the heuristic hold for a disk without end; this one has an edge"
        if "formula" not in what
        else "the formula is the limit for large disks, the paper counts a small one"
    )
    return Row(what, paper.value, ours, "", paper.place, because, paper.relation)


def _turned(matrix: NDArray[np.float64], degrees: float, radius: float) -> float:
    return survivors(rotation(degrees) @ matrix, radius).factor


def _sweep() -> list[float]:
    return [float(angle) for angle in range(0, 91, 3)]


def _figure(matrix: NDArray[np.float64], xi: float) -> dict[str, Any]:
    angles = _sweep()
    sweeps = [
        {"radius": radius, "angle": angles,
         "factor": [_turned(matrix, angle, radius) for angle in angles]}
        for radius in (PAPER_RADIUS, LARGE_RADIUS)
    ]  # fmt: skip
    panels = [_panel(rotation(angle) @ matrix, angle) for angle in ANGLES]
    return {"radius": PAPER_RADIUS, "xi": xi, "panels": panels, "sweeps": sweeps}


def _panel(matrix: NDArray[np.float64], angle: float) -> dict[str, Any]:
    """Points of the rounded picture of a disk: how many grid points fall on each."""
    reach = math.floor(PAPER_RADIUS)
    axis = np.arange(-reach, reach + 1)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    inside = grid[(grid**2).sum(1) <= PAPER_RADIUS**2]
    hit, times = np.unique(
        np.floor(inside @ matrix.T + 0.5).astype(np.int64), axis=0, return_counts=True
    )
    # Grid points under the turned shape that nothing falls on.
    span = np.arange(-3 * reach, 3 * reach + 1)
    wide = np.stack(np.meshgrid(span, span), axis=-1).reshape(-1, 2)
    covered = wide[((wide @ np.linalg.inv(matrix).T) ** 2).sum(1) <= PAPER_RADIUS**2]
    taken = {(int(x), int(y)) for x, y in hit}
    return {
        "angle": angle,
        "matrix": matrix.tolist(),
        "points": len(inside),
        "images": len(hit),
        "hit": hit.tolist(),
        "times": times.tolist(),
        "missed": [[int(x), int(y)] for x, y in covered if (int(x), int(y)) not in taken],
    }
