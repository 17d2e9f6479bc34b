"""Dense matrices by the paper's pseudo-code, loop by loop, independent of the package."""

from __future__ import annotations

import math

import numpy as np


def pixel_map(mu, width, height, interpolation):
    """The paper's pixel mapping for one channel."""
    matrix = np.zeros((width * height, width * height))
    for y in range(height):
        for x in range(width):
            u, v = mu(x, y)
            target = x + y * width
            if interpolation == "nearest":
                column = min(max(round(u), 0), width - 1)
                row = min(max(round(v), 0), height - 1)
                matrix[target, column + row * width] = 1
                continue
            x_l, y_l = math.floor(u), math.floor(v)
            x_u, y_u = math.ceil(u), math.ceil(v)
            x_u = x_l + 1 if x_u == x_l else x_u
            y_u = y_l + 1 if y_u == y_l else y_u
            for xs, wx in ((x_l, x_u - u), (x_u, u - x_l)):
                for ys, wy in ((y_l, y_u - v), (y_u, v - y_l)):
                    column, row = min(max(xs, 0), width - 1), min(max(ys, 0), height - 1)
                    matrix[target, column + row * width] += wx * wy
    return matrix


def crop_mu(scale, width, height):
    return lambda x, y: (
        (x - width / 2) * scale + width / 2,
        (y - height / 2) * scale + height / 2,
    )


def rotation_mu(degrees, width, height):
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return lambda x, y: (
        (x - width / 2) * cos - (y - height / 2) * sin + width / 2,
        (x - width / 2) * sin + (y - height / 2) * cos + height / 2,
    )


def per_channel(matrices):
    rows, columns = sum(len(m) for m in matrices), sum(m.shape[1] for m in matrices)
    full = np.zeros((rows, columns))
    i = j = 0
    for m in matrices:
        full[i : i + len(m), j : j + m.shape[1]] = m
        i, j = i + len(m), j + m.shape[1]
    return full


def take(rows, columns, channels, height, width):
    """The paper's loop for taking rows and columns."""
    area = len(rows) * len(columns)
    matrix = np.zeros((channels * area, channels * height * width))
    for ir, r in enumerate(rows):
        for ic, c in enumerate(columns):
            for chan in range(channels):
                target = chan * area + ir * len(columns) + ic
                matrix[target, chan * width * height + r * width + c] = 1
    return matrix


def pixelwise(base, pixels):
    return np.block([[entry * np.eye(pixels) for entry in row] for row in base])


def dct():
    """The orthonormal 8x8 DCT, rows (u, v), columns (x, y), by its definition."""
    matrix = np.zeros((64, 64))
    alpha = [1 / math.sqrt(2)] + [1.0] * 7
    for u in range(8):
        for v in range(8):
            for x in range(8):
                for y in range(8):
                    matrix[8 * u + v, 8 * x + y] = (
                        0.25
                        * alpha[u]
                        * alpha[v]
                        * math.cos((2 * x + 1) * u * math.pi / 16)
                        * math.cos((2 * y + 1) * v * math.pi / 16)
                    )
    return matrix


def jpeg_block(quality, mid):
    """DCT, filter and inverse DCT of one 8x8 block: matrix and bias."""
    mask = np.triu(np.ones((8, 8)), k=16 - 8 - quality)[:, ::-1]
    d = dct()
    matrix = d.T @ np.diag(mask.flatten()) @ d
    gray = np.full(64, float(mid))
    return matrix, gray - matrix @ gray


def tiling(base, bias, size, width, height):
    """The paper's tiling of a size x size transform over one channel (block matrices)."""
    across, down = width // size, height // size
    tiles = [np.split(s, size, axis=1) for s in np.split(base, size, axis=0)]

    def diagonal(block, times):
        return per_channel([block] * times)

    per_rows = np.block([[diagonal(tile, across) for tile in row] for row in tiles])
    parts = np.concatenate([np.tile(part, across) for part in np.split(bias, size)])
    return diagonal(per_rows, down), np.tile(parts, down)


TO_YCBCR = [[0.299, 0.587, 0.114], [-0.168736, -0.331364, 0.5], [0.5, -0.418688, -0.081312]]
TO_RGB = [[1, 0, 1.402], [1, -0.344136, -0.714136], [1, 1.772, 0]]


def lin_jpeg(quality, width, height, mid):
    """LinJPEG of an RGB image whose sides 16 divides: matrix and bias."""
    block, bias = jpeg_block(quality, mid)
    luma, luma_bias = tiling(block, bias, 8, width, height)
    small, small_bias = tiling(block, bias, 8, width // 2, height // 2)
    down = take(range(0, height, 2), range(0, width, 2), 1, height, width)
    double = [i // 2 for i in range(height)], [i // 2 for i in range(width)]
    up = take(*double, 1, height // 2, width // 2)
    chroma, chroma_bias = up @ small @ down, up @ small_bias
    pixels = width * height
    to_ycbcr, to_rgb = pixelwise(TO_YCBCR, pixels), pixelwise(TO_RGB, pixels)
    there = np.repeat([0.0, mid, mid], pixels)
    back = np.repeat(np.array(TO_RGB) @ [0.0, -mid, -mid], pixels)
    middle = per_channel([luma, chroma, chroma])
    middle_bias = np.concatenate([luma_bias, chroma_bias, chroma_bias])
    matrix = to_rgb @ middle @ to_ycbcr
    return matrix, to_rgb @ (middle @ there + middle_bias) + back
