"""What the tests of networks share: tiny cards, and a network that really carries its message."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from morebits import neural
from morebits.neural.architectures import ConvNeXt, Jnd, UNet
from morebits.neural.cards import Card, load_card
from morebits.neural.watermarker import Watermarker


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """More threads than cores make small networks slow."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(7)


@pytest.fixture(scope="session")
def small() -> Card:
    """Video Seal's design as small as it gets, with its budget."""
    return replace(
        load_card("videoseal-tiny"),
        name="small",
        bits=16,
        embedder=UNet((4, 4, 8, 8), 1, 1, "batch", "relu"),
        extractor=ConvNeXt((1, 1, 1, 1), (4, 8, 8, 16), padding="replicate"),
        jnd=Jnd(),
    )


@pytest.fixture(scope="session")
def reader() -> Watermarker:
    """A linear network whose carriers are orthogonal, so that it reads what it wrote."""
    card = replace(load_card("linear"), name="reader", bits=8, size=16, scaling_w=0.02)
    made: Any = neural.build(card)
    rows, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(16 * 16 * 3, 8)))
    carriers = torch.tensor(np.sign(rows), dtype=torch.float32)
    carriers -= carriers.mean(0)
    with torch.no_grad():
        made.embedder.carriers.weight.copy_(carriers)
        made.extractor.readers.weight.copy_(carriers.T)
    return made


@pytest.fixture(scope="session")
def gray() -> np.ndarray:
    return np.full((16, 16, 3), 128, np.uint8)


@pytest.fixture(scope="session")
def golden() -> Path:
    return Path(__file__).parent / "golden"
