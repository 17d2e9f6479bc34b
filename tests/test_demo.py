from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import morebits as mb
from morebits import cli, demo
from morebits.errors import MissingExtra

NAMES = {"capacity.json", "capacity.svg", "capacity.png", "index.html"}
HEADLINE = "2,814,604"  # bits of the photo at 42 dB, `mb.capacity(photo, psnr=42)`


def check_files(out: Path) -> None:
    """The four files are there, whole, and agree with the library."""
    assert {path.name for path in out.iterdir()} == NAMES
    with Image.open(out / "capacity.png") as figure:
        assert figure.size[0] > 600
    assert (out / "capacity.svg").read_text().startswith("<?xml")
    page = (out / "index.html").read_text()
    for inside in ("<svg", HEADLINE, "prefers-color-scheme: dark", "var(--c4)"):
        assert inside in page
    for outside in ('src="http', 'href="http', "@import", "<script"):
        assert outside not in page
    check_table(json.loads((out / "capacity.json").read_text())["table"])


def check_table(table: list[list[dict[str, Any]]]) -> None:
    """Certified bounds are near the exact count without an edit, and never above it."""
    assert len(table) == 15
    assert table[1][0]["bits"] == pytest.approx(2_814_603.77, abs=0.01)
    for best, sure in table:
        if best["under"] is None:
            assert sure == best
            continue
        free = mb.capacity(mb.ImageFormat(**best["format"]), psnr=best["psnr"]).bits
        assert free / 6 < sure["bits"] <= free + 1e-6
        assert (best["kind"], sure["kind"]) == ("heuristic", "lower")


def test_the_demonstration_on_small_edits(capsys, monkeypatch, tmp_path):
    small = tuple(replace(edit, shrink=32) for edit in demo.EDITS)
    monkeypatch.setattr(demo, "EDITS", small)
    assert cli.main(["demo", "--out", str(tmp_path / "new")]) == 0
    out, err = capsys.readouterr()
    assert HEADLINE in out
    for edit in small:
        assert out.count(edit.text) == 3
        assert f"measuring {edit.text}" in err
    assert all(f"wrote {tmp_path / 'new' / name}" in out for name in NAMES)
    check_files(tmp_path / "new")


@pytest.mark.full
def test_the_demonstration(tmp_path):
    command = [sys.executable, "-m", "morebits", "demo", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert HEADLINE in done.stdout
    check_files(tmp_path)


def test_without_the_report_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.cbook", None)
    with pytest.raises(MissingExtra, match=r"pip install 'morebits\[report\]'"):
        demo.sample_photo()
