"""Pictures for the tests of the robust codec: made here, so that no photo is needed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from morebits.codecs.robust import Robust


def make_scene(height: int, width: int, seed: int = 0) -> np.ndarray:
    """Soft shapes in colour; flat on the left, ever more grain towards the right."""
    random = np.random.default_rng(seed)
    coarse = random.normal(128, 40, (height // 24 + 2, width // 24 + 2, 3))
    shapes = Image.fromarray(coarse.clip(20, 235).astype(np.uint8))
    smooth = np.asarray(shapes.resize((width, height), Image.Resampling.BICUBIC), np.float64)
    grain = random.normal(0, 1, (height, width, 1)) * np.linspace(0.5, 14, width)[:, None]
    return np.rint(smooth + grain).clip(0, 255).astype(np.uint8)


@pytest.fixture(scope="session")
def scene() -> Callable[..., np.ndarray]:
    return make_scene


@pytest.fixture(scope="session")
def cover() -> np.ndarray:
    return make_scene(240, 336)


@pytest.fixture(scope="session")
def payload() -> bytes:
    return b"sixteen bytes ok"


@pytest.fixture(scope="session")
def marked(cover: np.ndarray, payload: bytes) -> np.ndarray:
    """The cover at 45 dB, with the key "key"."""
    bits = np.unpackbits(np.frombuffer(payload, np.uint8))
    return Robust(psnr=45, key="key").embed(cover, bits).image
