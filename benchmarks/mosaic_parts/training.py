"""Training of the reader: it learns how far each number can be trusted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from morebits.neural.mosaic.network import START, Network
from morebits.neural.mosaic.reading import FEATURES
from morebits.neural.mosaic.tiles import NUMBERS
from mosaic_parts.samples import Sample

#: Channels between the layers, and samples a step.
_WIDTH, _BATCH = 48, 6


@dataclass(frozen=True)
class Run:
    """What training gave: the network, the loss now and then, and how long it took."""

    network: Network
    curve: list[dict[str, float]]
    minutes: float
    steps: int


class Reader(nn.Module):
    """The reader as a module; `Network.believe` is the same in numpy."""

    def __init__(self, mean: Tensor, scale: Tensor):
        super().__init__()
        self.mean, self.scale = mean, scale
        self.convolutions = [
            nn.Conv2d(FEATURES, _WIDTH, 1),
            nn.Conv2d(_WIDTH, _WIDTH, 3, padding=1),
            nn.Conv2d(_WIDTH, _WIDTH, 3, padding=1),
            nn.Conv2d(_WIDTH, 2 * NUMBERS, 1),
        ]
        self.layers = nn.ModuleList(self.convolutions)  # so that torch knows their parameters
        for each in self.convolutions[-1].parameters():
            nn.init.zeros_(each)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Deviation in cells and chance of loss, (B, 10, rows, columns) each."""
        maps = (features - self.mean[:, None, None]) * self.scale[:, None, None]
        for layer in self.convolutions[:-1]:
            maps = functional.relu(layer(maps))
        maps = self.convolutions[-1](maps)
        sigma = (START[0] * maps[:, :NUMBERS].exp()).clamp(0.02, 1.0)
        odds = float(np.log(START[1] / (1 - START[1]))) + maps[:, NUMBERS:]
        return sigma, odds.sigmoid().clamp(1e-3, 1 - 1e-3)


def soft_values(cells: Tensor, sigma: Tensor, lost: Tensor) -> Tensor:
    """`lattice.soft_values` of one bit."""

    def chance(off: Tensor) -> Tensor:
        near, far = -0.5 * (off / sigma) ** 2, -0.5 * ((1 - off) / sigma) ** 2
        density = torch.logaddexp(near, far) - torch.log(sigma * float(np.sqrt(2 * np.pi)))
        return torch.logaddexp(torch.log1p(-lost) + density, torch.log(lost))

    off = (cells - cells.round()).abs()
    return chance(0.5 - off) - chance(off)


def train(
    network: Network, samples: Sequence[Sample], kept: Sequence[Sample], *,
    minutes: float, seed: int,
) -> Run:  # fmt: skip
    """Train the reader of a network; `kept` samples only tell how well it does."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    random = np.random.default_rng(seed)
    every = np.concatenate([each.features.reshape(-1, FEATURES)[::37] for each in samples])
    mean, deviation = every.mean(axis=0, dtype=np.float64), every.std(axis=0, dtype=np.float64)
    scale = 1 / np.maximum(deviation, 0.05)
    reader = Reader(torch.tensor(mean).float(), torch.tensor(scale).float())
    optimiser = torch.optim.AdamW(reader.parameters(), lr=2e-3, weight_decay=1e-3)
    started, curve, step = time.process_time(), [], 0
    while (done := (time.process_time() - started) / (60 * minutes)) < 1:
        if step % 200 == 0:
            curve.append({"step": step, "information": evaluate(reader, kept)})
            print(
                f"  {100 * done:3.0f} %  step {step}  {curve[-1]['information']:.4f} bits",
                flush=True,
            )
        for group in optimiser.param_groups:
            group["lr"] = (
                2e-3 * min(1, (step + 1) / 50) * (0.02 + 0.98 * (1 + np.cos(np.pi * done)) / 2)
            )
        picked = [samples[each] for each in random.integers(0, len(samples), _BATCH)]
        loss = torch.stack([_loss(reader, each) for each in picked]).mean()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
        step += 1
    curve.append({"step": step, "information": evaluate(reader, kept)})
    layers = tuple(
        (
            layer.weight.detach().permute(2, 3, 1, 0).contiguous().numpy().astype(np.float32),
            _plain(layer.bias),
        )
        for layer in reader.convolutions
    )
    trained = replace(
        network, layers=layers, mean=mean.astype(np.float32), scale=scale.astype(np.float32)
    )
    return Run(trained, curve, (time.process_time() - started) / 60, step)


def evaluate(reader: Reader, samples: Sequence[Sample]) -> float:
    """Mean information of a number's soft value, in bits."""
    with torch.no_grad():
        losses = [float(_loss(reader, each)) for each in samples]
    return 1 - float(np.mean(losses)) / float(np.log(2))


def _loss(reader: Reader, sample: Sample) -> Tensor:
    """Mean logistic loss of the soft values of the usable tiles."""
    features, cells = (_planes(each.astype(np.float32)) for each in (sample.features, sample.cells))
    sigma, lost = reader(features)
    soft = soft_values(cells, sigma, lost)
    signs = 2 * _planes(sample.bits.astype(np.float32)) - 1
    usable = torch.from_numpy(sample.usable)
    return functional.softplus(-signs * soft)[0][:, usable].mean()


def _planes(array: np.ndarray[Any, Any]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))[None]


def _plain(tensor: Tensor | None) -> NDArray[np.float32]:
    return np.zeros(0, np.float32) if tensor is None else tensor.detach().numpy()
