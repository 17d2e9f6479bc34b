"""ONNX files: the same numbers as torch, and a codec that never loads it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import morebits as mb
from morebits import neural
from morebits.errors import FileNotWritten, InputError, WeightsError
from morebits.neural.running import TorchNetwork
from morebits.neural.runtime import OnnxNetwork

#: What was asked for; float32 sums in another order.
LARGEST = 1e-5


@pytest.fixture(scope="module")
def exported(small, tmp_path_factory):
    torch.manual_seed(1)
    made = neural.build(replace(small, scaling_i=0.99))
    folder = tmp_path_factory.mktemp("onnx") / "small"
    paths = neural.export(made.train(), folder)
    assert made.training
    made.eval()
    assert [path.name for path in paths] == ["embedder.onnx", "extractor.onnx", "budget.onnx"]
    return made, folder


def difference(exported, sizes) -> float:
    made, folder = exported
    ours, theirs = TorchNetwork(made), OnnxNetwork(folder)
    random = np.random.default_rng(2)
    largest = 0.0
    for height, width in sizes:
        image = random.random((3, height, width), dtype=np.float32)
        bits = random.integers(0, 2, made.card.bits).astype(np.uint8)
        for one, other in (
            (ours.change(image, bits), theirs.change(image, bits)),
            (ours.logits(image), theirs.logits(image)),
        ):
            assert one.shape == other.shape
            assert np.abs(one).max() > 1e-3
            largest = max(largest, float(np.abs(one - other).max()))
    return largest


class TestParity:
    def test_small(self, exported):
        assert difference(exported, [(32, 32), (50, 71), (33, 200)]) < LARGEST

    def test_the_metadata_has_the_card(self, exported):
        made, folder = exported
        assert OnnxNetwork(folder).card == made.card

    @pytest.mark.full
    @pytest.mark.parametrize("name", ["videoseal-1.0", "videoseal-0.0", "hidden"])
    def test_cards(self, name, tmp_path):
        """At the networks' own size: elsewhere torch's resize alone errs by 1e-5 in float32."""
        made = neural.build(name)
        neural.export(made, tmp_path)
        assert difference((made, tmp_path), [(made.card.size, made.card.size)]) < LARGEST


class TestCodec:
    def test_the_same_bits_and_pictures(self, exported, tmp_path):
        made, folder = exported
        neural.save(made, tmp_path / "w.safetensors")
        cover = np.random.default_rng(0).integers(0, 256, (40, 60, 3)).astype(np.uint8)
        bits = np.random.default_rng(1).integers(0, 2, 16).astype(np.uint8)
        one = mb.codec("neural", weights=tmp_path / "w.safetensors")
        other = mb.codec("onnx", weights=folder)
        assert (other.name, other.capacity(cover)) == ("small", 16)
        first, second = one.embed(cover, bits), other.embed(cover, bits)
        assert np.abs(first.image.astype(int) - second.image).max() <= 1
        assert first.psnr == pytest.approx(second.psnr, abs=0.01)
        soft: Any = [each.extract(first.image).soft for each in (one, other)]
        assert np.abs(soft[0] - soft[1]).max() < LARGEST

    def test_it_loads_no_torch(self, exported):
        _, folder = exported
        code = (
            "import sys, numpy as np, morebits as mb;"
            f"codec = mb.codec('onnx', weights={str(folder)!r}, psnr=40);"
            "cover = np.full((40, 40, 3), 90, np.uint8);"
            "marked = codec.embed(cover, np.ones(16, np.uint8));"
            "print(codec.extract(marked.image).soft.size, 'torch' in sys.modules)"
        )
        run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        assert run.stdout.split() == [b"16", b"False"]


class TestRefused:
    def test_nothing_is_overwritten_unasked(self, exported):
        made, folder = exported
        with pytest.raises(FileNotWritten, match="exists"):
            neural.export(made, folder)

    def test_a_folder_without_them(self, exported, tmp_path):
        with pytest.raises(InputError, match=r"neural.export wrote; extractor.onnx is missing"):
            mb.codec("onnx", weights=tmp_path)
        shutil.copy(exported[1] / "extractor.onnx", tmp_path)
        with pytest.raises(InputError, match=r"embedder.onnx is missing"):
            mb.codec("onnx", weights=tmp_path)

    def test_damaged(self, tmp_path):
        (tmp_path / "extractor.onnx").write_bytes(b"nothing of the kind")
        with pytest.raises(WeightsError, match=r"onnxruntime cannot load it .*export it again"):
            mb.codec("onnx", weights=tmp_path)

    def test_somebody_else_s(self, exported, tmp_path):
        import onnx

        model = onnx.load(exported[1] / "extractor.onnx")
        del model.metadata_props[:]
        onnx.save(model, tmp_path / "extractor.onnx")
        with pytest.raises(WeightsError, match="no card in the metadata"):
            mb.codec("onnx", weights=tmp_path)

    def test_of_two_cards(self, exported, small, tmp_path):
        import onnx

        for path in exported[1].iterdir():
            shutil.copy(path, tmp_path)
        model = onnx.load(tmp_path / "embedder.onnx")
        for each in model.metadata_props:
            if each.key == "morebits.card":
                each.value = small.with_bits(3).to_json()
        onnx.save(model, tmp_path / "embedder.onnx")
        with pytest.raises(WeightsError, match="of different cards"):
            mb.codec("onnx", weights=tmp_path)
