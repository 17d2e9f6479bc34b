"""`mb.fit`: a configuration in, a folder with weights out."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from morebits.errors import InputError, MissingExtra
from morebits.train.config import TrainConfig

for _package in ("torch", "safetensors", "kornia", "lightning_fabric", "tensorboard"):
    if importlib.util.find_spec(_package) is None:
        raise MissingExtra(_package, "train")

from morebits.train import launching  # noqa: E402
from morebits.train.loop import Fit, Progress  # noqa: E402


def fit(
    config: TrainConfig,
    *,
    out: str | os.PathLike[str],
    resume: bool = False,
    progress: Progress | None = None,
) -> Fit:
    """Train the network of a configuration, and keep everything in the folder `out`.

    A run that was stopped goes on with `resume` from its last checkpoint, and ends with the same
    weights, bit by bit, as one that was not. `progress` is called after each step with the steps
    that are done, those of the run, and the numbers of the step by name.

    More than one device means processes: call it under `if __name__ == "__main__":` then.

    >>> import tempfile
    >>> config = TrainConfig(model="videoseal-tiny", bits=8, size=32, batch=2, steps_per_epoch=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fit(config, out=folder).steps
    1
    """
    if not isinstance(config, TrainConfig):
        raise InputError("config", config, "give a TrainConfig, or use `morebits train --config`")
    return launching.launch(config, Path(out), resume=resume, progress=progress)
