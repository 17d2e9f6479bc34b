"""The LDPC code of the robust codec: milliseconds of encoder and decoder, and frame error rates.

    python benchmarks/bench_ldpc.py [--frames 200] [--seconds 4] [--out FILE]

Bits through white Gaussian noise, Eb/N0 in dB. The package `ldpc` from PyPI decodes the very same
values over the same checks, if it is installed; beside the error rates stand those of AFF3CT
(github.com/aff3ct/error_rate_references, exact layered belief propagation, 10 rounds).
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from morebits.bench.statistics import clopper_pearson
from morebits.codecs.ldpc import Code

#: Message bits, coded bits, rounds, and Eb/N0 with the published frame error rate, if any.
CURVES: tuple[tuple[int, int, int, dict[float, float | None]], ...] = (
    (512, 1024, 10, {1.0: 5.05e-1, 1.25: 2.46e-1, 1.5: 7.38e-2, 1.75: 2.02e-2, 2.0: 3.65e-3}),
    (6144, 12288, 10, {1.0: 5.97e-1, 1.1: 3.27e-1, 1.2: 6.64e-2, 1.3: 1.01e-2}),
    (6144, 12288, 50, {0.7: None, 0.8: None, 0.9: None, 1.0: None}),
    (1024, 20480, 50, {-0.2: None, 0.0: None, 0.2: None, 0.4: None}),
    (1024, 5120, 50, {-0.2: None, 0.0: None, 0.2: None, 0.4: None}),
    (3840, 13800, 50, {-0.2: None, 0.0: None, 0.2: None, 0.4: None}),
    (4160, 13800, 50, {-0.2: None, 0.0: None, 0.2: None, 0.4: None}),
    (16384, 49152, 50, {-0.2: None, 0.0: None, 0.2: None, 0.4: None}),
)

Soft = NDArray[np.float64]


def received(code: Code, decibel: float, rng: np.random.Generator) -> tuple[Any, Soft]:
    """A random message, and the soft values of its coded bits after the noise."""
    bits = rng.integers(0, 2, code.payload_bits).astype(np.uint8)
    variance = code.coded_bits / (2 * code.payload_bits * 10 ** (decibel / 10))
    noise = np.sqrt(variance) * rng.standard_normal(code.coded_bits)
    return bits, 2 * (2.0 * code.encode(bits) - 1 + noise) / variance


def error_rate(
    code: Code, decibel: float, rounds: int, frames: int, seconds: float
) -> dict[str, Any]:
    """Wrong messages, wrong ones that passed every check, mean rounds and milliseconds."""
    rng = np.random.default_rng(0)
    wrong = unseen = used = done = 0
    spent, until = 0.0, time.perf_counter() + seconds
    while done < frames and (done < 10 or time.perf_counter() < until):
        bits, llr = received(code, decibel, rng)
        started = time.perf_counter()
        found = code.decode(llr, rounds)
        spent += time.perf_counter() - started
        bad = not np.array_equal(found.bits, bits)
        wrong, unseen, used, done = (
            wrong + bad, unseen + (bad and found.ok), used + found.iterations, done + 1
        )  # fmt: skip
    rate = clopper_pearson(wrong, done)
    return {
        "payload": code.payload_bits, "coded": code.coded_bits, "graph": code.graph,
        "blocks": code.blocks, "Z": code.block.Z, "Eb/N0 dB": decibel, "limit": rounds,
        "frames": done, "wrong": wrong, "wrong, checks hold": unseen,
        "low": rate.low, "high": rate.high,
        "rounds": used / done, "decode ms": 1000 * spent / done,
    }  # fmt: skip


def checks(code: Code) -> tuple[scipy.sparse.csr_matrix, NDArray[np.int64]]:
    """The lifted parity checks of a code of one block, and the column of each mother bit."""
    graph, block = code.block.lifted, code.block
    row = np.repeat(np.arange(graph.rows), np.diff(graph.first))
    z = np.arange(graph.Z)
    down = (row[:, None] * graph.Z + z).reshape(-1)
    across = (graph.column[:, None] * graph.Z + (graph.shift[:, None] + z) % graph.Z).reshape(-1)
    shape = (graph.rows * graph.Z, graph.columns * graph.Z)
    table = scipy.sparse.csr_matrix((np.ones(len(down), np.uint8), (down, across)), shape=shape)
    word = np.arange(shape[1])
    return table, np.concatenate(
        (word[2 * graph.Z : block.size], word[block.size + block.filler :])
    )


def peer(code: Code, llr: Soft, rounds: int) -> dict[str, Any]:
    """Milliseconds and bits of `ldpc.BpDecoder` on the same values and checks."""
    from ldpc import BpDecoder  # pyright: ignore[reportMissingImports]

    table, sent = checks(code)
    values = np.zeros(table.shape[1])
    values[code.block.size : code.block.size + code.block.filler] = -30
    values[sent] = np.bincount(code.positions(), llr, minlength=code.length)
    # Like ours: without the checks, and the parity bits, of which nothing was received.
    last = int(np.flatnonzero(values)[-1]) // code.block.Z + 1
    table = table[: (last - code.block.lifted.systematic) * code.block.Z, : last * code.block.Z]
    # It looks for the errors of a received word, each with its own chance.
    values = np.clip(values[: table.shape[1]], -30, 30)
    word, chance = (values > 0).astype(np.uint8), 1 / (1 + np.exp(np.abs(values)))
    found: dict[str, Any] = {}
    for name, method, schedule in (
        ("product-sum, serial", "product_sum", "serial"),
        ("product-sum, parallel", "product_sum", "parallel"),
        ("min-sum 0.75, serial", "minimum_sum", "serial"),
    ):
        decoder = BpDecoder(
            table, error_channel=list(chance), max_iter=rounds, bp_method=method,
            ms_scaling_factor=0.75, schedule=schedule, input_vector_type="received_vector",
        )  # fmt: skip
        spent: list[float] = []
        answer = word
        for _ in range(3):
            started = time.perf_counter()
            answer = decoder.decode(word)
            spent.append(time.perf_counter() - started)
        found[name] = {
            "ms": 1000 * min(spent), "rounds": decoder.iter,
            "bits": np.asarray(answer[: code.payload_bits]),
        }  # fmt: skip
    return found


def speed(payload: int, coded: int, decibel: float) -> dict[str, Any]:
    """Best milliseconds of five for one frame; the peer's ratio in the same run."""
    code = Code(payload, coded)
    bits, llr = received(code, decibel, np.random.default_rng(1))
    code.decode(llr)
    times: dict[str, Any] = {"payload": payload, "coded": coded, "Eb/N0 dB": decibel}
    for name, work in (
        ("encode ms", lambda: code.encode(bits)),
        ("decode ms", lambda: code.decode(llr)),
        ("hopeless ms", lambda: code.decode(llr[::-1])),
    ):
        spent: list[float] = []
        for _ in range(5):
            started = time.perf_counter()
            work()
            spent.append(time.perf_counter() - started)
        times[name] = 1000 * min(spent)
    found = code.decode(llr)
    times |= {"rounds": found.iterations, "exact": bool(np.array_equal(found.bits, bits))}
    if code.blocks > 1:
        return times
    try:
        others = peer(code, llr, 50)
    except ImportError:
        times["peer"] = "the package ldpc is not installed"
        return times
    for each in others.values():
        each["exact"] = bool(np.array_equal(each.pop("bits"), bits))
        each["times ours"] = each["ms"] / times["decode ms"]
    times["peer"] = others
    return times


def main() -> None:
    """Print the tables; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=200, help="messages for each error rate")
    parser.add_argument("--seconds", type=float, default=4, help="most time for each error rate")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    timed = [
        speed(3840, 13_800, 0.5), speed(1024, 20_480, 0.5), speed(4160, 13_800, 0.5),
        speed(65_536, 196_608, 0.5),
    ]  # fmt: skip
    for each in timed:
        print(json.dumps(each), flush=True)
    rates: list[dict[str, Any]] = []
    for payload, coded, rounds, points in CURVES:
        code = Code(payload, coded)
        for decibel, published in points.items():
            each = error_rate(code, decibel, rounds, options.frames, options.seconds)
            rates.append(each | {"published": published})
            print(
                f"{payload:>6} in {coded:>6}, graph {code.graph} Z {code.block.Z:>3} x{code.blocks}"
                f"  {decibel:>5.2f} dB  {each['wrong']:>4} of {each['frames']} wrong"
                f" ({each['wrong'] / each['frames']:.4f}"
                + (f", published {published:.4f})" if published else ")")
                + f"  {each['rounds']:.1f} of {rounds} rounds, {each['decode ms']:.2f} ms",
                flush=True,
            )
    if options.out:
        options.out.write_text(json.dumps({"speed": timed, "rates": rates}, indent=2) + "\n")


if __name__ == "__main__":
    main()
