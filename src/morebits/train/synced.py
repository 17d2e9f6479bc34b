"""Batch normalisation over the pictures of all devices, as the published runs have it.

torch has one for GPUs only; this one also runs on the processes of a CPU, and is used for both.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn import functional


class _Sum(torch.autograd.Function):
    """The sum over all devices, forwards and backwards."""

    @staticmethod
    def forward(ctx: Any, values: Tensor) -> Tensor:  # noqa: ARG004
        total = values.clone()
        dist.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:  # noqa: ARG004
        total = gradients[0].clone()
        dist.all_reduce(total)
        return total


class SyncedBatchNorm2d(nn.BatchNorm2d):
    """What its base would do with the pictures of all processes in one batch."""

    def forward(self, input: Tensor) -> Tensor:
        x = input if input.dtype == torch.float64 else input.float()  # sums of many values
        if not self.training:
            weight, bias = self.weight.to(x.dtype), self.bias.to(x.dtype)
            mean, variance = self.running_mean, self.running_var
            return functional.batch_norm(x, mean, variance, weight, bias, eps=self.eps).to(
                input.dtype
            )
        count = x.shape[0] * x.shape[2] * x.shape[3] * dist.get_world_size()
        mean = _Sum.apply(x.sum((0, 2, 3))) / count  # pyright: ignore[reportOptionalOperand]
        centred = x - mean[:, None, None]
        variance = _Sum.apply(centred.square().sum((0, 2, 3))) / count  # pyright: ignore[reportOptionalOperand]
        if self.track_running_stats:
            self._remember(mean.detach(), variance.detach() * (count / (count - 1)))
        scale = self.weight * torch.rsqrt(variance + self.eps)
        return (centred * scale[:, None, None] + self.bias[:, None, None]).to(input.dtype)

    def _remember(self, mean: Tensor, variance: Tensor) -> None:
        if self.running_mean is None or self.running_var is None or self.momentum is None:
            return  # none of our networks
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), self.momentum)
        self.running_var.lerp_(variance.to(self.running_var.dtype), self.momentum)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)


def synced(module: nn.Module) -> nn.Module:
    """The module with each of its batch norms replaced; weights and their names stay.

    >>> type(synced(nn.Sequential(nn.BatchNorm2d(2)))[0]).__name__
    'SyncedBatchNorm2d'
    """
    for name, child in module.named_children():
        setattr(module, name, synced(child))
    if type(module) is not nn.BatchNorm2d:
        return module
    new = SyncedBatchNorm2d(module.num_features, module.eps, module.momentum, device="meta")
    new.load_state_dict(module.state_dict(), assign=True)
    new.weight, new.bias = module.weight, module.bias
    return new.train(module.training)
