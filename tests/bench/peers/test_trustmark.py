"""TrustMark: what we ask of its package, with a stand-in that has its interface.

Its weights are a download, so the real package is not run here; the stand-in has the same
constructor, `load_model`, `encode` and `decode` as version 0.9.2.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

from morebits.bench.peers import trustmark
from morebits.codecs import registry
from morebits.errors import InputError, MissingExtra, UnknownName

STAND_IN = """
from pathlib import Path

import numpy as np
from PIL import Image


class TrustMark:
    def __init__(self, use_ECC=True, verbose=True, secret_len=100, device="", model_type="Q",
                 encoding_type=1, concentrate_wm_region=1.0, loadRemover=True,
                 loadBBoxDetector=False):
        assert not use_ECC and not verbose and device == "cpu" and not loadRemover
        inside = "/site-packages/trustmark/models/"
        self.parts = [
            self.load_model(f"{inside}trustmark_{model_type}.yaml",
                            f"{inside}{part}_{model_type}.ckpt", device, secret_len, part=part)
            for part in ("decoder", "encoder")
        ]

    def check_and_download(self, filename):
        raise RuntimeError("the network was asked")

    def load_model(self, config_path, weight_path, device, secret_len, part="all"):
        self.check_and_download(config_path)
        self.check_and_download(weight_path)
        return Path(config_path).read_text(), Path(weight_path).read_text()

    def encode(self, image, secret, MODE="text", WM_STRENGTH=1.0, WM_MERGE="bilinear"):
        assert MODE == "binary" and len(secret) == 100 and image.mode == "RGB"
        pixels = np.array(image)
        pixels[0, :100, 0] = [200 + int(bit) for bit in secret]
        return Image.fromarray(pixels)

    def decode(self, image, MODE="text", DETECTFIRST=False, ROTATION=False):
        assert MODE == "binary"
        return "".join(str(value - 200) for value in np.asarray(image)[0, :100, 0]), True, -1
"""


@pytest.fixture
def weights(tmp_path):
    for name in ("trustmark_Q.yaml", "encoder_Q.ckpt", "decoder_Q.ckpt"):
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "trustmark.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    monkeypatch.delitem(sys.modules, "trustmark", raising=False)
    trustmark._load.cache_clear()
    yield
    sys.modules.pop("trustmark", None)
    trustmark._load.cache_clear()


def test_there_and_back(stand_in, weights, cover):
    codec = registry.codec("trustmark", weights=weights)
    assert (codec.name, codec.capacity(cover)) == ("trustmark:Q", 100)
    bits = np.random.default_rng(2).integers(0, 2, 100).astype(np.uint8)
    marked = codec.embed(cover, bits)
    assert np.array_equal(marked.image[..., 1:], cover[..., 1:])
    assert np.array_equal(codec.extract(marked.image).bits, bits)


def test_its_files_come_from_the_folder(stand_in, weights):
    parts = trustmark._load("Q", str(weights)).parts
    assert parts == [
        ("trustmark_Q.yaml", "decoder_Q.ckpt"),
        ("trustmark_Q.yaml", "encoder_Q.ckpt"),
    ]


def test_missing_files(weights):
    with pytest.raises(InputError, match=r"missing: trustmark_P.yaml, encoder_P.ckpt"):
        registry.codec("trustmark:P", weights=weights)


def test_unknown_model(weights):
    with pytest.raises(UnknownName, match="Q, B, C, P"):
        registry.codec("trustmark:X", weights=weights)


def test_without_the_package(weights, monkeypatch, cover):
    monkeypatch.setitem(sys.modules, "trustmark", None)
    trustmark._load.cache_clear()
    with pytest.raises(MissingExtra, match="trustmark is not installed: pip install trustmark"):
        registry.codec("trustmark", weights=weights).extract(cover)
