"""Figures of pictures: LinJPEG at every quality, and each edit large and small."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from morebits.drawing import INK, SMALL, TEXT, WIDTH, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def linjpeg(data: dict[str, Any]) -> Figure:
    """Four by four pictures, worst first."""
    drawn = figure(WIDTH, 8.1)
    places = drawn.subplots(4, 4).ravel()
    for axes, tile in zip(places, data["tiles"], strict=True):
        _show(axes, tile["png"])
        axes.set_title(f"quality {tile['title']}: {tile['psnr']:.1f} dB", fontsize=TEXT, color=INK)
    return drawn


def edits(data: dict[str, Any]) -> Figure:
    """For each size one band of two rows of pictures."""
    drawn = figure(WIDTH, 6.7)
    columns = len(data["rows"][0]["tiles"]) // 2
    places = drawn.subplots(2 * len(data["rows"]), columns)
    for band, row in enumerate(data["rows"]):
        for index, tile in enumerate(row["tiles"]):
            axes = places[2 * band + index // columns][index % columns]
            _show(axes, tile["png"])
            axes.set_title(tile["title"], fontsize=SMALL, color=INK)
        for line in range(2):
            axes = places[2 * band + line][0]
            axes.text(-0.12, 0.5, f"{row['side']} px", fontsize=TEXT, rotation=90, va="center",
                      ha="center", transform=axes.transAxes, color=INK)  # fmt: skip
    return drawn


def _show(axes: Axes, encoded: str) -> None:
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(encoded))) as image:
        pixels = np.asarray(image)
    axes.imshow(pixels, interpolation="nearest")
    axes.set_axis_off()
