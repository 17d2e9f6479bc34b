"""The gray study: runs that were made here, and rows that are the paper's alone."""

from __future__ import annotations

import pytest

from morebits.paper import empirical, printed
from morebits.paper.bench import Bench, Scale


@pytest.fixture(scope="module")
def table():
    return empirical.table(Bench(Scale(small=8, large=8), lambda _: None))


def test_every_run_can_be_judged():
    assert empirical.runs()
    for name, one in empirical.runs().items():
        assert one["name"] == name
        assert one["config"]["data"] == "gray"
        assert one["minutes"]["cpu"] > 0
        assert [line for line in one["curve"] if line["kind"] == "validation"]
        assert 0 <= one["bit_accuracy"] <= 1
        last = max(line["psnr"] for line in one["curve"] if line["kind"] == "validation")
        assert one["psnr"] <= last


def test_rows_without_a_run_are_the_papers_alone(table):
    assert len(table.rows) == len(printed.GRAY_STUDY)
    for row in table.rows:
        plain = row.plain()
        if row.ours is None:
            assert plain["verdict"] == "published"
            assert "not run here" in plain["why"]
        else:
            assert row.more["CPU minutes"] > 0


def test_the_linear_model_of_1024_bits_beats_the_papers(table):
    row = next(row for row in table.rows if row.what.startswith("linear, 256 px, 1024 bits"))
    assert row.more["ours: right bits, %"] == 100
    assert row.ours is not None
    assert row.ours > row.paper


def test_gradient_descent_beats_the_linear_rows_at_equal_bits_a_pixel(table):
    rows = [row for row in table.rows if row.what.startswith("linear")]
    assert len(rows) == 2
    for row in rows:
        assert row.more["its right bits, %"] == 100
        assert row.more["ours at 64 px, dB"] > row.paper


def test_the_figure_has_a_curve_for_every_run():
    data = empirical.figure(Bench(Scale(small=8, large=8), lambda _: None))
    assert set(data["curves"]) == set(empirical.runs())
    assert all(data["curves"].values())
