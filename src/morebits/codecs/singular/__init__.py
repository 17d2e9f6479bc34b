"""The codec in the singular basis of a linear edit (paper, bounds 10 to 12)."""

from __future__ import annotations

from morebits.codecs.singular.codec import Singular

__all__ = ["Singular"]
