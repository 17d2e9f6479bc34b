"""Run a benchmark with a codec of the tests: python bench_driver.py ARGUMENTS-AS-JSON."""

from __future__ import annotations

import json
import sys

import bench_codecs

import morebits as mb


def main() -> None:
    """Register the codec, run, and print the counts."""
    words = json.loads(sys.argv[1])
    mb.register("least", bench_codecs.Least)
    done = mb.benchmark(**words, progress=lambda done, total: print(done, total, flush=True))  # noqa: T201
    print("finished", done.samples, done.new, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
