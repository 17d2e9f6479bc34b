"""Video Seal 1.0's two networks with random weights: what they cost on this machine.

Only the work is theirs, not the result: nothing is trained, nothing is downloaded.
"""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import time
from typing import Any

import numpy as np

from morebits import neural
from morebits.images import Samples
from robust_parts.lines import Say

_CARD = "videoseal-1.0"
_TIMES = 5


def measure(cover: Samples, say: Say) -> dict[str, Any]:
    """Median seconds of embed and extract on one thread; or why there are none."""
    if importlib.util.find_spec("torch") is None:
        return {"available": False, "why": "torch is not installed: pip install torch"}
    say("Video Seal's networks with random weights")
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    network = neural.build(_CARD)
    picture = torch.from_numpy(cover.transpose(2, 0, 1)[None].astype(np.float32) / 255)
    bits = torch.randint(0, 2, (1, network.card.bits))
    with torch.inference_mode():
        found = {
            "embed": seconds(lambda: network.embed(picture, bits)),
            "extract": seconds(lambda: network.extract(picture)),
        }
    count = neural.count(network.card)
    return {"available": True, "bits": network.card.bits, **found,
            "parameters": [count.embedder, count.extractor],
            "torch": torch.__version__, "weights": "random"}  # fmt: skip


def seconds(task: Any) -> float:
    """The median of several times after the first."""
    known: list[float] = []
    for _ in range(_TIMES + 1):
        started = time.perf_counter()
        task()
        known.append(time.perf_counter() - started)
    return statistics.median(known[1:])
