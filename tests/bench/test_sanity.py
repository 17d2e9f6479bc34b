"""The paper's sanity checks: on our codecs, on a peer, and on codecs that are made to fail."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import morebits as mb
from morebits.bench import trials
from morebits.bench.sanity import Check, sanity
from morebits.bench.trials import gray, subject
from morebits.cli import main
from morebits.errors import UnknownName
from morebits.types import Embedding, Extraction

SMALL: dict[str, Any] = {"sides": (16, 32, 48), "psnrs": (36.0, 42.0, 48.0), "side": 32}

PIXELS, DECIBELS, LINEAR, HANDCRAFTED, CROP, JPEG = range(6)


def verdicts(checks: tuple[Check, ...]) -> list[str]:
    return [each.verdict for each in checks]


class TestOurCodecs:
    @pytest.mark.parametrize(
        "codec", ["box", "shaped:psnr=30", "trellis:states=64", "trellis:psnr=50,states=64"]
    )
    def test_fragile_ones_pass_all_but_the_edits(self, codec):
        checks = sanity(codec, **SMALL)
        assert verdicts(checks) == ["pass"] * 4 + ["fail"] * 2
        assert checks[CROP].measured.startswith("0.00: 0 of ")
        assert checks[CROP].reason.endswith("bits did not come back, nor did 64")

    def test_tiles_lose_a_few_bits_of_the_box(self):
        """16 tiles of floor(192 log2 5) bits, and one box of floor(3072 log2 5)."""
        checks = sanity("tiled:codec=box,size=8,psnr=42", **SMALL)
        assert verdicts(checks) == ["pass"] * 3 + ["fail"] * 3
        assert 16 * math.floor(192 * math.log2(5)) == 7120
        assert checks[HANDCRAFTED].expected.startswith(f"{math.floor(3072 * math.log2(5)):,} bits")
        assert checks[HANDCRAFTED].measured.startswith("7,120 bits")

    def test_singular_survives_the_edit_that_it_is_made_for(self):
        small = {"sides": (8, 16), "psnrs": (36.0, 48.0), "side": 16}
        checks = sanity("singular", **small)
        assert verdicts(checks)[:4] == ["pass"] * 4
        assert checks[JPEG].verdict == "pass", checks[JPEG]
        left = float(checks[JPEG].measured.partition(":")[0])
        assert 0.375 < left < 0.725

    def test_the_papers_figures(self):
        """Table "Numerical results for the best-performing runs", 456,509 bits at 42 dB."""
        known = subject("box").measure(256, 42.0)
        assert (known.bits, known.claimed, known.problem) == (456_509, 456_509, "")
        assert known.psnr >= 42


@pytest.mark.skipif(
    not all(map(find_spec, ("imwatermark", "cv2", "pywt"))), reason="needs the extra peers"
)
def test_a_peer():
    checks = sanity("invisible-watermark:dwtDctSvd", sides=(64, 256, 320), side=256)
    assert verdicts(checks) == ["fail", "not applicable", "fail", "fail", "fail", "fail"]
    assert checks[PIXELS].measured == "bits ~ pixels^0.00 (0 at 64, 32 at 256, 32 at 320)"
    assert "no psnr option" in checks[DECIBELS].reason
    assert checks[LINEAR].expected == "2,048 bits in 256 px at 40.40 dB"


class Plain:
    """The lowest bit of the first samples; `claims` and `holds` may differ, and so may PSNRs."""

    name = "plain"

    def __init__(self, *, claims: int = 100, holds: int = 100, psnr: float = 42.0, loud: int = 0):
        self.claims, self.holds, self.loud = claims, holds, loud

    def capacity(self, cover):
        return self.claims

    def embed(self, cover, bits):
        flat = cover.copy().reshape(-1)
        flat[: bits.size] += bits
        flat[-self.loud or flat.size :] = 0
        return Embedding(flat.reshape(cover.shape), 0.0, bits.size, self.name)

    def extract(self, image):
        return Extraction("found", self.name, image.reshape(-1)[: self.holds] & 1)


@pytest.fixture
def plain(monkeypatch):
    """Registered for one test."""
    from morebits.codecs import registry

    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    mb.register("plain", Plain)


@pytest.mark.usefixtures("plain")
class TestClaimsAreNotBelieved:
    def test_a_true_claim(self):
        found = subject("plain").measure(16, 42.0)
        assert (found.bits, found.claimed, found.asked) == (100, 100, True)

    def test_a_codec_that_holds_less_than_it_claims(self):
        found = subject("plain:claims=700,holds=300").measure(16, 42.0)
        assert 300 / 1.02 <= found.bits <= 300
        assert found.problem == "700 bits did not come back"

    def test_a_psnr_that_is_not_kept(self):
        found = subject("plain:loud=100").measure(16, 42.0)
        assert found.bits == 0
        assert "below 42, nor did 64" in found.problem

    def test_a_constant_capacity_neither_grows_nor_falls(self):
        checks = sanity("plain", **SMALL)
        assert verdicts(checks) == ["fail", "fail", "pass", "fail", "fail", "fail"]
        assert checks[PIXELS].measured.startswith("bits ~ pixels^0.00 (100 at 16")
        assert checks[DECIBELS].reason == "capacity does not fall"

    def test_an_edit_that_costs_nothing_is_no_pass(self, monkeypatch):
        monkeypatch.setattr(trials._Trial, "_edited", lambda self, marked: marked)
        check = sanity("plain", **SMALL)[CROP]
        assert check.verdict == "fail"
        assert check.reason.endswith("it holds too little without the edit")

    def test_so_quiet_that_the_box_holds_nothing(self, monkeypatch):
        """100 lowest bits have 66 dB, and there is no PSNR to ask for."""

        class Quiet(Plain):
            def __init__(self):
                super().__init__()

        mb.register("quiet", Quiet)
        check = sanity("quiet", **SMALL)[HANDCRAFTED]
        assert check.verdict == "not applicable"
        assert check.reason.startswith("the box codec holds nothing at 6")

    def test_nothing_fits(self):
        checks = sanity("plain:claims=0", **SMALL)
        assert set(verdicts(checks)) == {"fail"}
        assert {each.reason for each in checks} == {"the codec says that nothing fits"}

    def test_a_codec_that_raises(self, monkeypatch):
        def broken(self, cover):
            raise RuntimeError("out\nof order")

        monkeypatch.setattr(Plain, "capacity", broken)
        checks = sanity("plain", **SMALL)
        assert {each.reason for each in checks} == {"RuntimeError: out of order"}


def test_an_unknown_codec():
    with pytest.raises(UnknownName):
        sanity("nope")


def test_the_cover_is_the_gray_one():
    assert np.unique(gray(4)).tolist() == [128]


def test_progress_tells_what_comes_next():
    said: list[str] = []
    sanity("box", **SMALL, progress=said.append)
    assert said == [
        "box: gray pictures of 16, 32, 48 pixels a side",
        "box: 36, 42, 48 dB",
        "box: crop:0.5",
        "box: linjpeg:15",
    ]


class TestCommandLine:
    def test_json(self, capsys):
        assert main(["bench", "--sanity", "box", "--json"]) == 1  # it does not survive an edit
        found = json.loads(capsys.readouterr().out)
        assert [each["verdict"] for each in found] == ["pass"] * 4 + ["fail"] * 2
        assert "456,509 at 256" in found[0]["measured"]

    def test_a_table(self, capsys):
        assert main(["bench", "--sanity", "box"]) == 1
        shown = capsys.readouterr()
        assert "verdict" in shown.out
        assert "box: crop:0.5" in shown.err

    def test_wrong_use(self, capsys):
        assert main(["bench", "--sanity", "nope"]) == 2
        assert main(["bench", "--codec", "box"]) == 2
        assert "--images is None: give --codec, --images and --out" in capsys.readouterr().err
