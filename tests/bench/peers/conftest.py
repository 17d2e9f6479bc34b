"""What the tests of all peers share."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from PIL import Image

from morebits.types import Codec


def needs(*modules: str) -> pytest.MarkDecorator:
    """Skip without these modules; they are looked for, not imported."""
    absent = [each for each in modules if importlib.util.find_spec(each) is None]
    return pytest.mark.skipif(bool(absent), reason=f"not installed: {', '.join(absent)}")


def extract(codec: Codec, image: np.ndarray) -> Any:
    """What was extracted, when it is known that something was."""
    return codec.extract(image)


@pytest.fixture(scope="session")
def cover(photo) -> np.ndarray:
    """A part of a real photo, 264 wide and 256 high."""
    return np.asarray(Image.open(photo).convert("RGB"))[100:356, 120:384]


@pytest.fixture(scope="session")
def message() -> np.ndarray:
    return np.random.default_rng(4).integers(0, 2, 32).astype(np.uint8)
