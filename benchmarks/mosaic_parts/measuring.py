"""What was asked of the network: raw accuracy and information on photos it has never seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import attacks, distortion, images
from morebits.neural.mosaic import maps, reading
from morebits.neural.mosaic.layout import SLOTS, Layout
from morebits.neural.mosaic.network import Network
from morebits.neural.mosaic.reading import Read
from morebits.neural.mosaic.searching import Search
from morebits.neural.mosaic.tiles import TILE

#: The edits that were named, the PSNR, and the least bits of a map on 640 x 480 pixels.
EDITS = (
    *(f"jpeg:{quality}" for quality in (40, 50, 60, 70, 80, 90)),
    "blur:9", "resize:0.5", "brightness:0.5", "brightness:1.25",
)  # fmt: skip
PSNR, BITS = 45.0, 4096
#: Scales of the soft values of which calibration takes the best.
_SCALES = np.exp(np.arange(-1.5, 1.51, 0.05))


@dataclass(frozen=True)
class Outcome:
    """One photo after one edit, as one network read it.

    `accuracy` is that of the map's bits, copies added up; `each` that of single numbers;
    `information` are the bits that the soft values of single numbers carry.
    """

    photo: str
    edit: str
    network: str
    psnr: float
    bits: int
    accuracy: float
    each: float
    information: float


def measure_photo(
    path: Path, networks: Mapping[str, tuple[Network, float]], edits: Sequence[str], seed: int
) -> list[Outcome]:
    """Every edit of one photo; networks, with the scales of their soft values, share a writer."""
    cover = np.ascontiguousarray(np.broadcast_to(_array(path), (*_array(path).shape[:2], 3)))
    height, width = cover.shape[:2]
    count = -(-int(np.ceil(BITS * height * width / (640 * 480))) // SLOTS)
    bits = np.random.default_rng([seed, height, width]).integers(0, 2, count * SLOTS, np.uint8)
    writer = next(iter(networks.values()))[0]
    marked = maps.write(cover, bits, psnr=PSNR, network=writer)
    psnr = distortion.psnr(cover, marked, peak=255)
    window = Layout.of(None).window(0, 0, height // TILE, width // TILE)
    blocks = bits.reshape(count, SLOTS)[window.blocks(0, count)]
    found: list[Outcome] = []
    for edit in edits:
        look = Search(attacks.parse(edit)(marked), None, writer, 20.0).best_look()
        for name, (network, scale) in networks.items():
            read = None if look is None else _read(look.numbers, network)
            scores = _scores(read, bits, blocks, scale)
            found.append(Outcome(path.name, edit, name, psnr, bits.size, *scores))
    return found


def _array(path: Path) -> NDArray[Any]:
    return images.read(path).array[..., :3]


def _read(seen: reading.Numbers, network: Network) -> Read:
    sigma, lost = network.believe(seen.features(seen.step.levels))
    return Read(seen, seen.step, seen.cells(seen.step.levels), sigma, lost)


def _scores(
    read: Read | None, bits: NDArray[np.uint8], blocks: NDArray[np.uint8], scale: float
) -> tuple[float, float, float]:
    if read is None:
        return 0.5, 0.5, 0.0
    soft = maps.soft_values(read, bits.size)
    window = read.numbers.window
    inside = np.ix_(window.i < blocks.shape[0], window.j < blocks.shape[1])
    here = np.ix_(window.i[window.i < blocks.shape[0]], window.j[window.j < blocks.shape[1]])
    each = maps.each_soft(read)[inside]
    right = scale * each * (2.0 * blocks[here] - 1)
    lost = blocks.size - each.size
    information = float((1 - np.logaddexp(0, -right) / np.log(2)).sum())
    return (
        _accuracy(soft, bits),
        (_accuracy(each, blocks[here]) * each.size + 0.5 * lost) / blocks.size,
        max(0.0, information),
    )


def _accuracy(soft: NDArray[np.float32], bits: NDArray[np.uint8]) -> float:
    """Share of right bits; one that says nothing is half right."""
    return float(np.where(soft == 0, 0.5, (soft > 0) == bits).mean())


def calibrated(network: Network, samples: Sequence[Any]) -> float:
    """The one scale of the soft values that is best for these samples."""
    from morebits.neural.mosaic import lattice

    losses = np.zeros(len(_SCALES))
    for sample in samples:
        sigma, lost = network.believe(sample.features.astype(np.float32))
        soft = lattice.soft_values(sample.cells, sigma, lost, 1)[..., 0]
        right = ((2.0 * sample.bits - 1) * soft)[sample.usable]
        losses += [np.logaddexp(0, -scale * right).mean() for scale in _SCALES]
    return float(_SCALES[int(np.argmin(losses))])
