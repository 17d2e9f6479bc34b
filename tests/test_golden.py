"""Whatever a released version wrote is read for ever: marks, results, cards, states, weights.

Containers and the marks of `robust` after edits are in tests/codecs/golden, with tests beside the
code; those that came first, with their covers, in tests/golden itself. `golden_files.py` made the
others.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import golden_files
import morebits as mb
from morebits import images
from morebits.bench import records

FOLDERS = sorted(Path(__file__).with_name("golden").glob("format-*"))
MARKS = [(folder, name) for folder in FOLDERS for name in golden_files.MARKS]

every_format = pytest.mark.parametrize("folder", FOLDERS, ids=lambda each: each.name)


def reader(name, key):
    """What reveals a mark: nothing but the key for those that `reveal` finds out by itself."""
    codec, options = golden_files.MARKS[name]
    if codec in ("trellis", "box", "robust"):
        return None
    keyed = {"key": key} if codec in ("tiled", "mosaic") else {}
    return mb.codec(codec, **options, **keyed)


@pytest.mark.parametrize(("folder", "name"), MARKS, ids=[name for _, name in MARKS])
def test_marks(folder, name):
    told = json.loads((folder / "marks.json").read_text("utf-8"))["marks"][name]
    found = mb.reveal(folder / name, key=told["key"], codec=reader(name, told["key"]))
    assert found.payload == told["payload"].encode()


def test_alpha_comes_back_too():
    name = "trellis-alpha16.png"
    wanted = golden_files.cover(name).alpha
    for folder in FOLDERS:
        assert np.array_equal(images.read(folder / name).alpha, wanted)


@every_format
def test_results(folder, tmp_path):
    samples = list(records.read(folder / "results"))
    assert len(samples) == 6  # two codecs, each unmarked, as it is and as JPEG
    about = records.read_run(folder / "results")
    assert [each["codec"] for each in about["codecs"]] == ["trellis", "box"]
    pytest.importorskip("matplotlib")
    from morebits.bench.report import report

    shutil.copytree(folder / "results", tmp_path / "results")
    report(tmp_path / "results")
    assert "trellis" in (tmp_path / "results" / "report.md").read_text()


@every_format
def test_cards_and_weights(folder):
    neural = pytest.importorskip("morebits.neural")
    card = neural.load_card(folder / "card.toml")
    assert (card.name, card.bits, card.size) == ("golden", 4, 16)
    loaded = neural.load(folder / "last.safetensors")
    assert loaded.card.differences(card) == ()
    codec = mb.codec("neural", weights=str(folder / "last.safetensors"))
    marked = codec.embed(np.full((16, 16, 3), 128, np.uint8), np.array([1, 0, 1, 1], np.uint8))
    found = codec.extract(marked.image)
    assert found.bits is not None
    assert found.bits.size == 4


@every_format
def test_a_run_goes_on_from_its_state(folder, tmp_path, monkeypatch):
    pytest.importorskip("lightning_fabric")
    (tmp_path / "run").mkdir()
    for name, to in (("state.safetensors", "run"), ("last.safetensors", "run"), ("card.toml", ".")):
        shutil.copy(folder / name, tmp_path / to)
    monkeypatch.chdir(tmp_path)
    from morebits.train import toml

    config = toml.read(str(folder / "config.toml"), ()).config
    done = mb.fit(config, out="run", resume=True)
    assert done.steps == 2
    assert (tmp_path / "run" / "best.safetensors").exists()
