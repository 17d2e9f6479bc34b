"""The pure functions of benchmarks/robust.py: what it counts, and how it judges."""

from __future__ import annotations

import doctest
import importlib
import json
from pathlib import Path

import numpy as np
import pytest

from morebits.attacks import SUITES, suite
from morebits.bench.records import UNMARKED

_BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def module(monkeypatch):
    """A part of the benchmark by its name."""
    monkeypatch.syspath_prepend(str(_BENCHMARKS))
    return lambda name: importlib.import_module(f"robust_parts.{name}")


def sample(image, attack, exact=True, psnr=45, status="found", error=None, seconds=0.5):
    return {
        "image": image, "attack": attack, "exact": exact, "status": status, "error": error,
        "options": {"psnr": psnr}, "psnr": psnr + 0.01, "seconds": {"extract": seconds},
    }  # fmt: skip


@pytest.mark.parametrize("name", ["false_positives", "lines", "report", "rows", "visibility"])
def test_examples(module, name):
    found = doctest.testmod(module(name), optionflags=doctest.ELLIPSIS)
    assert found.attempted
    assert not found.failed


def test_the_plan_measures_what_it_asks_for(module):
    plan = module("plan")
    for ask in plan.ASKED:
        assert set(ask.attacks) <= set(plan.PARTS[ask.part].attacks)
    for part in plan.PARTS.values():
        assert [each.text for each in suite(part.attacks)] == list(part.attacks)


def test_parts_of_one_folder_have_messages_of_one_length(module):
    parts = module("plan").PARTS.values()
    assert len({(each.folder, each.bits) for each in parts}) == len({p.folder for p in parts})


def test_the_strong_attacks_are_those_that_were_asked_for(module):
    strong, paper = set(module("plan").STRONG), set(SUITES["paper"])
    left_out = paper - strong
    assert strong <= paper
    assert left_out == {
        "none", "rotate:30", "rotate:45", "rotate:90", "resize:0.32", "crop:0.32", "crop:0.45",
        "crop:0.55", "brightness:1.5", "brightness:1.75", "brightness:2", "contrast:1.5",
        "contrast:1.75", "contrast:2", "hue:-0.1", "hue:0.1", "jpeg:40",
    }  # fmt: skip


def part_of(module, attacks=("none", "jpeg:50"), psnr=45):
    return module("plan").Part("x", "x", 1024, attacks, psnr=psnr)


def test_a_row_counts_exact_messages_and_what_went_wrong(module):
    samples = [
        sample("coco/1.jpg", "none", seconds=1.0),
        sample("coco/2.jpg", "none", exact=None, status=None, error="no room"),
        sample("kodak/1.png", "none", exact=False, seconds=3.0),
        sample("kodak/1.png", "jpeg:50"),
        sample("kodak/1.png", "none", exact=False, psnr=48),
        sample("kodak/1.png", UNMARKED, exact=None),
    ]
    row, other = module("rows").rows(part_of(module), samples)
    assert (row["n"], row["exact"], row["errors"], row["wrong"]) == (3, 1, 1, 1)
    assert row["share"] == 1 / 3
    assert row["sets"] == {"coco": 0.5, "kodak": 0.0}
    assert row["failed"] == ["coco/2.jpg", "kodak/1.png"]
    assert (row["seconds_median"], row["seconds_worst"]) == (1.0, 3.0)
    assert other["n"] == 1


def test_published_accuracies_stand_beside_a_row(module):
    (row,) = module("rows").rows(part_of(module, ("jpeg:50",)), [sample("1.png", "jpeg:50")])
    assert round(100 * row["published"]["Chunky Seal"], 1) == 72.5  # their table on COCO


def test_a_part_that_was_not_measured_has_no_rows(module):
    assert module("rows").rows(part_of(module), [sample("1.png", "none")]) == []


@pytest.mark.parametrize(
    ("how", "share", "reached"),
    [("mean", 0.75, True), ("mean", 0.76, False), ("each", 0.5, True), ("each", 0.51, False)],
)
def test_verdicts(module, how, share, reached):
    samples = [
        *(sample(f"{n}.png", "none") for n in range(2)),
        *(sample(f"{n}.png", "jpeg:50", exact=n > 0) for n in range(2)),
    ]
    rows, plan = module("rows"), module("plan")
    found = rows.rows(part_of(module), samples)
    ask = plan.Ask("x", "figure", ("none", "jpeg:50"), how, share)
    assert rows.verdict(ask, found, 2, 2).reached is reached
    assert not rows.verdict(ask, found, 2, 3).reached
    gap = rows.verdict(ask, found, 3, 3)
    assert not gap.reached
    assert "2 of 2 rows missing" in gap.measured


def test_unmarked_covers_are_counted(module):
    samples = [
        sample("1.png", UNMARKED, exact=None, status="nothing", seconds=2.0),
        sample("2.png", UNMARKED, exact=None, status="found", seconds=4.0),
        sample("2.png", "none"),
    ]
    found = module("rows").unmarked(samples)
    assert (found["n"], found["accepted"], found["seconds_worst"]) == (2, 1, 4.0)
    assert module("rows").unmarked([sample("2.png", "none")]) is None


def test_tasks_are_done_once(module, tmp_path):
    lines, path, done = module("lines"), tmp_path / "lines.jsonl", []

    def work(task):
        done.append(task["id"])
        return {"twice": 2 * task["number"]}

    tasks = [{"id": str(n), "number": n} for n in range(3)]
    lines.run(path, work, tasks[:2], 1, lambda _: None)
    path.write_text(path.read_text() + '{"id": "2", "twi')  # a process that was killed
    lines.run(path, work, tasks, 1, lambda _: None)
    assert done == ["0", "1", "2"]
    assert [each["twice"] for each in lines.read(path)] == [0, 2, 4]
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_the_flat_parts_of_gray_and_colour_pictures_are_the_same(module):
    rng = np.random.default_rng(0)
    cover = rng.integers(0, 256, (70, 90, 1), np.uint8) // 4 + 90
    marked = cover + rng.integers(0, 2, cover.shape, np.uint8)
    visibility = module("visibility")
    colours = [np.repeat(each, 3, axis=2) for each in (cover, marked)]
    assert visibility.flat_rms(cover, marked) == pytest.approx(visibility.flat_rms(*colours))


def test_false_positives_are_judged_only_when_all_are_there(module, monkeypatch):
    false_positives = module("false_positives")
    records = [
        {
            "pictures": 10,
            "accepted": [],
            "p_values": [(n + 0.5) / 100 for n in range(first, 100, 10)],
        }
        for first in range(10)
    ]

    def reached(records):
        found = false_positives.verdicts(false_positives.summary(records))
        return [each.reached for each in found]

    monkeypatch.setattr(module("plan"), "UNMARKED", 100)
    found = false_positives.summary(records)
    assert sum(found["histogram"]) == 100
    assert found["ks_distance"] == pytest.approx(0.005)
    assert reached(records) == [True, True]
    assert reached(records[1:]) == [False, False]
    assert reached([*records[1:], {**records[0], "accepted": [7]}]) == [False, True]


def test_chunks_have_all_pictures(module):
    tasks = module("false_positives").tasks([Path("a.png"), Path("b.png")], 250, 3.0)
    assert [(each["id"], each["count"]) for each in tasks] == [
        ("0", 100),
        ("100", 100),
        ("200", 50),
    ]
    assert all(each["paths"] == ["a.png", "b.png"] for each in tasks)
