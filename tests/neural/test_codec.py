"""Networks as codecs: a linear network that really reads what it wrote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import morebits as mb
from morebits import neural
from morebits.codecs import fixed, registry
from morebits.errors import DoesNotFit, ImageError, InputError, MissingExtra
from morebits.neural.codec import Neural
from morebits.neural.running import TorchNetwork


class Still:
    """A network that leaves pictures alone."""

    name, bits, least = "still", 8, 1

    def change(self, image, message):
        return np.zeros_like(image)

    def logits(self, image):
        return np.zeros(8, np.float32)


@pytest.fixture(scope="module")
def codec(reader) -> Neural:
    return Neural(TorchNetwork(reader))


@pytest.fixture(scope="module")
def file(reader, tmp_path_factory):
    path = tmp_path_factory.mktemp("weights") / "reader.safetensors"
    neural.save(reader, path)
    return path


class TestThereAndBack:
    @given(st.lists(st.integers(0, 1), min_size=8, max_size=8))
    @settings(max_examples=20)
    def test_every_message(self, codec, gray, bits):
        marked = codec.embed(gray, np.array(bits, np.uint8))
        found = codec.extract(marked.image)
        assert found.bits.tolist() == bits
        assert (found.soft > 0).tolist() == [bool(bit) for bit in bits]
        assert (found.soft.dtype, found.status, found.p_value) == (np.float32, "found", 1.0)

    def test_it_is_a_codec(self, codec, gray):
        assert isinstance(codec, mb.Codec)
        assert (codec.name, codec.capacity(gray)) == ("reader", 8)
        marked = codec.embed(gray, np.ones(8, np.uint8))
        assert marked.bits == 8
        assert marked.image.dtype == np.uint8

    def test_it_is_what_the_watermarker_embeds(self, codec, reader, gray):
        import torch

        bits = np.array([1, 0, 0, 1, 1, 0, 1, 0], np.uint8)
        images = torch.full((1, 3, 16, 16), 128 / 255)
        expected = reader.embed(images, torch.tensor(bits)[None])[0].permute(1, 2, 0) * 255
        assert np.array_equal(codec.embed(gray, bits).image, expected.detach().round().numpy())

    def test_larger_pictures(self, codec):
        cover = np.full((40, 50, 3), 100, np.uint8)
        bits = np.array([1, 0, 0, 1, 1, 0, 1, 0], np.uint8)
        assert np.array_equal(codec.extract(codec.embed(cover, bits).image).bits, bits)

    def test_tiles(self, codec):
        """Every tile carries a message of its own, as the paper's tiling does."""
        tiled = mb.codec("tiled", codec=codec, size=16)
        cover = np.full((48, 37, 3), 128, np.uint8)
        assert tiled.capacity(cover) == 6 * 8
        bits = np.random.default_rng(0).integers(0, 2, 48).astype(np.uint8)
        marked = tiled.embed(cover, bits)
        found: Any = tiled.extract(marked.image)
        assert np.array_equal(found.bits, bits)
        assert found.soft.shape == (48,)
        assert marked.psnr == pytest.approx(codec.embed(cover[:16, :16], bits[:8]).psnr, abs=2)


class TestStrength:
    @pytest.mark.parametrize("psnr", [20, 34.5, 46])
    def test_a_psnr_is_kept_and_used(self, reader, psnr):
        cover = np.random.default_rng(5).integers(0, 256, (64, 64, 3)).astype(np.uint8)
        codec = Neural(TorchNetwork(reader), psnr=psnr)
        found = codec.embed(cover, np.ones(8, np.uint8)).psnr
        assert psnr <= found < psnr + 0.2

    def test_a_strength_that_clamping_eats(self):
        """One sample in 64 can move, so the plain formula is eight times too weak."""

        class Brighter(Still):
            def change(self, image, message):
                return np.ones_like(image)

        cover = np.full((64, 64, 3), 255, np.uint8)
        cover[0] = 0
        found = Neural(Brighter(), psnr=30).embed(cover, np.ones(8, np.uint8)).psnr
        assert 30 <= found < 30.2

    def test_more_than_rounding_leaves(self, reader, gray):
        codec = Neural(TorchNetwork(reader), psnr=120)
        with pytest.raises(InputError, match="nothing of the mark survives rounding"):
            codec.embed(gray, np.ones(8, np.uint8))

    def test_a_network_that_changes_nothing(self, gray):
        bits = np.ones(8, np.uint8)
        assert Neural(Still()).embed(gray, bits).psnr == np.inf
        with pytest.raises(InputError, match="changes nothing"):
            Neural(Still(), psnr=40).embed(gray, bits)

    @pytest.mark.parametrize("psnr", ["40", True, float("inf")])
    def test_no_number(self, reader, psnr):
        with pytest.raises(InputError, match="psnr is"):
            Neural(TorchNetwork(reader), psnr=psnr)


class TestRefused:
    def test_too_small(self, codec):
        cover = np.zeros((15, 40, 3), np.uint8)
        assert codec.capacity(cover) == 0
        with pytest.raises(DoesNotFit, match="reader takes pictures from 16x16 pixels on"):
            codec.embed(cover, np.zeros(8, np.uint8))
        assert codec.extract(cover).status == "nothing"

    def test_messages_and_pictures(self, codec, gray):
        with pytest.raises(DoesNotFit, match="9 bits, 8 fit"):
            codec.embed(gray, np.zeros(9, np.uint8))
        with pytest.raises(InputError, match="give exactly 8"):
            codec.embed(gray, np.zeros(7, np.uint8))
        with pytest.raises(ImageError, match="is gray"):
            codec.embed(gray[..., :1], np.zeros(8, np.uint8))
        with pytest.raises(ImageError, match="16 bits a sample"):
            codec.extract(gray.astype(np.uint16))

    def test_gray_is_read_as_colour(self, codec, gray):
        found: Any = codec.extract(gray[..., 0])
        assert found.soft.shape == (8,)


class TestByName:
    def test_a_file_of_ours(self, file, gray):
        for codec in (mb.codec("neural", weights=file), mb.codec("neural", weights=file, psnr=30)):
            bits = np.array([1, 0, 0, 1, 1, 0, 1, 0], np.uint8)
            assert np.array_equal(codec.extract(codec.embed(gray, bits).image).bits, bits)

    def test_a_card(self, small, tmp_path):
        path = tmp_path / "tiny.safetensors"
        neural.save(neural.build("videoseal-tiny"), path)
        codec = mb.codec("videoseal-tiny", weights=path)
        assert (codec.name, codec.capacity(np.zeros((64, 64, 3), np.uint8))) == (
            "videoseal-tiny", 64,
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("name", "place"),
        [
            ("videoseal-1.0", "https://dl.fbaipublicfiles.com/videoseal/y_256b_img.pth"),
            ("chunkyseal", "videoseal/chunkyseal/checkpoint.pth"),
            ("linear", "`morebits train` or morebits.neural.save wrote for linear"),
            ("neural", "`morebits train` or morebits.neural.save wrote for CARD"),
        ],
    )
    def test_missing_weights_say_where_they_come_from(self, name, place, tmp_path):
        for options in ({}, {"weights": tmp_path / "absent.pth"}):
            with pytest.raises(InputError, match="weights is") as caught:
                mb.codec(name, **options)
            assert place in str(caught.value)
        assert "there is no such file" in str(caught.value)

    @pytest.mark.parametrize(
        ("name", "options"),
        [
            ("neural", ["weights"]),
            ("videoseal-1.0", ["weights"]),
            ("videoseal", ["weights"]),
            ("mbrs", ["encoder", "decoder"]),
        ],
    )
    def test_without_torch(self, file, name, options, monkeypatch):
        def absent(module: str) -> None:
            raise ModuleNotFoundError(module, name=module)

        make = registry.maker(name)
        monkeypatch.setattr(fixed.importlib, "import_module", absent)
        with pytest.raises(MissingExtra, match=r"torch is not installed.*morebits\[neural\]"):
            make(**dict.fromkeys(options, file))
