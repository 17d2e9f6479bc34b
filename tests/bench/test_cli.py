"""`morebits bench`."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bench_runs import found, make

from morebits import cli
from morebits.bench import records


@pytest.fixture(autouse=True)
def photos(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return make(tmp_path / "photos", 3)


@pytest.fixture
def run(capsys):
    def run(*words, code=0):
        assert cli.main(["bench", *map(str, words)]) == code
        return capsys.readouterr()

    return run


WORDS = ("--codec", "trellis:states=4", "--images", "photos", "--out", "out", "--jobs", "1")


def test_a_run_and_a_second_one(run):
    out, err = run(*WORDS, "--attacks", "none", "--attacks", "jpeg:50|hflip")
    assert err == ""
    assert "9 samples measured; 0 with errors" in out
    assert "next: morebits report out" in out
    out, _ = run(*WORDS, "--attacks", "none", "--limit", "2", "--json")
    plain = json.loads(out)
    assert (plain["folder"], plain["samples"], plain["new"]) == ("out", 6 - 2, 0)
    assert len(found(Path("out"))) == 9


def test_a_suite_by_name(run):
    run(*WORDS, "--limit", "1")
    attacks = {each["attack"] for each in records.read("out")}
    assert {"unmarked", "none", "jpeg:50"} < attacks


def test_files_and_patterns(run):
    files = sorted(map(str, Path("photos").iterdir()))
    words = ("--codec", "trellis:states=4", "--attacks", "none", "--jobs", "1", "--images")
    run(*words, *files, "--out", "one")
    run(*words, "photos/*.png", "--out", "two")
    assert [row for _, row in found(Path("one"))] == [row for _, row in found(Path("two"))]


def test_errors_are_told_once(run):
    Path("photos/0001.png").write_bytes(b"\x89PNG")
    out, err = run(*WORDS, "--codec", "box", "--attacks", "none")
    assert "12 samples measured; 6 with errors" in out
    assert err.count("\n") == 2
    assert "morebits: note: 4 samples of trellis:states=4 and 1 more on 0001.png: 0001.png:" in err
    assert "morebits: note: 2 samples of box on 0000.png and 1 more: " in err
    assert err.count("trellis codec, which takes any picture") == 1


def test_nothing_could_be_measured(run):
    for path in Path("photos").iterdir():
        path.write_bytes(b"")
    run(*WORDS, code=1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--codec", "trelis"), "unknown codec 'trelis'"),
        (("--codec", "trellis:states=5"), "states"),
        (("--attacks", "jpg"), "jpg"),
        (("--images", "nowhere"), "nowhere: no such file or folder"),
        (("--images", "empty"), "empty: has no pictures"),
        (("--jobs", "0"), "jobs is 0"),
        (("--jobs", "-1"), "jobs is -1"),
        (("--seed", "-1"), "seed is -1"),
        (("--bits", "0"), "bits is 0"),
        (("--limit", "0"), "limit is 0"),
        (("--out", "photos/0000.png"), "cannot be a folder"),
    ],
)
def test_wrong_use(run, words, message):
    Path("empty").mkdir()
    given = dict(zip(WORDS[::2], WORDS[1::2], strict=True)) | dict([words])
    out, err = run(*(word for pair in given.items() for word in pair), code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_another_version_and_another_seed(run):
    run(*WORDS, "--attacks", "none", "--limit", "1")
    before = Path("out/samples.jsonl").read_bytes()
    _, err = run(*WORDS, "--seed", "2", code=2)
    assert "out: has results with seed 0, and this run has seed 2; give another folder" in err
    about = json.loads(Path("out/run.json").read_text())
    Path("out/run.json").write_text(json.dumps(about | {"morebits": "0.0.1"}))
    _, err = run(*WORDS, code=2)
    assert "has results of morebits 0.0.1" in err
    assert Path("out/samples.jsonl").read_bytes() == before


def test_a_bar_on_a_terminal_and_ctrl_c(tmp_path):
    """On a real terminal: a bar with the time left, then Ctrl-C as the terminal sends it."""
    make(tmp_path / "many", 40)
    words = ("--codec", "trellis:states=16384", "--images", "many", "--out", "out", "--jobs", "2")
    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "morebits", "bench", *words]
    with subprocess.Popen(
        command, stdin=child, stdout=child, stderr=child, env=environment, start_new_session=True
    ) as run:
        os.close(child)
        seen = ""
        while not re.search("[1-9][0-9]*/280", seen):
            seen += os.read(parent, 4096).decode(errors="replace")
        os.killpg(run.pid, signal.SIGINT)
        try:
            while piece := os.read(parent, 4096):
                seen += piece.decode(errors="replace")
        except OSError:  # the other end is closed
            pass
    os.close(parent)
    assert run.returncode == 130
    assert "left" in seen
    assert "stopped; run the same command again to go on in out" in seen
    assert "Traceback" not in seen
    assert 7 <= len(found(Path("out"))) < 280
