from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import morebits as mb
from morebits import cli, demo
from morebits.bench import records
from morebits.demo import draw, panels
from morebits.errors import MissingExtra

NAMES = {
    "capacity.json", "capacity.svg", "capacity.png", "index.html", "marked.png", "revealed.pdf",
    "shared.jpg", "edited.png", "benchmark",
}  # fmt: skip
HEADLINE = "2,814,604"  # bits of the photo at 42 dB, `mb.capacity(photo, psnr=42)`


def check_files(out: Path) -> None:
    """The files are there, whole, small, and agree with the library."""
    assert {path.name for path in out.iterdir()} == NAMES
    assert all(path.stat().st_size < 1_000_000 for path in out.iterdir())
    check_benchmark(out / "benchmark")
    with Image.open(out / "capacity.png") as figure:
        assert figure.size[0] > 600
    assert (out / "capacity.svg").read_text().startswith("<?xml")
    page = (out / "index.html").read_text()
    for inside in (
        "<svg",
        HEADLINE,
        'href="benchmark/report.html"',
        "prefers-color-scheme: dark",
        "var(--c4)",
    ):
        assert inside in page
    for outside in ('src="http', 'href="http', "@import", "<script"):
        assert outside not in page
    numbers = json.loads((out / "capacity.json").read_text())
    check_table(numbers["table"])
    check_hidden(numbers["hidden"], out)
    check_journey(numbers["journey"], out, page)
    assert page.count("data:image/png;base64,") == 6
    for each in numbers["hidden"]:
        assert f"{each['payload_bytes']:,}" in page


def check_benchmark(folder: Path) -> None:
    """Every codec on every piece under every attack, and a report that the page leads to."""
    assert (folder / "report.html").stat().st_size < 5_000_000
    found = list(records.read(folder))
    assert not [each["error"] for each in found if each["error"]]
    codecs = {each["codec"] for each in found}
    assert "trellis" in codecs
    assert len({each["image"] for each in found}) == 4
    unedited = [each for each in found if each["codec"] == "trellis" and each["attack"] == "none"]
    assert len(unedited) == 8
    assert all(each["exact"] and (each["fraction"] or 0) > 0.95 for each in unedited)


def check_journey(journey: dict[str, Any], out: Path, page: str) -> None:
    """The note comes out of the edited file, whose edits are real, and the page shows it."""
    assert len(journey["note"]) == journey["payload_bytes"] == 128
    assert mb.reveal(out / "edited.png", key="demo").payload == journey["note"].encode()
    assert journey["psnr"] >= 45
    assert "rotation 7.0 degrees" in journey["undone"]
    assert len(journey["steps"]) == page.count("data:image/jpeg;base64,") - 1 == 4
    assert journey["note"] in page
    with Image.open(out / "shared.jpg") as shared, Image.open(out / "edited.png") as edited:
        assert shared.format == "JPEG"
        assert edited.size == (int(0.8 * shared.width), int(0.8 * shared.height))


def check_hidden(hidden: list[dict[str, Any]], out: Path) -> None:
    """The PDF comes out of the marked picture; the other payload fills it nearly to the bound."""
    pdf = (out / "revealed.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert mb.reveal(out / "marked.png", key="demo").payload == pdf
    document, most = hidden
    assert document["payload_bytes"] == len(pdf)
    photo = demo.sample_photo()
    for each in hidden:
        assert each["bound_bits"] == pytest.approx(mb.capacity(photo, psnr=each["psnr"]).bits)
    assert most["payload_bytes"] == mb.room(photo, codec="trellis")
    assert 42 <= most["psnr"] < 42.1 < 50 < document["psnr"]
    assert 0.97 < most["message_bits"] / most["bound_bits"] < 1


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
    assert all(f"wrote {tmp_path / 'new' / name}" in out for name in NAMES - {"benchmark"})
    assert out.rstrip().endswith(f"wrote {tmp_path / 'new' / 'benchmark' / 'report.html'}")
    assert out.count("Hidden and revealed: ") == 2
    assert "saved as JPEG 70, cut to 80 % of each side, turned by 7 degrees: Rear Admiral" in out
    check_files(tmp_path / "new")


@pytest.mark.full
def test_the_demonstration(tmp_path):
    command = [sys.executable, "-m", "morebits", "demo", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert HEADLINE in done.stdout
    check_files(tmp_path)


def test_differences_are_enlarged_around_gray():
    cover = np.full((300, 400, 3), 200, np.uint8)
    marked = cover.copy()
    marked[100, 200] = (201, 198, 255)
    shown = panels.difference(cover, marked)
    with Image.open(io.BytesIO(base64.b64decode(shown))) as image:
        array = np.array(image)
    rows, columns = panels.PART
    assert array[100 - rows.start, 200 - columns.start].tolist() == [144, 96, 255]
    assert (array != 128).sum() == 3


def test_the_same_figure_is_the_same_pdf():
    shown = demo.Demo(demo.read(demo.sample_photo()), (), ())
    assert draw.as_pdf(draw.draw(shown)) == draw.as_pdf(draw.draw(shown))


def test_without_the_report_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.cbook", None)
    with pytest.raises(MissingExtra, match=r"pip install 'morebits\[report\]'"):
        demo.sample_photo()
