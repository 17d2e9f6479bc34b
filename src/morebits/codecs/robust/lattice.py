"""One bit in one number: the scalar Costa scheme, and soft values back from it.

Numbers are counted in **cells** of the lattice, `u = number / step - dither`. A bit `b` asks for
a whole `u - b / 2`; the writer moves the number by the share `alpha` of the way to the nearest
such point ("distortion-compensated QIM"), which leaves an error of up to `(1 - alpha) / 2`
cells and costs `alpha^2 step^2 / 12` on average, whatever the host is. The reader needs to know
neither the host nor alpha, only step and dither.

Calm tiles have half the step: there the eye forgives less. Writer and reader tell them by their
own numbers; where an edit leaves that in doubt the reader tries both.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs.robust.tiles import NUMBERS

#: Share of the way that a number moves where no mask says otherwise.
ALPHA = 0.66
#: The step of the tints as a share of that of luma, and their share of the way. They cost 2 % of
#: the power, and hold twice as much as luma where nothing but rounding disturbs them.
TINT, TINT_ALPHA = 0.125, 0.8
#: A tile is calm when its upper numbers have less than this share of the step (RMS).
CALM = 0.55
#: The numbers that tell: the lowest ones see slopes, which are no texture.
_UPPER = slice(NUMBERS // 4, None)
#: Places in a cell that the reader tells apart.
BINS = 128
#: Models of the noise that the reader tells apart: a standard deviation in cells, and the share
#: of numbers that are lost altogether.
_SIGMAS = 0.02 * 1.2 ** np.arange(19)
_LOST = (0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85)
MODELS = np.array([(sigma, lost) for lost in _LOST for sigma in _SIGMAS])


def activity(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """How busy each tile is: RMS of its upper numbers, in levels."""
    upper = numbers[..., _UPPER]
    return np.sqrt(np.einsum("...k,...k->...", upper, upper) / np.float32(upper.shape[-1]))


def moves(
    numbers: NDArray[np.float32], dither: NDArray[np.float32], bits: NDArray[np.uint8], steps: Any
) -> NDArray[np.float32]:
    """The whole way from each number to the nearest point of its bit; one step a tile."""
    steps = np.asarray(steps, np.float32)[..., None]
    cells = numbers / steps - dither - np.float32(0.5) * bits
    return (np.rint(cells) - cells) * steps


def places(
    numbers: NDArray[np.float32], dither: NDArray[np.float32], steps: Any
) -> NDArray[np.float32]:
    """Where in its cell each number lies, from 0 (a point of bit 0) to 1; one step a tile."""
    cells = numbers / np.asarray(steps, np.float32)[..., None] - dither
    return cells - np.floor(cells)


def bins(where: NDArray[np.float32]) -> NDArray[np.intp]:
    """The bin of each place in a cell."""
    return (where * np.float32(BINS)).astype(np.intp) % BINS


@cache
def densities(share: float = ALPHA) -> NDArray[np.float64]:
    """Chance of each bin when the bit is 0, one row for each of `MODELS`.

    The writer's own error is uniform when a number goes this share of its way, the noise Gaussian,
    and both are wrapped into the cell; a lost number may be anywhere.
    """
    centres = (np.arange(BINS) + 0.5) / BINS
    harmonics = np.arange(1, BINS // 2)
    own = np.sinc(harmonics * (1 - share))
    sigma, lost = MODELS.T[:, :, None]
    noise = (1 - lost) * np.exp(-2 * (np.pi * harmonics * sigma) ** 2)
    waves = np.cos(2 * np.pi * harmonics[:, None] * centres)
    return np.maximum(1 + 2 * (noise * own) @ waves, 1e-4) / BINS


@cache
def known_likelihoods() -> NDArray[np.float64]:
    """Log-likelihood of each bin when the bit is known to be 0, one row for each model."""
    return np.log(densities())


@cache
def unknown_likelihoods() -> NDArray[np.float64]:
    """Log-likelihood of each bin when the bit may be either."""
    chance = densities()
    return np.log((chance + np.roll(chance, BINS // 2, axis=1)) / 2)


def soft_values(densities: NDArray[np.float64]) -> NDArray[np.float32]:
    """The soft value, ln P(1) / P(0), of each bin, from its chance when the bit is 0."""
    logs = np.log(densities)
    return (np.roll(logs, BINS // 2, axis=-1) - logs).astype(np.float32)


@cache
def sharpness(harmonic: int) -> NDArray[np.float32]:
    """Mean cosine of a harmonic of the place in the cell, for each model: 1 is no noise."""
    sigma, lost = MODELS.T
    return ((1 - lost) * np.exp(-2 * (np.pi * harmonic * sigma) ** 2)).astype(np.float32)
