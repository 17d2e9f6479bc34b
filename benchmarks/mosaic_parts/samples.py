"""What the reader sees of marked and edited photos, with the bits that it should tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import attacks, images
from morebits.neural.mosaic import maps
from morebits.neural.mosaic.layout import SLOTS, Layout
from morebits.neural.mosaic.network import Network
from morebits.neural.mosaic.reading import Numbers
from morebits.neural.mosaic.searching import Search
from morebits.neural.mosaic.tiles import TILE

#: Kernels of the blurs that are undone.
_BLURS = (3, 5, 9, 13, 17)


@dataclass(frozen=True, eq=False)
class Sample:
    """One edited photo: features, numbers in cells, where in the cell they should be, usable."""

    edit: str
    features: NDArray[np.float16] = field(repr=False)  # (rows, columns, channels)
    cells: NDArray[np.float32] = field(repr=False)  # (rows, columns, 10)
    bits: NDArray[np.uint8] = field(repr=False)  # (rows, columns, 10)
    usable: NDArray[np.bool_] = field(repr=False)  # (rows, columns)


def edits(random: np.random.Generator) -> Iterator[str]:
    """The edits of one photo; `offset` moves the grid of the JPEG."""
    yield "jpeg:40"
    yield f"jpeg:{random.integers(30, 60)}"
    yield f"jpeg:{random.integers(60, 96)}"
    yield f"offset|jpeg:{random.integers(35, 90)}"
    yield f"blur:{random.choice(_BLURS)}"
    yield f"blur:9|jpeg:{random.integers(70, 96)}"
    yield f"resize:{random.uniform(0.4, 0.95):.2f}"
    yield f"resize:0.5|jpeg:{random.integers(80, 96)}"
    yield f"brightness:{random.uniform(0.4, 0.9):.2f}"
    yield f"brightness:{random.uniform(1.1, 1.5):.2f}"
    yield f"contrast:{random.uniform(0.5, 1.5):.2f}"
    yield "none"


def photo_samples(
    path: Path, network: Network, random: np.random.Generator, *, psnr: float
) -> Iterator[Sample]:
    """Samples of one photo with a random map."""
    cover = images.read(path).array[..., :3]
    height, width = cover.shape[:2]
    count = (height // TILE) * (width // TILE)
    bits = random.integers(0, 2, count * SLOTS, np.uint8)
    marked = maps.write(cover, bits, psnr=psnr, network=network)
    window = Layout.of(None).window(0, 0, height // TILE, width // TILE)
    asked = window.places(0, np.zeros(window.known.shape, np.bool_), bits) > 0
    for text in edits(random):
        seen = look(marked, text, network, random)
        if seen is None or seen.step.score < 6:
            continue
        levels = seen.step.levels
        rows, columns = seen.usable.shape
        yield Sample(
            text, seen.features(levels).astype(np.float16), seen.cells(levels),
            asked[:rows, :columns].astype(np.uint8), seen.usable,
        )  # fmt: skip


def look(
    marked: NDArray[Any], text: str, network: Network, random: np.random.Generator
) -> Numbers | None:
    """The best look at a picture after an edit whose geometry is known."""
    image = marked
    matrix = np.eye(2, 3)
    if text.startswith("offset|"):
        down, across = random.integers(1, 8, 2).tolist()
        image, text = image[down:, across:], text.removeprefix("offset|")
        matrix[:, 2] = -across, -down
    edited = attacks.parse(text)(image)
    if text.startswith("resize"):
        across, down = (edited.shape[k] / image.shape[k] for k in (1, 0))
        matrix = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]])
    search = Search(edited, None, network, 60.0)
    looks = list(search.looks(matrix, sure="blur" in text))
    best = max(looks, key=lambda each: each.numbers.step.score, default=None)
    if best is None or (best.numbers.window.i[0], best.numbers.window.j[0]) != (0, 0):
        return None
    return best.numbers
