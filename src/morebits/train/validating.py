"""How good a network is on pictures that are the same every time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from morebits.bench import metrics
from morebits.neural.watermarker import resized
from morebits.train import augmenting, data, schedules
from morebits.train.data import Pixels
from morebits.train.randomness import Purpose, messages
from morebits.train.trainer import Trainer


@dataclass(frozen=True)
class Validation:
    """Means over the validation pictures: PSNR in dB of 8-bit samples, share of right bits.

    `edited_accuracy` is that after the run's own augmentations, None without any. A picture that
    did not change at all counts with 100 dB.
    """

    psnr: float
    bit_accuracy: float
    edited_accuracy: float | None

    @property
    def rank(self) -> tuple[float, float]:
        """What makes a checkpoint the best: accuracy in steps of 0.1 %, then PSNR."""
        accuracy = self.bit_accuracy if self.edited_accuracy is None else self.edited_accuracy
        return math.floor(1000 * accuracy) / 1000, self.psnr


#: dB that stand for an unchanged picture, whose PSNR has no end.
_UNCHANGED = 100.0


def validate(trainer: Trainer, step: int) -> tuple[Validation, list[tuple[Pixels, Pixels]]]:
    """Quality and accuracy, and the sample pictures (cover and marked); all processes call it."""
    config, fabric = trainer.config, trainer.fabric
    totals = torch.zeros(4, dtype=torch.float64)
    samples: list[tuple[Pixels, Pixels]] = []
    trainer.watermarker.eval()
    strength = schedules.scaling(config, step)
    trainer.watermarker.scaling_w = (
        trainer.watermarker.card.scaling_w if strength is None else strength
    )
    rounds = list(data.validation_batches(config, rank=fabric.global_rank, world=fabric.world_size))
    with torch.no_grad():
        for numbers, batch in rounds:
            totals += _measured(trainer, numbers, batch, samples)
    trainer.watermarker.train()
    if fabric.world_size > 1:
        moved = totals.to(trainer.device)
        torch.distributed.all_reduce(moved)
        totals = moved.cpu()
    psnr, clean, edited = (totals[:3] / totals[3]).tolist()
    found = Validation(psnr, clean, edited if config.augmentations else None)
    return found, samples[: config.samples]


def _measured(
    trainer: Trainer, numbers: range, batch: torch.Tensor, samples: list[tuple[Pixels, Pixels]]
) -> torch.Tensor:
    """Sums over a batch: PSNR, accuracy, accuracy after edits, pictures."""
    config, bits = trainer.config, trainer.watermarker.card.bits
    sent = torch.cat([_message(config.seed, number, bits) for number in numbers])
    covers = data.as_floats(batch.to(trainer.device), trainer.dtype)
    given = sent.to(trainer.device, trainer.dtype)
    marked, clean = trainer.module(covers, given, _unchanged)
    edited = clean
    if config.augmentations:
        edited = trainer.module(covers, given, _edits(trainer, numbers))[1]
    pixels = (marked * 255).round().to(torch.uint8).permute(0, 2, 3, 1).cpu().numpy()
    sums = np.zeros(4)
    for index, cover in enumerate(batch.numpy()):
        psnr = metrics.psnr(cover, pixels[index], peak=255)
        message = sent[index].numpy().astype(np.uint8)
        sums += (
            min(psnr, _UNCHANGED),
            metrics.bit_accuracy(message, _bits(clean[index])),
            metrics.bit_accuracy(message, _bits(edited[index])),
            1,
        )
        samples.append((cover, pixels[index]))
    return torch.from_numpy(sums)


def _edits(trainer: Trainer, numbers: range) -> Callable[[torch.Tensor], torch.Tensor]:
    """Augmentations of its own for each picture, the same whoever has it."""
    chains = [augmenting.draw(trainer.config, each, Purpose.VALIDATION) for each in numbers]
    size = trainer.watermarker.card.size

    def edit(marked: torch.Tensor) -> torch.Tensor:
        rows = marked.split(1)
        pairs = zip(chains, rows, strict=True)
        return torch.cat([resized(chain(row), size) for chain, row in pairs])

    return edit


def _unchanged(pictures: torch.Tensor) -> torch.Tensor:
    return pictures


def _message(seed: int, number: int, bits: int) -> torch.Tensor:
    return messages(seed, Purpose.VALIDATION_MESSAGES, number, slice(0, 1), (1, bits))


def _bits(logits: torch.Tensor) -> np.ndarray:
    return (logits > 0).cpu().numpy().astype(np.uint8)
