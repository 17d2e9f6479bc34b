"""A reduced run of everything, the drawings as pure functions, and the full run."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest
from PIL import Image

from morebits import drawing, paper
from morebits.errors import MissingExtra
from morebits.paper import printed
from morebits.paper.bench import Scale
from morebits.paper.tables import TOLERANCE

# One worker runs all of this, so that the reduced run is made once.
pytestmark = pytest.mark.xdist_group("paper")

QUICK = Scale(small=8, large=8, step=20.0, low=40.0, picture=32)
NAMES = {plan.name for plan in paper.FIGURES}
TABLES = {
    "conservative_16px", "conservative_bpp", "conservative_256px",
    "in_text", "handcrafted", "gray_study", "quantised",
}  # fmt: skip


@pytest.fixture(scope="module")
def quick(tmp_path_factory) -> tuple[Path, list[Path], list[str]]:
    """The reduced run, made once."""
    out, said = tmp_path_factory.mktemp("paper") / "deep", []
    return out, paper.regenerate(out, said.append, QUICK), said


def read(path: Path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_file_is_there_and_listed(quick):
    out, files, said = quick
    expected = {out / "index.md"}
    expected |= {out / "tables" / f"{n}.{end}" for n in TABLES for end in ("json", "md")}
    expected |= {out / "figures" / f"{n}.{end}" for n in NAMES for end in ("json", "svg", "png")}
    assert set(files) == expected == {path for path in out.rglob("*") if path.is_file()}
    assert files[-1] == out / "index.md"
    assert any("singular values of linjpeg:8" in line for line in said)


def test_nothing_is_computed_twice(quick):
    certificates = [line for line in quick[2] if line.startswith("certificate")]
    assert len(certificates) == len(set(certificates))


@pytest.mark.parametrize("name", sorted(TABLES))
def test_tables_explain_themselves(quick, name):
    table = read(quick[0] / "tables" / f"{name}.json")
    assert table["rows"]
    for row in table["rows"]:
        assert {"what", "paper", "ours", "difference", "why", "place", "verdict"} <= set(row)
        if row["verdict"] == "published":
            assert row["ours"] is row["difference"] is None
            assert row["why"]
            continue
        assert row["difference"] == row["ours"] - row["paper"]
        if abs(row["difference"]) > TOLERANCE * abs(row["paper"]):
            assert row["why"]
    text = (quick[0] / "tables" / f"{name}.md").read_text(encoding="utf-8")
    assert text.count("\n|") == len(table["rows"]) + 2


@pytest.mark.parametrize("plan", paper.FIGURES, ids=lambda plan: plan.name)
def test_a_drawing_is_a_pure_function_of_its_json(quick, plan):
    folder = quick[0] / "figures"
    data = read(folder / f"{plan.name}.json")
    before = json.dumps(data)
    svg = drawing.as_svg(paper.sketch(plan.drawing, data))
    assert svg == (folder / f"{plan.name}.svg").read_text(encoding="utf-8")
    assert json.dumps(data) == before
    assert "<dc:date>" not in svg
    with Image.open(folder / f"{plan.name}.png") as image:
        assert image.width == pytest.approx(drawing.WIDTH * drawing.DPI, abs=2)
        assert "Software" not in image.info


def test_the_index_links_only_what_exists(quick):
    out = quick[0]
    text = (out / "index.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert {f"figures/{name}.png" for name in NAMES} <= set(links)
    assert all((out / link).is_file() for link in links)
    rows = [row for name in TABLES for row in read(out / "tables" / f"{name}.json")["rows"]]
    published = sum(row["verdict"] == "published" for row in rows)
    assert f"Of {len(rows) - published} comparisons with printed figures" in text
    assert f"{published} more are published figures" in text


def test_where_a_rotation_is_large_only_its_certified_bound_is_shown(quick):
    small, large = read(quick[0] / "figures" / "impact.json")["rows"]
    rotation = {row["side"]: row["panels"][1] for row in (small,)}
    assert all(line["heuristic"] for panel in rotation.values() for line in panel["lines"])
    assert all(line["heuristic"] is None for line in large["panels"][1]["lines"])
    assert all(line["certified"] for line in large["panels"][1]["lines"])


def test_figures_carry_what_the_paper_prints(quick):
    folder = quick[0] / "figures"
    names = [point["name"] for point in read(folder / "teaser.json")["points"]]
    assert names == [each.name for each in printed.METHODS]
    turned = read(folder / "quantised_disk.json")["panels"][-1]
    assert turned["images"] / turned["points"] == pytest.approx(printed.DISK_45.value, abs=5e-4)
    assert len(turned["hit"]) == turned["images"]
    assert sum(turned["times"]) == turned["points"]
    shares = [case["share"] for case in read(folder / "configurations.json")["cases"]]
    assert shares == pytest.approx([1.0, 4 / 3 * 3.14159265 * 0.4**3, shares[2], 0.12479], abs=1e-4)
    assert shares[1] < shares[2] < 1


def test_without_matplotlib_it_says_what_to_install(tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        paper, "find_spec", lambda name: None if name == "matplotlib" else found(name)
    )
    with pytest.raises(MissingExtra, match=r"morebits\[report\]"):
        paper.regenerate(tmp_path, lambda _: None)
    assert not list(tmp_path.iterdir())


def test_spread_keeps_labels_apart():
    assert drawing.spread([0, 10, 10.5], 1) == [0.0, 9.75, 10.75]
    assert drawing.spread([1, 1, 1], 2) == [-1.0, 1.0, 3.0]
    assert drawing.spread([], 1) == []


@pytest.mark.full
def test_the_full_run_reproduces_the_paper(tmp_path):
    """At the paper's sizes: what has to come out the same does."""
    paper.regenerate(tmp_path, lambda _: None)
    rows = {
        name: {row["what"]: row for row in read(tmp_path / "tables" / f"{name}.json")["rows"]}
        for name in TABLES
    }
    for what in ("horizontal flip", "rotation 15 degrees", "rotation 30 degrees",
                 "rotation 45 degrees"):  # fmt: skip
        for name in ("conservative_16px", "conservative_bpp", "conservative_256px"):
            assert rows[name][what]["verdict"] == "same"
    assert all(row["verdict"] == "same" for row in rows["handcrafted"].values())
    for what in ("ellipse, 45 degrees", "disk, 45 degrees", "disk, 0 degrees"):
        assert rows["quantised"][what]["verdict"] == "same"
    direct = rows["conservative_256px"]["crop and rescale 75 %"]["more"]
    assert direct["certified directly"] >= 100_000
    for row in rows["conservative_16px"].values():
        assert row["more"]["certified"] > row["more"]["peak 255"] - 0.1
