"""Pictures for the page on the numerics: the integrand, and how fast its sum settles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from morebits.drawing import COLOURS, INK, SMALL, as_svg, figure, frame

#: Samples of the paper's small picture, and its squared radius at 42 dB.
SAMPLES, LEVEL = 768, 3150
REACH = 127


def integrand(u: float, phi: NDArray[np.float64]) -> NDArray[np.complex128]:
    """`theta(z)^n / (z^(T+1) (1 - z)) z` on the circle through `exp(u)`, in natural logarithms.

    Returns the complex logarithm, so that neither huge nor tiny values are lost.
    """
    z = u + 1j * phi
    squares = np.arange(1, REACH + 1) ** 2
    theta = 1 + 2 * np.exp(z[:, None] * squares).sum(1)
    return SAMPLES * np.log(theta) - LEVEL * z - np.log(-np.expm1(z))


def saddle() -> float:
    """Where the integrand is lowest on the real axis."""
    u = -np.geomspace(1e-3, 1, 4000)
    values = np.concatenate([integrand(each, np.zeros(1)).real for each in u])
    return float(u[np.argmin(values)])


def profile() -> str:
    """The integrand around the circle, through the saddle point and elsewhere."""
    best = saddle()
    drawn = figure(7.2, 3.2)
    axes = drawn.subplots()
    phi = np.linspace(-0.06, 0.06, 2001)
    top = integrand(best, np.zeros(1)).real[0]
    for number, (u, words) in enumerate([
        (best, "through the saddle point: one bump, no cancellation"),
        (2.5 * best, "further in: it turns, and is larger than its own integral"),
    ]):  # fmt: skip
        logs = integrand(u, phi)
        values = np.exp(logs - max(top, logs.real.max())).real
        axes.plot(phi, values, color=COLOURS[number], linewidth=1.6, label=words)
    frame(axes, x="angle on the circle", y="real part, scaled")
    axes.legend(frameon=False, fontsize=SMALL, labelcolor=INK, loc="upper right")
    axes.set(ylim=(-1.1, 1.75))
    return as_svg(drawn)


def settling() -> str:
    """The error of the trapezoid rule against the number of its points."""
    best = saddle()
    nodes = np.unique(np.geomspace(32, 1500, 40).astype(int))
    exact = _sum(best, 60_000)
    drawn = figure(7.2, 3.0)
    axes = drawn.subplots()
    errors = [max(abs(_sum(best, int(each)) / exact - 1), 1e-17) for each in nodes]
    axes.loglog(nodes, errors, "o-", color=COLOURS[0], markersize=3.5, linewidth=1.2)
    frame(axes, x="points on the circle", y="relative error of the count")
    return as_svg(drawn)


def _sum(u: float, nodes: int) -> float:
    phi = 2 * np.pi * np.arange(nodes) / nodes
    phi = np.where(phi > np.pi, phi - 2 * np.pi, phi)
    top = integrand(u, np.zeros(1)).real[0]
    total = 0.0
    for part in np.array_split(phi, max(nodes // 4000, 1)):
        total += float(np.exp(integrand(u, part) - top).real.sum())
    return total / nodes


PICTURES: dict[str, tuple[str, Callable[[], str], str]] = {
    "integrand": (
        "The integrand for 16x16 pixels at 42 dB, on two circles with the same integral.",
        profile,
        ".svg",
    ),
    "settling": (
        "The sum over equally spaced points on the good circle: 1,500 of them give 13 digits, and "
        "only those under the bump count.",
        settling,
        ".svg",
    ),
}
