"""Certified lower bounds of our own: how many messages surely survive an edit, with a codec.

**Theorem.** Let cells 1, ..., m own disjoint samples, and let cell d read an output pixel that
depends only on its own samples, on those of cells before it, and on samples that stay at the
gray cover. Let `e_d(j)` be the energy that suffices for cell d to show the digit `j`, whatever
the rest gives (`bounds/cells.py`), and `e_d(0) = 0`. Then every `(j_1, ..., j_m)` with
`sum e_d(j_d) <= T` is a message that is embedded within PSNR tau and read back without error
after the edit and its rounding, so

    capacity under M >= log2 #{ j in N^m : sum_d e_d(j_d) <= T },   T = floor(epsilon(tau)^2).

*Proof.* Embed in order: when cell d's turn comes, all that its pixel depends on is fixed except
its own change, and later cells do not touch that pixel. A change of energy at most `e_d(j_d)`
makes it show the j_d-th value of the cell's list. Energies add up because samples are disjoint.
Extraction goes through the cells in the same order: it knows all earlier samples, hence the
list, hence the digit and the change. No pixel in use is clipped because no sample moves by more
than the `reach` of its ball (`Certificate.balls`).

The count is the contour integral of `bounds/counting.py`. Beside it stands a rigorous
*upper* bound: samples that no output sees cannot carry anything.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from morebits.bounds.cells import energies
from morebits.bounds.collisions import log2_outputs
from morebits.bounds.counting import Family, log2_count, ranges
from morebits.bounds.radius import check_psnr, epsilon, level, resolve_peak
from morebits.errors import InputError
from morebits.linear.operator import Operator
from morebits.linear.parts import Part, parts_of
from morebits.types import Capacity, ImageFormat

NAME = "gray image under an edit: a proof"
#: More different weights than this are rounded down to multiples of 1 / MAX_WEIGHTS.
MAX_WEIGHTS = 256


@dataclass(frozen=True)
class Ball:
    """Messages of energy up to `level` whose samples move by at most `reach`."""

    level: int
    reach: int


@dataclass(frozen=True)
class Certificate:
    """The cells found for one edit; ask it for the bound at any PSNR."""

    operator: Operator
    format: ImageFormat
    parts: tuple[Part, ...]

    def capacity(self, psnr: float, *, peak: float | None = None) -> Capacity:
        """The certified lower bound at this PSNR."""
        started = time.perf_counter()
        ball, bits, error = self._best_ball(psnr, peak)
        cells = int(sum(f.counts.sum() for f in self.families(ball.reach)))
        method, codec = f"{cells:,} cells read in order, each message survives", cells > 0
        blocks = [block for part in self.parts if (block := part.reduced) is not None]
        for other in self.balls(psnr, peak=peak):
            existing = log2_outputs(blocks, other.level, other.reach) if blocks else 0.0
            if existing > bits:
                bits, error, ball = existing, 1e-9, other
                method, codec = "collisions counted: so many outputs differ, no codec", False
        upper = self.upper_bits(psnr, peak=peak)
        return Capacity(
            bits=bits,
            bpp=bits / self.format.samples,
            bound="certified",
            name=NAME,
            kind="lower",
            valid=True,
            reason="proved for every message, edit and rounding included",
            method=method,
            error=error,
            psnr=check_psnr(psnr),
            peak=resolve_peak(self.format, peak),
            format=self.format,
            under=self.operator.text,
            seconds=time.perf_counter() - started,
            details={"cells": cells, "codec": codec, "reach": ball.reach, "upper_bits": upper},
        )

    def upper_bits(self, psnr: float, *, peak: float | None = None) -> float:
        """No code can carry more than this under the edit: a rigorous upper bound, in bits.

        Two images that agree on every sample that the edit looks at have the same output, so
        there are at most as many outputs as ways to choose those samples inside the ball.
        Likewise outputs lie within `s epsilon + sqrt(m)/2` of the edited cover, and that within
        `offset sqrt(m)` of a grid point, with `s^2 = max column sum x max row sum of |M|` and m
        the number of outputs not constant.
        """
        top, rho, mid = level(self.format, psnr, peak=peak), self.format.rho, self.format.mid
        seen = sum(part.seen_inputs * part.copies for part in self.parts)
        outputs = sum(part.live_outputs * part.copies for part in self.parts)
        inside = log2_count([ranges(-mid, rho - mid, seen)], top).bits if seen else 0.0
        stretch = math.sqrt(
            max((p.row_l1 for p in self.parts), default=0.0)
            * max((p.column_l1 for p in self.parts), default=0.0)
        )
        radius = stretch * epsilon(self.format, psnr, peak=peak)
        radius += (0.5 + self._offset) * math.sqrt(outputs)
        around = log2_count([ranges(-rho, rho, outputs)], radius**2).bits if outputs else 0.0
        return min(inside, around)

    def balls(self, psnr: float, *, peak: float | None = None) -> list[Ball]:
        """Balls within the PSNR whose messages are surely not clipped in any pixel in use.

        Either no sample moves far enough to clip a pixel, whatever the others do, or the ball
        itself is too small for that: a pixel moves by at most `row_l2` times its radius.
        """
        top = level(self.format, check_psnr(psnr), peak=peak)
        most = self.format.rho - self.format.mid
        if not self.parts or not any(part.row_l1 for part in self.parts):
            return [Ball(top, 0)]
        room = max(min(part.room for part in self.parts) - 0.5, 0.0)
        near = math.floor(room / max(part.row_l1 for part in self.parts))
        small = math.floor((room / max(part.row_l2 for part in self.parts)) ** 2)
        if top <= small:
            return [Ball(top, most)]
        return [Ball(top, min(most, near)), Ball(small, most if small else 0)]

    def best_ball(self, psnr: float, *, peak: float | None = None) -> Ball:
        """The ball of `balls` in which the cells carry the most."""
        return self._best_ball(psnr, peak)[0]

    def _best_ball(self, psnr: float, peak: float | None) -> tuple[Ball, float, float]:
        found: list[tuple[Ball, float, float]] = []
        for ball in self.balls(psnr, peak=peak):
            families = self.families(ball.reach)
            count = log2_count(families, ball.level) if families else None
            found.append((ball, count.bits if count else 0.0, count.error if count else 0.0))
        return max(found, key=lambda each: each[1])

    def families(self, reach: int) -> list[Family]:
        """The cells as energy sequences, those with equal weights together."""
        classes: dict[tuple[float, ...], float] = {}
        for part in self.parts:
            for functional, count in part.classes(MAX_WEIGHTS).items():
                classes[functional] = classes.get(functional, 0.0) + count
        families: list[Family] = []
        for functional, count in classes.items():
            steps = energies(functional, reach) if reach else np.zeros(0, np.int64)
            if steps.size:
                side = np.array([steps.size])
                families.append(Family(steps, 0 * side, side, np.array([count])))
        return families

    @cached_property
    def _offset(self) -> float:
        """How far the edited cover is from whole numbers, in its worst pixel."""
        shape = (self.format.height, self.format.width, self.format.channels)
        edited = self.operator.apply(np.full(shape, self.format.mid))
        return float(np.abs(edited - np.round(edited)).max())

    @cached_property
    def cell_count(self) -> int:
        """How many cells were found, useful or not."""
        return sum(len(part.rows) * part.copies for part in self.parts)


def certify(operator: Operator, format: ImageFormat) -> Certificate:
    """Find the cells of an edit on gray pictures of this format.

    >>> from morebits import linear
    >>> fmt = ImageFormat(3, 16, 16, 8)
    >>> certify(linear.crop_rescale(0.5).at(fmt), fmt).capacity(42).bits > 800
    True
    """
    if operator.in_shape != (format.channels, format.height, format.width):
        raise InputError("operator", operator, f"give an operator for {format.text}")
    return Certificate(operator, format, tuple(parts_of(operator, format)))
