"""The weights: functions, steps and the convolutional reader, which runs in numpy."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from morebits.neural.mosaic.tiles import NUMBERS, waves

#: The trained weights, beside this module.
FILE = Path(__file__).with_name("mosaic.safetensors")
#: Share of the way that a number with one bit moves.
ALPHA = 0.77
#: What the reader believes of every number before it is trained: deviation in cells, chance that
#: the number is lost.
START = (0.12, 0.02)
#: The range of what it may believe.
_SIGMAS, _LOST = (0.02, 1.0), (1e-3, 1 - 1e-3)

Maps = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Network:
    """`functions` (10, 256) are orthonormal; `steps` (10,) are relative and 1 in the RMS.

    `layers` are kernels (3, 3 or 1, 1, inputs, outputs) and biases of the reader; `mean` and
    `scale` are those of its inputs. Without layers it believes the same of every number.
    """

    functions: NDArray[np.float32] = field(repr=False)
    steps: NDArray[np.float32] = field(repr=False)
    layers: tuple[tuple[Maps, Maps], ...] = field(default=(), repr=False)
    mean: Maps = field(default_factory=lambda: np.zeros(1, np.float32), repr=False)
    scale: Maps = field(default_factory=lambda: np.ones(1, np.float32), repr=False)
    start: tuple[float, float] = START

    def believe(self, features: Maps) -> tuple[Maps, Maps]:
        """Deviation in cells and chance of loss of every number, (rows, columns, 10) each."""
        shape = (*features.shape[:2], NUMBERS)
        sigma, lost = (np.full(shape, each, np.float32) for each in self.start)
        if not self.layers:
            return sigma, lost
        maps = (features - self.mean) * self.scale
        for number, (kernel, bias) in enumerate(self.layers):
            maps = _convolved(maps, kernel) + bias
            if number + 1 < len(self.layers):
                np.maximum(maps, 0, out=maps)
        sigma = np.clip(sigma * np.exp(np.clip(maps[..., :NUMBERS], -20, 20)), *_SIGMAS)
        odds = np.clip(np.log(lost / (1 - lost)) + maps[..., NUMBERS:], -20, 20)  # exp stays finite
        return sigma, np.clip(1 / (1 + np.exp(-odds)), *_LOST).astype(np.float32)

    @property
    def parameters(self) -> tuple[int, int]:
        """Trained numbers of the writer and of the reader."""
        reader = sum(kernel.size + bias.size for kernel, bias in self.layers)
        return self.functions.size + self.steps.size, reader


def untrained() -> Network:
    """Where training starts: smooth waves, equal steps, the same belief of every number."""
    return Network(waves(), np.ones(NUMBERS, np.float32))


@cache
def trained() -> Network:
    """The network of the package."""
    return load(FILE)


def load(path: Path) -> Network:
    """A network from a safetensors file that `save` wrote."""
    from safetensors.numpy import load_file

    tensors = load_file(path)
    count = sum(name.startswith("reader.kernel.") for name in tensors)
    layers = tuple(
        (tensors[f"reader.kernel.{each}"], tensors[f"reader.bias.{each}"]) for each in range(count)
    )
    start = tensors["reader.start"]
    return Network(
        tensors["functions"], tensors["steps"], layers, tensors["reader.mean"],
        tensors["reader.scale"], (float(start[0]), float(start[1])),
    )  # fmt: skip


def scales(path: Path) -> dict[str, float]:
    """The one scale of the soft values, chosen in training, of each network of a file's notes."""
    from safetensors import safe_open

    with safe_open(path, "np") as file:
        return json.loads(file.metadata()["scales"])


def save(network: Network, path: Path, notes: dict[str, str]) -> None:
    """Write a network and notes on where it comes from."""
    from safetensors.numpy import save_file

    tensors = {
        "functions": network.functions,
        "steps": network.steps,
        "reader.mean": network.mean,
        "reader.scale": network.scale,
        "reader.start": np.array(network.start, np.float32),
    }
    for number, (kernel, bias) in enumerate(network.layers):
        tensors |= {f"reader.kernel.{number}": kernel, f"reader.bias.{number}": bias}
    plain = {name: np.ascontiguousarray(each, np.float32) for name, each in tensors.items()}
    save_file(plain, path, metadata=notes)


def _convolved(maps: Maps, kernel: Maps) -> Maps:
    """A convolution with zeros around the maps; kernels are (side, side, inputs, outputs)."""
    side, half = kernel.shape[0], kernel.shape[0] // 2
    rows, columns = maps.shape[:2]
    padded = np.pad(maps, ((half, half), (half, half), (0, 0)))
    total = np.zeros((rows, columns, kernel.shape[3]), np.float32)
    for down in range(side):
        for across in range(side):
            total += padded[down : down + rows, across : across + columns] @ kernel[down, across]
    return total
