"""What a bound needs to know of a cover: how far each sample may move up and down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from morebits.bounds.counting import Family, ranges
from morebits.errors import InputError, UnknownName
from morebits.types import ImageFormat


@dataclass(frozen=True)
class Cover:
    """Sample `values` that occur in a cover of this `format`, each `counts` times."""

    name: str
    format: ImageFormat
    values: NDArray[np.int64]
    counts: NDArray[np.float64]

    @property
    def family(self) -> Family:
        """The ranges `[-v, rho - v]` of the grid around the cover, for counting."""
        return ranges(-self.values, self.format.rho - self.values, self.counts)

    @property
    def sides(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The same as real intervals (low, high, counts), for volumes.

        The gray cover is put at the centre `rho / 2` of the cube, as the paper does.
        """
        rho = float(self.format.rho)
        if self.name == "gray":
            return np.array([-rho / 2]), np.array([rho / 2]), self.counts
        return (
            -self.values.astype(np.float64),
            np.asarray(rho - self.values, np.float64),
            self.counts,
        )


def gray(format: ImageFormat) -> Cover:
    """`x_g = 2^(k-1) 1`, the cover in the middle, with the most room (Section 3.2)."""
    return Cover("gray", format, np.array([format.mid]), np.array([float(format.samples)]))


def corner(format: ImageFormat) -> Cover:
    """Every sample saturated: the cover with the least room (Section 3.3)."""
    return Cover("corner", format, np.array([0]), np.array([float(format.samples)]))


def photo(format: ImageFormat, histogram: ArrayLike) -> Cover:
    """A given picture, by how often each of its `2^k` sample values occurs."""
    counts = np.asarray(histogram, np.float64).ravel()
    if counts.size != format.rho + 1 or counts.sum() != format.samples or (counts < 0).any():
        raise InputError(
            "histogram",
            f"{counts.size} counts that sum to {counts.sum():.0f}",
            f"give {format.rho + 1} counts that sum to {format.samples}",
        )
    values = np.flatnonzero(counts)
    return Cover("photo", format, values, counts[values])


def named(name: str, format: ImageFormat) -> Cover:
    """`gray` or `corner` by name."""
    known = {"gray": gray, "corner": corner}
    if name not in known:
        raise UnknownName("cover", name, sorted(known))
    return known[name](format)
