"""invisible-watermark: the real package, with itself as the oracle."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from morebits.bench.peers import invisible
from morebits.codecs import registry
from morebits.errors import InputError, MissingExtra, UnknownName

from .conftest import extract, needs

WAVELETS = ("dwtDct", "dwtDctSvd")
package = needs("imwatermark", "cv2", "pywt")
networks = needs("imwatermark", "onnxruntime")


class TestNames:
    def test_the_packages_default(self):
        assert registry.codec("invisible-watermark").name == "invisible-watermark:dwtDct"

    @pytest.mark.parametrize("method", invisible.METHODS)
    def test_a_codec_has_the_name_that_finds_it(self, method):
        name = f"invisible-watermark:{method}"
        assert registry.codec(name).name == name

    def test_unknown_method(self):
        with pytest.raises(UnknownName, match="dwtDct, dwtDctSvd, rivaGan"):
            registry.codec("invisible-watermark:magic")

    def test_rivagan_has_32_bits(self):
        with pytest.raises(InputError, match="exactly 32"):
            registry.codec("invisible-watermark:rivaGan", bits=33)


def test_absent_package(monkeypatch, cover, message):
    invisible._module.cache_clear()
    monkeypatch.setattr(invisible.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(invisible.fixed, "load", lambda *_: None)
    with pytest.raises(MissingExtra, match=r"invisible-watermark is not installed.*\[peers\]"):
        registry.codec("invisible-watermark:dwtDct").embed(cover, message)


@package
@pytest.mark.parametrize("method", WAVELETS)
class TestWavelets:
    def test_there_and_back(self, method, cover, message):
        codec = registry.codec(f"invisible-watermark:{method}")
        marked = codec.embed(cover, message)
        assert (marked.bits, marked.image.dtype, marked.image.shape) == (32, np.uint8, cover.shape)
        assert 35 < marked.psnr < 50
        found = extract(codec, marked.image)
        assert (found.status, found.p_value, found.soft) == ("found", 1.0, None)
        # dwtDct loses bits without any attack, on this photo about one in ten.
        assert np.mean(found.bits == message) >= (1 if method == "dwtDctSvd" else 0.7)

    def test_blue_changes_and_red_does_not(self, method, cover, message):
        """The mark is in U, of which OpenCV puts 2.03 into blue and nothing into red."""
        marked = registry.codec(f"invisible-watermark:{method}").embed(cover, message).image
        change = np.abs(marked.astype(int) - cover).mean(axis=(0, 1))
        assert change[2] > 4 * change[0]

    def test_other_lengths(self, method, cover):
        bits = np.random.default_rng(1).integers(0, 2, 77).astype(np.uint8)
        codec = registry.codec(f"invisible-watermark:{method}", bits=77)
        assert extract(codec, codec.embed(cover, bits).image).bits.shape == (77,)

    def test_more_bits_than_blocks(self, method, cover):
        blocks = (256 // 8) * (264 // 8)
        name = f"invisible-watermark:{method}"
        assert registry.codec(name, bits=blocks).capacity(cover) == blocks
        assert registry.codec(name, bits=blocks + 1).capacity(cover) == 0
        assert extract(registry.codec(name, bits=blocks + 1), cover).status == "nothing"

    def test_gray_pictures_are_read(self, method, cover):
        found = extract(registry.codec(f"invisible-watermark:{method}"), cover[..., :1])
        assert found.bits.shape == (32,)

    def test_extreme_samples(self, method, message):
        noise = np.random.default_rng(0).choice(np.array([0, 255], np.uint8), (256, 256, 3))
        codec = registry.codec(f"invisible-watermark:{method}")
        assert extract(codec, codec.embed(noise, message).image).bits.shape == (32,)


@package
def test_the_same_as_the_packages_own_interface(tmp_path, cover, message):
    """The oracle is `WatermarkEncoder` and `WatermarkDecoder` on OpenCV's pictures.

    They import torch, which these two methods never use: an empty module stands in for it.
    """
    np.savez(tmp_path / "in.npz", cover=cover, message=message)
    code = """
        import sys, types
        sys.modules.setdefault("torch", types.ModuleType("torch"))
        import cv2, numpy as np
        from imwatermark import WatermarkDecoder, WatermarkEncoder

        given = np.load("in.npz")
        cv2.imwrite("cover.png", cv2.cvtColor(given["cover"], cv2.COLOR_RGB2BGR))
        results = {}
        for method in ("dwtDct", "dwtDctSvd"):
            encoder = WatermarkEncoder()
            encoder.set_watermark("bits", given["message"].tolist())
            marked = encoder.encode(cv2.imread("cover.png"), method)
            bits = WatermarkDecoder("bits", 32).decode(marked, method)
            results[method] = cv2.cvtColor(marked, cv2.COLOR_BGR2RGB)
            results[method + "-bits"] = np.array(bits)
        np.savez("out.npz", **results)
    """
    run = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    with np.load(tmp_path / "out.npz") as theirs:
        for method in WAVELETS:
            codec = registry.codec(f"invisible-watermark:{method}")
            marked = codec.embed(cover, message).image
            assert np.array_equal(marked, theirs[method])
            assert np.array_equal(extract(codec, marked).bits, theirs[f"{method}-bits"])


@package
@networks
def test_torch_is_not_loaded(tmp_path):
    code = """
        import sys
        import numpy as np
        import morebits as mb

        cover = np.random.default_rng(0).integers(0, 256, (256, 256, 3)).astype(np.uint8)
        bits = np.zeros(32, np.uint8)
        mb.codec("invisible-watermark:dwtDct").embed(cover, bits)
        mb.codec("invisible-watermark:rivaGan").embed(cover, bits)
        print("torch" in sys.modules)
    """
    run = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(run, check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


@networks
class TestRivaGan:
    def test_there_and_back(self, cover, message):
        codec = registry.codec("invisible-watermark:rivaGan")
        marked = codec.embed(cover, message)
        assert 38 < marked.psnr < 45
        found = extract(codec, marked.image)
        assert np.array_equal(found.bits, message)
        assert found.soft.dtype == np.float32
        assert np.array_equal(found.soft > 0, found.bits == 1)
        assert found.p_value == 1.0

    @needs("cv2")
    def test_the_networks_see_opencvs_channels(self, cover):
        import cv2

        frame = invisible._frame(cover)
        assert frame.shape == (1, 3, 1, *cover.shape[:2])
        theirs = cv2.cvtColor(cover, cv2.COLOR_RGB2BGR).astype(np.float32) / 127.5 - 1
        assert np.array_equal(frame[0, :, 0].transpose(1, 2, 0), theirs)

    @needs("torch")
    def test_the_same_as_the_packages_own_class(self, cover, message):
        RivaWatermark = importlib.import_module("imwatermark.rivaGan").RivaWatermark

        RivaWatermark.loadModel()
        bgr = np.ascontiguousarray(cover[..., ::-1])
        theirs = RivaWatermark(message.tolist(), 32).encode(bgr)
        codec = registry.codec("invisible-watermark:rivaGan")
        marked = codec.embed(cover, message).image
        assert np.array_equal(marked, theirs[..., ::-1])
        assert np.array_equal(extract(codec, marked).bits, RivaWatermark([], 32).decode(theirs))


def test_the_skips_are_about_packages_that_exist():
    """A misspelt module would skip everything for ever."""
    names = ("imwatermark", "cv2", "pywt", "onnxruntime")
    known = [each for each in names if importlib.util.find_spec(each)]
    assert len(known) in (0, len(names)), f"only {known} of {names}: install morebits[peers]"
