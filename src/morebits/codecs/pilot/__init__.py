"""The pilot of the robust codec: keyed waves from which a receiver finds the geometry.

`add` puts 42 faint waves into a picture; `locate` finds, without the original, the affine
map between the original's pixels and those of an edited copy; `candidates` yields the maps
worth trying, for a decoder that can tell by itself when one is right, and `Suspects` those that
the pilot is too faint to be sure of.
"""

from __future__ import annotations

from morebits.codecs.pilot.adding import add, mark
from morebits.codecs.pilot.located import Located
from morebits.codecs.pilot.locating import candidates, locate, presence
from morebits.codecs.pilot.suspecting import Suspects

__all__ = ["Located", "Suspects", "add", "candidates", "locate", "mark", "presence"]
