"""blind-watermark: the real package, with its own files as the oracle."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from PIL import Image

from morebits.bench.peers.blind import BlindWatermark
from morebits.codecs import registry
from morebits.errors import InputError

from .conftest import extract, needs

package = needs("blind_watermark", "cv2", "pywt")


def run(code: str, folder) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestKey:
    @pytest.mark.parametrize("key", ["", b"", 7])
    def test_wrong(self, key):
        with pytest.raises(InputError, match="key is"):
            registry.codec("blind-watermark", key=key)

    def test_passwords(self):
        assert BlindWatermark()._passwords() == (1, 1)
        first, second = BlindWatermark(key="secret")._passwords()
        assert first != second
        assert max(first, second) < 2**32
        # Written down on 2026-11-16: marks made with a key must stay readable.
        assert (first, second) == (326877040, 2010040349)


@package
class TestMark:
    def test_there_and_back(self, cover, message):
        codec = registry.codec("blind-watermark", key="secret")
        marked = codec.embed(cover, message)
        assert (marked.bits, marked.image.dtype, marked.image.shape) == (32, np.uint8, cover.shape)
        assert 34 < marked.psnr < 42
        found = extract(codec, marked.image)
        assert np.array_equal(found.bits, message)
        assert (found.status, found.p_value) == ("found", 1.0)

    def test_another_key_reads_something_else(self, cover, message):
        marked = registry.codec("blind-watermark", key="secret").embed(cover, message)
        other = extract(registry.codec("blind-watermark", key="other"), marked.image)
        assert np.mean(other.bits == message) < 0.9

    def test_an_odd_size_and_a_message_of_one_kind(self, cover):
        codec = registry.codec("blind-watermark", bits=5)
        marked = codec.embed(cover[:99, :101], np.zeros(5, np.uint8))
        assert extract(codec, marked.image).bits.shape == (5,)

    def test_a_flat_picture(self):
        found = extract(registry.codec("blind-watermark"), np.full((64, 64, 3), 9, np.uint8))
        assert found.bits.shape == (32,)

    def test_the_limit(self, cover):
        blocks = (256 // 8) * (264 // 8)
        assert registry.codec("blind-watermark", bits=blocks - 1).capacity(cover) == blocks - 1
        assert registry.codec("blind-watermark", bits=blocks).capacity(cover) == 0

    def test_most_bits_that_fit(self, cover):
        bits = np.random.default_rng(3).integers(0, 2, 32 * 33 - 1).astype(np.uint8)
        codec = registry.codec("blind-watermark", bits=bits.size)
        assert np.mean(extract(codec, codec.embed(cover, bits).image).bits == bits) > 0.95

    def test_the_message_is_not_shuffled_in_place(self, cover, message):
        before = message.copy()
        registry.codec("blind-watermark", key="k").embed(cover, message)
        assert np.array_equal(message, before)


@package
def test_the_same_as_the_packages_own_files(tmp_path, cover, message):
    """The oracle reads and writes PNG files by itself, so the order of channels is its own."""
    Image.fromarray(cover).save(tmp_path / "cover.png")
    bits = message.tolist()
    code = f"""
        from blind_watermark import WaterMark, bw_notes
        bw_notes.close()
        tool = WaterMark()
        tool.read_img("cover.png")
        tool.read_wm({bits}, mode="bit")
        tool.embed("marked.png")
        found = WaterMark().extract("marked.png", wm_shape=32, mode="bit")
        print([int(bit) for bit in found])
    """
    theirs = run(code, tmp_path)
    codec = registry.codec("blind-watermark")
    marked = codec.embed(cover, message).image
    assert np.array_equal(marked, np.asarray(Image.open(tmp_path / "marked.png")))
    assert theirs == f"{extract(codec, marked).bits.tolist()}\n"


@package
@pytest.mark.parametrize("method", ["spawn", None])
def test_silent_and_leaves_multiprocessing_alone(tmp_path, method):
    """Imported as it is, it fails in a program that has chosen a start method."""
    code = f"""
        import multiprocessing
        if {method!r}:
            multiprocessing.set_start_method({method!r})
        import numpy as np
        import morebits as mb
        mb.codec("blind-watermark").embed(np.zeros((64, 64, 3), np.uint8), np.zeros(32, np.uint8))
        print(multiprocessing.get_start_method(allow_none=True))
        assert multiprocessing.set_start_method.__name__ == "set_start_method"
    """
    assert run(code, tmp_path) == f"{method}\n"
