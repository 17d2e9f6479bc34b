"""How many numbers a tile should have, and which share of the way they should move.

Measured without the codec, so that any number can be tried: the edit is known, and so are geometry,
step and filter; the reader is the untrained one. Only photos of the training set are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import attacks, images
from morebits.codecs.budget import allowed_error
from morebits.codecs.robust import colour, equalising
from morebits.codecs.robust.rectifying import rectify, ways
from morebits.images import Picture
from morebits.neural.mosaic import lattice, tiles
from morebits.neural.mosaic.network import START, Network
from morebits.neural.mosaic.tiles import TILE
from morebits.neural.mosaic.writing import Canvas
from mosaic_parts.measuring import BITS, EDITS, PSNR

NUMBERS = (7, 8, 9, 10, 11, 12, 14)
SHARES = (0.7, 0.77, 0.85)
#: The blur among the edits, as its deviation in pixels, and what light does to the step.
_BLUR, _GAINS = 1.7, {"brightness:0.5": 0.5, "brightness:1.25": 1.25}


@dataclass(frozen=True)
class Outcome:
    """Raw accuracy of the map of one photo after one edit, with one choice."""

    photo: str
    numbers: int
    share: float
    edit: str
    accuracy: float


def measure_photo(path: Path, seed: int) -> list[Outcome]:
    """Every choice and edit."""
    picture = images.read(images.read(path).array[..., :3])
    found: list[Outcome] = []
    for numbers in NUMBERS:
        for share in SHARES:
            random = np.random.default_rng([seed, numbers])
            found += [
                Outcome(path.name, numbers, share, edit, accuracy)
                for edit, accuracy in _measure(picture, numbers, share, random)
            ]
    return found


def _measure(
    picture: Picture, numbers: int, share: float, random: np.random.Generator
) -> list[tuple[str, float]]:
    network = Network(tiles.waves(numbers), np.ones(numbers, np.float32))
    canvas = Canvas.of(picture, network, None, PSNR)
    rows, columns = canvas.shape
    height, width = picture.array.shape[:2]
    bits = random.integers(0, 2, int(np.ceil(BITS * height * width / (640 * 480))), np.uint8)
    # One number of a tile is the reader's own; the others carry the bits, several times if there
    # is room.
    carried = random.permutation(rows * columns * (numbers - 1)) % bits.size
    carried = carried.reshape(rows, columns, numbers - 1)
    places = np.zeros((rows, columns, numbers), np.float32)
    places[..., 1:] = bits[carried] / 2
    dither = random.random(places.shape, np.float32)
    budget = allowed_error(picture.format, PSNR, peak=None, samples=picture.array.size)
    marked, step = canvas.write(dither + places, np.full_like(places, share), budget)
    if not step:
        return [(edit, 0.5) for edit in EDITS]  # no step within the budget was found
    found: list[tuple[str, float]] = []
    for edit in EDITS:
        values = _numbers(attacks.parse(edit)(marked), edit, marked.shape, network)
        cells = values[:rows, :columns] / np.float32(step * _GAINS.get(edit, 1.0)) - dither
        sigma, lost = (np.full_like(cells, each) for each in START)
        soft = lattice.soft_values(cells, sigma, lost, 1)[..., 0][..., 1:]
        total = np.bincount(carried.reshape(-1), soft.reshape(-1), minlength=bits.size)
        found.append((edit, float(((total > 0) == bits).mean())))
    return found


def _numbers(
    image: NDArray[Any], edit: str, shape: tuple[int, ...], network: Network
) -> NDArray[np.float32]:
    """The numbers of all tiles, with geometry and filter known."""
    brighter = _GAINS.get(edit, 1.0) > 1
    plane = colour.luma(colour.restored(image)[0] if brighter else image)
    equaliser = equalising.blur(_BLUR) if edit.startswith("blur") else None
    if image.shape != shape:
        across, down = image.shape[1] / shape[1], image.shape[0] / shape[0]
        matrix = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2]])
        way = next(iter(ways(matrix)))
        laid = rectify(plane, colour.clipped(image), matrix, way, tile=TILE)
        if laid is None or (laid.top, laid.left) != (0, 0):
            raise RuntimeError(f"{edit}: the tiles are not where they were")
        plane, equaliser = laid.plane, equalising.shrink(down, across)
    return tiles.analyse(equalising.undone(plane, equaliser), network.functions)


def rows(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """A row a choice: mean accuracy of every edit, and the least of these."""
    found: list[dict[str, Any]] = []
    for numbers in NUMBERS:
        for share in SHARES:
            these = [each for each in outcomes if (each.numbers, each.share) == (numbers, share)]
            means = {
                edit: float(np.mean([each.accuracy for each in these if each.edit == edit]))
                for edit in EDITS
            }
            found.append(
                {"numbers": numbers, "share": share, "least": min(means.values()), **means}
            )
    return found
