"""The codec behind a certified bound: embed a message in gray, edit, round, read it back.

A message is one digit 0, 1, 2, ... a cell. All messages whose energies sum to at most `T` are
allowed; there are exactly as many as the certified bound counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from morebits.bounds.cells import Functional, candidates, energies
from morebits.bounds.contour import log_mass
from morebits.bounds.counting import Theta
from morebits.errors import InputError, TooLarge
from morebits.linear.certified import Certificate
from morebits.linear.layout import to_planar
from morebits.linear.parts import Part

#: Largest number of cells that are walked one by one.
MAX_CELLS = 20_000
#: Closer to a rounding tie than this, the edit itself is asked which way it falls.
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class _Cell:
    """One cell placed in the whole picture: it moves `inputs` and reads output `row`.

    The pixel's value is `gray + weights . (change of the samples it sees)`.
    """

    row: int
    inputs: NDArray[np.int64]
    functional: Functional
    seen: NDArray[np.int64]
    weights: NDArray[np.float64]
    gray: float
    energies: NDArray[np.int64]


class Witness:
    """Embeds and extracts the messages that a certificate promises at a PSNR.

    >>> from morebits import linear
    >>> from morebits.types import ImageFormat
    >>> from morebits.linear.certified import certify
    >>> fmt = ImageFormat(1, 8, 8, 8)
    >>> edit = linear.crop_rescale(0.5).at(fmt)
    >>> witness = Witness(certify(edit, fmt), psnr=42)
    >>> message = witness.sample(np.random.default_rng(1))
    >>> edited = edit.quantised(witness.embed(message), fmt.rho)
    >>> bool((witness.extract(edited) == message).all())
    True
    """

    def __init__(self, certificate: Certificate, psnr: float, *, peak: float | None = None):
        if certificate.cell_count > MAX_CELLS:
            raise TooLarge(
                "a witness", certificate.cell_count, MAX_CELLS, "cells", "use a smaller size"
            )
        self.certificate, self.format = certificate, certificate.format
        self.operator = certificate.operator
        ball = certificate.best_ball(psnr, peak=peak)
        self.level, self.reach = ball.level, ball.reach
        shape = (self.format.height, self.format.width, self.format.channels)
        edited = self.operator.apply(np.full(shape, self.format.mid))
        self._gray = to_planar(edited, self.operator.out_shape).ravel()
        self._cells = [cell for part in certificate.parts for cell in self._place(part)]

    def _place(self, part: Part) -> list[_Cell]:
        matrix = self.operator.sparse() if part.matrix is None else part.matrix
        cells: list[_Cell] = []
        for copy in range(part.copies):
            where_in, where_out = part.input_index[:, copy], part.output_index[:, copy]
            for row, inputs, functional, scale in _flat_cells(part):
                span = slice(matrix.indptr[row], matrix.indptr[row + 1])
                weights, gray = matrix.data[span], float(self._gray[where_out[row]])
                if (weights == np.round(weights)).all():
                    # A row of whole numbers: what it adds to the cover is exact (see parts).
                    gray = float(np.round(gray))
                seen = where_in[matrix.indices[span]]
                steps = energies(tuple(abs(x) * scale for x in functional), self.reach)
                cells.append(
                    _Cell(where_out[row], where_in[inputs], functional, seen, weights, gray, steps)
                )
        return cells

    @property
    def cells(self) -> int:
        """How many digits a message has."""
        return len(self._cells)

    def energy(self, message: ArrayLike) -> int:
        """The energy that is set aside for a message; it is allowed up to `level`."""
        digits = self._checked(message)
        pairs = zip(self._cells, digits, strict=True)
        return int(sum(cell.energies[digit - 1] if digit else 0 for cell, digit in pairs))

    def sample(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """A random allowed message, close to the surface of the ball as almost all are."""
        theta = Theta(self.certificate.families(self.reach))
        u = 0.0 if self.level >= theta.top else min(log_mass(theta, self.level).saddle, 0.0)
        while True:
            digits = [_tilted(cell.energies, u, rng) for cell in self._cells]
            message = np.array(digits, np.int64)
            if self.energy(message) <= self.level:
                return message

    def embed(self, message: ArrayLike) -> NDArray[np.int64]:
        """The marked picture (H, W, C) that carries a message."""
        digits = self._checked(message)
        if (energy := self.energy(digits)) > self.level:
            raise InputError("message", f"of energy {energy}", f"give at most {self.level}")
        moved = np.zeros(self.format.samples, np.int64)
        for cell, digit in zip(self._cells, digits, strict=True):
            most = int(cell.energies[digit - 1]) if digit else 0
            _, changes = self._ladder(cell, moved, most)
            moved[cell.inputs] = changes[digit]
        return self._picture(moved)

    def extract(self, edited: ArrayLike) -> NDArray[np.int64]:
        """The message of an edited, rounded picture that `embed` made."""
        shown = to_planar(edited, self.operator.out_shape).ravel()
        moved = np.zeros(self.format.samples, np.int64)
        digits = np.zeros(len(self._cells), np.int64)
        for d, cell in enumerate(self._cells):
            digits[d], moved[cell.inputs] = self._read(cell, moved, shown[cell.row])
        return digits

    def _read(
        self, cell: _Cell, moved: NDArray[np.int64], shown: float
    ) -> tuple[int, NDArray[np.int64]]:
        """The digit that a pixel shows, and the change that made it."""
        most = 4
        # Small changes first: lists of several samples are long, and longer lists begin alike.
        while most < 4 * self.level:
            values, changes = self._ladder(cell, moved, min(most, self.level))
            match = np.flatnonzero(values == shown)
            if match.size:
                return int(match[0]), changes[match[0]]
            most *= 4
        raise InputError(
            "edited", f"output {cell.row} shows {shown:g}",
            "give a picture that this witness embedded, under its own edit",
        )  # fmt: skip

    def _ladder(
        self, cell: _Cell, moved: NDArray[np.int64], most: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What the pixel can show with changes of energy up to `most`: values, and changes."""
        steps, norms, vectors = candidates(cell.functional, self.reach)
        stop = int(np.searchsorted(norms, most, "right"))
        center = cell.gray + float(cell.weights @ moved[cell.seen])
        exact = center + steps[:stop] + 0.5
        values = np.floor(exact).astype(np.int64)
        if not cell.gray.is_integer() or (cell.weights != np.round(cell.weights)).any():
            for k in np.flatnonzero(np.abs(exact - np.round(exact)) < _TIE):
                values[k] = self._ask(cell, moved, vectors[k])
        _, first = np.unique(values, return_index=True)
        first.sort()
        return values[first], vectors[first]

    def _ask(self, cell: _Cell, moved: NDArray[np.int64], change: NDArray[np.int64]) -> int:
        """Which way the edit's own arithmetic rounds this pixel."""
        trial = moved.copy()
        trial[cell.inputs] = change
        edited = to_planar(self.operator.apply(self._picture(trial)), self.operator.out_shape)
        return int(np.floor(edited.ravel()[cell.row] + 0.5))

    def _picture(self, moved: NDArray[np.int64]) -> NDArray[np.int64]:
        planar = (self.format.mid + moved).reshape(self.operator.in_shape)
        return np.ascontiguousarray(np.moveaxis(planar, 0, -1))

    def _checked(self, message: ArrayLike) -> NDArray[np.int64]:
        digits = np.asarray(message)
        if digits.shape != (len(self._cells),) or digits.dtype.kind not in "iu":
            raise InputError("message", digits.shape, f"give {len(self._cells)} whole numbers")
        for d, (cell, digit) in enumerate(zip(self._cells, digits, strict=True)):
            if not 0 <= digit <= cell.energies.size:
                raise InputError(f"message[{d}]", int(digit), f"give 0 to {cell.energies.size}")
        return digits.astype(np.int64)


_FlatCell = tuple[int, NDArray[np.int64], Functional, float]


def _flat_cells(part: Part) -> list[_FlatCell]:
    """Cells of one copy in reading order: (row, inputs, functional, scale)."""
    flat: list[_FlatCell] = [(0, np.zeros(1, np.int64), (1.0,), 1.0)]
    for factor, width, height in zip(part.factors, part.in_sizes, part.out_sizes, strict=True):
        grown: list[_FlatCell] = []
        for row, inputs, functional, scale in flat:
            for d, read in enumerate(factor.rows.tolist()):
                places = np.add.outer(inputs * width, np.array(factor.inputs[d])).ravel()
                weights = tuple(a * b for a in functional for b in factor.functionals[d])
                cell = (row * height + read, places, weights, scale * float(factor.scale[d]))
                grown.append(cell)
        flat = grown
    return flat


def _tilted(steps: NDArray[np.int64], u: float, rng: np.random.Generator) -> int:
    """A digit with probability proportional to exp(u energy)."""
    weights = np.exp(u * np.concatenate([[0.0], steps]))
    return int(rng.choice(weights.size, p=weights / weights.sum()))
