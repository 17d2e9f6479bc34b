"""The definitions again, pixel by pixel and independent of the package.

The steps are those of the paper's evaluation: normalised grids, sampling outside as
zero, corners of pixels at whole numbers.
"""

from __future__ import annotations

import colorsys
import math
import statistics

import numpy as np


def levels(values):
    return np.clip(np.rint(np.asarray(values, np.float64)), 0, 255).astype(np.uint8)


def rotate(image, degrees):
    """`affine_grid` without `align_corners`, then `grid_sample` to the nearest.

    Also where that lies half way between two pixels, so that either may be taken.
    """
    height, width = image.shape[:2]
    angle = math.radians(degrees)
    result, either = np.zeros_like(image), np.zeros((height, width), bool)
    for row in range(height):
        for column in range(width):
            x, y = column - 0.5 * width + 0.5, row - 0.5 * height + 0.5
            grid_x = (math.cos(angle) * x - math.sin(angle) * y) / (0.5 * width)
            grid_y = (math.sin(angle) * x + math.cos(angle) * y) / (0.5 * height)
            exact = ((grid_x + 1) * width - 1) / 2, ((grid_y + 1) * height - 1) / 2
            from_x, from_y = (round(each) for each in exact)
            either[row, column] = any(abs(each % 1 - 0.5) < 1e-9 for each in exact)
            if 0 <= from_x < width and 0 <= from_y < height:
                result[row, column] = image[from_y, from_x]
    return result, either


def _triangle(size, new):
    """Weights of the old samples (columns) in the new ones (rows)."""
    scale = size / new
    reach = max(scale, 1.0)
    matrix = np.zeros((new, size))
    for index in range(new):
        centre = (index + 0.5) * scale
        for old in range(size):
            matrix[index, old] = max(0.0, 1 - abs(old + 0.5 - centre) / reach)
        matrix[index] /= matrix[index].sum()
    return matrix


def resize(image, width, height):
    rows, columns = _triangle(image.shape[0], height), _triangle(image.shape[1], width)
    planes = [rows @ plane @ columns.T for plane in np.moveaxis(image.astype(float), 2, 0)]
    return np.stack(planes, axis=2)


def blur(image, kernel, sigma):
    """A sum over the square, with `reflect` padding: the border is not repeated."""
    height, width = image.shape[:2]
    half = kernel // 2
    one = [math.exp(-((place - half) ** 2) / (2 * sigma**2)) for place in range(kernel)]
    weights = np.outer(one, one) / sum(one) ** 2

    def inside(place, size):
        while not 0 <= place < size:
            place = -place if place < 0 else 2 * (size - 1) - place
        return place

    result = np.zeros(image.shape)
    for row in range(height):
        for column in range(width):
            rows = [inside(row + step - half, height) for step in range(kernel)]
            columns = [inside(column + step - half, width) for step in range(kernel)]
            square = image[np.ix_(rows, columns)].astype(float)
            result[row, column] = (weights[..., None] * square).sum(axis=(0, 1))
    return result


def gray(pixel):
    return 0.2989 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]


def each_pixel(image, change):
    return np.array([[change([float(v) for v in pixel]) for pixel in row] for row in image])


def contrast(image, factor):
    pixels = [pixel for row in image.tolist() for pixel in row]
    mean = statistics.fmean(gray(pixel) if len(pixel) == 3 else pixel[0] for pixel in pixels)
    return factor * image.astype(float) + (1 - factor) * mean


def saturation(image, factor):
    def change(pixel):
        return [factor * value + (1 - factor) * gray(pixel) for value in pixel]

    return each_pixel(image, change)


def hue(image, turn):
    def change(pixel):
        h, s, v = colorsys.rgb_to_hsv(*(value / 255 for value in pixel))
        return [255 * value for value in colorsys.hsv_to_rgb((h + turn) % 1.0, s, v)]

    return each_pixel(image, change)


def sharpness(image, factor):
    result = image.astype(float)
    for row in range(1, image.shape[0] - 1):
        for column in range(1, image.shape[1] - 1):
            square = image[row - 1 : row + 2, column - 1 : column + 2].astype(float)
            smooth = (square.sum(axis=(0, 1)) + 4 * square[1, 1]) / 13
            result[row, column] = factor * square[1, 1] + (1 - factor) * smooth
    return result


def median(image, kernel):
    half = kernel // 2
    wide = np.pad(image, ((half, half), (half, half), (0, 0)), mode="edge")
    result = np.empty_like(image)
    for place in np.ndindex(image.shape):
        row, column, channel = place
        square = wide[row : row + kernel, column : column + kernel, channel]
        result[place] = statistics.median(square.ravel().tolist())
    return result


def _basis(points):
    """Matrix that takes the unit vectors and (1, 1, 1) to four points of the plane."""
    columns = np.array([[x, y, 1] for x, y in points], float).T
    return columns[:, :3] * np.linalg.solve(columns[:, :3], columns[:, 3])


def perspective(image, seen):
    """The corners 0 and size - 1 of the picture appear at `seen`; bilinear, zero outside."""
    height, width = image.shape[:2]
    corners = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
    back = _basis(corners) @ np.linalg.inv(_basis(seen))
    result = np.zeros(image.shape)
    for row in range(height):
        for column in range(width):
            x, y, depth = back @ (column + 0.5, row + 0.5, 1)
            x, y = x / depth - 0.5, y / depth - 0.5
            left, top = math.floor(x), math.floor(y)
            for dy in (0, 1):
                for dx in (0, 1):
                    if 0 <= top + dy < height and 0 <= left + dx < width:
                        weight = (1 - abs(x - left - dx)) * (1 - abs(y - top - dy))
                        result[row, column] += weight * image[top + dy, left + dx]
    return result
