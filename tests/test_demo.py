from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import morebits as mb

# One worker runs all of this, so that the demonstration runs once.
pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The demonstration, run once."""
    out = tmp_path_factory.mktemp("demo") / "deep"
    command = [sys.executable, "-m", "morebits", "demo", "--out", str(out)]
    return subprocess.run(command, capture_output=True, text=True, check=True), out


def test_the_table(shown):
    done, _ = shown
    assert "2,814,604" in done.stdout
    for edit in ("hflip", "crop:0.5", "linjpeg:15", "rotate:30"):
        assert done.stdout.count(edit) == 3
        assert f"measuring {edit}" in done.stderr


def test_the_files(shown):
    done, out = shown
    names = {"capacity.json", "capacity.svg", "capacity.png", "index.html"}
    assert {path.name for path in out.iterdir()} == names
    assert all(f"wrote {out / name}" in done.stdout for name in names)
    with Image.open(out / "capacity.png") as figure:
        assert figure.size[0] > 600
    numbers = json.loads((out / "capacity.json").read_text())
    assert numbers["table"][1][0]["bits"] == pytest.approx(2_814_603.77, abs=0.01)


def test_the_page_needs_nothing_else(shown):
    page = (shown[1] / "index.html").read_text()
    assert "<svg" in page
    assert "2,814,604" in page
    assert "prefers-color-scheme: dark" in page
    for outside in ('src="http', 'href="http', "@import", "<script"):
        assert outside not in page


def test_certified_is_never_above_the_exact_count(shown):
    table = json.loads((shown[1] / "capacity.json").read_text())["table"]
    assert len(table) == 15
    for best, sure in table:
        if best["under"] is None:
            assert sure == best
            continue
        free = mb.capacity(mb.ImageFormat(**best["format"]), psnr=best["psnr"]).bits
        assert free / 5 < sure["bits"] <= free + 1e-6
        assert sure["kind"] == "lower"
        assert best["kind"] == "heuristic"
