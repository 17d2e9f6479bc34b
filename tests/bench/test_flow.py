"""Tasks through pools: every one exactly once, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from morebits.bench import flow, pools
from morebits.bench.pools import Inline, Local, Pool
from morebits.errors import InputError, MissingExtra, WorkersLost


def double(number):
    return 2 * number


def deadly(word):
    """Kills its worker: "always", or only while the file that it names exists."""
    if word == "always" or (word.startswith("/") and Path(word).exists()):
        Path(word).unlink(missing_ok=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return word


def interrupted(word):
    os.kill(os.getpid(), signal.SIGINT)
    return word


def through(pool, function, tasks):
    try:
        return dict(flow.results(pool, function, tasks))
    finally:
        pool.close()


class Broken(Executor):
    """Every call fails."""

    def submit(self, fn, /, *args, **kwargs):
        future: Future[Any] = Future()
        future.set_exception(OSError("the cable is cut"))
        return future


class TestResults:
    @pytest.mark.parametrize("make", [Inline, lambda: Local(2)])
    def test_every_task_once(self, make):
        found = through(make(), double, range(50))
        assert found == {number: 2 * number for number in range(50)}

    def test_any_executor(self):
        with ThreadPoolExecutor(3) as executor:
            assert through(Pool(executor, workers=3), double, range(20))[19] == 38

    def test_no_tasks(self):
        assert through(Inline(), double, []) == {}

    def test_only_a_few_are_under_way(self):
        """However many there are: this is what keeps memory flat."""
        taken = 0

        def tasks():
            nonlocal taken
            while taken < 1000:
                taken += 1
                yield taken

        with ThreadPoolExecutor(2) as executor:
            pool = Pool(executor, workers=2)
            count = 0
            for _ in flow.results(pool, double, tasks()):
                count += 1
                assert taken <= count + pool.window
        assert count == 1000

    def test_whoever_stops_listening_cancels_the_rest(self):
        done = []
        go = threading.Event()

        def slow(number):
            if number:
                go.wait()
            done.append(number)

        with ThreadPoolExecutor(1) as executor:
            found = flow.results(Pool(executor, workers=1, window=5), slow, range(100))
            next(found)
            found.close()
            go.set()
        assert done in ([0], [0, 1])  # the one that was running ends, no other begins


class TestDeadWorkers:
    def test_a_worker_that_is_killed_loses_nothing(self, tmp_path):
        once = tmp_path / "once"
        once.touch()
        words = [f"task {number}" for number in range(12)]
        found = through(Local(2), deadly, [*words, str(once), *words[::-1], "last"])
        assert found == {word: word for word in [*words, str(once), "last"]}

    def test_a_task_that_kills_every_worker_is_found(self):
        words = [f"task {number}" for number in range(6)]
        seen = Counter()
        with closing(
            flow.results(pool := Local(2), deadly, [*words[:3], "always", *words[3:]])
        ) as f:
            for word, result in f:
                seen[word] += 1
                if word == "always":
                    assert isinstance(result, flow.Lost)
                    assert "the worker died, every time (BrokenProcessPool" in result.reason
                else:
                    assert result == word
        pool.close()
        assert seen == Counter([*words, "always"])

    def test_ctrl_c_is_for_the_parent(self):
        assert through(Local(2), interrupted, ["a", "b"]) == {"a": "a", "b": "b"}

    def test_when_nobody_is_left_the_tasks_are_not_to_blame(self):
        with pytest.raises(WorkersLost, match=r"OSError: the cable is cut; start them again"):
            through(Pool(Broken(), workers=2), double, range(5))

    def test_workers_with_another_version(self, monkeypatch):
        monkeypatch.setattr(pools, "__version__", "9.9")
        with pytest.raises(WorkersLost, match=r"they have morebits 1\.0, and this is 9\.9; pip"):
            pools.check_versions(["1.0", "9.9"])

    def test_workers_end_when_their_parent_is_killed(self, tmp_path):
        """They would wait for ever otherwise, holding memory."""
        script = tmp_path / "parent.py"
        script.write_text(
            "import os, time\n"
            "from morebits.bench.pools import Local\n"
            "if __name__ == '__main__':\n"
            "    pool = Local(2)\n"
            "    calls = [pool.submit(time.sleep, 0.2) for _ in range(2)]\n"
            "    print(pool.submit(os.getpid).result(), flush=True)\n"
            "    time.sleep(60)\n"
        )
        parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE)
        with parent:
            assert parent.stdout is not None
            worker = int(parent.stdout.readline())
            parent.kill()
        for _ in range(100):
            try:
                os.kill(worker, 0)
            except ProcessLookupError:
                return
            if (
                Path(f"/proc/{worker}/stat").exists()
                and "Z" in (Path(f"/proc/{worker}/stat").read_text().split()[2])
            ):
                return  # dead, and nobody has asked for its exit code
            time.sleep(0.1)
        pytest.fail("the worker is still there")


class TestChoose:
    @pytest.mark.parametrize("jobs", [0, -1, 1.5, True, "2"])
    def test_jobs(self, jobs):
        with pytest.raises(InputError, match="at least 1"):
            pools.choose(jobs)

    def test_one_job_is_done_here(self):
        assert isinstance(pools.choose(1), Inline)

    def test_cluster_and_executor(self):
        with pytest.raises(InputError, match="leave it out, or the cluster"):
            pools.choose(1, "tcp://nowhere:1", Broken())

    def test_without_dask(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(MissingExtra, match=r"morebits\[cluster\]"):
            pools.choose(1, "tcp://nowhere:1")

    def test_what_cannot_travel(self):
        pool = Local(2)
        with pytest.raises(InputError, match=r"at the top of a module, or use one job"):
            pool.check_task(lambda: None)
        pool.close()
