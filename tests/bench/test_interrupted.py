"""A parent that is stopped half-way; what it had finished is kept, and only the rest done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import bench_codecs
import pytest
from bench_runs import found, make

import morebits as mb
from morebits.bench import records
from morebits.codecs import registry
from morebits.errors import ResultsError

CODEC = "least:wait=0.05"
ATTACKS = ["none", "jpeg:80", "crop:0.7"]
EACH = len(ATTACKS) + 1


@pytest.fixture(autouse=True)
def _codecs(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {"least": bench_codecs.Least})


def start(photos, out):
    words = {"codecs": CODEC, "images": str(photos), "attacks": ATTACKS, "out": str(out), "jobs": 2}
    return subprocess.Popen(
        [sys.executable, Path(__file__).parent / "bench_driver.py", json.dumps(words)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,  # a Ctrl-C to the group does not reach the tests
    )  # fmt: skip


def wait_for(run, count):
    """Until it says that so many samples are written."""
    for line in run.stdout:
        if int(line.split()[0]) >= count:
            return int(line.split()[0])
    pytest.fail(run.stderr.read())


def finish(photos, out, tmp_path, had):
    words = {"images": photos, "attacks": ATTACKS}
    done = mb.benchmark(CODEC, out=out, **words)
    assert done.samples == 24 * EACH == len(found(out))
    assert done.samples - done.new >= had
    mb.benchmark(CODEC, out=tmp_path / "whole", **words)
    assert found(out) == found(tmp_path / "whole")


def test_killed(tmp_path):
    photos, out = make(tmp_path / "photos", 24), tmp_path / "out"
    with start(photos, out) as run:
        had = wait_for(run, 5 * EACH)
        os.kill(run.pid, signal.SIGKILL)
    assert run.returncode == -signal.SIGKILL
    assert had <= len(found(out)) < 24 * EACH
    assert records.read_run(out)["finished"] is None
    with (out / records.SAMPLES).open("ab") as file:
        file.write(b'{"schema":1,"run":"cut in the mid')
    finish(photos, out, tmp_path, had)


@pytest.mark.parametrize("whom", [os.kill, os.killpg])
def test_ctrl_c(tmp_path, whom):
    """As a terminal sends it, to all processes; and to the parent alone."""
    photos, out = make(tmp_path / "photos", 24), tmp_path / "out"
    with start(photos, out) as run:
        had = wait_for(run, 5 * EACH)
        whom(run.pid, signal.SIGINT)
        _, errors = run.communicate()
    assert run.returncode in (1, 130, -signal.SIGINT)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert errors.count("Traceback") == 1  # the workers say nothing
    assert had <= len(found(out)) < 24 * EACH
    run_json = records.read_run(out)
    assert run_json["finished"] is None
    assert run_json["sessions"][-1]["samples"] == len(found(out))
    finish(photos, out, tmp_path, had)


def test_two_at_a_time(tmp_path):
    photos, out = make(tmp_path / "photos", 24), tmp_path / "out"
    with start(photos, out) as run:
        wait_for(run, EACH)
        with pytest.raises(ResultsError, match=f"process {run.pid} on .* is writing to it"):
            mb.benchmark(CODEC, images=photos, attacks="none", out=out)
        text, _ = run.communicate()
    assert text.splitlines()[-1].startswith("finished")
    assert len(found(out)) == 24 * EACH
