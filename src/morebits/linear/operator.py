"""`Operator`: an affine edit `A x + b` at a concrete size.

Each subclass (`structures.py`) keeps one kind of structure in public attributes, so that
spectra and certified bounds never need the matrix itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from morebits.bounds.spectrum import Spectrum
from morebits.errors import InputError, TooLarge
from morebits.linear.layout import (
    NO_BIAS,
    Array,
    Shape,
    from_planar,
    samples,
    shape_text,
    shrink,
    to_planar,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Largest number of entries of a dense matrix (`dense()`): 512 MB.
MAX_DENSE_ENTRIES = 2**26
#: Largest number of stored entries of a sparse matrix (`sparse()`): about 0.5 GB.
MAX_NONZEROS = 4 * 10**7


class Operator(ABC):
    """`x -> A x + b` from images `in_shape` to images `out_shape`, both `(c, h, w)`.

    `bias` is an array that broadcasts to `out_shape` (its axes of length 1 are constant);
    `text` is the edit in words of the grammar. `linear(x)` is `A x` and `adjoint(y)` is
    `A^T y`, both on planar arrays; a subclass gives these two, `nonzeros`, and `sparse`.
    """

    def __init__(self, in_shape: Shape, out_shape: Shape, bias: Array | None, text: str):
        self.in_shape: Shape = in_shape
        self.out_shape: Shape = out_shape
        self.bias: Array = NO_BIAS if bias is None else shrink(np.asarray(bias, np.float64))
        self.text = text
        np.broadcast_shapes(self.bias.shape, out_shape)

    @property
    def inputs(self) -> int:
        """Number of columns of `A`."""
        return samples(self.in_shape)

    @property
    def outputs(self) -> int:
        """Number of rows of `A`."""
        return samples(self.out_shape)

    @property
    @abstractmethod
    def nonzeros(self) -> int:
        """How many entries `sparse()` would store at most."""

    @property
    @abstractmethod
    def row_width(self) -> int:
        """The largest number of non-zero entries in a row of `A`, or a bound on it."""

    @abstractmethod
    def linear(self, planar: Array) -> Array:
        """`A x`, without the bias, on a planar array."""

    @abstractmethod
    def adjoint(self, planar: Array) -> Array:
        """`A^T y` on a planar array."""

    @abstractmethod
    def _matrix(self) -> csr_array:
        """The full sparse matrix; the caller has checked the size."""

    def apply(self, image: ArrayLike) -> Array:
        """`A x + b` of a picture `(H, W[, C])`, in floating point, neither rounded nor clipped."""
        planar = to_planar(image, self.in_shape)
        return from_planar(self.linear(planar) + self.bias, flat=np.ndim(image) == 2)

    def quantised(self, image: ArrayLike, rho: int) -> NDArray[np.int64]:
        """The edited picture as a file holds it: halves rounded up, clipped to `0..rho`."""
        rounded = np.floor(self.apply(image) + 0.5)
        return np.clip(rounded, 0, rho).astype(np.int64)

    def sparse(self) -> csr_array:
        """`A` as a scipy CSR array on planar vectors."""
        if self.nonzeros > MAX_NONZEROS:
            raise TooLarge(
                f"the sparse matrix of {self.text}",
                self.nonzeros,
                MAX_NONZEROS,
                "entries",
                "use a smaller image, or apply() and spectrum(), which need no matrix",
            )
        return self._matrix()

    def dense(self) -> Array:
        """`A` as a dense array on planar vectors, for small images."""
        entries = self.inputs * self.outputs
        if entries > MAX_DENSE_ENTRIES:
            raise TooLarge(
                f"the dense matrix of {self.text}",
                entries,
                MAX_DENSE_ENTRIES,
                "entries",
                "use sparse(), or an image of at most 8,192 samples",
            )
        return self.sparse().toarray()

    def bias_vector(self) -> Array:
        """`b` as a planar vector of all outputs."""
        return np.broadcast_to(self.bias, self.out_shape).ravel()

    def push(self, bias: Array) -> Array:
        """`A` applied to a bias that broadcasts to `in_shape`."""
        if not bias.any():
            return NO_BIAS
        return shrink(self.linear(np.ascontiguousarray(np.broadcast_to(bias, self.in_shape))))

    def spectrum(self, vectors: bool = False, seed: int = 0) -> Spectrum:
        """Singular values; with `vectors` also `left_l1` where the structure allows.

        `seed` is of use only where the spectrum is estimated (see `lanczos.py`).
        """
        from morebits.linear.spectra import spectrum

        return spectrum(self, vectors=vectors, seed=seed)

    def __or__(self, then: Operator) -> Operator:
        """First this operator, then the other one."""
        from morebits.linear.compose import compose

        if not isinstance(then, Operator):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        if self.out_shape != then.in_shape:
            raise InputError(
                "operator",
                then.text,
                f"takes {shape_text(then.in_shape)} but follows one that gives "
                f"{shape_text(self.out_shape)}; build both for the same size",
            )
        return compose(self, then)

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind} {self.text!r} {shape_text(self.in_shape)} -> {shape_text(self.out_shape)}>"


def is_identity(matrix: Any) -> bool:
    """Whether a square dense or sparse matrix is exactly the identity."""
    if matrix.shape[0] != matrix.shape[1]:
        return False
    if isinstance(matrix, np.ndarray):
        return bool(np.array_equal(matrix, np.eye(len(matrix))))
    rows, columns = matrix.nonzero()
    return bool(
        len(rows) == matrix.shape[0]
        and np.array_equal(rows, columns)
        and (matrix.diagonal() == 1.0).all()
    )


def longest_row(matrix: Any) -> int:
    """The largest number of non-zero entries in a row of a dense or CSR matrix."""
    if isinstance(matrix, np.ndarray):
        return int(np.count_nonzero(matrix, axis=1).max(initial=0))
    return int(np.diff(matrix.indptr).max(initial=0))
