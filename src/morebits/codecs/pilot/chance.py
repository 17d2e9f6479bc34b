"""How likely a score is by chance alone.

Given how strong each wave seems to be, a picture without this pilot has its phases at random,
whatever the search did to find strong waves: the phases are the key's. Over the places of one
period the waves then add up to a random surface, the sum of K cosines with known amplitudes, of
which the search finds the highest summit. How many summits reach a score follows from the formula
of Kac and Rice, with the densities of a saddle point, so the p-value needs no assumption about the
picture, and no number in it was fitted to pictures.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import i0e, i1e

from morebits.codecs.pilot.coherent import Demodulated
from morebits.codecs.pilot.waves import PERIOD, Reals

#: Square pixels of one period, twice: a map and the same turned by 180 degrees.
_AREA = 2 * PERIOD**2
#: What a score in standard deviations is worth when the noise is rougher than it seems.
_MARGIN = 0.95
#: Shares of the chance that phases alone, and phases with strengths, may use up. The margin makes
#: the second one rare, and mostly it comes with the first: a larger share would be given away.
_PHASES, _STRENGTHS = 0.95, 0.05
#: Fewer waves (of equal strength) than this agree somewhere in one period, whatever they are.
_FEWEST = 8
#: Of the sum of all waves at most so much is looked at as a score.
_HIGHEST = 0.999
#: Waves that all run one way, with a smaller determinant than this, have ridges and no summits.
_FLAT = 1e-4
#: Rounds of Newton's method: after three of them nothing changes.
_ROUNDS = 3


def log_chance(found: Demodulated, score: float) -> float:
    """The logarithm of the number of summits that reach a score with phases at random."""
    strength: Reals = np.abs(found.sums.sum(axis=1)) * found.expected
    energy = float((strength**2).sum()) / 2
    if energy <= 0 or 4 * energy**2 < _FEWEST * float((strength**4).sum()):
        return math.log(_AREA)
    # Below one standard deviation there are as many valleys as summits.
    sum_ = float(strength.sum())
    share = min(max(score * found.noise, math.sqrt(energy)) / sum_, _HIGHEST)
    tilt = share * (2 - share**2) / (1 - share**2) * sum_ / (2 * energy)
    for _ in range(_ROUNDS):
        mean, spread = _tilted(tilt, strength)
        tilt = max(tilt + (share * sum_ - float(mean.sum())) / spread, tilt / 4)
    mean, spread = _tilted(tilt, strength)
    tilted = tilt * strength
    density = float((np.log(i0e(tilted)) + tilted).sum()) - tilt * share * sum_
    density -= 0.5 * math.log(2 * math.pi * spread)
    return float(density) + _log_summits(mean, found.cycles)


def log_chance_unselected(found: Demodulated, score: float) -> float:
    """The same for a map that was not chosen for its strong waves, where strength counts too.

    The score is then nearly Gaussian; the margin is for pictures whose noise is not.
    """
    phases = log_chance(found, score) - math.log(_PHASES)
    energy = found.expected**2
    if not energy.any():
        return phases
    deviations = max(_MARGIN * score, 1.0)
    surface = _log_summits(deviations * energy / energy.sum(), found.cycles)
    density = -0.5 * (deviations**2 + math.log(2 * math.pi))
    return min(phases, surface + density - math.log(_STRENGTHS))


def p_value(log_chance: float, maps: int) -> float:
    """The chance that the best of so many maps, each at all places, is as good as this one.

    >>> p_value(0.0, 1) > 0.5, p_value(-24.0, 20) < 1e-8
    (True, True)
    """
    return -math.expm1(-maps * math.exp(min(log_chance, 100.0)))


def _tilted(tilt: float, strength: Reals) -> tuple[Reals, float]:
    """What each wave adds where the phases have densities exp(tilt strength cos), on average, and
    the variance of all of them together.
    """
    tilted = np.maximum(tilt * strength, 1e-9)
    mean = i1e(tilted) / i0e(tilted)
    variance = 1 - mean**2 - mean / tilted
    return strength * mean, float((strength**2 * variance).sum())


def _log_summits(bends: Reals, cycles: Reals) -> float:
    """Summits of a given height in all places, for one unit of the density of that height.

    `bends` is what each wave adds to the height there. The slopes at places of a given height
    have the covariance of the mean bend divided by the tilt of the saddle point, so that of the
    determinants of both one square root is left.
    """
    (xx, xy), (_, yy) = ((2 * np.pi) ** 2 * (cycles.T * bends) @ cycles).tolist()
    determinant = xx * yy - xy * xy
    if determinant <= _FLAT * (xx + yy) ** 2:
        return math.inf
    return math.log(_AREA / (2 * math.pi)) + 0.5 * math.log(determinant)
