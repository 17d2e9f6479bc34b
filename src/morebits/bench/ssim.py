"""SSIM and MS-SSIM, as `pytorch_msssim` defines them (and so the paper, notes to its tables).

Gaussian window of 11x11 samples with sigma 1.5, K = (0.01, 0.03), only windows that lie wholly
inside the picture, every channel on its own and then the mean. MS-SSIM has five scales with the
usual weights; between them 2x2 means.

With `s = x + y` and `d = x - y` the two factors of SSIM need only the local means and variances
of `s` and `d`, four filters in place of five, and lose no digits where the pictures are close:
`4 cov(x, y) = var(s) - var(d)` and `2 (var(x) + var(y)) = var(s) + var(d)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from morebits.bounds import radius
from morebits.errors import InputError

#: Side of the window; a smaller picture has no SSIM.
WINDOW = 11
#: Weights of the five scales of MS-SSIM, from fine to coarse.
WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
#: MS-SSIM exists for pictures whose shorter side is longer than this.
MS_SSIM_SIDE = (WINDOW - 1) * 2 ** (len(WEIGHTS) - 1)

_SIGMA, _K1, _K2 = 1.5, 0.01, 0.03
_STRIP = 1 << 15  # samples a strip: what is in use stays in the processor's cache

Plane = NDArray[np.float64]


def _gaussian() -> list[float]:
    """The window along one axis, with sum 1."""
    taps = [math.exp(-((i - WINDOW // 2) ** 2) / (2 * _SIGMA**2)) for i in range(WINDOW)]
    return [tap / sum(taps) for tap in taps]


_TAPS = _gaussian()


def ssim(cover: NDArray[Any], marked: NDArray[Any], *, peak: float) -> float | None:
    """Mean structural similarity, 1 for equal pictures; None below 11 pixels a side.

    Arrays are (H, W) or (H, W, C) of any integer or float type; `peak` is the data range, 255
    for 8 bits.

    >>> x = np.arange(400, dtype=np.uint8).reshape(20, 20)
    >>> ssim(x, x, peak=255), round(ssim(x, x // 2, peak=255), 4)
    (1.0, 0.6431)
    """
    planes = _planes(cover, marked)
    constants = _constants(peak)
    if min(cover.shape[:2]) < WINDOW:
        return None
    return float(np.mean([_compare(*plane, *constants).ssim for plane in planes]))


def ms_ssim(cover: NDArray[Any], marked: NDArray[Any], *, peak: float) -> float | None:
    """Mean structural similarity over five scales; None when a side is 160 pixels or shorter.

    >>> x = np.arange(170 * 170, dtype=np.uint16).reshape(170, 170) % 256
    >>> ms_ssim(x, x, peak=255), ms_ssim(x[:160], x[:160], peak=255)
    (1.0, None)
    """
    planes = _planes(cover, marked)
    constants = _constants(peak)
    if min(cover.shape[:2]) <= MS_SSIM_SIDE:
        return None
    return float(np.mean([_scales(*plane, constants) for plane in planes]))


class _Similarity(NamedTuple):
    """Means over all windows of one plane."""

    ssim: float
    contrast: float


def _planes(cover: NDArray[Any], marked: NDArray[Any]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """The channels of both, one by one."""
    if cover.ndim not in (2, 3):
        raise InputError("cover", f"of shape {cover.shape}", "give (height, width, channels)")
    if cover.shape != marked.shape:
        raise InputError("marked", marked.shape, f"give the shape of the cover, {cover.shape}")
    if cover.ndim == 2:
        return [(cover, marked)]
    return [(cover[..., c], marked[..., c]) for c in range(cover.shape[2])]


def _constants(peak: float) -> tuple[float, float]:
    """C1 and C2, which keep the two quotients finite."""
    squared_peak = radius.mse(0, peak=peak)
    return _K1**2 * squared_peak, _K2**2 * squared_peak


def _scales(x: NDArray[Any], y: NDArray[Any], constants: tuple[float, float]) -> float:
    """MS-SSIM of one channel; a negative similarity counts as 0."""
    product = 1.0
    for weight in WEIGHTS[:-1]:
        product *= max(_compare(x, y, *constants).contrast, 0.0) ** weight
        x, y = _halved(x), _halved(y)
    return product * max(_compare(x, y, *constants).ssim, 0.0) ** WEIGHTS[-1]


def _compare(x: NDArray[Any], y: NDArray[Any], c1: float, c2: float) -> _Similarity:
    """Both means of one plane, strip by strip: memory does not grow with the picture."""
    similarity = contrast = 0.0
    for rows in _strips(*x.shape):
        left, right = x[rows].astype(np.float64), y[rows].astype(np.float64)
        mean_s, var_s = _moments(left + right)
        mean_d, var_d = _moments(left - right)
        local = (var_s - var_d + 2 * c2) / (var_s + var_d + 2 * c2)
        contrast += float(local.sum())
        mean_s *= mean_s
        mean_d *= mean_d
        local *= (mean_s - mean_d + 2 * c1) / (mean_s + mean_d + 2 * c1)
        similarity += float(local.sum())
    height, width = x.shape
    windows = (height - WINDOW + 1) * (width - WINDOW + 1)
    return _Similarity(similarity / windows, contrast / windows)


def _strips(height: int, width: int) -> Iterator[slice]:
    """Rows that together hold every window once."""
    step = max(_STRIP // width, WINDOW)
    for start in range(0, height - WINDOW + 1, step):
        yield slice(start, min(start + step + WINDOW - 1, height))


def _moments(plane: Plane) -> tuple[Plane, Plane]:
    """Mean and variance in every window."""
    mean = _blurred(plane)
    variance = _blurred(plane * plane)
    variance -= mean * mean
    return mean, variance


def _blurred(plane: Plane) -> Plane:
    """Gaussian means of every whole window: down, then across."""
    height, width = plane.shape[0] - WINDOW + 1, plane.shape[1] - WINDOW + 1
    down = _weighted([plane[i : i + height] for i in range(WINDOW)])
    return _weighted([down[:, i : i + width] for i in range(WINDOW)])


def _weighted(shifted: list[Plane]) -> Plane:
    """The sum of eleven shifted planes, each with its tap; the taps are symmetric."""
    middle = WINDOW // 2
    total = shifted[middle] * _TAPS[middle]
    pair = np.empty_like(total)
    for i in range(middle):
        np.add(shifted[i], shifted[-1 - i], out=pair)
        pair *= _TAPS[i]
        total += pair
    return total


def _halved(plane: NDArray[Any]) -> Plane:
    """Means of 2x2 samples; an odd side first gets a line of zeros, as in `pytorch_msssim`."""
    height, width = plane.shape
    even = np.pad(plane, ((height % 2, 0), (width % 2, 0))).astype(np.float64)
    pairs = even[0::2] + even[1::2]
    return (pairs[:, 0::2] + pairs[:, 1::2]) / 4
