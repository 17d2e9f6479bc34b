"""All that a run needs to go on, in one safetensors file: nothing in it can execute.

Tensors are named `model/NAME`, `optimizer/KEY/NAME`, `critic/NAME` and `critic_optimizer/KEY/NAME`;
the header has step, best result and configuration. Shards are put together when it is written and
cut again when it is read, so that a run may go on with other devices.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.optim import Optimizer

from morebits.errors import FileNotWritten, ResultsError
from morebits.train.trainer import Trainer

#: The entry of the header that is ours.
_HEADER = "morebits"


def gather(trainer: Trainer) -> dict[str, Tensor]:
    """Every tensor of a run by name, whole and on the CPU; all processes must call it.

    The next step may change them: write them first.
    """
    return {name: whole(tensor) for name, tensor in _tensors(trainer)}


def part_of(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Those of one part, by the names that they have there.

    >>> part_of({"model/a": torch.ones(1), "critic/a": torch.ones(2)}, "model")
    {'a': tensor([1.])}
    """
    start = f"{prefix}/"
    return {name[len(start) :]: each for name, each in tensors.items() if name.startswith(start)}


def whole(tensor: Tensor) -> Tensor:
    """On the CPU, and put together if it is in shards; no copy of what is there already."""
    full = tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
    return full.detach().cpu().contiguous()


def write(path: Path, tensors: dict[str, Tensor], header: dict[str, Any]) -> None:
    """The file, all at once: whatever fails leaves the one that was there."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.touch()
        mode = part.stat().st_mode  # what this folder's files have; the library makes private ones
        save_file(tensors, part, {_HEADER: json.dumps(header)})
        part.chmod(mode)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except (OSError, SafetensorError) as error:
        reason = " ".join(str(error).split())
        raise FileNotWritten(path, f"cannot be written ({reason})", "make room on the disk, then "
                             "go on with --resume") from None  # fmt: skip
    finally:
        part.unlink(missing_ok=True)


def read_header(path: Path) -> dict[str, Any]:
    """Step, best result and configuration of a run; ResultsError where there are none."""
    try:
        with safe_open(path, "pt") as file:
            return json.loads((file.metadata() or {})[_HEADER])
    except FileNotFoundError:
        fix = "leave out --resume, or give the folder of a run that has finished an epoch"
        raise ResultsError(path.parent, "there is nothing to resume", fix) from None
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        problem = f"{path.name} cannot be read ({' '.join(str(error).split())})"
        raise ResultsError(path.parent, problem, "start again in another folder") from None


def restore(trainer: Trainer, path: Path) -> None:
    """Put every tensor of a run back where it was."""
    with safe_open(path, "pt") as file:
        names = set(file.keys())
        _load_module(trainer.watermarker, file, "model", names)
        _load_optimizer(trainer.optimizer, trainer.watermarker, file, "optimizer", names)
        if trainer.critic is not None and trainer.critic_optimizer is not None:
            _load_module(trainer.critic, file, "critic", names)
            _load_optimizer(
                trainer.critic_optimizer, trainer.critic, file, "critic_optimizer", names
            )


def _tensors(trainer: Trainer) -> Iterator[tuple[str, Tensor]]:
    pairs: list[tuple[str, nn.Module | None, Any]] = [
        ("", trainer.watermarker, trainer.optimizer),
        ("critic", trainer.critic, trainer.critic_optimizer),
    ]
    for prefix, module, optimizer in pairs:
        if module is None:
            continue
        for name, tensor in module.state_dict().items():
            yield f"{prefix or 'model'}/{name}", tensor
        start = f"{prefix}_optimizer" if prefix else "optimizer"
        for name, parameter in module.named_parameters():
            for key, tensor in optimizer.state.get(parameter, {}).items():
                yield f"{start}/{key}/{name}", tensor


def _load_module(module: nn.Module, file: Any, prefix: str, names: set[str]) -> None:
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            tensor.copy_(_like(tensor, _get(file, f"{prefix}/{name}", names)))


def _load_optimizer(
    optimizer: Optimizer | Any, module: nn.Module, file: Any, prefix: str, names: set[str]
) -> None:
    for name, parameter in module.named_parameters():
        for key in ("step", "exp_avg", "exp_avg_sq"):
            entry = f"{prefix}/{key}/{name}"
            if entry in names:  # a discriminator that has not started yet has none
                found = file.get_tensor(entry)
                # The count of steps is one number, and fused kernels want it beside the weights.
                beside = found.to(parameter.device)
                value = beside if key == "step" else _like(parameter, found).clone()
                optimizer.state[parameter][key] = value


def _get(file: Any, entry: str, names: set[str]) -> Tensor:
    if entry not in names:
        problem = f"its state has no {entry}"
        raise ResultsError("run", problem, "start again in another folder")
    return file.get_tensor(entry)


def _like(model: Tensor, found: Tensor) -> Tensor:
    """On the same device, and in the same shards."""
    if isinstance(model, DTensor):
        placed = found.to(model.device, model.dtype)
        return distribute_tensor(placed, model.device_mesh, model.placements)
    return found.to(model.device, model.dtype)
