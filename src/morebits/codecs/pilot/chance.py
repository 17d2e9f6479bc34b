"""How likely a score is by chance alone.

Given how strong each wave seems to be, a picture without this pilot has its phases at random,
whatever the search did to find strong waves: the sum of K cosines with known amplitudes and
random phases. Its tail follows from the cumulants (a saddle point to the fourth order), so the
p-value needs no assumption about the picture. `POSITIONS`, the number of independent places
that one map is tried at, was fitted once to unmarked photos.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from morebits.codecs.pilot.coherent import Demodulated

#: Independent places in one period (two half turns together), from 60 unmarked CID22 photos.
POSITIONS = math.exp(16.2)
#: What a score in standard deviations is worth when the noise is rougher than it seems.
_MARGIN = 0.95


def log_chance(found: Demodulated, score: float) -> float:
    """The logarithm of the chance that random phases reach a score at one place."""
    total = np.abs(found.sums.sum(axis=1)) * found.expected
    energy = float((total**2).sum()) / 2
    if energy <= 0:
        return 0.0
    coherence = max(score * found.noise / math.sqrt(energy), 0.0)
    lightness = float((total**4).sum()) / energy**2
    return float(log_ndtr(-coherence)) - coherence**4 * lightness / 64


def log_chance_unselected(found: Demodulated, score: float) -> float:
    """The same for a map that was not chosen for its strong waves, where strength counts too.

    The score is then nearly Gaussian; the margin is for pictures whose noise is not.
    """
    return math.log(2) + min(log_chance(found, score), float(log_ndtr(-_MARGIN * score)))


def p_value(log_chance: float, maps: int) -> float:
    """The chance that the best of so many maps, each at all places, is as good as this one.

    >>> p_value(-16.2, 1) > 0.5, p_value(-40.0, 20) < 1e-8
    (True, True)
    """
    return -math.expm1(-maps * POSITIONS * math.exp(log_chance))
