"""Tiny TorchScript modules with the interfaces of the published ones.

The real files are not here, so what is tested is everything around them: loading, channel order,
range, normalisation, strength, rounding, messages and answers.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from morebits.codecs import registry
from morebits.errors import InputError
from morebits.neural.architectures import Jnd
from morebits.neural.jnd import budget

BITS = np.array([1, 0, 0, 1, 1, 1, 0, 1], np.uint8)


class VideoSeal(torch.nn.Module):
    """Bit i moves the red of column i by 4.2 levels."""

    def __init__(self, pixelwise: bool):
        super().__init__()
        self.pixelwise = pixelwise

    def forward(self, imgs):
        return imgs

    @torch.jit.export
    def embed(self, imgs, msgs, is_video: bool = True):
        assert not is_video
        marked = imgs.clone()
        marked[:, 0, :, :8] = 0.5 + (2 * msgs[:, None, :] - 1) * 4.2 / 255
        return marked

    @torch.jit.export
    def detect(self, imgs, is_video: bool = True):
        assert not is_video
        columns = imgs[:, 0, :, :8].mean(1) - 0.5
        answer = torch.cat([torch.zeros(imgs.shape[0], 1), columns], 1)
        return answer[:, :, None, None].repeat(1, 1, 3, 2) if self.pixelwise else answer


class Older(torch.nn.Module):
    """It has both names, and one of them wants something else."""

    def forward(self, imgs):
        return imgs

    @torch.jit.export
    def embed(self, imgs, msgs):
        return imgs + msgs

    @torch.jit.export
    def detect(self, imgs):
        return imgs


class Picture(torch.nn.Module):
    """An encoder of pictures in [-1, 1]: bit i moves the columns 32 i to 32 i + 31 by 0.1."""

    def forward(self, imgs, msgs):
        assert imgs.min() >= -1.001
        assert imgs.max() <= 1.001
        return imgs + 0.1 * (2 * msgs - 1).repeat_interleave(32, 1)[:, None, None, :]


class Residual(torch.nn.Module):
    """An encoder that answers with what to add, for normalised pictures."""

    def forward(self, imgs, msgs):
        return torch.ones_like(imgs) * (2 * msgs - 1).repeat_interleave(32, 1)[:, None, None, :]


class Reader(torch.nn.Module):
    """Means of eight columns against the middle of the normalised range."""

    def __init__(self, kind: str):
        super().__init__()
        self.kind = kind

    def forward(self, imgs):
        means = imgs.reshape(imgs.shape[0], 3, 256, 8, 32).mean((1, 2, 4))
        if self.kind == "probabilities":
            return 0.5 + means / 2
        if self.kind == "pixels":
            extra = torch.cat([torch.full((imgs.shape[0], 1), 9.0), means], 1)
            return extra[:, :, None, None].repeat(1, 1, 5, 5)
        return means


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    modules = {
        "plain": VideoSeal(False),
        "pixels": VideoSeal(True),
        "other": torch.nn.ReLU(),
        "older": Older(),
        "picture": Picture(),
        "residual": Residual(),
        "reads-probabilities": Reader("probabilities"),
        "reads-logits": Reader("logits"),
        "reads-pixels": Reader("pixels"),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for name, module in modules.items():
            torch.jit.script(module.eval()).save(str(folder / f"{name}.pt"))
    return folder


@pytest.fixture(scope="module")
def cover(photo) -> np.ndarray:
    """A part of a real photo, 264 wide and 256 high."""
    return np.asarray(Image.open(photo).convert("RGB"))[100:356, 120:384]


@pytest.fixture(scope="module")
def flat() -> np.ndarray:
    return np.full((256, 256, 3), 128, np.uint8)


class TestVideoSeal:
    @pytest.mark.parametrize("file", ["plain.pt", "pixels.pt"])
    def test_there_and_back(self, files, cover, file):
        codec = registry.codec("videoseal", weights=files / file)
        assert (codec.name, codec.capacity(cover)) == ("videoseal", 8)
        marked = codec.embed(cover, BITS)
        expected = cover.copy()
        expected[:, :8, 0] = np.where(BITS, 132, 123)  # 127.5 +- 4.2
        assert np.array_equal(marked.image, expected)
        found: Any = codec.extract(marked.image)
        assert np.array_equal(found.bits, BITS)
        assert np.array_equal(found.soft > 0, BITS == 1)
        assert (found.soft.shape, found.soft.dtype, found.p_value) == ((8,), np.float32, 1.0)

    def test_files_that_are_something_else(self, files, tmp_path):
        (tmp_path / "text.jit").write_text("not a model")
        for file in (tmp_path / "text.jit", files / "other.pt", files / "older.pt"):
            with pytest.raises(InputError, match="with embed and detect"):
                registry.codec("videoseal", weights=file)

    def test_no_such_file(self, tmp_path):
        with pytest.raises(InputError, match="there is no such file"):
            registry.codec("videoseal", weights=tmp_path / "absent.jit")

    def test_weights_are_asked_for(self):
        with pytest.raises(InputError, match=r"videoseal takes .*'weights'"):
            registry.codec("videoseal")


class TestPairs:
    @pytest.mark.parametrize(
        ("name", "encoder", "decoder"),
        [
            ("mbrs", "picture.pt", "reads-probabilities.pt"),
            ("trustmark-q", "picture.pt", "reads-logits.pt"),
        ],
    )
    def test_encoders_that_answer_with_a_picture(self, files, flat, name, encoder, decoder):
        codec = registry.codec(name, encoder=files / encoder, decoder=files / decoder)
        assert (codec.name, codec.capacity(flat)) == (name, 8)
        marked = codec.embed(flat, BITS)
        strength = {"mbrs": 1.0, "trustmark-q": 0.95}[name]
        change = strength * 0.05 * 255 * (2.0 * BITS - 1)
        assert np.array_equal(marked.image[9, ::32, 1], np.rint(128 + change))
        found: Any = codec.extract(marked.image)
        assert np.array_equal(found.bits, BITS)
        assert found.soft[0] == pytest.approx(marked.image[0, 0, 0] / 127.5 - 1, abs=1e-5)

    def test_wam(self, files, flat):
        """A residual in units of the channels' deviations, twice, within the budget of blue."""
        codec = registry.codec(
            "wam", encoder=files / "residual.pt", decoder=files / "reads-pixels.pt"
        )
        assert codec.capacity(flat) == 8
        allowed = budget(torch.full((1, 3, 256, 256), 128 / 255), Jnd(blue=True))[0].numpy()
        deviations = np.array([0.229, 0.224, 0.225], np.float32)[:, None, None]
        signs = np.repeat(2.0 * BITS - 1, 32).astype(np.float32)
        change = codec.network.change(np.full((3, 256, 256), 128 / 255, np.float32), BITS)
        assert np.abs(change - 2 * deviations * signs * allowed).max() < 1e-7
        marked = flat.copy()
        marked[:, BITS.repeat(32) == 0] = 90
        found: Any = codec.extract(marked)
        assert found.soft.shape == (8,)
        assert np.array_equal(found.bits, BITS)

    def test_any_size(self, files, cover):
        options = {"encoder": files / "picture.pt", "decoder": files / "reads-logits.pt"}
        marked = registry.codec("trustmark-q", psnr=35, **options).embed(cover, BITS)
        assert marked.image.shape == cover.shape
        # Every sample moves by the same whole number: 4 levels leave 36.1 dB, 5 only 34.2.
        assert marked.psnr >= 35
        assert np.abs(marked.image.astype(int) - cover).max() == 4

    def test_wrong_files(self, files, tmp_path):
        good = files / "picture.pt"
        with pytest.raises(InputError, match=r"encoder is .*no such file; give the two.* of MBRS"):
            registry.codec("mbrs", encoder=tmp_path / "no", decoder=good)
        with pytest.raises(InputError, match=r"decoder is .*does not take a picture"):
            registry.codec("mbrs", encoder=good, decoder=good)
        (tmp_path / "text.pt").write_text("no")
        with pytest.raises(InputError, match=r"decoder is .*torch cannot load it"):
            registry.codec("wam", encoder=good, decoder=tmp_path / "text.pt")

    def test_an_encoder_of_something_else(self, files, flat):
        """It is tried when something is embedded, and named then."""
        codec = registry.codec("wam", encoder=files / "other.pt", decoder=files / "reads-pixels.pt")
        said = r"encoder is .*other\.pt.*does not take a picture and 8 bits.*Watermark Anything"
        with pytest.raises(InputError, match=said):
            codec.embed(flat, BITS)
