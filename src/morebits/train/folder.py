"""The folder of a run: configuration, log, state, weights and sample pictures.

`config.toml` is what the run is; `log.jsonl` has a line every `log_every` steps, and one a
validation; `state.safetensors` is all that is needed to go on; `last.safetensors` has the weights
of the last checkpoint and `best.safetensors` those of the best; `result.json` is how it ended;
`samples/` are covers, marked pictures and ten times their difference; `tensorboard/` has the same
numbers and pictures for TensorBoard.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from morebits import files, images
from morebits.errors import FileNotWritten, OtherConfig, ResultsError
from morebits.train import state, toml
from morebits.train.config import TrainConfig
from morebits.train.data import Pixels

STATE, LAST, BEST = "state.safetensors", "last.safetensors", "best.safetensors"
RESULT, LOG, CONFIG = "result.json", "log.jsonl", "config.toml"

#: Fields that change where and how a run computes or reports, and not what.
FREE = frozenset({
    "workers", "accelerator", "devices", "strategy", "checkpoint_activations", "early_updates",
    "log_every", "samples",
})  # fmt: skip


class Journal:
    """What one process, the first, writes while a run goes on."""

    def __init__(self, folder: Path, config: TrainConfig, *, step: int):
        self.folder = folder
        _write(folder / CONFIG, toml.write(config))
        from torch.utils.tensorboard import SummaryWriter  # takes seconds, and one process needs it

        with _writing(folder):
            _cut(folder / LOG, step)
            (folder / "samples").mkdir(exist_ok=True)
            # As in the log, the points of that step itself stay.
            self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=step + 1)
            self._log = (folder / LOG).open("a", encoding="utf-8")

    def add(self, step: int, values: Mapping[str, Any], *, kind: str = "train") -> None:
        """A line of the log, and points of the curves."""
        line = {"step": step, "kind": kind, **values}
        with _writing(self.folder):
            self._log.write(json.dumps(line) + "\n")
            self._log.flush()
            for name, value in values.items():
                if value is not None:
                    self._board.add_scalar(f"{kind}/{name}", value, step)

    def samples(self, step: int, pairs: Sequence[tuple[Pixels, Pixels]]) -> None:
        """A picture with a row for each cover: cover, marked, ten times the difference."""
        if pairs:
            grid = sheet(pairs)
            with _writing(self.folder):
                images.write(self.folder / "samples" / f"step-{step:07d}.png", grid, force=True)
                self._board.add_image("samples", grid, step, dataformats="HWC")

    def close(self) -> None:
        """Everything to the disk."""
        with _writing(self.folder):
            self._log.close()
            self._board.close()


def sheet(pairs: Sequence[tuple[Pixels, Pixels]]) -> Pixels:
    """Cover, marked and ten times the difference on gray, side by side, a row for each pair.

    >>> flat = np.zeros((2, 2, 3), np.uint8)
    >>> sheet([(flat, flat + np.uint8(1))])[0, :, 0].tolist()
    [0, 0, 1, 1, 138, 138]
    """
    rows = [
        np.hstack([cover, marked, np.clip(128 + 10 * (marked.astype(int) - cover), 0, 255)])
        for cover, marked in pairs
    ]
    return np.vstack(rows).astype(np.uint8)


def prepare(folder: Path, config: TrainConfig, *, resume: bool) -> None:
    """Make the folder; an error where a run is there already, or another one is resumed."""
    if resume:
        check_same(folder, config)
        return
    if (folder / STATE).exists():
        fix = "go on with --resume (resume=True), or give another folder"
        raise ResultsError(folder, "has a run already", fix)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(folder, f"cannot be made ({error.strerror})", "give another") from None


def check_same(folder: Path, config: TrainConfig) -> None:
    """OtherConfig unless the run in the folder has this configuration."""
    found = differences(state.read_header(folder / STATE)["config"], config)
    if found:
        raise OtherConfig(folder, found)


def differences(before: Mapping[str, Any], config: TrainConfig) -> dict[str, tuple[Any, Any]]:
    """The fields in which a run would not be the same one, with both values.

    >>> from dataclasses import replace
    >>> old = asdict(TrainConfig())
    >>> differences(old, replace(TrainConfig(), lr=0.1, workers=2))
    {'lr': (0.0005, 0.1)}
    """
    now = json.loads(json.dumps(asdict(config)))
    then = json.loads(json.dumps(before))
    return {
        name: (then.get(name), value)
        for name, value in now.items()
        if name not in FREE and then.get(name) != value
    }


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """A JSON file, all at once."""
    _write(path, json.dumps(values, indent=2) + "\n")


@contextmanager
def _writing(folder: Path) -> Generator[None]:
    """Whatever the system has against it becomes an error that says how to go on."""
    try:
        yield
    except FileNotWritten:
        raise
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        fix = "make room on the disk, then go on with --resume"
        raise FileNotWritten(error.filename or folder, problem, fix) from None


def _write(path: Path, text: str) -> None:
    files.write_bytes(path, text.encode(), force=True)


def _cut(path: Path, step: int) -> None:
    """Leave out what was logged after the state that the run goes on from."""
    if path.exists():
        lines = path.read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step]
        _write(path, "".join(kept))
