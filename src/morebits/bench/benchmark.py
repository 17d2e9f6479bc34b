"""`mb.benchmark`: codecs, pictures and attacks in, a folder of results out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import Executor
from pathlib import Path

from morebits.attacks import Attack, suite
from morebits.bench import pictures, pools, runner, specs
from morebits.bench.pictures import Source
from morebits.bench.runner import Benchmark, Progress


def benchmark(
    codecs: str | Iterable[str],
    *,
    images: Source | Iterable[Source],
    attacks: str | Attack | Iterable[str | Attack] = "quick",
    out: str | os.PathLike[str],
    jobs: int = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    seed: int = 0,
    bits: int | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Benchmark:
    """Run every codec on every picture under every attack, and keep each sample in `out`.

    Codecs are names with options, `"trellis:psnr=42"`; `mb.register` adds yours. Images are a
    folder, a pattern or files, `limit` takes the first so many. Attacks are a suite's name or
    texts such as `"crop:0.7|jpeg:50"`. Messages have `bits` bits, or as many as each codec says
    that it can hold, and come from the `seed`, as do the attacks: the results are the same
    however many work on it.

    One job is done in this process; more `jobs` are processes (call it under
    `if __name__ == "__main__":` then), `cluster` is the address of a Dask scheduler, and
    `executor` any executor, with `jobs` calls at a time.

    Run again with the same folder, it does what is missing; codecs, attacks and pictures may be
    added. `progress` is called with the samples that are there, and those that there will be.

    >>> import tempfile, numpy as np, morebits as mb
    >>> folder = tempfile.TemporaryDirectory()
    >>> noise = np.random.default_rng(1).integers(0, 256, (48, 64, 3), np.uint8)
    >>> _ = mb.hide(noise, b"", codec="trellis").save(folder.name + "/noise.png")
    >>> done = benchmark("trellis", images=folder.name, attacks="none", out=folder.name + "/out")
    >>> done.samples, done.errors  # unmarked and marked
    (2, 0)
    >>> folder.cleanup()
    """
    known = specs.parse_all(codecs)
    found = pictures.collect(images, limit=limit)
    names = [each.text for each in suite(attacks)]
    pool = pools.choose(jobs, cluster, executor)
    stopped = True
    try:
        done = runner.run(
            known, found, names, Path(out), pool=pool, seed=seed, bits=bits, progress=progress
        )
        stopped = False
    finally:
        pool.close(now=stopped)
    return done
