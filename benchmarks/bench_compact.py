"""Microseconds to try one compact message, as a reader of the robust codec does thousands of times.

    python benchmarks/bench_compact.py [--tries 2000] [--runs 5] [--out FILE]

Random messages with a key, all of them refused; the median of the runs. Making the `Opener`, with
scrypt, is timed once, in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from morebits.codecs.compact import Opener

#: Bytes of a message.
SIZES = (16, 32, 128, 512, 2048, 8192)


def seconds(opener: Opener, messages: Sequence[bytes]) -> float:
    """Seconds for one message, the mean over all of them."""
    started = time.perf_counter()
    for message in messages:
        opener.open(message)
    return (time.perf_counter() - started) / len(messages)


def main() -> None:
    """Print a table; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=2000, help="messages in a run")
    parser.add_argument("--runs", type=int, default=5, help="runs for each median")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    started = time.perf_counter()
    opener = Opener("secret")
    setup = 1e3 * (time.perf_counter() - started)
    source = random.Random(0)
    rows: list[dict[str, float]] = []
    for size in SIZES:
        messages = [source.randbytes(size) for _ in range(options.tries)]
        taken = [seconds(opener, messages) for _ in range(options.runs)]
        rows.append({"bytes": size, "microseconds": 1e6 * statistics.median(taken)})
    print(f"opener: {setup:.1f} ms")
    print(f"{'bytes':>6} {'us':>8} {'a second':>10}")
    for row in rows:
        print(f"{row['bytes']:>6} {row['microseconds']:>8.1f} {1e6 / row['microseconds']:>10,.0f}")
    if options.out:
        options.out.write_text(json.dumps({"opener ms": setup, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
