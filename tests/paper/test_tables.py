"""The logic of the tables: differences, verdicts, and a reason wherever one is due."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morebits.paper.tables import TOLERANCE, Row, Table, markdown, number


def row(paper: float, ours: float, relation="equals", **more) -> Row:
    return Row("what", paper, ours, "bits", "line 1", "because", relation, **more)


def test_difference_is_ours_less_the_papers():
    assert row(200, 210).difference == 10
    assert row(200, 210).relative == pytest.approx(0.05)
    assert row(0, 1).relative == math.inf
    assert row(0, 1).plain()["relative"] is None


@pytest.mark.parametrize(
    ("paper", "ours", "relation", "verdict", "why"),
    [
        (100, 100.4, "equals", "same", ""),
        (64, 64.46, "equals", "same", "the paper cuts off the decimals"),
        (100, 130, "equals", "higher", "because"),
        (100, 70, "equals", "lower", "because"),
        (2000, 1966, "about", "holds", "because"),
        (2000, 1700, "about", "lower", "because"),
        (3, 3.39, "at least", "holds", "because"),
        (3, 2.9, "at least", "lower", "because"),
        (1, 0.95, "at most", "holds", "because"),
        (1, 1.2, "at most", "higher", "because"),
    ],
)
def test_verdicts(paper, ours, relation, verdict, why):
    found = row(paper, ours, relation)
    assert (found.verdict, found.why) == (verdict, why)


def test_a_figure_rounded_as_the_paper_rounds_is_the_same():
    found = row(0.083, 0.08342, decimals=3)
    assert found.verdict == "same"
    assert found.why == "the paper rounds to 3 decimals"
    assert row(0.083, 0.0836, decimals=3).verdict == "higher"


@given(st.floats(1e-3, 1e6), st.floats(-1e6, 1e6))
def test_whatever_differs_has_a_reason(paper, ours):
    found = row(paper, ours)
    assert bool(found.why) == (abs(found.relative) > TOLERANCE)
    assert found.plain()["difference"] == ours - paper


def test_markdown_has_the_columns_and_every_row():
    rows = (row(64, 64.46, more={"certified": 1373.4}), row(100, 130, more={"certified": None}))
    text = markdown(Table("t", "Title", "tab:one", rows, ("a note",)).plain())
    head = next(line for line in text.splitlines() if line.startswith("| what"))
    assert head == ("| what | paper | ours | difference |  | certified | why it differs | place |")
    assert "| 64 bits | 64.46 bits | +0.46 (+0.72%) | same | 1,373 | the paper cuts" in text
    assert "| 100 bits | 130 bits | +30 (+30.00%) | higher |  | because | line 1 |" in text
    assert text.startswith("# Title\n")
    assert text.endswith("- a note\n")


def test_words_of_a_relation_are_in_the_papers_column():
    text = markdown(Table("t", "T", "p", (row(2000, 1966, "about"), row(1, 2, "at least"))).plain())
    assert "| about 2,000 bits |" in text
    assert "| at least 1 bits |" in text


def test_numbers():
    assert [number(v) for v in (1234.5, 0.5, 3, -1500.4)] == ["1,234", "0.5", "3", "-1,500"]
