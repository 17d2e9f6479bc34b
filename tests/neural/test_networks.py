"""The networks against an independent version of the published ones, with official names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.nn import functional

from morebits.neural import build, load_card
from morebits.neural.architectures import ConvNeXt, UNet, ViT
from morebits.neural.checkpoints import renamed
from morebits.neural.watermarker import Watermarker

from . import published_networks as published

#: float64 on both sides, sums in another order.
LARGEST = 1e-10


def official(made: Watermarker, golden: Path) -> dict[str, torch.Tensor]:
    """Random tensors in the network, and the same under the names of the published lists."""
    state = {
        name: torch.rand_like(each) + 0.5
        if name.endswith(("running_var", "gamma"))
        else torch.randn_like(each) * 0.3
        if each.is_floating_point()
        else each
        for name, each in made.state_dict().items()
    }
    made.load_state_dict(state)
    names = [
        line.split("\t")[0]
        for path in sorted(golden.glob("keys-*.txt"))
        for line in path.read_text().splitlines()
    ]
    found = {name: state[ours] for name in names if (ours := renamed(name)) in state}
    assert {renamed(name) for name in found} == set(state)
    return found


@pytest.mark.parametrize(
    ("residual", "norm", "activation", "act"),
    [("luma", "batch", "relu", functional.relu), ("rgb", "rms", "silu", functional.silu)],
)
def test_unet(small, golden, residual, norm, activation, act):
    shape = UNet((4, 6, 8, 10), 2, 2, norm, activation)
    made = build(replace(small, residual=residual, embedder=shape, bits=5)).double()
    state = official(made, golden)
    images = torch.rand(2, made.card.channels, 32, 32, dtype=torch.float64)
    bits = torch.randint(0, 2, (2, 5))
    expected = published.unet(state, images, bits, 2, act)
    assert expected.abs().max() > 0.1
    assert (made.embedder(images, bits) - expected).abs().max() < LARGEST


@pytest.mark.parametrize(("stride", "padding"), [(4, "replicate"), (2, "reflect")])
def test_convnext(small, golden, stride, padding):
    shape = ConvNeXt((1, 2, 3, 1), (4, 6, 8, 10), stride, padding)
    made = build(replace(small, size=48, extractor=shape)).double()
    state = official(made, golden)
    images = torch.rand(2, 3, 48, 48, dtype=torch.float64)
    expected = published.convnext(state, images, shape.depths, stride, padding)
    assert expected.shape == (2, 16)
    assert (made.extractor(images) - expected).abs().max() < LARGEST


def test_vit(golden):
    shape = ViT(8, 12, 3, 2, 2, (1,))
    card = replace(load_card("videoseal-0.0"), size=32, bits=7, extractor=shape)
    card = replace(card, embedder=UNet((2, 2, 2, 2), 1, 1, "rms", "silu"))
    made = build(card).double()
    state = official(made, golden)
    images = torch.rand(2, 3, 32, 32, dtype=torch.float64)
    expected = published.vit(state, images, 8, 2, [2, 4, 2])
    assert expected.shape == (2, 7)
    assert (made.extractor(images) - expected).abs().max() < LARGEST
