"""A real Dask cluster of several processes, one of which is killed half-way."""

from __future__ import annotations

import os
import signal
import time

import bench_codecs
import pytest
from bench_runs import found, make

import morebits as mb
from morebits.bench import flow, pools
from morebits.codecs import registry
from morebits.errors import InputError, WorkersLost

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

REAL = {"processes": True, "dashboard_address": ":0"}

pytestmark = [
    # What Dask leaves to the garbage collector when a worker was killed.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def _codecs(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {"least": bench_codecs.Least})


@pytest.fixture(scope="module")
def cluster():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),  # 3 take longer
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **REAL) as cluster,
    ):
        yield cluster


def pids(cluster):
    return [worker.pid for worker in cluster.workers.values() if worker.pid]


def kill_one(cluster):
    """As the system does when memory runs out; the nanny starts another one."""
    victim = pids(cluster)[0]
    os.kill(victim, signal.SIGKILL)
    return victim


def nap(word):
    time.sleep(0.02)
    return word


def deadly(word):
    if word == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    return word


def test_one_worker_is_killed(cluster, tmp_path):
    photos = make(tmp_path / "photos", 40)
    attacks = ["none", "jpeg:80", "crop:0.7", "hflip"]
    killed = []

    def progress(done, total):
        if done >= total // 3 and not killed:
            killed.append(kill_one(cluster))

    words = {"images": photos, "attacks": attacks, "seed": 1}
    done = mb.benchmark(
        "least:wait=0.02", out=tmp_path / "out", cluster=cluster.scheduler_address,
        progress=progress, **words,
    )  # fmt: skip
    assert killed
    assert (done.samples, done.errors, done.workers) == (200, 0, 2)
    mb.benchmark("least:wait=0.02", out=tmp_path / "here", **words)
    assert found(tmp_path / "out") == found(tmp_path / "here")


@pytest.mark.full
def test_ten_thousand_samples(cluster, tmp_path):
    """All of them exactly once, though a worker dies at each quarter."""
    photos = make(tmp_path / "photos", 1000)
    attacks = ["none", "hflip", "crop:0.7", "crop:0.8", "resize:0.7", "jpeg:80", "jpeg:60",
               "brightness:1.5", "contrast:0.5"]  # fmt: skip
    killed = []

    def progress(done, total):
        if 4 * done >= (len(killed) + 1) * total and len(killed) < 3:
            killed.append(kill_one(cluster))

    done = mb.benchmark(
        "least", images=photos, attacks=attacks, out=tmp_path / "out",
        cluster=cluster.scheduler_address, progress=progress,
    )  # fmt: skip
    assert len(killed) == 3
    assert (done.samples, done.new, done.errors) == (10_000, 10_000, 0)
    assert len(found(tmp_path / "out")) == 10_000


def test_a_task_that_kills_every_worker(cluster):
    pool = pools.Cluster(cluster.scheduler_address)
    tasks = ["a", "b", "deadly", "c", "d"]
    seen = dict(flow.results(pool, deadly, tasks))
    pool.close()
    assert isinstance(seen.pop("deadly"), flow.Lost)
    assert seen == {word: word for word in "abcd"}


def test_the_rest_is_cancelled(cluster):
    pool = pools.Cluster(cluster.scheduler_address)
    running = flow.results(pool, nap, iter(range(10**9)))
    assert next(running)[0] in range(4)
    running.close()
    pool.close(now=True)


def test_another_version(cluster, monkeypatch):
    monkeypatch.setattr(pools, "__version__", "0.0.1")
    with pytest.raises(WorkersLost, match=r"and this is 0\.0\.1; pip install"):
        pools.Cluster(cluster.scheduler_address)


def test_an_address_where_nobody_is(monkeypatch):
    monkeypatch.setattr(pools, "PATIENCE", 1)
    for address in ("tcp://127.0.0.1:9", "no address"):
        with pytest.raises(InputError, match=r"cannot be reached .*tcp://HOST:PORT"):
            pools.Cluster(address)


def test_a_cluster_without_workers(monkeypatch):
    monkeypatch.setattr(pools, "PATIENCE", 1)
    with (
        distributed.LocalCluster(n_workers=0, **REAL) as empty,
        pytest.raises(InputError, match="has no workers"),
    ):
        pools.Cluster(empty.scheduler_address)
