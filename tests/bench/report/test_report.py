"""The files of a report: page, Markdown, CSV and figures."""

from __future__ import annotations

import csv
import json
import re
import shutil

import numpy as np
import pytest
from results_folder import COMBINED, RUDE, Page, fill, run, samples

from morebits import images
from morebits.bench import records
from morebits.bench.benchmark import benchmark
from morebits.bench.report import command, examples, plots, report
from morebits.bench.report.content import gather
from morebits.cli import main
from morebits.errors import FileNotWritten, ResultsError

# One worker runs all of this, so that each report is made once.
pytestmark = pytest.mark.xdist_group("report")

FIGURES = {"capacity", "capacity-log", "pareto-psnr", "pareto-accuracy", "family-jpeg"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The report of made-up records, whose pictures are nowhere."""
    folder = fill(tmp_path_factory.mktemp("made") / "r", samples(), run())
    files = report(folder)
    return folder, files


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A real run of two codecs on two small pictures."""
    folder = tmp_path_factory.mktemp("real")
    photos = folder / "my photos"
    photos.mkdir()
    for number in range(2):
        noise = np.random.default_rng(number).integers(0, 256, (48, 64, 3), np.uint8)
        images.write(photos / f"{number}.png", noise)
    out = folder / "results"
    codecs = ["trellis:psnr=42,states=64", "box"]
    benchmark(codecs, images=photos, attacks=["none", "jpeg:50", "crop:0.71"], out=out)
    return photos, out


@pytest.fixture(scope="module")
def page(made) -> Page:
    return Page((made[0] / "report.html").read_text(encoding="utf-8"))


def test_the_files(made):
    folder, files = made
    names = {"report.html", "report.md", "summary.csv", "attacks.csv"}
    assert {each.name for each in files if each.parent == folder} == names
    assert {each.stem for each in files if each.parent.name == "figures"} == FIGURES
    assert files[0].name == "report.html"
    assert all(each.is_file() for each in files)


def test_the_same_folder_gives_the_same_files(made, tmp_path):
    folder, files = made
    again = report(folder, out=tmp_path / "deep" / "out")
    assert [each.read_bytes() for each in again] == [each.read_bytes() for each in files]


class TestPage:
    def test_nothing_is_loaded(self, page):
        for name, attributes in page.tags:
            assert name not in {"script", "link", "iframe", "object", "embed"}
            for key in ("src", "href", "xlink:href", "srcset"):
                assert (attributes.get(key) or "#").startswith(("#", "data:image/"))
            assert not re.search(r"url\((?!#)", attributes.get("style") or "")
        assert "@import" not in page.text

    def test_everyone_can_read_it(self, page):
        assert page.all("html")[0]["lang"] == "en"
        assert len(page.all("h1")) == 1
        assert all(each.get("alt") for each in page.all("img"))
        assert all(each["role"] == "img" and each["aria-label"] for each in page.all("svg"))
        assert all(each.get("scope") for each in page.all("th"))
        assert not page.twice
        ids = {each.get("id") for _, each in page.tags}
        assert all(str(each["href"])[1:] in ids for each in page.all("a"))

    def test_every_figure_is_there(self, page):
        assert len(page.all("svg")) == len(FIGURES)

    def test_the_numbers(self, page):
        row = next(row for row in page.rows if row and row[0].startswith("a "))
        assert row[1].split() == ["78.33", "worst", "50.00"]
        assert any(RUDE in cell for row in page.rows for cell in row)
        assert "99.15" in page.row("Chunky Seal")

    def test_missing_metrics_are_explained_once(self, page):
        assert page.text.count("cvvdp is not installed: pip install cvvdp") == 1

    def test_missing_pictures_are_told(self, page):
        assert "a: best photo, one.png" in page.text
        assert f"a: worst photo, {RUDE}" in page.text
        assert page.text.count("Not available: the photo is not where it was") == 4

    def test_what_failed_and_how_to_repeat_it(self, page):
        assert "the attack left nothing" in page.row("the attack left")[0]
        assert "--codec b:x=1 --codec a" in page.text
        assert "--seed 7" in page.text


class TestMarkdown:
    def rows(self, folder) -> list[list[str]]:
        text = (folder / "report.md").read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if line.startswith("| ")]
        cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
        return [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in row] for row in cells]

    def test_it_parses_back(self, made):
        rows = self.rows(made[0])
        (a,) = [row for row in rows if row[0] == "a (2 pictures)"]
        assert a[1] == "78.33 (worst 50.00)"
        assert len(a) == 16
        (combined,) = [row for row in rows if row[0] == COMBINED and len(row) == 17]
        assert combined[2].startswith("55.00")

    def test_its_figures_exist(self, made):
        text = (made[0] / "report.md").read_text(encoding="utf-8")
        linked = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
        assert {each.removeprefix("figures/").removesuffix(".svg") for each in linked} == FIGURES
        assert all((made[0] / each).is_file() for each in linked)


class TestCsv:
    def rows(self, path) -> list[dict[str, str]]:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_summary(self, made):
        rows = {row["codec"]: row for row in self.rows(made[0] / "summary.csv")}
        a = rows["a"]
        assert float(a["accuracy"]) == pytest.approx((0.8 + 1 + 0.55) / 3, abs=1e-15)
        assert (a["best_picture"], a["worst_picture"]) == ("one.png", RUDE)
        assert (a["source"], a["errors"], a["lpips"]) == ("measured", "1", "0.01")
        assert (a["ssimulacra2"], a["ssimulacra2_low"], a["cvvdp"]) == ("82.0", "", "")
        chunky = rows["Chunky Seal, SA-1B"]
        assert (chunky["lpips"], chunky["ssimulacra2"]) == ("0.0085", "")
        assert (chunky["source"], chunky["psnr"]) == ("published, their photos", "45.32")

    def test_attacks(self, made):
        rows = self.rows(made[0] / "attacks.csv")
        (jpeg,) = [row for row in rows if (row["codec"], row["attack"]) == ("a", "jpeg:50")]
        assert float(jpeg["accuracy"]) == pytest.approx(0.8)
        assert (float(jpeg["worst"]), jpeg["worst_picture"]) == (0.7, RUDE)
        assert len([row for row in rows if row["source"] != "measured"]) == 28  # 14 x 2 attacks


class TestExamples:
    def test_the_pictures_are_made_again(self, real):
        found = examples.examples(gather(real[1]))
        trellis = [each for each in found if each.codec.startswith("trellis")]
        assert [each.problem for each in trellis] == [None, None]
        titles = ["Cover", "Marked", "Difference x 10", "Attacked"]
        assert [panel.title for panel in trellis[0].panels] == titles
        assert trellis[0].panels[3].words.endswith("50.00 % of the bits right")
        assert all(panel.uri.startswith("data:image/") for panel in trellis[0].panels)
        boxes = [each.problem for each in found if each.codec == "box"]
        assert set(boxes) == {"the codec did not mark this photo"}

    def test_they_are_on_the_page(self, real, tmp_path):
        files = report(real[1], out=tmp_path)
        page = Page(files[0].read_text(encoding="utf-8"))
        assert len(page.all("img")) == 8
        assert "not marked" not in page.text

    def test_other_or_lost_photos(self, real, tmp_path):
        photos, out = real
        moved = tmp_path / "photos"
        shutil.copytree(photos, moved)
        about = json.loads((out / "run.json").read_text())
        about["images"]["sources"] = [str(moved)]
        (moved / "0.png").unlink()
        shutil.copy(photos / "0.png", moved / "1.png")  # another picture of this name
        folder = fill(tmp_path / "r", [], about)
        shutil.copy(out / "samples.jsonl", folder)
        found = examples.examples(gather(folder))
        trellis = [each for each in found if each.codec.startswith("trellis")]
        assert [each.problem for each in trellis] == [
            "the photo is not where it was, or is another one now"
        ] * 2

    def test_a_codec_that_is_not_known_here(self, real, tmp_path):
        about, rows = records.read_run(real[1]), list(records.read(real[1]))
        folder = fill(tmp_path / "r", [each | {"codec": "theirs"} for each in rows], about)
        found = examples.examples(gather(folder))
        assert any("unknown codec 'theirs'" in (each.problem or "") for each in found)

    def test_another_psnr_is_not_shown(self, real, tmp_path):
        about, rows = records.read_run(real[1]), list(records.read(real[1]))
        changed = [each | {"psnr": each["psnr"] and each["psnr"] + 1} for each in rows]
        found = examples.examples(gather(fill(tmp_path / "r", changed, about)))
        assert "and had another PSNR" in (found[0].problem or "")


class TestCommand:
    def test_suites_have_their_name(self):
        about = run(attacks=["none", "jpeg:50", "resize:0.71", "crop:0.84", "rotate:10",
                             "brightness:1.5", "hflip"])  # fmt: skip
        words = command.command(about, "my results").split()
        assert words[words.index("--attacks") :][:4] == ["--attacks", "quick", "--attacks", "hflip"]

    def test_it_names_the_limit_and_the_bits(self, real):
        photos, out = real
        images_of = {"sources": [str(photos)], "files": {"0.png": ""}}
        words = command.command(run(bits=32, images=images_of), out)
        assert "--bits 32 --limit 1" in words
        assert f"--images '{photos}'" in words


def test_families_have_their_untouched_picture():
    texts = ("none", "jpeg:80", "jpeg:50", "hflip", "rotate:10", COMBINED)
    assert plots.families(texts) == {
        "jpeg": [(50.0, "jpeg:50"), (80.0, "jpeg:80"), (100, "none")],
        "rotate": [(0, "none"), (10.0, "rotate:10")],
    }
    assert plots.families(("jpeg:50", "hflip")) == {}


def test_a_codec_that_lacks_a_family_is_drawn_without_it(tmp_path):
    kept = [each for each in samples() if each["codec"] != "a" or each["attack"] == COMBINED]
    rows = [each | {"bit_accuracy": 0.25} if each["attack"] == "jpeg:50" else each for each in kept]
    found = gather(fill(tmp_path / "r", rows, run()))
    top, bottom = plots.family(found, "quality", [(50.0, "jpeg:50"), (100.0, "none")]).axes
    assert [list(line.get_ydata()) for line in top.lines] == [[25.0, 100.0], []]
    assert top.get_ylim()[0] == 22.0  # below the usual 45
    assert [list(line.get_ydata()) for line in bottom.lines] == [[100.0, 100.0], []]


class TestCommandLine:
    def test_an_unfinished_run_without_published_figures(self, capsys, tmp_path):
        folder = fill(tmp_path / "r", samples()[:-1], run())
        words = ["report", str(folder), "--out", str(tmp_path / "o"), "--no-published", "--json"]
        assert main(words) == 0
        files = json.loads(capsys.readouterr().out)
        assert files[0] == str(tmp_path / "o" / "report.html")
        for name in ("report.html", "report.md", "summary.csv", "attacks.csv"):
            assert "ublished" not in (tmp_path / "o" / name).read_text(encoding="utf-8")
        text = Page((tmp_path / "o" / "report.html").read_text(encoding="utf-8")).text
        assert "The run is not finished, samples missing: 1." in text

    def test_no_results(self, capsys, tmp_path):
        assert main(["report", str(tmp_path)]) == 2
        assert "has no run.json; give the folder" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made(made, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileNotWritten, match="cannot be a folder"):
        report(made[0], out=tmp_path / "file" / "out")


def test_an_empty_folder(tmp_path):
    with pytest.raises(ResultsError):
        report(fill(tmp_path / "r", [], run()))
    assert not (tmp_path / "r" / "report.html").exists()
