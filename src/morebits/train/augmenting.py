"""Edits between embedder and extractor: some are drawn at each step, and chained.

One draw is for the whole batch on all devices, as in the published recipe. The extractor resizes
whatever size comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from numpy.random import Generator
from torch import Tensor

from morebits.train import geometric, photometric
from morebits.train.config import TrainConfig
from morebits.train.randomness import Purpose, generator

Augmentation: TypeAlias = Callable[[Tensor, Generator], Tensor]


def _identity(pictures: Tensor, _rng: Generator) -> Tensor:
    return pictures


#: By the names of `train.config.AUGMENTATIONS`.
TABLE: Mapping[str, Augmentation] = {
    "identity": _identity,
    "flip": geometric.flip,
    "resize": geometric.resize,
    "crop": geometric.crop,
    "rotate": geometric.rotate,
    "perspective": geometric.perspective,
    "jpeg": photometric.jpeg,
    "soft-jpeg": photometric.soft_jpeg,
    "blur": photometric.blur,
    "median": photometric.median,
    "brightness": photometric.brightness,
    "contrast": photometric.contrast,
    "saturation": photometric.saturation,
    "hue": photometric.hue,
}


class Chain:
    """The augmentations of one step, by name; called again, it does the same again.

    No dataclass: Fabric looks into those for tensors, and refuses frozen ones.
    """

    def __init__(self, names: tuple[str, ...], *origin: int):
        self.names, self._origin = names, origin

    def __call__(self, pictures: Tensor) -> Tensor:
        seed, purpose, step = self._origin
        rng = generator(seed, Purpose(purpose), step, 1)
        for name in self.names:
            pictures = TABLE[name](pictures, rng)
        return pictures


def draw(config: TrainConfig, step: int, purpose: Purpose = Purpose.AUGMENTATIONS) -> Chain:
    """The chain of a step.

    >>> config = TrainConfig(augmentations=("flip",), chained=2)
    >>> draw(config, 5).names
    ('flip', 'flip')
    """
    names: tuple[str, ...] = ()
    if config.augmentations:
        rng = generator(config.seed, purpose, step, 0)
        drawn = rng.integers(len(config.augmentations), size=config.chained)
        names = tuple(config.augmentations[int(each)] for each in drawn)
    return Chain(names, config.seed, purpose, step)
