"""What stands in for torchvision in ColorVideoVDP, and that package where it is installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from morebits.bench import colorvideovdp

torch = pytest.importorskip("torch")

#: Imports what the real package does, and shows what it was given.
PACKAGE = """
import huggingface_hub
from torchvision.ops import MLP
from torchvision.transforms import GaussianBlur
class cvvdp:
    def __init__(self, display_name, quiet):
        self.blur = GaussianBlur(5, 1.0)
    def predict(self, test, reference, dim_order):
        assert MLP is None and huggingface_hub.hf_hub_download is None
        return 10, None
"""


@pytest.mark.parametrize(("size", "sigma"), [(13, 3.0), (33, 8.0), (5, 1.5)])
def test_the_blur_is_a_gaussian_that_ends(size, sigma):
    planes = np.random.default_rng(0).normal(0, 1, (2, 3, 40, 50)).astype(np.float32)
    found = colorvideovdp.GaussianBlur(size, sigma)(torch.from_numpy(planes)).numpy()
    radius = size // 2
    exact = gaussian_filter(planes, sigma, mode="mirror", radius=radius, axes=(2, 3))
    assert np.abs(found - exact).max() < 1e-5


def test_nothing_stays_in_place_of_torchvision(tmp_path, monkeypatch):
    (tmp_path / "pycvvdp.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    kept = sys.modules.pop("pycvvdp", None)
    gray = np.zeros((8, 8, 3), np.uint8)
    assert colorvideovdp.metric()(gray, gray) == 10
    assert not {"torchvision", "torchvision.ops", "huggingface_hub"} & set(sys.modules)
    sys.modules.pop("pycvvdp")
    if kept is not None:
        sys.modules["pycvvdp"] = kept


def test_the_package_says_the_same_again():
    """Where it is installed (docs/benchmark.md says how): 10 is for equal pictures."""
    pytest.importorskip("ffmpeg")
    pytest.importorskip("einops")
    judge = colorvideovdp.metric()
    cover = np.full((96, 128, 3), 120, np.uint8)
    squares = np.random.default_rng(1).integers(0, 40, (12, 16, 3), np.uint8)
    marked = cover + np.kron(squares, np.ones((8, 8, 1), np.uint8))
    assert judge(cover, cover) == pytest.approx(10)
    assert 5 < judge(cover, marked) < 9.9
