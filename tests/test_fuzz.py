"""Every input that fuzzing found worth keeping, tried again; `make fuzz` looks for new ones."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
TARGETS = sorted(path.stem for path in (FUZZ / "targets").glob("[!_]*.py"))
#: What one input may take, in seconds, as in `fuzz/run.py`.
SECONDS = 10


@pytest.fixture
def target(request, monkeypatch):
    monkeypatch.syspath_prepend(str(FUZZ))
    yield importlib.import_module(f"targets.{request.param}")
    for name in [name for name in sys.modules if name.split(".")[0] == "targets"]:
        del sys.modules[name]


@pytest.mark.parametrize("target", TARGETS, indirect=True)
def test_what_was_found_before(target):
    inputs = sorted((FUZZ / "corpus" / target.__name__.split(".")[1]).iterdir())
    assert inputs
    target.check(inputs[0].read_bytes())  # the first use of a loop compiles it
    for path in inputs:
        start = time.perf_counter()
        target.check(path.read_bytes())
        assert time.perf_counter() - start < SECONDS, path.name


def test_every_target_has_a_corpus_and_it_is_small():
    folders = sorted(path.name for path in (FUZZ / "corpus").iterdir())
    assert folders == TARGETS
    for name in folders:
        sizes = [path.stat().st_size for path in (FUZZ / "corpus" / name).iterdir()]
        assert max(sizes) <= 4096
        assert sum(sizes) < 100_000
