"""Every recipe starts: one optimisation step, of shapes alone where numbers would not fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from morebits.errors import InputError
from morebits.train import machines, recipes, toml
from morebits.train.data import training_batches
from morebits.train.models import card_of
from morebits.train.trainer import Trainer

#: The paper's table of the gray study: (pixels, bits) with the published lr and lambda.
VIDEOSEAL = [
    (256, 128, 5e-4, 0.5), (256, 256, 5e-4, 1.0), (256, 512, 5e-4, 0.5), (256, 1024, 5e-5, 1.0),
    (32, 128, 5e-4, 1.0), (32, 256, 5e-4, 1.0), (32, 512, 5e-5, 1.0), (32, 1024, 5e-5, 0.1),
    (32, 1024, 5e-5, 0.5), (32, 1024, 5e-5, 1.0), (32, 1024, 5e-4, 0.5),
]  # fmt: skip
LINEAR = [(256, 1024, 5e-4, 20.0), (256, 2048, 5e-4, 12.0)]

#: Under 4 GB with their optimiser.
FIT_HERE = [
    "videoseal-256", "gray-videoseal-32px-256", "gray-videoseal-32px-512",
    "gray-videoseal-256px-128", "gray-videoseal-256px-256", "gray-videoseal-256px-512",
]  # fmt: skip


def plan(name):
    return toml.read(name)


def small(config, **changes):
    """The recipe with few pictures, on one CPU."""
    return replace(
        config, batch=2, accelerator="cpu", devices=1, strategy="ddp", workers=0, epochs=1,
        steps_per_epoch=1, validation=1, adversarial_start=0, **changes,
    )  # fmt: skip


#: One of each kind; the others differ in their numbers of bits.
QUICK = ("chunkyseal", "gray-linear-256px-2048", "gray-videoseal-256px-1024", "videoseal-256")


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.full)
     for name in recipes.names()],
)  # fmt: skip
def test_a_step_of_shapes(name):
    """The network as it is, with its losses and its optimiser, on the device without numbers."""
    config = small(plan(name).config, augmentations=(), precision="32")
    trainer = Trainer(config, machines.fabric(config), device="meta")
    batch = torch.empty((2, config.size, config.size, 3), dtype=torch.uint8, device="meta")
    found = trainer.gradients(0, batch)
    parameters = list(trainer.watermarker.parameters())
    assert all(each.grad is not None and each.grad.shape == each.shape for each in parameters)
    trainer.update()
    assert len(trainer.optimizer.state) == len(parameters)
    assert ("adversarial" in found) == (config.lambda_adversarial > 0)


def stepped(config):
    """Losses of the first step, after which every weight has moved."""
    trainer = Trainer(config, machines.fabric(config))
    before = {name: each.clone() for name, each in trainer.watermarker.named_parameters()}
    found = trainer.gradients(0, next(training_batches(config, first=0)))
    assert float(trainer.update()) > 0
    for name, each in trainer.watermarker.named_parameters():
        assert not torch.equal(each, before[name]), name
    return {name: float(each) for name, each in found.items()}


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("gray-videoseal-32px-128", {}),
        ("gray-linear-256px-1024", {"bits": 4}),  # with 1024 it needs 6.4 GB
    ],
)
def test_a_step_of_numbers(name, changes):
    found = stepped(small(plan(name).config, warmup_epochs=0, **changes))
    assert found["message"] == pytest.approx(0.7, abs=0.4)
    assert found["image"] > 0


@pytest.mark.full
@pytest.mark.parametrize("name", FIT_HERE)
def test_a_step_of_numbers_of_larger_ones(name, photos):
    config = plan(name).config
    folder = "gray" if config.data == "gray" else str(photos)
    found = stepped(small(config, warmup_epochs=0, data=folder))
    assert found["image"] > 0


@pytest.mark.parametrize(("pixels", "bits", "lr", "weight"), VIDEOSEAL)
def test_every_published_video_seal_run_is_in_a_sweep(pixels, bits, lr, weight):
    """Table of the gray study in the paper's section "Empirical performance"."""
    found = plan(f"gray-videoseal-{pixels}px-{bits}")
    chosen = replace(found.config, lr=lr, lambda_image=weight)
    assert chosen in [config for _, config in found.runs()]
    assert (chosen.size, card_of(chosen).bits, card_of(chosen).size) == (pixels, bits, pixels)
    assert (chosen.epochs, chosen.batch, chosen.steps_per_epoch) == (600, 256, 1000)
    assert card_of(chosen).jnd is None


@pytest.mark.parametrize(("pixels", "bits", "lr", "weight"), LINEAR)
def test_every_published_linear_run_is_in_a_sweep(pixels, bits, lr, weight):
    found = plan(f"gray-linear-{pixels}px-{bits}")
    assert (found.config.lr, found.config.lambda_image, found.config.epochs) == (lr, weight, 50)
    assert found.sweep == {"lr": (5e-4, 5e-5, 5e-6), "lambda_image": (4.0, 8.0, 12.0, 20.0)}


def test_chunky_seal_is_sharded_and_clipped():
    """The paper's section on Chunky Seal: 1024 bits at 256 pixels, a largest norm of 0.01."""
    config = plan("chunkyseal").config
    assert (config.clip, config.strategy, config.precision) == (0.01, "fsdp", "bf16")
    assert config.checkpoint_activations
    assert card_of(config).bits == 1024


def test_an_unknown_recipe_names_the_known_ones():
    with pytest.raises(InputError, match="give a TOML file or a recipe: chunkyseal, gray-linear"):
        toml.read("chunky")
