"""One optimisation step: embed, edit, extract, losses, gradients, update."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from morebits.neural import Watermarker, jnd
from morebits.neural.watermarker import resized
from morebits.train import augmenting, data, losses, memory, models, schedules, synced
from morebits.train.config import TrainConfig
from morebits.train.randomness import Purpose, messages


class Pass(nn.Module):
    """Covers and messages to marked pictures and logits: one call, so that devices can share it."""

    def __init__(self, watermarker: Watermarker):
        super().__init__()
        self.watermarker = watermarker

    def forward(
        self, covers: Tensor, sent: Tensor, edit: Callable[[Tensor], Tensor]
    ) -> tuple[Tensor, Tensor]:
        """The marked pictures, and what the extractor says of them after the edit."""
        marked = self.watermarker.embed(covers, sent)
        with _whole_precision(marked):
            # A crop may be smaller than the codec takes from people; the network has one size.
            edited = resized(edit(marked), self.watermarker.card.size)
        return marked, self.watermarker.extract(edited)


class Trainer:
    """The networks of a run, their optimisers, and what one step does to them.

    On the device "meta" there are shapes and no numbers: enough to see that a step fits together.
    """

    def __init__(self, config: TrainConfig, fabric: Fabric, *, device: str | None = None):
        self.config, self.fabric = config, fabric
        self.device = torch.device(device) if device else fabric.device
        self.dtype = torch.float64 if config.precision == "64" else torch.float32
        self.watermarker = models.fresh(config, device).to(self.dtype)
        if fabric.world_size > 1:
            synced.synced(self.watermarker)
        if config.checkpoint_activations:
            memory.recompute(self.watermarker)
        moved = self.device.type != "meta"
        self.module = fabric.setup_module(Pass(self.watermarker), move_to_device=moved)
        self.optimizer = self._adam(self.watermarker)
        self.early = (
            memory.EarlyUpdates(self.watermarker, self.optimizer) if config.early_updates else None
        )
        self.critic: nn.Module | None = None
        self.critic_optimizer: torch.optim.AdamW | None = None
        if config.lambda_adversarial:
            self.critic = self._critic()
            self.critic_optimizer = self._adam(self.critic)

    def gradients(self, step: int, batch: Tensor) -> dict[str, Tensor]:
        """Losses and quality of a step by name, after their gradients were computed.

        Early updates happen here too. `batch` is this device's share, (B, H, W, 3) samples.
        """
        self._set_rates(step)
        covers = data.as_floats(batch.to(self.device), self.dtype)
        sent = self._messages(step, len(covers))
        marked, logits = self.module(covers, sent, augmenting.draw(self.config, step))
        found = {
            "message": losses.message_loss(logits, sent),
            "image": losses.image_loss(self.config.image_loss, covers, marked),
        }
        weights = {"message": self.config.lambda_message, "image": self.config.lambda_image}
        fighting = step >= self.config.adversarial_start * self.config.steps_per_epoch
        extra: dict[str, Tensor] = {}
        if self.critic is not None and fighting:
            extra["discriminator"] = self._teach(self.critic, covers, marked)
            with _frozen(self.critic):
                found["adversarial"] = losses.adversarial_loss(self.critic(self._seen(marked)))
            weights["adversarial"] = self.config.lambda_adversarial
        factors: dict[str, Tensor] | dict[str, float] = weights
        if self.config.balance:
            layer = last_weight(self.watermarker.embedder)
            factors = losses.balanced(found, weights, layer, self._averaged)
        total = torch.stack([factors[name] * loss for name, loss in found.items()]).sum()
        self.fabric.backward(total)
        quality = {
            "mse": (marked - covers).square().mean(),
            "bit_accuracy": ((logits > 0) == (sent > 0.5)).to(self.dtype).mean(),
        }
        every = {"loss": total, **found, **extra, **quality}
        return {name: each.detach() for name, each in every.items()}

    def update(self) -> Tensor:
        """Clip and step; the norm that the gradient had, before it was clipped."""
        most = float("inf") if self.config.clip is None else self.config.clip
        norm = self._update_networks(most) if self.early is None else self.early.norm()
        if self.critic is not None and self.critic_optimizer is not None:
            nn.utils.clip_grad_norm_(self.critic.parameters(), most)
            self.critic_optimizer.step()
            self.critic_optimizer.zero_grad(set_to_none=True)
        return norm

    def _update_networks(self, most: float) -> Tensor:
        """Embedder and extractor at once."""
        norm = self.fabric.clip_gradients(
            self.module, self.optimizer, max_norm=most, error_if_nonfinite=False
        )
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        if norm is None:
            return torch.zeros(())
        full = getattr(norm, "full_tensor", None)  # of shards
        return norm if full is None else full()

    def _set_rates(self, step: int) -> None:
        rate, strength = schedules.learning_rate(self.config, step), self._strength(step)
        for optimizer in (self.optimizer, self.critic_optimizer):
            for group in () if optimizer is None else optimizer.param_groups:
                group["lr"] = rate
        self.watermarker.scaling_w = strength

    def _strength(self, step: int) -> float:
        strength = schedules.scaling(self.config, step)
        return self.watermarker.card.scaling_w if strength is None else strength

    def _messages(self, step: int, share: int) -> Tensor:
        start = self.fabric.global_rank * share
        shape = self.config.batch, self.watermarker.card.bits
        rows = slice(start, start + share)
        drawn = messages(self.config.seed, Purpose.MESSAGES, step, rows, shape)
        return drawn.to(self.device, self.dtype)

    def _teach(self, critic: nn.Module, covers: Tensor, marked: Tensor) -> Tensor:
        """The discriminator's loss; its gradients are averaged over the devices here.

        It is small, so every device has a copy, whatever the networks' strategy.
        """
        loss = losses.hinge_loss(critic(self._seen(covers)), critic(self._seen(marked.detach())))
        parameters = list(critic.parameters())
        found = torch.autograd.grad(loss, parameters)
        for parameter, gradient in zip(parameters, found, strict=True):
            parameter.grad = self._averaged(gradient)
        return loss

    def _seen(self, pictures: Tensor) -> Tensor:
        return jnd.luma(pictures) if self.config.discriminator == "luma" else pictures

    def _averaged(self, values: Tensor) -> Tensor:
        if self.fabric.world_size == 1:
            return values
        total = values.clone()
        torch.distributed.all_reduce(total)
        return total / self.fabric.world_size

    def _critic(self) -> nn.Module:
        with models.seeded(self.config):  # drawn on the CPU, hence the same everywhere
            made = losses.discriminator(self.config.discriminator)
        return made.to(self.device, self.dtype)

    def _adam(self, module: nn.Module) -> torch.optim.AdamW:
        decay = self.config.weight_decay
        # One pass over the weights in place of a dozen; there is no such kernel without numbers.
        fused = self.device.type != "meta"
        return torch.optim.AdamW(
            module.parameters(), lr=self.config.lr, weight_decay=decay, fused=fused
        )


def last_weight(embedder: nn.Module) -> nn.Parameter:
    """The weight of the embedder's last layer, where losses are balanced."""
    return [each for each in embedder.parameters() if each.ndim > 1][-1]


def _whole_precision(pictures: Tensor) -> AbstractContextManager[object]:
    """Edits are not computed in bfloat16, whose eight digits are those of a sample."""
    kind = pictures.device.type
    if kind == "meta" or not torch.is_autocast_enabled(kind):
        return nullcontext()
    return torch.autocast(kind, enabled=False)


@contextmanager
def _frozen(module: nn.Module) -> Generator[None]:
    """Gradients go through the module and stop at its weights."""
    module.requires_grad_(False)
    try:
        yield
    finally:
        module.requires_grad_(True)
