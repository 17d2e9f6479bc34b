"""Where a run computes: Fabric for one device, copies on many (DDP), or shards (FSDP2)."""

from __future__ import annotations

import logging
import os
import warnings
from functools import partial
from typing import Any

import torch
from lightning_fabric import Fabric
from lightning_fabric.plugins.environments.lightning import LightningEnvironment
from lightning_fabric.plugins.environments.torchelastic import TorchElasticEnvironment
from lightning_fabric.plugins.precision.amp import MixedPrecision
from lightning_fabric.plugins.precision.precision import Precision
from lightning_fabric.strategies.ddp import DDPStrategy
from lightning_fabric.strategies.model_parallel import ModelParallelStrategy
from torch.distributed.device_mesh import DeviceMesh

from morebits.errors import InputError
from morebits.train import memory
from morebits.train.config import TrainConfig


def launched() -> bool:
    """Whether this is one of several processes, ours or those of `torchrun`."""
    return {"RANK", "LOCAL_RANK", "WORLD_SIZE"} <= set(os.environ)


def accelerator(config: TrainConfig) -> str:
    """The kind of device; InputError where it is not there.

    >>> accelerator(TrainConfig(accelerator="cpu"))
    'cpu'
    """
    there = torch.cuda.device_count()
    if config.accelerator == "cpu" or (config.accelerator == "auto" and not there):
        return "cpu"
    needed = int(os.environ.get("LOCAL_WORLD_SIZE", config.devices))  # of `torchrun`: here alone
    if there < needed:
        expected = f'torch sees {there} GPUs here; give fewer devices, or accelerator = "cpu"'
        raise InputError("devices", needed, expected)
    return "cuda"


def fabric(config: TrainConfig) -> Fabric:
    """What the loop runs on, ready: processes that were started know their ranks."""
    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)  # it greets on stderr
    kind = accelerator(config)
    if not launched():
        made = Fabric(
            accelerator=kind, devices=1, plugins=[LightningEnvironment(), _precision(config)]
        )  # fmt: skip
        made.launch()
        return made
    world = int(os.environ["WORLD_SIZE"])
    local = int(os.environ.get("LOCAL_WORLD_SIZE", world))
    if config.batch % world:
        expected = f"give a multiple of the {world} processes, which share it"
        raise InputError("batch", config.batch, expected)
    if config.early_updates and world > 1:
        expected = f"leave it off: the {world} processes add up their gradients first"
        raise InputError("early_updates", True, expected)
    # Depthwise weights of one channel have strides that torch's buckets count otherwise.
    warnings.filterwarnings("ignore", message="Grad strides do not match bucket view strides")
    made = Fabric(
        accelerator=kind, devices=local, num_nodes=world // local,
        strategy=_sharded(config, world) if config.strategy == "fsdp" else DDPStrategy(),
        plugins=[TorchElasticEnvironment(), _precision(config)],
    )  # fmt: skip
    made.launch()
    return made


class _Mixed(MixedPrecision):
    """The networks' sums in bfloat16, and pictures as they are."""

    def convert_input(self, data: Any) -> Any:
        """As it is: Fabric would cut pictures to the eight digits of a sample, and less."""
        return data

    # Gradients in bfloat16 need no scale; with one, losses could not be balanced by theirs.
    backward = Precision.backward


def _precision(config: TrainConfig) -> Precision:
    """Half precision for the networks' sums; shards bring their own, which spares the blend."""
    sharded = launched() and config.strategy == "fsdp"
    if config.precision == "bf16" and not sharded:
        return _Mixed("bf16-mixed", accelerator(config))
    return Precision()  # tensors stay as they are


def _sharded(config: TrainConfig, world: int) -> ModelParallelStrategy:
    return ModelParallelStrategy(
        parallelize_fn=partial(_parallelise, half=config.precision == "bf16"),
        data_parallel_size=world, tensor_parallel_size=1,
    )  # fmt: skip


def _parallelise(model: torch.nn.Module, mesh: DeviceMesh, *, half: bool) -> torch.nn.Module:
    return memory.shard(model, mesh["data_parallel"], half=half)
