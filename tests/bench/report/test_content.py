"""What a report says, from records whose values are known."""

from __future__ import annotations

import pytest
from results_folder import COMBINED, RUDE, fill, run, sample, samples

from morebits.bench import records
from morebits.bench.perceptual import PERCEPTUAL
from morebits.bench.report import content, tables
from morebits.bench.report.content import gather
from morebits.errors import ResultsError


@pytest.fixture
def found(tmp_path):
    return gather(fill(tmp_path / "r", samples(), run()))


def cells(table: tables.Table, start: str) -> dict[str, tables.Cell]:
    row = next(row for row in table.rows if row[0].text.startswith(start))
    return dict(zip(table.heads, row, strict=True))


def test_the_order_is_that_of_the_run(found):
    assert [each.codec for each in found.results] == ["b:x=1", "a"]
    assert found.attacks == ("jpeg:50", "none", COMBINED)


def test_best_and_worst(found):
    b, a = found.results
    assert (a.best, a.worst) == ("one.png", RUDE)  # 2.5 and 2.2 of 3: a failure counts 1/2
    assert (b.best, b.worst) == ("one.png", RUDE)  # a tie, also in PSNR: as they came


def test_a_tie_is_broken_by_exact_messages_and_then_psnr(tmp_path):
    rows = [
        sample("a", "x", "none", bit_accuracy=0.9, exact=False, psnr=50.0),
        sample("a", "y", "none", bit_accuracy=0.9, exact=True, psnr=40.0),
        sample("a", "z", "none", bit_accuracy=0.9, exact=True, psnr=45.0),
    ]
    (a,) = gather(fill(tmp_path / "r", rows, run())).results
    assert (a.best, a.worst) == ("z", "x")


def test_the_summary(found):
    a = cells(tables.summary_table(found), "a")
    # The mean of 0.8, 1 and 0.55.
    assert a["bit accuracy, %"].text == "78.33"
    assert a["bit accuracy, %"].small == ("worst 50.00",)
    assert a["paper's overall, %"].text == "–"
    # Wilson's interval of 2 of 6, from its formula with z = 1.959964.
    assert a["exact messages, %"].text == "33.33"
    assert a["exact messages, %"].small == ("2 of 6", "9.68 to 70.00")
    assert a["bits"].text == "100"
    # 42 +- 12.7062 sqrt(2) / sqrt(2), Student's t with one degree of freedom.
    assert (a["PSNR, dB"].text, a["PSNR, dB"].small) == ("42.00", ("± 12.71",))
    assert a["of the bound, %"].text == "50.0"
    # Clopper and Pearson's for 0 of 2: 1 - 0.025^(1/2).
    assert a["false positives, %"].text == "0.00"
    assert a["false positives, %"].small == ("0 of 2", "0.00 to 84.19")
    assert (a["embed, s"].text, a["extract, s"].text, a["failed"].text) == ("0.500", "0.250", "1")
    b = cells(tables.summary_table(found), "b:x=1")
    assert b["bit accuracy, %"].text == "100.00"
    assert b["of the bound, %"].text == "0.0001"
    assert b["false positives, %"].text == "no claim"
    assert b["false positives, %"].small == ("found in 2 of 2 covers",)


class TestPerceptual:
    def notes(self, found) -> list[str]:
        return [each for each in tables.summary_table(found).notes if "not available" in each]

    def test_a_number_or_not_available(self, found):
        table = tables.summary_table(found)
        assert table.heads[-3:] == ("LPIPS", "SSIMULACRA2", "ColorVideoVDP")
        a = cells(table, "a")
        assert a["LPIPS"] == tables.Cell("0.0100", ("± 0.0000",))
        assert a["SSIMULACRA2"] == tables.Cell("82.00", ("1 of 2 pictures",))
        assert a["ColorVideoVDP"] == tables.Cell("not available")
        assert cells(table, "b:x=1")["SSIMULACRA2"] == tables.Cell("not available")

    def test_why_is_told_once(self, found):
        assert sorted(self.notes(found)) == [
            "ColorVideoVDP is not available: cvvdp is not installed: pip install cvvdp.",
            "LPIPS is not available: no score was recorded; "
            "it takes 8 bits and at least 32 pixels a side.",
            "SSIMULACRA2 is not available: no score was recorded; "
            "it takes 8 bits and at least 256 pixels a side.",
        ]

    def test_nothing_to_explain(self, tmp_path):
        scores = {"lpips": 0.01, "cvvdp": 9.5, "ssimulacra2": 90.0}
        rows = [each | {"perceptual": scores} for each in samples()]
        rows.append(sample("c", "one.png", "none", psnr=None, ssim=None, error="no luck"))
        found = gather(fill(tmp_path / "r", rows, run()))
        assert self.notes(found) == []
        assert cells(tables.summary_table(found), "a")["ColorVideoVDP"].text == "9.500"
        assert cells(tables.summary_table(found), "c")["LPIPS"].text == "–"  # nothing was marked

    def test_a_run_from_before(self, tmp_path):
        rows = [{name: each[name] for name in each if name != "perceptual"} for each in samples()]
        about = run(machine={"processor": "P", "cores": 2, "system": "S", "python": "3.11"})
        notes = self.notes(gather(fill(tmp_path / "r", rows, about)))
        assert len(notes) == 3
        assert all("the run is of an earlier version" in each for each in notes)

    def test_every_metric_has_its_column(self):
        assert set(tables.METRICS) == set(PERCEPTUAL)


def test_the_attacks(found):
    table = tables.attack_table(found)
    assert table.heads[:3] == ("attack", "b:x=1", "a")
    jpeg = cells(table, "JPEG 50")
    assert jpeg["attack"].small == ("jpeg:50",)
    assert jpeg["b:x=1"] == tables.Cell("100.00")
    # 0.8 +- 12.7 * 0.1, cut to what a share can be.
    assert jpeg["a"].text == "80.00"
    assert jpeg["a"].small == ("0.00 to 100.00", f"worst 70.00 {RUDE}")
    combined = cells(table, COMBINED)
    assert combined["a"].text == "55.00"
    assert combined["Chunky Seal"].text == "–"
    # Table "Extended results of Chunky Seal on SA-1B" and on COCO, row "JPEG 50".
    row = next(row for row in table.rows if row[0].text == "JPEG 50")
    assert [row[3].text, row[10].text] == ["98.35", "72.47"]
    assert [name for name, _ in table.groups[2:]] == [
        "published, their photos: SA-1B",
        "published, their photos: COCO",
    ]
    assert sum(count for _, count in table.groups) == len(table.heads)


def test_everything_about_a_codec(found):
    jpeg = cells(tables.detail_table(found.results[1]), "JPEG 50")
    assert (jpeg["pictures"].text, jpeg["failed"].text) == ("2", "0")
    assert jpeg["worst, %"] == tables.Cell("70.00", (RUDE,))
    assert jpeg["capacity, bits"].text == "10"


def test_the_errors(found):
    (row,) = tables.error_table(found).rows
    assert [cell.text for cell in row] == ["the attack left nothing", "1", "a", RUDE, COMBINED]


def test_the_machine(found):
    table = {row[0].text: row[1].text for row in tables.machine_table(found).rows}
    assert table["processor"] == "P, 2 cores"
    assert table["versions"] == "morebits 0.1.0, numpy 2.0"
    assert table["finished"] == "not finished"


def test_published_can_be_left_out(tmp_path):
    found = gather(fill(tmp_path / "r", samples(), run()), beside_published=False)
    table = tables.attack_table(found)
    assert table.heads == ("attack", "b:x=1", "a")
    assert not found.published


def test_the_papers_overall(tmp_path):
    """A run over the 28 settings has the paper's figure, too."""
    from morebits.attacks import SUITES

    texts = SUITES["paper-compact"]
    rows = [
        sample("a", "x", text, bit_accuracy=1 - place / 100, exact=False)
        for place, text in enumerate(texts)
    ]
    found = gather(fill(tmp_path / "r", rows, run(attacks=list(texts))))
    a = cells(tables.summary_table(found), "a")
    assert a["bit accuracy, %"].text == a["paper's overall, %"].text == "86.50"
    chunky = next(row for row in tables.published_table(found).rows)
    assert [chunky[0].text, chunky[2].text] == ["Chunky Seal", "99.15"]


def test_an_attack_that_one_codec_lacks(tmp_path):
    rows = [each for each in samples() if (each["codec"], each["attack"]) != ("a", "jpeg:50")]
    found = gather(fill(tmp_path / "r", rows, run()))
    a = cells(tables.summary_table(found), "a")
    assert (a["bit accuracy, %"].text, a["bit accuracy, %"].small) == ("–", ("attacks missing: 1",))
    assert cells(tables.attack_table(found), "JPEG 50")["a"].text == "–"
    assert found.missing == 2


class TestNothingToReport:
    def test_no_folder(self, tmp_path):
        with pytest.raises(ResultsError, match=r"has no run\.json"):
            gather(tmp_path / "none")

    def test_no_samples(self, tmp_path):
        with pytest.raises(ResultsError, match="has no samples of marked pictures; run morebits"):
            gather(fill(tmp_path / "r", [], run()))

    def test_covers_only(self, tmp_path):
        rows = [sample("a", "x", records.UNMARKED, status="nothing")]
        with pytest.raises(ResultsError, match="no samples of marked pictures"):
            gather(fill(tmp_path / "r", rows, run()))


def test_accuracy_of_nothing():
    assert content.accuracy(sample("a", "x", "none")) == 0.5
