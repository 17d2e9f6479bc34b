"""ColorVideoVDP without torchvision and without a hub, of which it uses next to nothing.

The package `cvvdp` asks for torchvision, of which it takes one Gaussian blur, and for a client of a
model hub, for variants of the metric that are not used here. Both stay away: while it is imported,
the blur below stands in, and the names that those variants need are there and empty.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The display that pictures are judged on: 3840 x 2160 pixels, 30 inches, seen from 75 cm.
_DISPLAY = "standard_4k"


def metric() -> Callable[[NDArray[np.uint8], NDArray[np.uint8]], float]:
    """The metric: JOD of a marked picture beside its cover, 10 for equal ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch and its friends, about themselves
        with _stand_ins():
            module = importlib.import_module("pycvvdp")
        judge = module.cvvdp(display_name=_DISPLAY, quiet=True)
    return lambda cover, marked: float(judge.predict(marked, cover, dim_order="HWC")[0])


class GaussianBlur:
    """A blur of planes (N, C, H, W) that are mirrored at the border, as torchvision has it."""

    def __init__(self, kernel_size: int, sigma: float):
        torch: Any = importlib.import_module("torch")
        places = torch.arange(kernel_size, dtype=torch.float32) - (kernel_size - 1) / 2
        weights = torch.exp(-((places / sigma) ** 2) / 2)
        self.weights = weights / weights.sum()

    def forward(self, planes: Any) -> Any:
        """The blurred planes."""
        torch: Any = importlib.import_module("torch")
        channels, half = planes.shape[-3], len(self.weights) // 2
        weights = self.weights.to(planes).expand(channels, 1, 1, -1)
        padded = torch.nn.functional.pad(planes, (half,) * 4, mode="reflect")
        along = torch.nn.functional.conv2d(padded, weights, groups=channels)
        down = weights.transpose(2, 3)
        return torch.nn.functional.conv2d(along, down, groups=channels)

    __call__ = forward


@contextmanager
def _stand_ins() -> Generator[None]:
    """In place of what cannot be imported, as long as pycvvdp is being imported."""
    wanted = {
        "torchvision": {},
        "torchvision.transforms": {"GaussianBlur": GaussianBlur},
        "torchvision.ops": {"MLP": None},
        "huggingface_hub": {"hf_hub_download": None},
    }
    added: list[str] = []
    for name, members in wanted.items():
        if name in sys.modules or (name == "huggingface_hub" and find_spec(name)):
            continue
        module = ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
        added.append(name)
    try:
        yield
    finally:
        for name in added:
            del sys.modules[name]
