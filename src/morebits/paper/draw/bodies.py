"""Cube and ball in three dimensions: the body they share, drawn without hidden surfaces.

The body is convex, so that in a parallel projection its visible facets are exactly those that
face the viewer, and they never cover each other.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from morebits.drawing import COLOURS, INK, SMALL, TEXT, WIDTH, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = NDArray[np.float64]

_TURN, _TILT = math.radians(-28), math.radians(20)
#: Towards the viewer, and to the right and up on the page.
_TOWARDS = np.array([math.cos(_TILT) * math.sin(_TURN), -math.cos(_TILT) * math.cos(_TURN),
                     math.sin(_TILT)])  # fmt: skip
_ACROSS = np.array([math.cos(_TURN), math.sin(_TURN), 0.0])
_UP = np.cross(_TOWARDS, _ACROSS)
_LIGHT = np.array([-0.45, -0.55, 0.7]) / np.linalg.norm([-0.45, -0.55, 0.7])


def configurations(data: dict[str, Any]) -> Figure:
    """Four cases side by side."""
    drawn = figure(WIDTH, 2.5)
    for number, (axes, case) in enumerate(
        zip(drawn.subplots(1, len(data["cases"])), data["cases"], strict=True)
    ):
        _case(axes, np.array(case["center"]), case["radius"])
        axes.set_title(f"({'abcd'[number]}) {case['title']}", fontsize=TEXT, color=INK)
        axes.text(
            0.5, -0.02, f"{case['words']}\n{100 * case['share']:.3g} % of the cube",
            fontsize=SMALL, ha="center", va="top", transform=axes.transAxes, color=INK,
        )  # fmt: skip
    return drawn


def _case(axes: Axes, center: Points, radius: float) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Circle

    axes.set_aspect("equal")
    axes.set_axis_off()
    middle = _flat(center[None] - 0.5)[0]
    # A ball at a corner reaches further out on that side.
    across, up = 0.45 * middle
    axes.set(xlim=(across - 1, across + 1), ylim=(up - 1, up + 1))
    for start, stop, visible in _edges():
        if not visible:
            _edge(axes, start, stop, linewidth=0.7, linestyle=(0, (3, 2)), zorder=1)
    facets, shades = _body(center, radius)
    faces = [str(round(shade, 3)) for shade in shades]
    axes.add_collection(PolyCollection(facets, facecolors=faces, edgecolors=faces, linewidths=0.3,
                                       zorder=2))  # fmt: skip
    axes.add_patch(Circle((middle[0], middle[1]), radius, fill=False, edgecolor=COLOURS[0],
                          linewidth=1.1, linestyle=(0, (5, 2)), zorder=4))  # fmt: skip
    for start, stop, visible in _edges():
        if visible:
            _edge(axes, start, stop, linewidth=1.0, linestyle="-", zorder=3)
    axes.plot(*middle, marker="+", color=COLOURS[1], markersize=7, markeredgewidth=1.4, zorder=5)


def _edge(axes: Axes, start: Points, stop: Points, **look: Any) -> None:
    ends = _flat(np.array([start, stop]) - 0.5)
    axes.plot(ends[:, 0], ends[:, 1], color=INK, solid_capstyle="round", **look)


def _flat(points: Points) -> Points:
    """Parallel projection on the page."""
    return np.stack([points @ _ACROSS, points @ _UP], axis=-1)


def _edges() -> list[tuple[Points, Points, bool]]:
    """The 12 edges of the unit cube, and whether a face that faces the viewer has it."""
    found: list[tuple[Points, Points, bool]] = []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for a in (0.0, 1.0):
            for b in (0.0, 1.0):
                start = np.zeros(3)
                start[others] = a, b
                stop = start.copy()
                stop[axis] = 1.0
                sides = [(2 * start[k] - 1) * _TOWARDS[k] > 0 for k in others]
                found.append((start, stop, any(sides)))
    return found


def _body(center: Points, radius: float) -> tuple[list[Points], list[float]]:
    """Facets of cube and ball together that face the viewer, on the page, with their shades."""
    facets: list[Points] = []
    shades: list[float] = []
    for polygon, normal in [*_sphere_facets(center, radius), *_face_facets(center, radius)]:
        if normal @ _TOWARDS <= 0:
            continue
        clipped = _clip(polygon)
        if len(clipped) >= 3:
            facets.append(_flat(clipped - 0.5))
            shades.append(0.5 + 0.42 * max(float(normal @ _LIGHT), 0.0))
    return facets, shades


def _sphere_facets(center: Points, radius: float) -> list[tuple[Points, Points]]:
    """Small quadrilaterals of the sphere, with their outward normals."""
    found: list[tuple[Points, Points]] = []
    tops, turns = np.linspace(0, math.pi, 33), np.linspace(0, 2 * math.pi, 65)
    for t0, t1 in pairwise(tops):
        for p0, p1 in pairwise(turns):
            corners = [(t0, p0), (t1, p0), (t1, p1), (t0, p1)]
            directions = np.array([
                [math.sin(t) * math.cos(p), math.sin(t) * math.sin(p), math.cos(t)]
                for t, p in corners
            ])  # fmt: skip
            normal = directions.mean(0)
            found.append((center + radius * directions, normal / np.linalg.norm(normal)))
    return found


def _face_facets(center: Points, radius: float) -> list[tuple[Points, Points]]:
    """The discs that the ball cuts out of the planes of the cube's faces."""
    found: list[tuple[Points, Points]] = []
    turns = np.linspace(0, 2 * math.pi, 181)[:-1]
    for axis in range(3):
        for side in (0.0, 1.0):
            rest = radius**2 - (center[axis] - side) ** 2
            if rest <= 0:
                continue
            others = [k for k in range(3) if k != axis]
            disc = np.zeros((len(turns), 3))
            disc[:, axis] = side
            disc[:, others[0]] = center[others[0]] + math.sqrt(rest) * np.cos(turns)
            disc[:, others[1]] = center[others[1]] + math.sqrt(rest) * np.sin(turns)
            normal = np.zeros(3)
            normal[axis] = 2 * side - 1
            found.append((disc, normal))
    return found


def _clip(polygon: Points) -> Points:
    """The part of a polygon inside the unit cube (Sutherland and Hodgman)."""
    for axis in range(3):
        for sign, bound in ((1.0, 0.0), (-1.0, -1.0)):
            depth = sign * polygon[:, axis] - bound
            kept: list[Points] = []
            for i in range(len(polygon)):
                j = (i + 1) % len(polygon)
                if depth[i] >= -1e-12:
                    kept.append(polygon[i])
                if (depth[i] > 1e-12 and depth[j] < -1e-12) or (
                    depth[i] < -1e-12 and depth[j] > 1e-12
                ):
                    share = depth[i] / (depth[i] - depth[j])
                    kept.append(polygon[i] + share * (polygon[j] - polygon[i]))
            if len(kept) < 3:
                return np.zeros((0, 3))
            polygon = np.array(kept)
    return polygon
