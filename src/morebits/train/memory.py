"""Less memory: activations computed again instead of kept, one gradient at a time, and weights in
shards (FSDP2).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
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


class EarlyUpdates:
    """Each weight is updated as soon as its gradient is known, and the gradient is let go.

    >>> layer = nn.Linear(2, 1)
    >>> early = EarlyUpdates(layer, torch.optim.SGD(layer.parameters()))
    >>> layer(torch.ones(1, 2)).sum().backward()
    >>> layer.weight.grad is None, round(early.norm().item() ** 2, 4)  # 1 + 1 + 1 with the bias
    (True, 3.0)
    """

    def __init__(self, module: nn.Module, optimizer: torch.optim.Optimizer):
        self._optimizer = optimizer
        self._norms: list[Tensor] = []
        for parameter in module.parameters():
            parameter.register_post_accumulate_grad_hook(self._update)

    def norm(self) -> Tensor:
        """That of the whole gradient of the last backward pass."""
        norms, self._norms = self._norms, []
        return torch.linalg.vector_norm(torch.stack(norms))

    def _update(self, parameter: Tensor) -> None:
        if parameter.grad is not None:
            self._norms.append(torch.linalg.vector_norm(parameter.grad))
        self._optimizer.step()  # of this one alone: the others have no gradient now
        parameter.grad = None


def shard(model: nn.Module, mesh: DeviceMesh, *, half: bool) -> nn.Module:
    """Both networks in shards over the mesh, block by block.

    With `half` they compute in bfloat16, while their weights, gradients and answers, and so the
    blend and the rounding to 8 bits, stay in float32.
    """
    # Extractors return a slice of their answer, which is safe as long as nobody writes into it.
    warnings.filterwarnings("ignore", message="FSDP2-wrapped module .* returned a view")
    inner = torch.bfloat16 if half else None
    watermarker = next(each for each in model.modules() if isinstance(each, Watermarker))
    outer = torch.float32 if half else None
    for network in (watermarker.embedder, watermarker.extractor):
        for block in blocks(network):
            fully_shard(block, mesh=mesh, mp_policy=MixedPrecisionPolicy(inner, outer))
        fully_shard(network, mesh=mesh, mp_policy=MixedPrecisionPolicy(inner, outer, outer))
    return model


def _is_whole(module: nn.Module) -> bool:
    """Whether it is more than one layer, and not a mere container."""
    containers = (nn.ModuleList, nn.Sequential)
    return any(module.children()) and not isinstance(module, containers)


def _recomputed(block: nn.Module) -> Callable[..., Any]:
    forward = block.forward

    def contexts() -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
        return nullcontext(), _StatisticsKept(block)

    def again(*inputs: Any) -> Any:
        if not torch.is_grad_enabled():
            return forward(*inputs)
        return checkpoint(forward, *inputs, use_reentrant=False, context_fn=contexts)

    return again


class _StatisticsKept(AbstractContextManager[None]):
    """Computing again must not count the batch again; entered once a backward pass."""

    def __init__(self, block: nn.Module):
        self._norms = [each for each in block.modules() if isinstance(each, nn.BatchNorm2d)]
        self._before: list[tuple[float | None, Tensor | None]] = []

    def __enter__(self) -> None:
        self._before = [(each.momentum, each.num_batches_tracked) for each in self._norms]
        for each in self._norms:
            each.momentum, each.num_batches_tracked = 0.0, None

    def __exit__(self, *_error: object) -> None:
        for each, (momentum, count) in zip(self._norms, self._before, strict=True):
            each.momentum, each.num_batches_tracked = momentum, count
