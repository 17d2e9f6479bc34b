"""Video Seal: a tiny TorchScript model with the interface of the published files.

The published weights cannot be had without a download, so what is tested here is everything
around them: loading, channel order, range, rounding, messages and answers.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import pytest

from morebits.bench.peers import videoseal
from morebits.codecs import registry
from morebits.errors import InputError, MissingExtra

from .conftest import extract, needs

torch_only = needs("torch")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Files with `embed` and `detect`: bit i moves the red of column i by 4 levels."""
    torch: Any = importlib.import_module("torch")

    class Tiny(torch.nn.Module):
        def __init__(self, pixelwise: bool):
            super().__init__()
            self.pixelwise = pixelwise

        def forward(self, imgs):
            return imgs

        @torch.jit.export
        def embed(self, imgs, msgs, is_video: bool = True):
            assert not is_video
            marked = imgs.clone()
            marked[:, 0, :, :8] = 0.5 + (2 * msgs[:, None, :] - 1) * 4 / 255
            return marked

        @torch.jit.export
        def detect(self, imgs, is_video: bool = True):
            assert not is_video
            columns = imgs[:, 0, :, :8].mean(1) - 0.5
            answer = torch.cat([torch.zeros(imgs.shape[0], 1), columns], 1)
            return answer[:, :, None, None].repeat(1, 1, 3, 2) if self.pixelwise else answer

    folder = tmp_path_factory.mktemp("weights")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for name, pixelwise in (("plain.jit", False), ("pixels.jit", True)):
            torch.jit.script(Tiny(pixelwise).eval()).save(str(folder / name))
        torch.jit.script(torch.nn.ReLU()).save(str(folder / "other.jit"))
    return folder


@torch_only
@pytest.mark.parametrize("file", ["plain.jit", "pixels.jit"])
def test_there_and_back(tiny, cover, file):
    codec = registry.codec("videoseal", weights=tiny / file)
    assert codec.capacity(cover) == 8
    bits = np.array([1, 0, 0, 1, 1, 1, 0, 1], np.uint8)
    marked = codec.embed(cover, bits)
    expected = cover.copy()
    expected[:, :8, 0] = np.where(bits, 132, 124)  # 127.5 +- 4, rounded to even
    assert np.array_equal(marked.image, expected)
    found = extract(codec, marked.image)
    assert np.array_equal(found.bits, bits)
    assert np.array_equal(found.soft > 0, bits == 1)
    assert (found.soft.shape, found.soft.dtype, found.p_value) == ((8,), np.float32, 1.0)


@torch_only
def test_files_that_are_something_else(tiny, tmp_path, cover):
    (tmp_path / "text.jit").write_text("not a model")
    for file in (tmp_path / "text.jit", tiny / "other.jit"):
        codec = registry.codec("videoseal", weights=file)
        with pytest.raises(InputError, match="with embed and detect"):
            codec.capacity(cover)


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        registry.codec("videoseal", weights=tmp_path / "absent.jit")


def test_without_torch(tmp_path, monkeypatch, cover):
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name, name=name)

    (tmp_path / "weights.jit").write_bytes(b"anything")
    videoseal._load.cache_clear()
    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingExtra, match="torch is not installed: pip install torch"):
        videoseal.VideoSeal(weights=tmp_path / "weights.jit").capacity(cover)
