"""Whole runs, in this process and in others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import bench_codecs
import bench_pictures
import numpy as np
import pytest
from bench_runs import found, make

import morebits as mb
from morebits import images
from morebits.bench import records
from morebits.codecs import registry
from morebits.errors import ImageError, InputError, MorebitsError, ResultsError, UnknownName

ATTACKS = ["none", "jpeg:80", "crop:0.7"]
EACH = len(ATTACKS) + 1


@pytest.fixture(autouse=True)
def _codecs(monkeypatch):
    made = {
        "least": bench_codecs.Least,
        "raises": bench_codecs.Raises,
        "killer": bench_codecs.Killer,
        "vandal": bench_codecs.Vandal,
    }
    monkeypatch.setattr(registry, "_registered", made)


@pytest.fixture
def photos(tmp_path):
    return make(tmp_path / "photos", 4)


def test_a_run(photos, tmp_path):
    calls = []
    done = mb.benchmark(
        ["least", "trellis:states=4"], images=photos, attacks=ATTACKS, out=tmp_path / "out",
        progress=lambda *counts: calls.append(counts),
    )  # fmt: skip
    assert (done.samples, done.new, done.errors, done.problems) == (8 * EACH, 8 * EACH, 0, ())
    assert done.folder == tmp_path / "out"
    assert calls == [(EACH * number, 8 * EACH) for number in range(9)]
    assert done.overhead is not None
    assert 0 <= done.overhead < 1
    samples = list(records.read(done.folder))
    assert all(each["exact"] for each in samples if each["attack"] == "none")
    run = records.read_run(done.folder)
    assert run["finished"]
    assert run["run"] == samples[0]["run"]
    assert run["sessions"][0]["samples"] == done.samples
    assert list(run["images"]["files"]) == ["0000.png", "0001.png", "0002.png", "0003.png"]


def test_the_same_results_for_any_number_of_workers(photos, tmp_path):
    def run(name, **workers):
        mb.benchmark(
            ["least", "trellis:states=4"], images=photos, attacks=ATTACKS, out=tmp_path / name,
            seed=3, **workers,
        )  # fmt: skip
        return found(tmp_path / name)

    one = run("one")
    assert run("two", jobs=2) == one
    with ThreadPoolExecutor(3) as executor:
        assert run("threads", jobs=3, executor=executor) == one


def test_perceptual_scores_are_the_same_for_any_number_of_workers(tmp_path):
    pytest.importorskip("ssimulacra2")
    (tmp_path / "large").mkdir()
    for number in range(2):
        cover = bench_pictures.cover(256, 256 + number, 3)
        images.write(tmp_path / "large" / f"{number}.png", cover)

    def run(name, jobs):
        out = tmp_path / name
        mb.benchmark("least", images=tmp_path / "large", attacks="none", out=out, jobs=jobs)
        return found(out)

    one = run("one", 1)
    marked = [row["perceptual"] for _, row in one if row["attack"] == "none"]
    assert ["ssimulacra2" in each for each in marked] == [True, True]
    assert run("two", 2) == one


def test_a_second_run_does_nothing(photos, tmp_path):
    words = {"images": photos, "attacks": ATTACKS, "out": tmp_path / "out"}
    mb.benchmark("least", **words)
    before = found(tmp_path / "out")
    again = mb.benchmark("least", **words)
    assert (again.samples, again.new, again.overhead) == (4 * EACH, 0, None)
    assert found(tmp_path / "out") == before


def test_what_is_added_is_all_that_is_done(photos, tmp_path):
    out, note = tmp_path / "out", tmp_path / "note"
    codec = f"least:note={note}"
    mb.benchmark(codec, images=photos, attacks="none", out=out, limit=2)
    assert note.read_text().count("embed") == 2
    done = mb.benchmark(codec, images=photos, attacks=["none", "jpeg:80"], out=out)
    assert (done.samples, done.new) == (12, 8)  # 2 new attacks, 2 pictures with 3 samples
    assert note.read_text().count("embed") == 6
    whole = mb.benchmark(codec, images=photos, attacks=["none", "jpeg:80"], out=tmp_path / "new")
    assert whole.new == 12
    assert found(out) == found(tmp_path / "new")


class TestBadInput:
    def test_a_broken_picture_among_many(self, tmp_path):
        photos = make(tmp_path / "photos", 30)
        (photos / "0007.png").write_bytes((photos / "0007.png").read_bytes()[:200])
        (photos / "0008.jpg").write_bytes(b"not a picture at all")
        done = mb.benchmark("least", images=photos, attacks=ATTACKS, out=tmp_path / "out", jobs=2)
        assert (done.samples, done.errors) == (31 * EACH, 2 * EACH)
        assert sorted(each.images for each in done.problems) == [("0007.png",), ("0008.jpg",)]
        assert all(each.samples == EACH for each in done.problems)

    def test_a_codec_that_raises(self, photos, tmp_path):
        done = mb.benchmark(["raises", "least"], images=photos, attacks="none", out=tmp_path / "o")
        assert (done.samples, done.errors) == (16, 8)
        assert {each.error for each in done.problems} == {
            "RuntimeError: no luck", "RuntimeError: nothing to read",
        }  # fmt: skip

    def test_a_codec_that_kills_its_worker(self, photos, tmp_path):
        cover = np.full((24, 40, 3), 13, np.uint8)
        images.write(photos / "killer.png", cover)
        done = mb.benchmark("killer", images=photos, attacks="none", out=tmp_path / "out", jobs=2)
        assert (done.samples, done.errors) == (10, 2)
        (problem,) = done.problems
        assert problem.images == ("killer.png",)
        assert "the worker died" in problem.error
        assert len(found(tmp_path / "out")) == 10

    def test_a_codec_that_prints(self, photos, tmp_path, capfd):
        for jobs in (1, 2):
            out = tmp_path / f"out{jobs}"
            assert mb.benchmark("vandal", images=photos, attacks="none", out=out, jobs=jobs).new
        out, err = capfd.readouterr()
        assert out == ""
        assert err.count("an advertisement") == 8

    def test_a_codec_that_cannot_travel(self, photos, tmp_path):
        mb.register("local", lambda: bench_codecs.Least())
        words = {"images": photos, "attacks": "none", "out": tmp_path / "out"}
        with pytest.raises(InputError, match="at the top of a module"):
            mb.benchmark("local", jobs=2, **words)
        assert mb.benchmark("local", **words).new == 8

    def test_another_folder_is_needed(self, photos, tmp_path):
        words = {"images": photos, "attacks": "none", "out": tmp_path / "out"}
        mb.benchmark("least", **words)
        before = found(tmp_path / "out")
        for other in ({"seed": 1}, {"bits": 8}):
            with pytest.raises(ResultsError, match="give another folder"):
                mb.benchmark("least", **words, **other)
        images.write(photos / "0000.png", np.zeros((24, 40, 3), np.uint8), force=True)
        with pytest.raises(ResultsError, match=r"another picture with the name 0000\.png"):
            mb.benchmark("least", **words)
        assert found(tmp_path / "out") == before

    @pytest.mark.parametrize(
        ("words", "kind"),
        [
            ({"codecs": "lest"}, UnknownName),
            ({"codecs": []}, InputError),
            ({"codecs": ["least", None]}, InputError),
            ({"attacks": "no-such"}, MorebitsError),
            ({"attacks": []}, InputError),
            ({"images": "nowhere"}, ImageError),
            ({"images": []}, ImageError),
            ({"seed": -1}, InputError),
            ({"seed": 1.5}, InputError),
            ({"bits": 0}, InputError),
            ({"bits": True}, InputError),
            ({"jobs": 0}, InputError),
            ({"limit": 0}, InputError),
        ],
    )
    def test_before_anything_is_written(self, photos, tmp_path, words, kind):
        given = {"codecs": "least", "images": photos, "attacks": "none", "out": tmp_path / "out"}
        with pytest.raises(kind):
            mb.benchmark(**(given | words))
        assert not (tmp_path / "out").exists()

    def test_a_folder_without_pictures(self, tmp_path):
        (tmp_path / "empty").mkdir()
        with pytest.raises(ImageError, match=r"empty: has no pictures; give a folder with some"):
            mb.benchmark("least", images=tmp_path / "empty", out=tmp_path / "out")
        assert not (tmp_path / "out").exists()
