"""Cards: the shipped ones, their hash, and what is wrong with wrong ones."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.codecs import registry
from morebits.errors import InputError, UnknownName
from morebits.neural import card_names, load_card
from morebits.neural.architectures import ConvNeXt, Hidden, Jnd, UNet, ViT
from morebits.neural.cards import Card, from_json, from_plain

TOML = """
name = "mine"
bits = 8
size = 16
residual = "rgb"
{extra}

[embedder]
{embedder}

[extractor]
kind = "linear"
"""


def write(folder, extra="", embedder='kind = "linear"'):
    path = folder / "mine.toml"
    path.write_text(TOML.format(extra=extra, embedder=embedder))
    return path


class TestShipped:
    def test_every_card_is_a_codec_and_has_its_own_name(self):
        assert set(card_names()) == set(registry._CARDS)
        for name in card_names():
            card = load_card(name)
            assert card.name == name
            assert card.purpose
            assert card.origin
            assert card.licence
            assert callable(registry.maker(name))

    def test_the_paper_s_blends(self):
        blends = {
            name: (card.scaling_w, card.scaling_i, card.jnd is not None, card.residual)
            for name in ("videoseal-0.0", "videoseal-1.0", "videoseal-128", "chunkyseal")
            if (card := load_card(name))
        }
        assert blends == {
            "videoseal-0.0": (1.0, 1.0, False, "rgb"),
            "videoseal-1.0": (0.2, 1.0, True, "luma"),
            "videoseal-128": (0.2, 1.0, True, "luma"),
            "chunkyseal": (0.2, 1.0, True, "rgb"),
        }

    def test_published_weights_have_a_source_and_no_claimed_hash(self):
        """Nobody here has seen the files, so there is no hash to give."""
        for name in ("videoseal-0.0", "videoseal-1.0", "videoseal-128", "chunkyseal"):
            assert load_card(name).source.startswith("https://dl.fbaipublicfiles.com/videoseal/")
            assert load_card(name).sha256 is None

    def test_for_the_gray_study_there_is_no_budget(self):
        assert all(
            load_card(name).jnd is None
            for name in card_names()
            if name == "linear" or name.startswith(("videoseal-32", "videoseal-tiny"))
        )

    def test_nothing_loads_torch(self):
        code = (
            "import sys; from morebits.neural import load_card, card_names;"
            "[load_card(each) for each in card_names()];"
            "from morebits.codecs import registry; registry.maker('videoseal-1.0');"
            "print('torch' in sys.modules)"
        )
        run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        assert run.stdout.strip() == b"False"


class TestDigest:
    @given(st.integers(1, 5000))
    def test_bits_count(self, bits):
        card = load_card("videoseal-1.0")
        assert (card.with_bits(bits).digest == card.digest) == (bits == 256)

    def test_texts_do_not(self):
        card = load_card("videoseal-1.0")
        other = replace(card, name="x", purpose="y", licence="z", smallest=64, sha256="00")
        assert other.digest == card.digest
        assert other.differences(card) == ()

    def test_the_budget_and_the_architecture_count(self):
        card = load_card("videoseal-1.0")
        assert card.differences(replace(card, jnd=None)) == ("jnd",)
        assert card.differences(load_card("videoseal-0.0")) == (
            "bits", "residual", "embedder", "extractor", "scaling_w", "jnd",
        )  # fmt: skip

    @pytest.mark.parametrize("name", card_names())
    def test_json_there_and_back(self, name):
        card = load_card(name)
        assert from_json(card.to_json(), "here") == card
        assert from_json(card.to_json(), "here").digest == card.digest

    def test_frozen(self):
        with pytest.raises(FrozenInstanceError):
            load_card("linear").bits = 3


class TestWrong:
    def test_from_a_path(self, tmp_path):
        card = load_card(write(tmp_path, 'scaling_w = 2\njnd = {dark = "classical"}'))
        assert isinstance(card, Card)
        assert card.jnd == Jnd(dark="classical")
        assert card.least == 16
        assert load_card(card) is card

    def test_unknown_names_get_the_list(self):
        with pytest.raises(UnknownName, match=r"unknown card 'videoseal-2'.*chunkyseal"):
            load_card("videoseal-2")

    @pytest.mark.parametrize(
        ("extra", "embedder", "message"),
        [
            ("scaling = 1", 'kind = "linear"', "no field scaling, did you mean scaling_w"),
            ("zzz = 1", 'kind = "linear"', "no field zzz, use name, bits"),
            ('scaling_w = "2"', 'kind = "linear"', "scaling_w is '2', give a number"),
            ("", 'kind = "lineal"', "unknown kind of embedder 'lineal': use one of unet"),
            ("", "", "unknown kind"),
            (
                "",
                'kind = "unet"\nwidths = [8]',
                "add message, blocks, norm, activation to embedder",
            ),
            ("", 'kind = "linear"\nwidth = 3', "embedder has no field width"),
            ("jnd = 3", 'kind = "linear"', "make jnd a table, not int"),
            ("jnd = {dark = 'x'}", 'kind = "linear"', "unknown jnd.dark 'x'"),
        ],
    )
    def test_fields(self, tmp_path, extra, embedder, message):
        with pytest.raises((InputError, UnknownName), match=message):
            load_card(write(tmp_path, extra, embedder))

    def test_files(self, tmp_path):
        with pytest.raises(InputError, match=r"No such file.*give a readable file"):
            load_card(tmp_path / "absent.toml")
        (tmp_path / "bad.toml").write_text("name = ")
        with pytest.raises(InputError, match="is not TOML"):
            load_card(tmp_path / "bad.toml")
        with pytest.raises(InputError, match="is not JSON"):
            from_json("{", "here")
        with pytest.raises(InputError, match="give embedder a table with a kind"):
            from_plain({"name": "x"}, "here")

    @pytest.mark.parametrize("text", ["[1]", "5", '"a"', "null"])
    def test_json_that_is_no_table(self, text):
        with pytest.raises(InputError, match="make it a table, not"):
            from_json(text, "here")

    def test_nesting_and_numbers_without_end(self, tmp_path):
        for text in ("[" * 100_000, '{"bits": ' + "9" * 5000 + "}"):
            with pytest.raises(InputError, match="is not JSON"):
                from_json(text, "here")
        for text in ("a = " + "[" * 100_000, "a = " + "9" * 5000):
            (tmp_path / "deep.toml").write_text(text)
            with pytest.raises(InputError, match="is not TOML"):
                load_card(tmp_path / "deep.toml")

    @pytest.mark.parametrize(
        ("field", "value", "message"),
        [
            ("bits", 1 << 30, "give at most 1,048,576"),
            ("smallest", -1, "at least 0"),
            ("smallest", "9", "at least 0"),
            ("purpose", 3, "give a text"),
        ],
    )
    def test_values_of_a_stranger(self, field, value, message):
        with pytest.raises(InputError, match=message):
            replace(load_card("hidden"), **{field: value})

    def test_a_network_that_would_take_hours_to_build(self):
        with pytest.raises(InputError, match="give at most 1,000, no network needs more"):
            replace(load_card("hidden").embedder, blocks=10**9)
        card = load_card("videoseal-1.0")
        long = replace(card.extractor, depths=(1,) * 40, widths=(8,) * 40)
        with pytest.raises(InputError, match="give this extractor fewer widths"):
            replace(card, extractor=long)

    @pytest.mark.parametrize("bits", [0, -1, 1.5, True, "8"])
    def test_bits(self, bits):
        with pytest.raises(InputError, match="bits is"):
            load_card("linear").with_bits(bits)

    def test_sizes_that_the_architecture_cannot_take(self):
        card = load_card("videoseal-1.0")
        with pytest.raises(InputError, match="multiple of 8"):
            replace(card, size=260)
        with pytest.raises(InputError, match=r'needs 64 or more, or padding = "replicate"'):
            replace(card, size=32)
        with pytest.raises(InputError, match="needs 34 or more"):
            replace(card, size=32, extractor=replace(card.extractor, stride=2))
        with pytest.raises(InputError, match="multiple of 128"):
            replace(load_card("videoseal-0.0"), size=200)
        assert replace(load_card("videoseal-32"), size=64).least == 64

    def test_residual_and_architectures(self):
        with pytest.raises(UnknownName, match="luma, rgb"):
            replace(load_card("linear"), residual="blue")
        with pytest.raises(UnknownName, match="architecture 'ViT'"):
            replace(load_card("linear"), embedder=load_card("videoseal-0.0").extractor)

    @pytest.mark.parametrize(
        "make",
        [
            lambda: UNet((), 1, 1, "batch", "relu"),
            lambda: UNet((8, 0), 1, 1, "batch", "relu"),
            lambda: UNet((8,), 1, 1, "layer", "relu"),
            lambda: UNet((8,), 1, 1, "batch", "gelu"),
            lambda: ConvNeXt((1, 1), (4,)),
            lambda: ConvNeXt((1,), (4,), padding="zeros"),
            lambda: ViT(16, 10, 1, 3, 8, ()),
            lambda: Hidden(0, 1),
            lambda: Jnd(border="reflect"),
        ],
    )
    def test_impossible_shapes(self, make):
        with pytest.raises((InputError, UnknownName)):
            make()
