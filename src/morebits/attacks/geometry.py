"""Where pixels go: flips, turns, sizes, parts. Conventions are those of the paper's evaluation."""

from __future__ import annotations

import math

import numpy as np

from morebits.attacks.samples import Image8, rounded, size_text
from morebits.errors import ImageError, TooLarge
from morebits.grammar import number_text
from morebits.images import MAX_PIXELS

#: Rows that are turned at a time, so that their coordinates need little memory.
_ROWS = 256


def hflip(image: Image8) -> Image8:
    """Mirror left and right."""
    return image[:, ::-1]


def vflip(image: Image8) -> Image8:
    """Mirror top and bottom."""
    return image[::-1]


def rotate(image: Image8, degrees: float) -> Image8:
    """Turn counterclockwise about the centre: nearest pixel, same canvas, black corners.

    Multiples of 90 degrees move every pixel, and a lying picture stands afterwards.
    """
    if degrees % 90 == 0:
        return np.rot90(image, int(degrees // 90))
    height, width = image.shape[:2]
    middle_x, middle_y = (width - 1) / 2, (height - 1) / 2
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    result = np.zeros_like(image)
    x = np.arange(width) - middle_x
    for top in range(0, height, _ROWS):
        y = np.arange(top, min(top + _ROWS, height))[:, None] - middle_y
        columns = np.rint(cos * x - sin * y + middle_x).astype(np.int64)
        rows = np.rint(sin * x + cos * y + middle_y).astype(np.int64)
        inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        result[top : top + _ROWS][inside] = image[rows[inside], columns[inside]]
    return result


def resize(image: Image8, ratio: float) -> Image8:
    """Sides of `int(ratio * side)` pixels, antialiased bilinear."""
    width, height = _scaled(image, ratio, "resize")
    return resized(image, width, height)


def rescale(image: Image8, ratio: float) -> Image8:
    """Resize, and back to the size it had."""
    width, height = _scaled(image, ratio, "rescale")
    return resized(resized(image, width, height), image.shape[1], image.shape[0])


def fit(image: Image8, side: int) -> Image8:
    """Resize so that the long side has at most `side` pixels; smaller pictures stay."""
    height, width = image.shape[:2]
    if max(width, height) <= side:
        return image
    ratio = side / max(width, height)
    if width >= height:
        return resized(image, side, max(1, int(ratio * height)))
    return resized(image, max(1, int(ratio * width)), side)


def resized(image: Image8, width: int, height: int) -> Image8:
    """Antialiased bilinear resampling, rounded once, after both directions.

    >>> resized(np.array([[[0], [100], [200], [60]]], np.uint8), 2, 1).ravel().tolist()
    [71, 126]
    """
    from PIL import Image

    # Pillow rounds 8-bit pictures after each direction, floating-point ones not at all.
    planes = [
        Image.fromarray(plane.astype(np.float32)).resize((width, height), Image.Resampling.BILINEAR)
        for plane in np.moveaxis(image, 2, 0)
    ]
    return rounded(np.stack([np.asarray(plane) for plane in planes], axis=2))


def crop(image: Image8, ratio: float, random: np.random.Generator) -> Image8:
    """A part with sides of `int(ratio * side)` pixels, anywhere with equal chance."""
    width, height = _scaled(image, ratio, "crop")
    top = int(random.integers(image.shape[0] - height + 1))
    left = int(random.integers(image.shape[1] - width + 1))
    return image[top : top + height, left : left + width]


def translate(image: Image8, dx: int, dy: int) -> Image8:
    """Move right by `dx` and down by `dy` pixels; border pixels are repeated into the gap.

    >>> translate(np.array([[[1], [2], [3]]], np.uint8), 1, 0).ravel().tolist()
    [1, 1, 2]
    """
    height, width = image.shape[:2]
    rows = np.clip(np.arange(height) - dy, 0, height - 1)
    return image[rows][:, np.clip(np.arange(width) - dx, 0, width - 1)]


def perspective(image: Image8, distortion: float, random: np.random.Generator) -> Image8:
    """Draw each corner inwards by up to `distortion` of half a side; bilinear, black outside."""
    from scipy.ndimage import map_coordinates

    height, width = image.shape[:2]
    if min(width, height) < 2:
        problem = f"has {size_text(image)} pixels, perspective needs 2 a side"
        raise ImageError("picture", problem, "use a larger picture")
    wide, high = int(distortion * (width // 2)), int(distortion * (height // 2))
    inwards = random.integers([0, 0], [wide + 1, high + 1], size=(4, 2))
    corners = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]])
    seen = corners + inwards * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    a, b, c, d, e, f, g, h = _projection(seen, corners)
    result = np.empty_like(image)
    x = np.arange(width) + 0.5
    for top in range(0, height, _ROWS):
        y = np.arange(top, min(top + _ROWS, height))[:, None] + 0.5
        depth = g * x + h * y + 1
        places = np.stack([(d * x + e * y + f) / depth - 0.5, (a * x + b * y + c) / depth - 0.5])
        for channel, plane in enumerate(np.moveaxis(image, 2, 0)):
            found = map_coordinates(plane, places, np.float64, order=1, mode="grid-constant")
            result[top : top + _ROWS, :, channel] = rounded(found)
    return result


def _projection(old: np.ndarray, new: np.ndarray) -> list[float]:
    """The eight numbers of the projective map that takes four points to four others."""
    rows, values = [], []
    for (x, y), (u, v) in zip(old.tolist(), new.tolist(), strict=True):
        rows += [[x, y, 1, 0, 0, 0, -x * u, -y * u], [0, 0, 0, x, y, 1, -x * v, -y * v]]
        values += [u, v]
    return np.linalg.solve(np.array(rows, np.float64), np.array(values, np.float64)).tolist()


def _scaled(image: Image8, ratio: float, name: str) -> tuple[int, int]:
    """Width and height times the ratio, cut to whole pixels."""
    width, height = int(ratio * image.shape[1]), int(ratio * image.shape[0])
    if width < 1 or height < 1:
        problem = f"nothing is left of {size_text(image)} pixels after {name}:{number_text(ratio)}"
        raise ImageError("picture", problem, "use a larger picture or a larger ratio")
    if width * height > MAX_PIXELS:
        fix = "use a smaller picture or a smaller ratio"
        raise TooLarge(f"{name}:{number_text(ratio)}", width * height, MAX_PIXELS, "pixels", fix)
    return width, height
