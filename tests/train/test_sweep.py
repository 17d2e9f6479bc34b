"""Sweeps: every combination once, what is done stays done, and one failure stops no other."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from morebits.errors import InputError
from morebits.train import sweep as sweeping
from morebits.train.sweep import sweep
from morebits.train.toml import Plan


@pytest.fixture
def plan(little):
    config = little(epochs=1, steps_per_epoch=2)
    return Plan(config, {"lr": (1e-3,), "lambda_image": (0.1, 1.0)})


NAMES = {"lr=0.001,lambda_image=0.1", "lr=0.001,lambda_image=1.0"}


def test_every_combination_the_best_first(plan, tmp_path):
    counts: list[tuple[int, int]] = []
    runs = sweep(plan, out=tmp_path, progress=lambda *each: counts.append(each))
    assert {each.name for each in runs} == NAMES
    assert all(each.error is None for each in runs)
    assert [each.rank for each in runs] == sorted((each.rank for each in runs), reverse=True)
    assert counts == [(1, 2), (2, 2)]
    table = json.loads((tmp_path / "sweep.json").read_text())
    assert {each["name"] for each in table["runs"]} == NAMES
    assert table["sweep"] == {"lr": [1e-3], "lambda_image": [0.1, 1.0]}


def test_what_is_done_stays_done(plan, tmp_path, monkeypatch):
    first = sweep(plan, out=tmp_path)
    monkeypatch.setattr(sweeping, "fit", None)  # would fail
    assert sweep(plan, out=tmp_path) == first


def test_an_executor_of_anybody(plan, tmp_path):
    with ThreadPoolExecutor(1) as executor:
        runs = sweep(plan, out=tmp_path, executor=executor)
    assert {each.name for each in runs} == NAMES


def test_one_failure_stops_no_other(little, tmp_path):
    plan = Plan(little(epochs=1, steps_per_epoch=1), {"data": ("synthetic", "no such folder")})
    good, bad = sweep(plan, out=tmp_path)
    assert good.error is None
    assert bad.error is not None
    assert "no such folder: is no folder; give one with pictures" in bad.error


def test_another_configuration_in_the_same_folder(plan, little, tmp_path):
    sweep(plan, out=tmp_path)
    other = Plan(little(epochs=1, steps_per_epoch=2, seed=7), plan.sweep)
    assert all("seed was 0 and is 7" in str(each.error) for each in sweep(other, out=tmp_path))


def test_without_a_table(little, tmp_path):
    with pytest.raises(InputError, match=r"add a table \[sweep\]"):
        sweep(Plan(little()), out=tmp_path)


@pytest.mark.full
def test_processes_give_the_same(plan, tmp_path):
    here, there = sweep(plan, out=tmp_path / "a"), sweep(plan, out=tmp_path / "b", jobs=2)
    assert here == there


@pytest.mark.full
def test_a_dask_cluster_gives_the_same(plan, tmp_path):
    from distributed import LocalCluster

    here = sweep(plan, out=tmp_path / "a")
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        there = sweep(plan, out=tmp_path / "b", cluster=cluster.scheduler_address)
    assert here == there
