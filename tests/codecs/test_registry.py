"""Names, options and variants of codecs; codecs of packages from outside."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
from importlib.metadata import EntryPoint

import pytest

from morebits.codecs import registry
from morebits.errors import InputError, MissingExtra, UnknownName
from morebits.types import Codec


class Mine:
    name = "mine"

    def __init__(self, size: str = "small", *, strength: int = 1):
        self.size, self.strength = size, strength


class Crash:
    def __init__(self):
        raise TypeError("a bug of its own")


@pytest.fixture
def clean(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})


@pytest.fixture
def offers(monkeypatch, clean):
    """Entry points as if packages had them."""

    def install(**points: str) -> None:
        found = [EntryPoint(name, value, registry.GROUP) for name, value in points.items()]
        monkeypatch.setattr(
            registry,
            "entry_points",
            lambda group, name=None: [each for each in found if name in (None, each.name)],
        )

    return install


class TestOptions:
    @pytest.mark.parametrize("name", ["trellis", "blind-watermark", "invisible-watermark:dwtDct"])
    def test_one_that_the_codec_does_not_have(self, name):
        with pytest.raises(InputError, match=f"{name} takes .*'colour'"):
            registry.codec(name, colour=3)

    def test_one_that_the_codec_needs(self):
        with pytest.raises(InputError, match=r"videoseal takes .*'weights'"):
            registry.codec("videoseal")

    def test_a_bug_in_a_constructor_is_not_hidden(self, clean):
        registry.register("crash", Crash)
        with pytest.raises(TypeError, match="a bug of its own"):
            registry.codec("crash")

    def test_what_has_no_signature_is_called(self, clean):
        registry.register("odd", dict)
        assert registry.codec("odd", a=1) == {"a": 1}


class TestVariants:
    def test_of_a_registered_codec(self, clean):
        registry.register("mine", Mine)
        made = registry.codec("mine:large", strength=2)
        assert (made.size, made.strength) == ("large", 2)
        assert registry.codec("mine").size == "small"

    def test_a_variant_may_have_colons(self, clean):
        registry.register("mine", Mine)
        assert registry.codec("mine:a:b").size == "a:b"

    def test_a_whole_name_comes_first(self, clean):
        registry.register("mine", Mine)
        registry.register("mine:large", lambda: Mine("other"))
        assert registry.codec("mine:large").size == "other"

    @pytest.mark.parametrize("name", ["", ":", "trellis:", "trellis:64", "blind-watermark:", "x:y"])
    def test_unknown(self, name):
        with pytest.raises(UnknownName, match="use one of"):
            registry.codec(name)

    def test_makers_travel_to_other_processes(self):
        maker = pickle.loads(pickle.dumps(registry.maker("invisible-watermark:dwtDctSvd")))
        assert maker(bits=8).name == "invisible-watermark:dwtDctSvd"


class TestOffers:
    def test_ours(self):
        ours = {name for name, package in registry.offered().items() if package == "morebits"}
        assert ours == {"blind-watermark", "invisible-watermark", "trustmark"}
        assert ours < set(registry.names())

    def test_one_of_ours_is_not_replaced(self, offers):
        offers(box="nowhere:Nothing")
        assert registry.codec("box", psnr=42).name == "box"

    def test_a_registered_one_comes_first(self, offers):
        offers(mine="nowhere:Nothing")
        registry.register("mine", Mine)
        assert isinstance(registry.codec("mine"), Mine)

    @pytest.mark.parametrize("value", ["nowhere:Nothing", "math:nothing"])
    def test_broken(self, offers, value):
        offers(mine=value)
        with pytest.raises(InputError, match=f"offers it as {value}, but: "):
            registry.codec("mine")

    def test_twice(self, monkeypatch):
        points = [EntryPoint("mine", each, registry.GROUP) for each in ("a:A", "b:B")]
        monkeypatch.setattr(registry, "entry_points", lambda group, name: points)
        with pytest.raises(InputError, match="uninstall one"):
            registry.maker("mine")


OUTSIDE = """
import morebits as mb
from morebits import images


class Outside:
    name = "outside"

    def __init__(self, bits=4):
        self.bits = int(bits)

    def capacity(self, cover):
        return self.bits

    def embed(self, cover, bits):
        marked = images.read(cover).array.copy()
        marked.flat[: len(bits)] = marked.flat[: len(bits)] >> 1 << 1 | bits
        return mb.Embedding(marked, float("nan"), len(bits), self.name)

    def extract(self, image):
        samples = images.read(image).array.reshape(-1)
        return mb.Extraction("found", self.name, samples[: self.bits] & 1)
"""

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "outside-marks"
version = "1"

[project.entry-points."morebits.codecs"]
outside = "outside_marks:Outside"
"""


def test_a_package_from_outside(tmp_path):
    """Built and installed by pip as anyone's package is, then used by name alone."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    (source / "outside_marks.py").write_text(OUTSIDE)
    (source / "pyproject.toml").write_text(PROJECT)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", target, source], check=True, capture_output=True)
    code = """
        import sys
        import numpy as np
        import morebits as mb
        from morebits.codecs import registry

        assert "outside_marks" not in sys.modules
        assert registry.offered()["outside"] == "outside-marks"
        codec = mb.codec("outside", bits=6)
        assert isinstance(codec, mb.Codec)
        marked = codec.embed(np.zeros((2, 2, 3), np.uint8), np.array([1, 0, 1, 1, 0, 1], np.uint8))
        print(codec.extract(marked.image).bits, mb.codec("outside:5").capacity(None))
    """
    run = [sys.executable, "-c", textwrap.dedent(code)]
    environment = os.environ | {"PYTHONPATH": str(target)}
    done = subprocess.run(run, env=environment, check=False, capture_output=True, text=True)
    assert done.stdout == "[1 0 1 1 0 1] 5\n", done.stderr


def test_errors_name_the_way_out():
    assert str(MissingExtra("torch")) == "torch is not installed: pip install torch"
    assert str(MissingExtra("a", "b")) == "a is not installed: pip install 'morebits[b]'"


def test_ours_are_codecs():
    for name in ("trellis", "blind-watermark", "invisible-watermark:rivaGan"):
        assert isinstance(registry.codec(name), Codec)
