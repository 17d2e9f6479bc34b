"""Pictures to train on: a folder, one gray picture or coloured noise, each a function of its index.

Picture number i of a run is the same whoever asks for it and whenever, which is what makes a
run repeatable with any number of workers, devices and stops.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from morebits import images
from morebits.bench import pictures
from morebits.errors import ImageError, MorebitsError
from morebits.train.config import TrainConfig
from morebits.train.randomness import Purpose, generator

#: (H, W, 3) samples.
Pixels: TypeAlias = NDArray[np.uint8]


class Source(Protocol):
    """Where pictures come from."""

    def picture(self, index: int, rng: np.random.Generator) -> Pixels:
        """The picture of this index; what is random about it comes from `rng`."""
        ...


class Gray:
    """One picture, all of whose samples are 128: the paper's gray cover."""

    def __init__(self, size: int):
        self._pixels = np.full((size, size, 3), 128, np.uint8)

    def picture(self, index: int, rng: np.random.Generator) -> Pixels:  # noqa: ARG002
        return self._pixels


class Synthetic:
    """Coloured noise whose amplitude falls with the frequency, as that of photos does.

    >>> Synthetic(16).picture(0, np.random.default_rng(1)).shape
    (16, 16, 3)
    """

    def __init__(self, size: int):
        self._size = size
        rows, columns = np.fft.fftfreq(size), np.fft.rfftfreq(size)
        self._amplitude = 1 / np.maximum(np.hypot(rows[:, None], columns), 1 / size)

    def picture(self, index: int, rng: np.random.Generator) -> Pixels:  # noqa: ARG002
        shape = (3, *self._amplitude.shape)
        waves = self._amplitude * (rng.normal(size=shape) + 1j * rng.normal(size=shape))
        planes = np.fft.irfft2(waves, (self._size, self._size)).transpose(1, 2, 0)
        planes = planes @ (np.eye(3) + rng.uniform(0, 1, (3, 3)))  # channels go together
        planes = (planes - planes.mean((0, 1))) / planes.std()
        level, contrast = rng.uniform(64, 192, 3), rng.uniform(20, 70)
        return np.clip(np.rint(level + contrast * planes), 0, 255).astype(np.uint8)


class Folder:
    """The pictures in and below a folder in a new order at each pass, and of each a random square.

    Gray ones become colour, 16 bits become 8. ImageError for a folder without pictures.
    """

    def __init__(self, path: str, *, size: int, resize: bool, seed: int):
        if not Path(path).is_dir():
            raise ImageError(path, "is no folder", "give one with pictures, or gray or synthetic")
        try:
            found = pictures.collect(f"{glob.escape(path)}/**/*")
        except ImageError:
            fix = "put some in, or give another folder, gray or synthetic"
            raise ImageError(path, "the training folder has no pictures", fix) from None
        self._files = [str(each) for each in found.files.values()]
        self._size, self._resize, self._seed = size, resize, seed
        self._turn, self._order = -1, np.arange(0)

    def picture(self, index: int, rng: np.random.Generator) -> Pixels:
        path = self._path(index)
        pixels = _colour(images.read(path))
        if self._resize:
            pixels = _scaled(pixels, self._size)
        height, width = pixels.shape[:2]
        if min(height, width) < self._size:
            problem = f"has {width}x{height} pixels, fewer than {self._size} a side"
            raise ImageError(path, problem, "set resize = true, a smaller size, or leave it out")
        top = int(rng.integers(height - self._size + 1))
        left = int(rng.integers(width - self._size + 1))
        return pixels[top : top + self._size, left : left + self._size]

    def _path(self, index: int) -> str:
        """The file at this place of the endless sequence of passes."""
        turn, place = divmod(index, len(self._files))
        if turn != self._turn:
            rng = generator(self._seed, Purpose.ORDER, turn)
            self._turn, self._order = turn, rng.permutation(len(self._files))
        return self._files[self._order[place]]


def source(word: str, config: TrainConfig) -> Source:
    """The source that a configuration names.

    >>> source("gray", TrainConfig(size=8)).picture(0, np.random.default_rng(0)).max()
    np.uint8(128)
    """
    if word == "gray":
        return Gray(config.size)
    if word == "synthetic":
        return Synthetic(config.size)
    return Folder(word, size=config.size, resize=config.resize, seed=config.seed)


def check(config: TrainConfig) -> None:
    """ImageError where a folder of the configuration is not there or has no pictures."""
    for word in {config.data, config.validation_data or config.data}:
        source(word, config)


class Indexed(Dataset["Pixels | MorebitsError"]):
    """A source as torch's loaders want it.

    An error is handed on as a value: torch would rebuild it in the parent from its text alone.
    """

    def __init__(self, origin: Source, seed: int, purpose: Purpose):
        self._origin, self._seed, self._purpose = origin, seed, purpose

    def __getitem__(self, index: int) -> Pixels | MorebitsError:
        try:
            return self._origin.picture(index, generator(self._seed, self._purpose, index))
        except MorebitsError as error:
            return error


def training_batches(
    config: TrainConfig, *, first: int, rank: int = 0, world: int = 1
) -> Iterator[torch.Tensor]:
    """Batches (B, H, W, 3) of samples for the steps from `first` on: this rank's share of each.

    >>> next(training_batches(TrainConfig(size=8, batch=2), first=0)).shape
    torch.Size([2, 8, 8, 3])
    """
    share = config.batch // world
    steps = range(first, config.steps)
    wanted = [range(s * config.batch + rank * share, s * config.batch + (rank + 1) * share)
              for s in steps]  # fmt: skip
    data = Indexed(source(config.data, config), config.seed, Purpose.PICTURES)
    return _loaded(data, wanted, config.workers)


def validation_batches(
    config: TrainConfig, *, rank: int = 0, world: int = 1
) -> Iterator[tuple[range, torch.Tensor]]:
    """Batches of this rank's validation pictures, each with the numbers of its pictures.

    Every rank has as many, so that none waits for the others: there may be a few more in all.

    >>> numbers, batch = next(validation_batches(TrainConfig(size=8, validation=3)))
    >>> numbers, batch.shape
    (range(0, 3), torch.Size([3, 8, 8, 3]))
    """
    word = config.validation_data or config.data
    data = Indexed(source(word, config), config.seed, Purpose.VALIDATION)
    most = config.batch // world
    mine = range(rank, -(-config.validation // world) * world, world)
    wanted = [mine[start : start + most] for start in range(0, len(mine), most)]
    yield from zip(wanted, _loaded(data, wanted, 0), strict=True)


def as_floats(batch: torch.Tensor, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Samples (B, H, W, 3) as floats (B, 3, H, W) of [0, 1].

    >>> as_floats(torch.full((1, 2, 4, 3), 255, dtype=torch.uint8)).shape
    torch.Size([1, 3, 2, 4])
    """
    return (batch.to(dtype) / 255).permute(0, 3, 1, 2).contiguous()


def _loaded(data: Indexed, wanted: Sequence[Sequence[int]], workers: int) -> Iterator[torch.Tensor]:
    loader = DataLoader(data, batch_sampler=wanted, num_workers=workers, collate_fn=_stacked)  # pyright: ignore[reportArgumentType]
    for batch in loader:
        if isinstance(batch, MorebitsError):
            raise batch
        yield batch


def _stacked(found: Sequence[Pixels | MorebitsError]) -> torch.Tensor | MorebitsError:
    right: list[Pixels] = []
    for each in found:
        if isinstance(each, MorebitsError):
            return each
        right.append(each)
    return torch.from_numpy(np.stack(right))


def _colour(picture: images.Picture) -> Pixels:
    """Three 8-bit channels of whatever was read."""
    array = picture.array
    if picture.depth > 8:
        array = np.rint(array.astype(np.float32) * (255 / picture.format.rho)).astype(np.uint8)
    pixels = array.astype(np.uint8, copy=False)
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels[..., :3]


def _scaled(pixels: Pixels, short: int) -> Pixels:
    """The picture with its short side `short` pixels long."""
    height, width = pixels.shape[:2]
    factor = short / min(height, width)
    size = max(short, round(width * factor)), max(short, round(height * factor))
    image = Image.fromarray(np.ascontiguousarray(pixels))
    return np.asarray(image.resize(size, Image.Resampling.BILINEAR))
