"""The edits people make: flip, crop, rotate, resize, blur, light, colour, shift, any matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from morebits.errors import InputError, TooLarge
from morebits.grammar import number_text
from morebits.linear import axes
from morebits.linear.axes import Interpolation
from morebits.linear.combined import LowRankUpdate, SparseMap
from morebits.linear.edit import Edit, finite, single
from morebits.linear.layout import Array, Shape, shape_text
from morebits.linear.operator import MAX_DENSE_ENTRIES, MAX_NONZEROS, Operator
from morebits.linear.separable import Kronecker, PlaneMap
from morebits.types import ImageFormat

#: Weights of red, green and blue in the gray value (Rec. 601, as in Pillow and JPEG).
GRAY_WEIGHTS = (0.299, 0.587, 0.114)
#: Largest blur, in pixels.
MAX_SIGMA = 1000.0


def hflip() -> Edit:
    """Mirror left and right."""
    return single("hflip", _flip, True)


def vflip() -> Edit:
    """Mirror top and bottom."""
    return single("vflip", _flip, False)


def crop_rescale(scale: float, interpolation: Interpolation = "bilinear") -> Edit:
    """Keep the centre `scale` (0 to 1) of each side, stretched back to the full size.

    The paper's centre crop and rescale: about the centre `size / 2`, clipped to the border.
    """
    scale = _above_zero("crop scale", scale, 1.0, "give a number above 0, at most 1")
    _check_interpolation(interpolation)
    return single(
        _with_mode(f"crop:{number_text(scale)}", interpolation), _crop, scale, interpolation
    )


def rotation(angle: float, interpolation: Interpolation = "bilinear") -> Edit:
    """Rotate by `angle` degrees about the centre `(w/2, h/2)`, clipped to the border."""
    angle = finite("rotation angle", angle, -360, 360, "give degrees from -360 to 360")
    _check_interpolation(interpolation)
    text = _with_mode(f"rotate:{number_text(angle)}", interpolation)
    return single(text, _rotation, angle, interpolation)


def resize(scale: float) -> Edit:
    """Change the size to `round(scale * side)` pixels, antialiased bilinear as in Pillow."""
    scale = _above_zero("resize scale", scale, 16.0, "give a number above 0, at most 16")
    return single(f"resize:{number_text(scale)}", _resize, scale)


def rescale(scale: float) -> Edit:
    """Resize by `scale` and back to the original size."""
    scale = _above_zero("rescale scale", scale, 16.0, "give a number above 0, at most 16")
    return single(f"rescale:{number_text(scale)}", _rescale, scale)


def gaussian_blur(sigma: float) -> Edit:
    """Gaussian blur of standard deviation `sigma` pixels, reflected at the border."""
    sigma = _above_zero("blur sigma", sigma, MAX_SIGMA, "give pixels above 0, at most 1000")
    return single(f"blur:{number_text(sigma)}", _blur, sigma)


def brightness(factor: float) -> Edit:
    """Multiply every sample by `factor`."""
    factor = finite("brightness factor", factor, 0, 100, "give a number from 0 to 100")
    return single(f"brightness:{number_text(factor)}", _brightness, factor)


def contrast(factor: float) -> Edit:
    """Blend with the image's mean gray: `factor x + (1 - factor) mean(gray(x))`.

    Linear, as the mean is; Pillow rounds the mean to a whole number, this does not.
    """
    factor = finite("contrast factor", factor, 0, 100, "give a number from 0 to 100")
    return single(f"contrast:{number_text(factor)}", _contrast, factor)


def grayscale() -> Edit:
    """Every channel becomes the gray value 0.299 R + 0.587 G + 0.114 B (still 3 channels)."""
    return single("grayscale", _grayscale)


def translation(dx: float, dy: float) -> Edit:
    """Move right by `dx` and down by `dy` pixels; border pixels are repeated into the gap.

    Fractions of a pixel are interpolated bilinearly.
    """
    dx = finite("translation dx", dx, -1e6, 1e6, "give pixels from -1000000 to 1000000")
    dy = finite("translation dy", dy, -1e6, 1e6, "give pixels from -1000000 to 1000000")
    return single(f"translate:{number_text(dx)},{number_text(dy)}", _translation, dx, dy)


def from_matrix(matrix: Any, bias: ArrayLike | None = None) -> Edit:
    """Any matrix on planar vectors, dense or scipy.sparse, with an optional bias.

    It fits the formats with as many samples as it has columns. A square matrix keeps the
    format; any other gives one channel of one row.
    """
    return single("matrix", _from_matrix, _Given(matrix, bias))


class _Given:
    """A user's matrix and bias, checked; compared by identity."""

    def __init__(self, matrix: Any, bias: ArrayLike | None):
        from scipy.sparse import csr_array, issparse

        if not issparse(matrix):
            matrix = np.asarray(matrix)
            if matrix.ndim != 2 or matrix.dtype.kind not in "biuf" or 0 in matrix.shape:
                raise InputError("matrix", np.shape(matrix), "give a 2-D array of real numbers")
            if matrix.size > MAX_DENSE_ENTRIES:
                raise TooLarge(
                    "matrix",
                    matrix.size,
                    MAX_DENSE_ENTRIES,
                    "entries",
                    "give it as a scipy.sparse array",
                )
        self.matrix = csr_array(matrix, dtype=np.float64)
        if self.matrix.nnz > MAX_NONZEROS:
            raise TooLarge(
                "matrix",
                self.matrix.nnz,
                MAX_NONZEROS,
                "entries",
                "give one with fewer non-zero entries",
            )
        rows = self.matrix.shape[0]
        self.bias = np.zeros(rows) if bias is None else np.asarray(bias, np.float64).ravel()
        if len(self.bias) != rows:
            raise InputError("bias", f"{len(self.bias)} values", f"give {rows}, one a row")
        if not (np.isfinite(self.matrix.data).all() and np.isfinite(self.bias).all()):
            raise InputError("matrix", "one with NaN or infinity", "give finite values only")


def planar_shape(format: ImageFormat) -> Shape:
    """`(c, h, w)` of a format."""
    return format.channels, format.height, format.width


def separable(format: ImageFormat, rows: Any, columns: Any) -> Kronecker:
    """The same row and column matrices for every channel."""
    return Kronecker(np.eye(format.channels), rows, columns)


def pixelwise(format: ImageFormat, channel: Array, bias: Array | None = None) -> Kronecker:
    """A channel matrix (and a bias a channel) for every pixel."""
    planar = None if bias is None else np.asarray(bias, np.float64)[:, None, None]
    return Kronecker(channel, axes.identity(format.height), axes.identity(format.width), planar)


def _flip(format: ImageFormat, horizontal: bool) -> Operator:
    rows, columns = axes.identity(format.height), axes.identity(format.width)
    if horizontal:
        columns = axes.take(np.arange(format.width)[::-1], format.width)
    else:
        rows = axes.take(np.arange(format.height)[::-1], format.height)
    return separable(format, rows, columns)


def _crop(format: ImageFormat, scale: float, interpolation: Interpolation) -> Operator:
    rows = axes.crop(format.height, scale, interpolation)
    return separable(format, rows, axes.crop(format.width, scale, interpolation))


def _rotation(format: ImageFormat, angle: float, interpolation: Interpolation) -> Operator:
    cos, sin = cos_sin(angle)
    x0, y0 = format.width / 2, format.height / 2

    def mu(x: Array, y: Array) -> tuple[Array, Array]:
        return (x - x0) * cos - (y - y0) * sin + x0, (x - x0) * sin + (y - y0) * cos + y0

    return plane_map(format, mu, interpolation)


def plane_map(format: ImageFormat, mu: Any, interpolation: Interpolation) -> PlaneMap:
    """Every channel through the same pixel map."""
    entries = format.width * format.height * (4 if interpolation == "bilinear" else 1)
    if entries > MAX_NONZEROS:
        raise TooLarge("a pixel map", entries, MAX_NONZEROS, "entries", "use a smaller image")
    plane = axes.pixel_map(mu, format.height, format.width, interpolation)
    size = (format.height, format.width)
    return PlaneMap(np.eye(format.channels), plane, size, size)


def cos_sin(degrees: float) -> tuple[float, float]:
    """Cosine and sine, exact at multiples of 90 degrees so that pixels stay whole there."""
    quarters, rest = divmod(degrees, 90)
    if rest == 0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarters) % 4]
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def _target(side: int, scale: float) -> int:
    return max(1, math.floor(side * scale + 0.5))


def _resize(format: ImageFormat, scale: float) -> Operator:
    rows = axes.resize(format.height, _target(format.height, scale))
    return separable(format, rows, axes.resize(format.width, _target(format.width, scale)))


def _rescale(format: ImageFormat, scale: float) -> Operator:
    def there_and_back(side: int) -> Any:
        target = _target(side, scale)
        return axes.resize(target, side) @ axes.resize(side, target)

    return separable(format, there_and_back(format.height), there_and_back(format.width))


def _blur(format: ImageFormat, sigma: float) -> Operator:
    return separable(format, axes.blur(format.height, sigma), axes.blur(format.width, sigma))


def _brightness(format: ImageFormat, factor: float) -> Operator:
    return pixelwise(format, factor * np.eye(format.channels))


def _contrast(format: ImageFormat, factor: float) -> Operator:
    base = _brightness(format, factor)
    weights = gray_weights(format, "contrast")
    pixels = format.width * format.height
    left = np.full((1, 1, 1, 1), 1.0 - factor)
    right = (weights / pixels)[None, :, None, None]
    return LowRankUpdate(base, left, right)


def _grayscale(format: ImageFormat) -> Operator:
    weights = gray_weights(format, "grayscale")
    return pixelwise(format, np.tile(weights, (format.channels, 1)))


def gray_weights(format: ImageFormat, edit: str) -> Array:
    """The gray value's weights for 3 channels, or 1 for 1 channel."""
    if format.channels == 1:
        return np.ones(1)
    if format.channels != 3:
        raise InputError("channels", format.channels, f"{edit} takes images of 1 or 3 channels")
    return np.array(GRAY_WEIGHTS)


def _translation(format: ImageFormat, dx: float, dy: float) -> Operator:
    return separable(format, axes.shift(format.height, dy), axes.shift(format.width, dx))


def _from_matrix(format: ImageFormat, given: _Given) -> Operator:
    rows, columns = given.matrix.shape
    if columns != format.samples:
        raise InputError(
            "matrix",
            f"one with {columns} columns",
            f"give {format.samples} columns for {shape_text(planar_shape(format))}",
        )
    out_shape = planar_shape(format) if rows == columns else (1, 1, rows)
    return SparseMap(given.matrix, planar_shape(format), out_shape, given.bias.reshape(out_shape))


def _with_mode(text: str, interpolation: Interpolation) -> str:
    return text if interpolation == "bilinear" else f"{text},{interpolation}"


def _above_zero(name: str, value: float, high: float, expected: str) -> float:
    return finite(name, value, math.ulp(0.0), high, expected)


def _check_interpolation(interpolation: str) -> None:
    if interpolation not in ("bilinear", "nearest"):
        raise InputError("interpolation", interpolation, "give bilinear or nearest")
