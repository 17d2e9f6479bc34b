"""A large picture, filled and read in this process: JSON with seconds and peak memory.

`python large.py COVER.npy STATES THREADS`: with 8 threads memory is that of a machine of 8
cores or more, whatever this one has; with 0, one thread a core.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from morebits import distortion
from morebits.codecs.trellis import Trellis


def peak_bytes() -> int:
    """Peak memory of this process; Linux's own count knows no parent."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def main(path: str, states: int, threads: int) -> None:
    """Print one JSON object."""
    if threads:
        os.cpu_count = lambda: threads
    cover, codec = np.load(path), Trellis(psnr=42, states=states)
    times = [time.perf_counter()]
    room = codec.capacity(cover)
    times.append(time.perf_counter())
    noise = np.frombuffer(np.random.default_rng(0).bytes(-(-room // 8)), np.uint8)
    message = np.unpackbits(noise, count=room)
    times.append(time.perf_counter())
    marked = codec.embed(cover, message).image
    times.append(time.perf_counter())
    found = codec.extract(marked).bits
    times.append(time.perf_counter())
    seconds = np.diff(times).tolist()
    result = {
        "samples": cover.size, "states": states, "threads": os.cpu_count(), "bits": room,
        "capacity_seconds": seconds[0], "embed_seconds": seconds[2], "extract_seconds": seconds[3],
        "bytes": peak_bytes(), "psnr": distortion.psnr(cover, marked, peak=255),
        "intact": found is not None and bool(np.array_equal(found, message)),
    }  # fmt: skip
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
