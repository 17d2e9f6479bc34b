"""The runner itself: its overhead, and 10,000 samples through a cluster that loses a worker."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import morebits as mb
from morebits import images
from morebits.bench import records

CODECS = ("trellis", "box", "invisible-watermark:dwtDctSvd")
#: With the unmarked cover, ten samples a picture.
NINE = ("none", "hflip", "crop:0.7", "resize:0.7", "rotate:5", "jpeg:80", "jpeg:50", "blur:3",
        "brightness:1.5")  # fmt: skip

#: A cluster in a process of its own, so that the memory of this one is the runner's.
_CLUSTER = """
import json, sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=":0") as cluster:
        pids = [each.pid for each in cluster.workers.values()]
        print(json.dumps([cluster.scheduler_address, pids]), flush=True)
        sys.stdin.read()
"""


def make(folder: Path, count: int, height: int, width: int) -> Path:
    """Pictures with slopes and a little noise."""
    folder.mkdir()
    for number in range(count):
        y, x, c = np.ogrid[:height, :width, :3]
        noise = np.random.default_rng(number).integers(-6, 7, (height, width, 3))
        slopes = 128 + 60 * np.sin((x + number) / 17 + c) + 40 * np.cos(y / 23)
        images.write(folder / f"{number:05}.png", np.clip(slopes + noise, 0, 255).astype(np.uint8))
    return folder


def overhead(photos: Path | None, scratch: Path, jobs: int, limit: int) -> dict[str, Any]:
    """Every second that is not a codec's, an attack's or a metric's, as a share of all."""
    if photos is None:
        photos = make(scratch / "photos", limit, 384, 512)
    done = mb.benchmark(
        CODECS, images=photos, attacks="paper-compact", out=scratch / "overhead", jobs=jobs,
        limit=limit,
    )  # fmt: skip
    return {
        "samples": done.samples, "errors": done.errors, "seconds": done.seconds,
        "jobs": jobs, "overhead": done.overhead,
    }  # fmt: skip


def cluster(scratch: Path, pictures: int) -> dict[str, Any]:
    """Small samples through three worker processes, one of which is killed half-way."""
    photos = make(scratch / "small", pictures, 24, 24)
    killed: list[int] = []
    memory: list[float] = []

    with _cluster(scratch) as (address, pids):

        def progress(done: int, total: int) -> None:
            if 10 * done >= len(memory) * total:
                memory.append(_megabytes())
            if 2 * done >= total and not killed:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        done = mb.benchmark(
            "trellis:states=4", images=photos, attacks=NINE, out=scratch / "cluster",
            cluster=address, progress=progress,
        )  # fmt: skip
    text = (scratch / "cluster" / records.SAMPLES).read_text().splitlines()
    seen = Counter(records.key(json.loads(line)) for line in text)
    return {
        "samples": pictures * (len(NINE) + 1), "present": len(seen),
        "twice": sum(count > 1 for count in seen.values()), "errors": done.errors,
        "workers": done.workers, "killed": len(killed), "seconds": done.seconds,
        "overhead": done.overhead, "megabytes": memory,
    }  # fmt: skip


@contextmanager
def _cluster(scratch: Path) -> Generator[tuple[str, list[int]]]:
    script = scratch / "cluster.py"
    script.write_text(_CLUSTER)
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        if process.stdin is None or process.stdout is None:
            raise OSError("the cluster has no pipes")
        address, pids = json.loads(process.stdout.readline())
        yield address, pids
        process.stdin.close()


def _megabytes() -> float:
    """Memory of this process that is in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGESIZE") / 1e6, 1)


def main() -> None:
    """Run both, and print what was asked and what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", nargs="?", type=Path, help="folder; without it pictures are made")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=24, help="pictures for the overhead")
    parser.add_argument("--pictures", type=int, default=1000, help="for the cluster, of 10 samples")
    parser.add_argument("--only", choices=["overhead", "cluster"])
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    words = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        if words.only != "cluster":
            found = overhead(words.photos, Path(name), words.jobs, words.limit)
            figures["overhead"] = found
            print(
                f"{found['samples']:,} samples ({found['errors']:,} with errors) in "
                f"{found['seconds']:,.0f} s with {found['jobs']} processes: overhead "
                f"{100 * found['overhead']:.2f} % (asked: under 5 %)"
            )
        if words.only != "overhead":
            found = cluster(Path(name), words.pictures)
            figures["cluster"] = found
            print(
                f"{found['present']:,} of {found['samples']:,} samples present, {found['twice']} "
                f"twice, {found['errors']} errors; {found['workers']} workers, {found['killed']} "
                f"killed; {found['seconds']:,.0f} s, overhead {100 * found['overhead']:.1f} %"
            )
            memory = ", ".join(f"{each:.0f}" for each in found["megabytes"])
            print(f"memory of this process at each tenth of the run: {memory} MB")
    if words.out:
        words.out.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
