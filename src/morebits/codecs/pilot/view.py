"""One look at a received picture: a part of it, ready to be searched for the waves of a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from morebits.codecs.pilot.chance import log_chance, log_chance_unselected
from morebits.codecs.pilot.coherent import Demodulated, demodulate, positions
from morebits.codecs.pilot.spectrum import spectrum
from morebits.codecs.pilot.tiers import Tier, best
from morebits.codecs.pilot.waves import Reals, Waves
from morebits.codecs.pilot.whitening import patch
from morebits.images import Samples

#: Places that are kept of each map.
_PLACES = 3


@dataclass(frozen=True)
class Lock:
    """A map before it is refined: the waves under it, and the place of their middle."""

    tier: str
    view: View
    found: Demodulated
    place: Reals
    log_chance: float


class View:
    """The middle of a picture, at most `window` pixels a side, whitened, with its spectrum."""

    def __init__(self, image: Samples, table: Waves, window: int):
        height, width = image.shape[:2]
        wide, high = min(width, window), min(height, window)
        self.table = table
        self.patch = patch(image, (width - wide) // 2, (height - high) // 2, wide, high)
        self.spectrum = spectrum(self.patch)

    def locks(self, tier: Tier) -> Iterator[list[Lock]]:
        """For each of the best maps of a tier its best places, the most convincing one first."""
        chance = log_chance_unselected if tier.exact else log_chance
        side = max(self.patch.planes.shape[1:])
        for linear in best(self.spectrum, self.table, tier, side):
            plain = demodulate([self.patch], self.spectrum, self.table, linear)
            yield sorted(
                (
                    Lock(tier.name, self, found, place, chance(found, score))
                    for found in (plain, plain.turned())
                    for score, place in positions(found, _PLACES)
                ),
                key=lambda lock: lock.log_chance,
            )
