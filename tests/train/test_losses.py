"""Losses against their formulas, and the published discriminator."""

from __future__ import annotations

import math

import pytest
import torch
from kornia.color import rgb_to_yuv

from morebits.train import losses, schedules
from morebits.train.config import TrainConfig


def test_message_loss_is_the_mean_cross_entropy():
    logits, bits = torch.tensor([[2.0, -1.0]]), torch.tensor([[1.0, 1.0]])
    expected = (math.log1p(math.exp(-2)) + math.log1p(math.exp(1))) / 2
    assert losses.message_loss(logits, bits).item() == pytest.approx(expected)


def test_yuv_is_that_of_kornia():
    """Another implementation with the same coefficients; it rounds one of them to 3 digits."""
    pictures = torch.rand(2, 3, 4, 5, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(losses.yuv(pictures), rgb_to_yuv(pictures), atol=1e-3, rtol=0)


def test_image_losses():
    covers = torch.zeros(1, 3, 2, 2)
    marked = torch.full((1, 3, 2, 2), 0.1)
    assert losses.image_loss("mse", covers, marked).item() == pytest.approx(0.01)
    # The same change of all channels is one of luma alone: a third of the values.
    assert losses.image_loss("yuv", covers, marked).item() == pytest.approx(0.01 / 3, rel=1e-3)


def test_hinge_and_adversarial():
    real, marked = torch.tensor([2.0, 0.5]), torch.tensor([-2.0, 0.0])
    assert losses.hinge_loss(real, marked).item() == pytest.approx((0.25 + 0.5) / 2)
    assert losses.adversarial_loss(marked).item() == 1.0


@pytest.mark.parametrize(
    ("kind", "channels", "weights"), [("luma", 1, 167_009), ("rgb", 3, 168_033)]
)
def test_the_discriminator_has_the_published_size(kind, channels, weights):
    """Counted from the published layers (fact sheet of the models, losses)."""
    made = losses.discriminator(kind)
    assert sum(each.numel() for each in made.parameters()) == weights
    assert made(torch.zeros(1, channels, 64, 64)).shape == (1, 1, 14, 14)
    weight = next(made.parameters())
    assert weight.std().item() == pytest.approx(0.02, rel=0.2)


def test_balance_gives_the_asked_shares():
    layer = torch.tensor([1.0, 2.0], requires_grad=True)
    found = {"a": 7 * layer.sum(), "b": layer.square().sum()}
    weights = {"a": 1.0, "b": 3.0}
    factors = losses.balanced(found, weights, layer, lambda each: each)
    norms = {
        name: torch.autograd.grad(factors[name] * loss, layer, retain_graph=True)[0].norm().item()
        for name, loss in found.items()
    }
    assert norms == pytest.approx({"a": 0.25, "b": 0.75})


class TestSchedules:
    #: The published recipe of Video Seal 1.0.
    CONFIG = TrainConfig(
        lr=5e-4, min_lr=1e-6, warmup_epochs=20, epochs=601, steps_per_epoch=1000,
        scaling=(1.0, 0.2), scaling_epochs=(200, 400),
    )  # fmt: skip

    @pytest.mark.parametrize(
        ("epoch", "rate"),
        [
            (0, 1e-8),
            (10, (5e-4 + 1e-8) / 2),
            (20, 1e-6 + 4.99e-4 * (1 + math.cos(math.pi * 20 / 601)) / 2),
            (300.5, 1e-6 + 4.99e-4 / 2),
            (601, 1e-6),
        ],
    )
    def test_rate(self, epoch, rate):
        assert schedules.learning_rate(self.CONFIG, int(epoch * 1000)) == pytest.approx(rate)

    @pytest.mark.parametrize(
        ("epoch", "strength"), [(0, 1), (200, 1), (300, 0.6), (400, 0.2), (600, 0.2)]
    )
    def test_strength(self, epoch, strength):
        assert schedules.scaling(self.CONFIG, epoch * 1000) == pytest.approx(strength)
        assert schedules.settled(self.CONFIG, epoch * 1000) == (epoch >= 400)
