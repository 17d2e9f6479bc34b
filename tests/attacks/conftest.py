"""Makes the oracles of this folder importable, and two small pictures."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).parent))


def scene(channels: int) -> np.ndarray:
    """A 64x48 picture with edges, ramps, flat parts and noise, the same on every machine."""
    random = np.random.Generator(np.random.PCG64(channels))
    coarse = random.integers(0, 256, (6, 8, channels), np.uint8)
    planes = [
        np.asarray(Image.fromarray(plane).resize((64, 48), Image.Resampling.BICUBIC))
        for plane in np.moveaxis(coarse, 2, 0)
    ]
    picture = np.stack(planes, axis=2).astype(int) + random.integers(-9, 10, (48, 64, channels))
    picture[5:15, 8:30] = 255
    picture[30:40, 40:60] = 0
    return np.clip(picture, 0, 255).astype(np.uint8)


@pytest.fixture
def colour() -> np.ndarray:
    return scene(3)


@pytest.fixture
def gray() -> np.ndarray:
    return scene(1)
