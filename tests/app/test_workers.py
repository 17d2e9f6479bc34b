from __future__ import annotations

import asyncio
import os
import time

import pytest
import worker_tasks as tasks

from morebits.app import workers as module
from morebits.app.workers import Workers
from morebits.errors import InputError, TooLarge


def with_workers(scenario, count=1):
    """Runs `scenario(workers)` in an event loop, and ends the workers."""

    async def main():
        workers = Workers(count)
        try:
            return await scenario(workers)
        finally:
            await workers.close()

    return asyncio.run(main())


async def ended(job, patience=120.0):
    until = time.monotonic() + patience
    while not job.ended:
        assert time.monotonic() < until
        await job.newer(job.version, 1.0)
    return job


def same(value):
    return value


def test_a_result_comes_back_with_reports_on_the_way():
    async def scenario(workers):
        job = workers.start(tasks.double, {"number": 21}, lambda found: found + 1)
        seen, change = [], job.change

        def noted(**values):
            change(**values)
            seen.append((job.state, job.fraction, job.stage, job.partial))

        # Whoever waits may be woken by two changes at once, so each is noted where it happens.
        job.change = noted
        return await ended(job), seen

    job, seen = with_workers(scenario)
    assert (job.state, job.result, job.fraction) == ("done", 43, 1.0)
    assert ("running", 0.5, "half of it", [21]) in seen


def test_a_worker_does_many_jobs():
    async def scenario(workers):
        jobs = [workers.start(tasks.process, {}, same) for _ in range(3)]
        return {(await ended(job)).result for job in jobs}

    (process,) = with_workers(scenario)
    assert process != os.getpid()


def test_a_running_job_is_cancelled_and_the_next_one_runs(tmp_path):
    undone = []

    async def scenario(workers):
        mark = tmp_path / "pid"
        job = workers.start(tasks.sleep, {"mark": mark}, same, lambda: undone.append(1))
        while not mark.exists() or not mark.read_text():
            await asyncio.sleep(0.02)
        workers.cancel(job)
        after = await ended(workers.start(tasks.double, {"number": 1}, same))
        return job, after, int(mark.read_text())

    job, after, process = with_workers(scenario)
    assert (job.state, after.result, undone) == ("cancelled", 2, [1])
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_reports_that_come_after_the_end_change_nothing():
    undone = []

    async def scenario(workers):
        job = workers.start(tasks.chatter, {}, same, lambda: undone.append(1))
        while not job.stage:
            await job.newer(job.version, 1.0)
        time.sleep(0.1)  # nobody listens, so reports pile up
        workers.cancel(job)
        cancelled = job.version
        await ended(workers.start(tasks.double, {"number": 1}, same))
        return job.version - cancelled

    assert with_workers(scenario) == 0
    assert undone == [1]


def test_a_result_that_cannot_be_kept_fails_the_job_and_the_next_one_runs():
    undone = []

    def lose(found):
        raise FileNotFoundError("the folder is gone")

    async def scenario(workers):
        job = await ended(
            workers.start(tasks.double, {"number": 1}, lose, lambda: undone.append(1))
        )
        return job, await ended(workers.start(tasks.double, {"number": 4}, same))

    job, after = with_workers(scenario)
    assert job.state == "failed"
    assert "unexpected FileNotFoundError: the folder is gone" in str(job.error)
    assert (after.result, undone) == (8, [1])


def test_a_waiting_job_is_cancelled_without_a_start(tmp_path):
    async def scenario(workers):
        mark = tmp_path / "first"
        first = workers.start(tasks.sleep, {"mark": mark}, same)
        second = workers.start(tasks.sleep, {"mark": tmp_path / "second"}, same)
        workers.cancel(second)
        while not mark.exists():
            await asyncio.sleep(0.02)
        workers.cancel(first)
        await ended(workers.start(tasks.double, {"number": 1}, same))
        return second

    assert with_workers(scenario).state == "cancelled"
    assert not (tmp_path / "second").exists()


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (tasks.die, "the process that did it ended by itself; try again"),
        (tasks.break_down, "unexpected ZeroDivisionError: a bug; the terminal says more"),
        (tasks.no_memory, "not enough memory; use a smaller picture"),
    ],
)
def test_what_goes_wrong_is_told_and_the_next_job_runs(task, message):
    undone = []

    async def scenario(workers):
        job = await ended(workers.start(task, {}, same, lambda: undone.append(1)))
        return job, await ended(workers.start(tasks.double, {"number": 4}, same))

    job, after = with_workers(scenario)
    assert job.state == "failed"
    assert message in str(job.error)
    assert (after.result, undone) == (8, [1])


def test_errors_of_ours_come_back_whole():
    async def scenario(workers):
        return await ended(workers.start(tasks.refuse, {}, same))

    error = with_workers(scenario).error
    assert isinstance(error, InputError)
    assert (error.name, error.value) == ("number", 3)


def test_a_long_queue_is_refused(monkeypatch):
    monkeypatch.setattr(module, "_LONGEST_QUEUE", 2)
    undone = []

    async def scenario(workers):
        for _ in range(2):
            workers.start(tasks.process, {}, same)
        with pytest.raises(TooLarge, match="the limit is 2; wait until some are done"):
            workers.start(tasks.process, {}, same, lambda: undone.append(1))

    with_workers(scenario)
    assert undone == [1]


def test_the_end_ends_the_processes(tmp_path):
    mark = tmp_path / "pid"

    async def scenario(workers):
        workers.start(tasks.sleep, {"mark": mark}, same)
        while not mark.exists() or not mark.read_text():
            await asyncio.sleep(0.02)

    with_workers(scenario)
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
