"""The loop: steps, checks, log, validation and checkpoints, the same on every kind of machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor

from morebits import __version__
from morebits.errors import ResultsError, TrainingStopped
from morebits.train import data, folder, machines, models, schedules, state, validating
from morebits.train.config import TrainConfig
from morebits.train.trainer import Trainer

#: Called with the steps that are done, the steps of the run, and the numbers of the last line.
Progress: TypeAlias = Callable[[int, int, dict[str, Any]], None]


@dataclass(frozen=True)
class Fit:
    """How a run ended: `psnr` in dB and shares of right bits of its best validation.

    `best_step` is where that was; `seconds` is the time of this session alone.
    """

    folder: Path
    steps: int
    best_step: int
    psnr: float
    bit_accuracy: float
    edited_accuracy: float | None
    seconds: float


def run(config: TrainConfig, out: Path, *, resume: bool, progress: Progress | None) -> Fit:
    """All steps of one process; the first one of several writes, and tells the progress."""
    fabric = machines.fabric(config)
    header: dict[str, Any] = {"step": 0, "best": None}
    if resume:
        header = state.read_header(out / folder.STATE)
    if fabric.is_global_zero:
        folder.prepare(out, config, resume=resume)
    fabric.barrier()
    with _memory(config, header["step"]):
        trainer = Trainer(config, fabric)
        if resume:
            state.restore(trainer, out / folder.STATE)
        session = _Session(trainer, out, header, progress)
        try:
            return session.go()
        finally:
            session.close()


class _Session:
    """One process between a start and an end."""

    def __init__(
        self, trainer: Trainer, out: Path, header: dict[str, Any], progress: Progress | None
    ):
        self.trainer, self.config, self.out = trainer, trainer.config, out
        self.first: int = header["step"]
        self.best: dict[str, Any] | None = header["best"]
        self.progress, self.start = progress, time.perf_counter()
        self.writes = trainer.fabric.is_global_zero
        self.journal = folder.Journal(out, self.config, step=self.first) if self.writes else None

    def go(self) -> Fit:
        fabric, config = self.trainer.fabric, self.config
        batches = data.training_batches(
            config, first=self.first, rank=fabric.global_rank, world=fabric.world_size
        )
        for step, batch in enumerate(batches, self.first):
            epochs, rest = divmod(step + 1, config.steps_per_epoch)
            with _memory(config, step):
                self._step(step, batch)
                if not rest and (epochs % config.validate_every == 0 or epochs == config.epochs):
                    self._checkpoint(step + 1)
        return self._finish()

    def close(self) -> None:
        if self.journal is not None:
            self.journal.close()

    def _step(self, step: int, batch: Tensor) -> None:
        found = self.trainer.gradients(step, batch)
        values = self._averaged(found)
        self._check(step, values)
        values["gradient"] = float(self.trainer.update())
        self._check(step, values)
        line = self._line(step, values)
        done = step + 1
        if self.journal is not None and (done % self.config.log_every == 0 or step == self.first):
            self.journal.add(done, line)
        if self.progress is not None and self.writes:
            self.progress(done, self.config.steps, line)

    def _check(self, step: int, values: dict[str, Any]) -> None:
        """TrainingStopped at the first number that is none."""
        wrong = [name for name, value in values.items() if not math.isfinite(value)]
        if wrong:
            config = self.config
            clip = 0.01 if config.clip is None else config.clip / 10
            fix = f"try lr = {config.lr / 10:g}, clip = {clip:g}"
            fix += ', precision = "32"' if config.precision == "bf16" else ""
            kept = (self.out / folder.STATE).exists()
            fix += "; the last checkpoint is kept" if kept else "; there is no checkpoint yet"
            raise TrainingStopped(step, f"{', '.join(wrong)} is not a finite number", fix)

    def _line(self, step: int, values: dict[str, Any]) -> dict[str, Any]:
        """What the log and the callback say of a step; PSNR is None where nothing changed."""
        mse = values.pop("mse")
        return {
            **values,
            "psnr": -10 * math.log10(mse) if mse else None,
            "lr": schedules.learning_rate(self.config, step),
            "scaling": self.trainer.watermarker.scaling_w,
            "seconds": round(time.perf_counter() - self.start, 3),
        }

    def _averaged(self, found: dict[str, Tensor]) -> dict[str, Any]:
        """Plain numbers, the means over all devices."""
        stacked = torch.stack([each.to(torch.float64) for each in found.values()])
        if self.trainer.fabric.world_size > 1:
            torch.distributed.all_reduce(stacked)
            stacked /= self.trainer.fabric.world_size
        return dict(zip(found, stacked.tolist(), strict=True))

    def _checkpoint(self, done: int) -> None:
        """Validate, then write what is needed to go on, and the weights."""
        found, samples = validating.validate(self.trainer, done)
        better = schedules.settled(self.config, done) or done == self.config.steps
        if better and self.best is not None:
            better = found.rank > validating.Validation(**self.best["validation"]).rank
        if better:
            self.best = {"step": done, "validation": asdict(found)}
        tensors = state.gather(self.trainer)
        if self.journal is None:
            return
        self.journal.add(done, asdict(found), kind="validation")
        self.journal.samples(done, samples)
        header = {"step": done, "best": self.best, "config": asdict(self.config),
                  "version": __version__}  # fmt: skip
        names = (folder.LAST, folder.BEST) if better else (folder.LAST,)
        found_weights = state.part_of(tensors, "model")
        network = self.trainer.watermarker  # with the strength that was validated
        card = replace(network.card, scaling_w=network.scaling_w)
        for name in names:
            models.save_weights(self.out / name, found_weights, card)
        # Last: a run that is cut before this repeats the steps, and writes the same weights again.
        state.write(self.out / folder.STATE, tensors, header)

    def _finish(self) -> Fit:
        if self.best is None:  # only if the state was written by hand
            raise ResultsError(self.out, "the run has no result", "start again in another folder")
        seconds = time.perf_counter() - self.start
        values = self.best["validation"]
        done = Fit(self.out, self.config.steps, self.best["step"], seconds=seconds, **values)
        path = self.out / folder.RESULT
        # A run that was complete already keeps what it took.
        if self.journal is not None and (self.first < self.config.steps or not path.exists()):
            folder.write_json(path, {**asdict(done), "folder": self.out.name})
        return done


@contextmanager
def _memory(config: TrainConfig, step: int) -> Generator[None]:
    """TrainingStopped in place of the many ways in which memory runs out."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not _is_memory(error):
            raise
        knobs = [f"a smaller batch than {config.batch}"] if config.batch > config.devices else []
        if not config.checkpoint_activations:
            knobs.append("checkpoint_activations = true")
        if not config.early_updates and config.devices == 1 and config.clip is None:
            knobs.append("early_updates = true")
        if config.precision != "bf16":
            knobs.append('precision = "bf16"')
        if config.strategy != "fsdp" or config.devices == 1:
            knobs.append('strategy = "fsdp" with more devices')
        fix = f"try {', '.join([*knobs, 'or a smaller model'])}"
        raise TrainingStopped(step, "out of memory", fix) from None


def _is_memory(error: Exception) -> bool:
    kinds = (MemoryError, torch.OutOfMemoryError)
    return isinstance(error, kinds) or "can't allocate memory" in str(error)
