from __future__ import annotations

import pickle

import pytest
from bench_codecs import Least

from morebits.bench import specs
from morebits.codecs import registry
from morebits.errors import InputError, MorebitsError, UnknownName


@pytest.fixture(autouse=True)
def _names(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {"least": Least, "a:b": Least, "a:wait=1": Least})


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("trellis", "trellis", {}),
        ("trellis:psnr=42.5,states=256", "trellis", {"psnr": 42.5, "states": 256}),
        ("least:note=C:/a,b:c=d", "least", {"note": "C:/a,b:c=d"}),
        ("least:note=a,wait=1e-3", "least", {"note": "a", "wait": 0.001}),
        ("least:note=", "least", {"note": ""}),
        ("least:note=None,wait=2.0", "least", {"note": None, "wait": 2}),
        ("least:note=inf", "least", {"note": "inf"}),
        ("a:b", "a:b", {}),
        ("a:b:wait=0", "a:b", {"wait": 0}),
        ("a:wait=1", "a:wait=1", {}),  # a whole name wins over options
    ],
)
def test_names_and_options(text, name, options):
    spec = specs.parse(text)
    assert (spec.name, dict(spec.options)) == (name, options)
    assert spec.make().name == ("trellis" if name == "trellis" else "least")
    again = pickle.loads(pickle.dumps(spec))
    assert (again, again.make().name) == (spec, spec.make().name)


@pytest.mark.parametrize(
    ("text", "message", "kind"),
    [
        ("trelis", "unknown codec 'trelis'", UnknownName),
        ("", "unknown codec", UnknownName),
        ("trelis:psnr=42", "unknown codec 'trelis'", UnknownName),
        ("trellis:psnr", "unknown codec 'trellis:psnr'", UnknownName),
        ("trellis:color=1", "color", InputError),
        ("trellis:psnr=high", "high", MorebitsError),
        ("trellis:psnr=1,psnr=2", "has psnr twice", InputError),
        ("trellis:states=7", "7", MorebitsError),
        (7, "give a name", InputError),
    ],
)
def test_a_slip_shows_before_any_work(text, message, kind):
    with pytest.raises(kind, match=message):
        specs.parse(text)


def test_codecs_of_others_that_cannot_be_made(monkeypatch):
    def broken():
        raise OSError("weights\nnot found")

    monkeypatch.setattr(registry, "_registered", {"broken": broken, "list": list})
    with pytest.raises(InputError, match=r"cannot be made \(OSError: weights not found\)"):
        specs.parse("broken")
    with pytest.raises(InputError, match=r"list has no capacity\(\)"):
        specs.parse("list")


def test_each_codec_once():
    found = specs.parse_all(["box:psnr=40", "box", "box:psnr=40.0"])
    assert [each.label for each in found] == ["box:psnr=40", "box"]
    with pytest.raises(InputError, match="at least one"):
        specs.parse_all([])
