"""Learning rate and strength as functions of the epoch, which is a fraction between steps."""

from __future__ import annotations

import math

from morebits.train.config import TrainConfig

#: Where the warm-up starts, as published.
_WARMUP_FROM = 1e-8


def learning_rate(config: TrainConfig, step: int) -> float:
    """The rate of a step: a linear warm-up, then a cosine over the whole run.

    As published the cosine is read at the absolute epoch, so the warm-up cuts off its start.

    >>> config = TrainConfig(lr=0.1, min_lr=0, epochs=4, steps_per_epoch=10, warmup_epochs=1)
    >>> [round(learning_rate(config, step), 4) for step in (0, 5, 20)]
    [0.0, 0.05, 0.05]
    """
    epoch = step / config.steps_per_epoch
    if epoch < config.warmup_epochs:
        return _WARMUP_FROM + (config.lr - _WARMUP_FROM) * epoch / config.warmup_epochs
    return config.min_lr + (config.lr - config.min_lr) * _falling(epoch / config.epochs)


def scaling(config: TrainConfig, step: int) -> float | None:
    """The scaling_w of a step; None: the card's.

    >>> config = TrainConfig(scaling=(1, .2), scaling_epochs=(2, 4), steps_per_epoch=10)
    >>> [round(scaling(config, step), 3) for step in (0, 20, 30, 40, 99)]
    [1.0, 1.0, 0.6, 0.2, 0.2]
    """
    if not config.scaling:
        return None
    (first, last), (start, end) = config.scaling, config.scaling_epochs
    epoch = step / config.steps_per_epoch
    if epoch < start:
        return float(first)
    if epoch >= end:
        return float(last)
    return last + (first - last) * _falling((epoch - start) / (end - start))


def settled(config: TrainConfig, step: int) -> bool:
    """Whether the strength has its last value: before, quality and accuracy mean little.

    >>> settled(TrainConfig(), 0)
    True
    """
    return not config.scaling or step >= config.scaling_epochs[1] * config.steps_per_epoch


def _falling(part: float) -> float:
    """A half cosine from 1 to 0."""
    return (1 + math.cos(math.pi * part)) / 2
