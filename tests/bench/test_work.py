from __future__ import annotations

import secrets
import subprocess
import sys
import time
from typing import Any

import bench_codecs
import bench_pictures
import numpy as np
import pytest

from morebits import attacks, images
from morebits.bench import metrics, perceptual, records, work
from morebits.bench.specs import CodecSpec
from morebits.codecs.box import Box

SIZE = (24, 40, 3)


@pytest.fixture
def path(tmp_path):
    cover = np.random.default_rng(3).integers(0, 256, SIZE, np.uint8)
    images.write(tmp_path / "cover.png", cover)
    return tmp_path / "cover.png"


def measured(path, maker, *names, bits=None, seed=0, run=None, **options) -> list[Any]:
    run = run or secrets.token_hex(4)  # codecs are kept for a run
    spec = CodecSpec("mine", options, maker)
    task = work.Task(run, spec, path.name, str(path), names, seed, bits)
    found = work.measure(task)
    assert found["busy"] >= 0
    for each in found["samples"]:
        records.line(each)  # all of it is JSON
        assert set(each) == set(records.Sample.__annotations__)
        assert each["error"] is None or "\n" not in each["error"]
    assert [each["attack"] for each in found["samples"]] == list(names)
    return found["samples"]


def test_a_sample_against_the_parts(path):
    """The same numbers, put together by hand from codec, attack and metrics."""
    (sample,) = measured(path, bench_codecs.Least, "jpeg:90", seed=5)
    task = work.Task("r", CodecSpec("mine", {}, bench_codecs.Least), path.name, str(path), (), 5, 0)
    cover = images.read(path).array
    message = work.message_of(task, bench_codecs.BITS)
    marked = bench_codecs.Least().embed(cover, message).image
    attacked = attacks.parse("jpeg:90")(marked, seed=work.attack_seed(task))
    got = attacked.reshape(-1)[: message.size] % 2
    accuracy = float((got == message).mean())
    psnr = metrics.psnr(cover, marked, peak=255)
    assert sample["bits"] == message.size
    assert (sample["height"], sample["width"]) == SIZE[:2]
    assert sample["psnr"] == psnr
    assert sample["ssim"] == metrics.ssim(cover, marked, peak=255)
    assert sample["ms_ssim"] is None  # too small
    assert "ssimulacra2" not in sample["perceptual"]
    assert sample["fraction"] == metrics.fraction_of_bound(cover, message.size, psnr)
    assert sample["bit_accuracy"] == accuracy
    assert 0 < accuracy < 1
    assert sample["capacity"] == metrics.capacity_bits(message.size, 1 - accuracy)
    assert (sample["status"], sample["exact"], sample["p_value"]) == ("found", False, 1.0)
    assert set(sample["seconds"]) == {"embed", "attack", "extract", "metric"}


def test_unmarked_reads_the_cover(path):
    unmarked, marked = measured(path, bench_codecs.Least, "unmarked", "none")
    assert marked["exact"]
    assert unmarked["status"] == "found"  # a false positive
    for name in ("bits", "psnr", "fraction", "bit_accuracy", "exact", "capacity"):
        assert unmarked[name] is None
    assert unmarked["perceptual"] == {}
    assert set(unmarked["seconds"]) == {"extract"}


class TestPerceptual:
    """With metrics of our own, of which one is for larger pictures and one is not installed."""

    @pytest.fixture
    def asked(self, monkeypatch):
        asked: list[str] = []

        def metric(name, least, value):
            def score(cover, marked):
                asked.append(name)
                return value(cover, marked)

            return perceptual.Perceptual("json", name, None, "lower", 0, least, 1e9, lambda: score)

        def changed(cover, marked):
            return float((cover != marked).sum())

        made = {
            "changed": metric("changed", 1, changed),
            "wide": metric("wide", SIZE[0] + 1, changed),
            "endless": metric("endless", 1, lambda cover, marked: float("nan")),
            "absent": metric("absent", 1, changed)._replace(module="no_such_package"),
        }
        monkeypatch.setattr(perceptual, "PERCEPTUAL", made)
        perceptual._loaded.cache_clear()
        yield asked
        perceptual._loaded.cache_clear()

    def test_what_is_available_and_defined_once_a_picture(self, path, asked):
        unmarked, *marked = measured(path, bench_codecs.Least, "unmarked", "none", "jpeg:90")
        none, jpeg = (each["perceptual"] for each in marked)
        assert none == jpeg
        assert set(none) == {"changed"}
        assert 0 < none["changed"] <= bench_codecs.BITS  # before any attack
        assert unmarked["perceptual"] == {}
        assert asked == ["changed", "endless"]

    def test_covers_and_failures_have_none(self, path, asked):
        (unmarked,) = measured(path, bench_codecs.Least, "unmarked")
        (failed,) = measured(path, bench_codecs.Raises, "none")
        assert (unmarked["perceptual"], failed["perceptual"], asked) == ({}, {}, [])

    def test_its_seconds_are_those_of_the_metrics(self, path, asked, monkeypatch):
        slow = perceptual.PERCEPTUAL["changed"].load()

        def load():
            return lambda cover, marked: (time.sleep(0.05), slow(cover, marked))[1]

        item = perceptual.PERCEPTUAL["changed"]._replace(load=load)
        monkeypatch.setitem(perceptual.PERCEPTUAL, "changed", item)
        for each in measured(path, bench_codecs.Least, "none", "hflip"):
            assert each["seconds"]["metric"] >= 0.05


def test_the_score_of_a_real_metric(tmp_path):
    pytest.importorskip("ssimulacra2")
    cover = bench_pictures.cover(256, 256, 3)
    images.write(tmp_path / "large.png", cover)
    (sample,) = measured(tmp_path / "large.png", bench_codecs.Least, "none")
    task = work.Task("r", CodecSpec("mine", {}, bench_codecs.Least), "large.png", "", (), 0, 0)
    marked = bench_codecs.Least().embed(cover, work.message_of(task, bench_codecs.BITS)).image
    assert sample["perceptual"]["ssimulacra2"] == perceptual.score("ssimulacra2", cover, marked)
    assert sample["perceptual"]["ssimulacra2"] < 100


def test_messages_differ_by_seed_codec_and_picture(path):
    def message(seed=0, image="a.png", options=None):
        spec = CodecSpec("mine", options or {}, bench_codecs.Least)
        return work.message_of(work.Task("r", spec, image, "", (), seed, None), 64).tolist()

    found = [message(), message(seed=1), message(image="b.png"), message(options={"a": 1})]
    assert message() == found[0]
    assert len({tuple(each) for each in found}) == 4


def test_attacks_are_the_same_for_every_codec(path):
    seeds = {
        work.attack_seed(work.Task("r", CodecSpec(name, {}, Box), "a.png", "", (), 1, None))
        for name in ("one", "two")
    }
    assert len(seeds) == 1
    assert 0 <= seeds.pop() < 2**63


def test_bits_of_ones_own_choice(path, tmp_path):
    (sample,) = measured(path, bench_codecs.Least, "none", bits=7)
    assert (sample["bits"], sample["exact"]) == (7, True)
    gray = tmp_path / "gray.png"
    images.write(gray, np.full((20, 20, 3), 128, np.uint8))
    (sample,) = measured(gray, Box, "none", bits=100)
    assert (sample["bits"], sample["exact"], sample["bit_accuracy"]) == (100, True, 1.0)
    (sample,) = measured(gray, Box, "none", bits=10**6)
    assert "1,000,000 bits" in sample["error"]


def test_a_picture_that_did_not_change(path):
    class Nothing(bench_codecs.Least):
        def embed(self, cover, bits, /):
            return bench_codecs.Embedding(cover, float("inf"), bits.size, "mine")

    (sample,) = measured(path, Nothing, "none")
    assert (sample["psnr"], sample["fraction"], sample["ssim"]) == (None, None, 1.0)
    assert sample["error"] is None


class TestErrorsBecomeRecords:
    def test_codec_raises(self, path):
        unmarked, *marked = measured(path, bench_codecs.Raises, "unmarked", "none", "jpeg:50")
        assert unmarked["error"] == "RuntimeError: nothing to read"
        assert [each["error"] for each in marked] == ["RuntimeError: no luck"] * 2
        assert unmarked["width"] == SIZE[1]

    def test_codec_leaves_the_program(self, path):
        unmarked, marked = measured(path, bench_codecs.Leaves, "unmarked", "none")
        assert unmarked["error"] is None
        assert marked["error"] == "SystemExit: usage: leave"

    def test_codec_cannot_be_made(self, path):
        def maker():
            raise OSError("no weights")

        (sample,) = measured(path, maker, "none")
        assert sample["error"] == "OSError: no weights"

    @pytest.mark.parametrize(
        ("codec", "message"),
        [
            (bench_codecs.WrongSize, "embed returned the size (23, 40, 3), the cover has (24,"),
            (bench_codecs.WrongType, "embed returned float64 samples, the cover has uint8"),
            (bench_codecs.NoEmbedding, "embed returned a NoneType, not an Embedding"),
        ],
    )
    def test_codec_returns_another_picture(self, path, codec, message):
        unmarked, marked = measured(path, codec, "unmarked", "none")
        assert unmarked["error"] is None
        assert message in marked["error"]

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ("none", "extract returned a NoneType, not an Extraction"),
            ("bits", "extract returned no message"),
            ("status", "not an Extraction"),
            ("p_value", "extract returned the p-value nan"),
        ],
    )
    def test_codec_returns_another_answer(self, path, answer, message):
        (sample,) = measured(path, bench_codecs.BadExtraction, "none", answer=answer)
        assert message in sample["error"]
        assert sample["psnr"] is not None  # what was measured before it failed is kept
        assert sample["status"] is None

    def test_codec_has_no_room(self, path):
        class Full(bench_codecs.Least):
            def capacity(self, cover, /):
                return 0

        (sample,) = measured(path, Full, "none")
        assert "holds no bits" in sample["error"]

    def test_codec_refuses_the_cover(self, path):
        unmarked, marked = measured(path, Box, "unmarked", "none")
        assert unmarked["error"] is None
        assert "use the trellis codec" in marked["error"]

    def test_attack_leaves_nothing(self, path, monkeypatch):
        class Shrink:
            def __call__(self, image, *, seed):
                return image[:0]

        monkeypatch.setattr(attacks, "parse", lambda text: Shrink())
        (sample,) = measured(path, bench_codecs.Least, "crop:0")
        assert "left nothing of the picture" in sample["error"]

    def test_attack_shrinks_to_a_pixel_or_less(self, path):
        """With the real attacks: an answer or an error, never an exception."""
        names = ("crop:0.03", "resize:0.03", "resize:0.03|crop:0.1", "crop:0.03|jpeg:10")
        for each in measured(path, bench_codecs.Least, *names):
            assert each["error"] or each["bit_accuracy"] is not None

    def test_attack_fails(self, path):
        first, second = measured(path, bench_codecs.Least, "no-such-attack", "none")
        assert "no-such-attack" in first["error"]
        assert second["error"] is None

    def test_broken_picture(self, path, tmp_path):
        broken = tmp_path / "broken.png"
        broken.write_bytes(path.read_bytes()[:100])
        found = measured(broken, bench_codecs.Least, "unmarked", "none", "jpeg:50")
        (error,) = {each["error"] for each in found}
        assert error.startswith("broken.png: ")  # the same wherever the folder is
        assert {each["width"] for each in found} == {None}
        (sample,) = measured(tmp_path / "gone.png", bench_codecs.Least, "none")
        assert "no such file" in sample["error"]

    def test_long_errors_are_cut(self, path):
        class Talks(bench_codecs.Least):
            def embed(self, cover, bits, /):
                raise ValueError("word " * 1000)

        (sample,) = measured(path, Talks, "none")
        assert len(sample["error"]) == work.LONGEST


def test_what_a_codec_does_to_its_arguments_stays_there(path):
    names = ("unmarked", "none", "jpeg:95", "hflip|hflip")
    unmarked, first, second, third = measured(path, bench_codecs.Vandal, *names)
    assert unmarked["error"] is None
    assert first["exact"]
    assert third["exact"]
    assert second["error"] is None


def test_a_codec_is_made_once_a_run(path):
    made = []

    def maker(**options):
        made.append(options)
        return bench_codecs.Least()

    for run in ("once", "once", "again"):
        measured(path, maker, "none", run=run)
    assert len(made) == 2


def test_sixteen_bits(tmp_path):
    cover = 30_000 + 1000 * np.random.default_rng(3).integers(0, 8, SIZE)
    images.write(tmp_path / "deep.png", cover.astype(np.uint16))
    none, jpeg = measured(tmp_path / "deep.png", bench_codecs.Least, "none", "jpeg:90")
    assert none["exact"]
    assert none["psnr"] > 90  # of 65535
    assert jpeg["error"] is None


def test_no_torch_comes_with_the_work():
    code = "import sys, morebits.bench.work, morebits.hiding; print('torch' in sys.modules)"
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout == "False\n"
