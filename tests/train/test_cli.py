"""`morebits train` as people meet it."""

from __future__ import annotations

import json

import pytest

from morebits.cli import main
from morebits.train import toml

SMALL = ("--set", "epochs=1", "--set", "steps_per_epoch=1")


@pytest.fixture
def config(little, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(toml.write(little()) + "\n[sweep]\nlr = [0.01, 0.001]\n")
    return str(path)


def test_train(config, tmp_path, capsys):
    out = tmp_path / "run"
    assert main(["train", "--config", config, "--out", str(out), *SMALL]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("best of 1 steps: step 1, ")
    assert f"wrote {out}; the weights are in {out}/best.safetensors" in printed.out
    assert printed.err == ""


def test_resume_and_json(config, tmp_path, capsys):
    out = str(tmp_path / "run")
    assert main(["train", "--config", config, "--out", out, *SMALL]) == 0
    capsys.readouterr()
    assert main(["train", "--config", config, "--out", out, "--resume", "--json", *SMALL]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["steps"], found["folder"]) == (1, out)


def test_sweep(config, tmp_path, capsys):
    out = tmp_path / "sweep"
    assert main(["train", "--config", config, "--out", str(out), "--sweep", *SMALL]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split(":")[0] for line in lines[:2]) == ["lr=0.001", "lr=0.01"]
    assert lines[2] == f"wrote {out}/sweep.json"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "lrr=1"], "lrr is 1: there is no such field, the nearest is lr"),
        (["--set", "model=nothing"], "unknown card 'nothing': use one of chunkyseal"),
        (["--set", "data=nowhere"], "nowhere: is no folder; give one with pictures"),
        (["--resume"], "there is nothing to resume; leave out --resume"),
        (["--jobs", "2"], "--jobs is 2: leave it out, or add --sweep"),
        (["--sweep", "--resume"], "--resume is True: leave it out"),
    ],
)
def test_wrong_use_is_one_line_and_2(config, tmp_path, capsys, words, said):
    assert main(["train", "--config", config, "--out", str(tmp_path / "run"), *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_sweep_of_failures_is_1(config, tmp_path, capsys):
    words = ["--sweep", "--set", "data=nowhere"]
    assert main(["train", "--config", config, "--out", str(tmp_path / "run"), *words]) == 1
    assert "nowhere: is no folder" in capsys.readouterr().out


def test_an_interrupt_says_how_to_go_on(config, tmp_path, capsys, monkeypatch):
    def interrupted(*_args, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr("morebits.train.fitting.fit", interrupted)
    assert main(["train", "--config", config, "--out", str(tmp_path / "run")]) == 130
    assert "go on from the last checkpoint" in capsys.readouterr().err
