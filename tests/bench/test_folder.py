from __future__ import annotations

import errno
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import morebits
from morebits.bench import lock, perceptual, records
from morebits.bench.folder import Config, Folder
from morebits.errors import FileNotWritten, NewerFormat, ResultsError

CONFIG = Config(0, None, [("box", {})], ["none"], ["photos"], {"a.png": "d1"})


def filled(path, samples, config=CONFIG):
    folder = Folder(path, config)
    folder.add(samples)
    folder.close({"samples": len(samples)}, complete=True)
    return path


def content(path):
    return {each.name: each.read_bytes() for each in path.iterdir() if each.name != lock.NAME}


def test_run_json_says_what_was_run(tmp_path, sample):
    filled(tmp_path / "deep" / "out", [sample()])
    run = records.read_run(tmp_path / "deep" / "out")
    assert (run["schema"], run["morebits"]) == (records.SCHEMA, morebits.__version__)
    assert (run["seed"], run["bits"], run["attacks"]) == (0, None, ["none"])
    assert run["codecs"] == [{"codec": "box", "options": {}}]
    assert run["images"] == {"sources": ["photos"], "files": {"a.png": "d1"}}
    assert run["machine"]["cores"] >= 1
    assert "numpy" in run["packages"]
    assert set(run["machine"]["metrics"]) == {
        name for name in perceptual.PERCEPTUAL if not perceptual.available(name)
    }
    assert run["started"] <= run["finished"]
    assert [each["samples"] for each in run["sessions"]] == [1]


def test_run_json_says_why_a_metric_is_missing(tmp_path, monkeypatch):
    where = f"no module in {Path.home()}/packages"

    def load():
        raise ImportError(where)

    broken = perceptual.PERCEPTUAL["lpips"]._replace(module="json", load=load)
    absent = perceptual.PERCEPTUAL["cvvdp"]._replace(module="no_such_package")
    monkeypatch.setitem(perceptual.PERCEPTUAL, "lpips", broken)
    monkeypatch.setitem(perceptual.PERCEPTUAL, "cvvdp", absent)
    perceptual._loaded.cache_clear()
    metrics = records.read_run(filled(tmp_path, []))["machine"]["metrics"]
    assert metrics["lpips"] == "lpips does not load: no module in ~/packages"
    assert metrics["cvvdp"] == "cvvdp is not installed: pip install cvvdp"


def test_a_folder_goes_on(tmp_path, sample):
    filled(tmp_path, [sample()])
    before = records.read_run(tmp_path)["run"]
    more = replace(CONFIG, codecs=[("box", {}), ("trellis", {"psnr": 42})], attacks=["jpeg:50"])
    more = replace(more, images={"b.png": "d2"})
    folder = Folder(tmp_path, more)
    assert folder.done == {("box", "a.png", "none", 0)}
    assert folder.run == before
    folder.add([sample(image="b.png")])
    folder.close({}, complete=False)
    run = records.read_run(tmp_path)
    assert [each["codec"] for each in run["codecs"]] == ["box", "trellis"]
    assert run["attacks"] == ["none", "jpeg:50"]
    assert run["images"]["files"] == {"a.png": "d1", "b.png": "d2"}
    assert run["finished"] is None
    assert len(run["sessions"]) == 2
    assert len(list(records.read(tmp_path))) == 2


@pytest.mark.parametrize("cut", [1, 100, 10**9])
def test_half_a_line_is_dropped(tmp_path, sample, cut):
    filled(tmp_path, [sample()])
    path = tmp_path / records.SAMPLES
    whole = path.read_bytes()
    long = sample(image="b.png", error="x" * 200_000)  # longer than what the repair reads at once
    path.write_bytes(whole + records.line(long)[: min(cut, len(records.line(long)) - 1)])
    Folder(tmp_path, CONFIG).close({}, complete=True)
    assert path.read_bytes() == whole


def test_nothing_but_half_a_line(tmp_path, sample):
    filled(tmp_path, [])
    (tmp_path / records.SAMPLES).write_bytes(records.line(sample())[:-1])
    Folder(tmp_path, CONFIG).close({}, complete=True)
    assert (tmp_path / records.SAMPLES).read_bytes() == b""


class TestRefused:
    """Each with the fix, and nothing is lost or changed."""

    def check(self, path, config, message, kind=ResultsError):
        before = content(path)
        for _ in range(2):  # the lock is free again
            with pytest.raises(kind, match=message):
                Folder(path, config)
        assert content(path) == before

    def test_another_configuration(self, tmp_path, sample):
        filled(tmp_path, [sample()])
        self.check(tmp_path, replace(CONFIG, seed=1), r"with seed 0.* seed 1; give another folder")
        self.check(tmp_path, replace(CONFIG, bits=64), r"bits left to each codec.* bits 64;")
        changed = replace(CONFIG, images={"a.png": "d9"})
        self.check(tmp_path, changed, r"another picture with the name a\.png; give another folder")

    def test_another_version(self, tmp_path, sample, monkeypatch):
        filled(tmp_path, [sample()])
        monkeypatch.setattr("morebits.bench.folder.__version__", "9.0")
        self.check(tmp_path, CONFIG, r"this is 9\.0; .*pip install morebits==")

    @pytest.mark.parametrize(("step", "kind"), [(1, NewerFormat), (-1, ResultsError)])
    def test_another_schema(self, tmp_path, sample, step, kind):
        filled(tmp_path, [sample()])
        run = json.loads((tmp_path / records.RUN).read_text())
        (tmp_path / records.RUN).write_text(json.dumps(run | {"schema": run["schema"] + step}))
        self.check(tmp_path, CONFIG, "upgrade" if step > 0 else "give another folder", kind)

    def test_samples_of_nobody(self, tmp_path, sample):
        (tmp_path / records.SAMPLES).write_bytes(records.line(sample()))
        self.check(tmp_path, CONFIG, r"has a samples\.jsonl but no run\.json")

    def test_a_broken_line_in_the_middle(self, tmp_path, sample):
        filled(tmp_path, [sample()])
        with (tmp_path / records.SAMPLES).open("ab") as file:
            file.write(b"???\n" + records.line(sample(image="b.png")))
        self.check(tmp_path, CONFIG, "line 2")

    def test_a_file_in_place_of_the_folder(self, tmp_path):
        (tmp_path / "out").write_text("mine")
        with pytest.raises(FileNotWritten, match="cannot be a folder"):
            Folder(tmp_path / "out", CONFIG)
        with pytest.raises(FileNotWritten, match="cannot be a folder"):
            Folder(tmp_path / "out" / "deeper", CONFIG)


def test_a_full_disk(tmp_path, sample, monkeypatch):
    folder = Folder(tmp_path, CONFIG)

    class Full:
        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self):
            pass

    folder.add([sample()])
    kept = folder._file
    monkeypatch.setattr(folder, "_file", Full())
    with pytest.raises(FileNotWritten, match=r"No space left.*make room"):
        folder.add([sample(image="b.png")])
    kept.close()
    folder.close({}, complete=False)
    assert len(list(records.read(tmp_path))) == 1


_FILL = """
import json, pathlib, resource, signal, sys
from morebits.bench.folder import Config, Folder
from morebits.bench.lock import Lock
from morebits.errors import FileNotWritten
folder = Folder(pathlib.Path(sys.argv[1]), Config(1, None, [], [], [], {}))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
for call in (lambda: folder.add([json.loads(sys.argv[2])] * 10),
             lambda: folder.close({}, complete=False)):
    try:
        call()
    except FileNotWritten as error:
        print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
Lock(pathlib.Path(sys.argv[1])).release()  # says who has it, if there is room for that
"""


def test_a_disk_that_stays_full(tmp_path, sample):
    """What could not be written is tried again when the folder is closed: the same error."""
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", _FILL, str(tmp_path), json.dumps(sample())],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    wanted = r"samples.jsonl: cannot be written (File too large); make room, then run the same"
    assert [wanted in line for line in done.stdout.splitlines()] == [True, True]
    Folder(tmp_path, replace(CONFIG, seed=1, codecs=[], images={})).close({}, complete=False)
    assert len(list(records.read(tmp_path))) == 1  # ten times the same one, which counts once


_HOLD = """
import sys, pathlib
from morebits.bench.lock import Lock
held = Lock(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_two_runs_into_one_folder(tmp_path):
    """The second is told who is there; when that one is killed, nothing is in the way."""
    other = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        who = rf"another run \(process {other.pid} on .*\) is writing to it; wait"
        with pytest.raises(ResultsError, match=who):
            Folder(tmp_path, CONFIG)
        other.kill()
    assert str(other.pid) in (tmp_path / lock.NAME).read_text()  # it left its lock behind
    Folder(tmp_path, CONFIG).close({}, complete=True)


def test_two_runs_in_one_process(tmp_path):
    first = Folder(tmp_path, CONFIG)
    with pytest.raises(ResultsError, match="another run"):
        Folder(tmp_path, CONFIG)
    first.close({}, complete=True)
    Folder(tmp_path, CONFIG).close({}, complete=True)
