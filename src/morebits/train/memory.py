"""Less memory: activations computed again instead of kept, and weights in shards (FSDP2)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.checkpoint import checkpoint

from morebits.neural import Watermarker


def blocks(network: nn.Module) -> list[nn.Module]:
    """The repeated parts: members of lists and sequences that have parts, and no blocks inside.

    >>> from morebits.neural import build
    >>> len(blocks(build("videoseal-tiny").embedder))  # three down, two in the middle, three up
    8
    """
    found: list[nn.Module] = []
    for child in network.children():
        inside = blocks(child)
        listed = isinstance(network, (nn.ModuleList, nn.Sequential))
        found += inside or ([child] if listed and _is_whole(child) else [])
    return found


def recompute(network: nn.Module) -> None:
    """Keep only what enters each block, and compute the rest again on the way back."""
    for block in blocks(network):
        block.forward = _recomputed(block)  # pyright: ignore[reportAttributeAccessIssue]


def shard(model: nn.Module, mesh: DeviceMesh, *, half: bool) -> nn.Module:
    """Both networks in shards over the mesh, block by block.

    With `half` they compute in bfloat16, while their weights, gradients and answers, and so the
    blend and the rounding to 8 bits, stay in float32.
    """
    inner = torch.bfloat16 if half else None
    watermarker = next(each for each in model.modules() if isinstance(each, Watermarker))
    for network in (watermarker.embedder, watermarker.extractor):
        within = MixedPrecisionPolicy(inner, torch.float32 if half else None)
        for block in blocks(network):
            fully_shard(block, mesh=mesh, mp_policy=within)
        outer = MixedPrecisionPolicy(
            inner, torch.float32 if half else None, torch.float32 if half else None
        )
        fully_shard(network, mesh=mesh, mp_policy=outer)
    return model


def _is_whole(module: nn.Module) -> bool:
    """Whether it is more than one layer, and not a mere container."""
    containers = (nn.ModuleList, nn.Sequential)
    return any(module.children()) and not isinstance(module, containers)


def _recomputed(block: nn.Module) -> Callable[..., Any]:
    forward = block.forward

    def contexts() -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
        return nullcontext(), _statistics_kept(block)

    def again(*inputs: Any) -> Any:
        if not torch.is_grad_enabled():
            return forward(*inputs)
        return checkpoint(forward, *inputs, use_reentrant=False, context_fn=contexts)

    return again


@contextmanager
def _statistics_kept(block: nn.Module) -> Generator[None]:
    """The second computation must not count the batch a second time."""
    norms = list(_norms(block))
    for each in norms:
        each.track_running_stats = False
    try:
        yield
    finally:
        for each in norms:
            each.track_running_stats = True


def _norms(block: nn.Module) -> Iterator[nn.BatchNorm2d]:
    for each in block.modules():
        if isinstance(each, nn.BatchNorm2d) and each.track_running_stats:
            yield each
