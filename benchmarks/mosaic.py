"""Mosaic, the network whose message is a map: its training, and what was asked of it.

`mosaic.py train CID22 --out WEIGHTS --results FILE` marks and edits the photos, keeps every tenth
apart, and trains the reader. `mosaic.py measure COCO --results FILE` marks photos that training
has never seen, at 45 dB, and reads them after each of ten edits, blindly, with the trained reader
and with the one that training started from: raw accuracy of a map of 4096 bits on 640 x 480
pixels, and the information of the soft values. Scales of soft values were chosen in training.
`mosaic.py beside KODAK COCO --every 12 --results FILE` measures mosaic and `robust` in one run: how
often payloads of 1024 and 4096 bits come back exactly, edit by edit, and what soft values carry.
`mosaic.py choose CID22 --every 10 --results FILE` tries how many numbers a tile should have.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core a process, before numpy wakes up
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import numpy as np

from morebits.neural.mosaic import network as networks
from mosaic_parts import measuring
from mosaic_parts.samples import Sample, edits, photo_samples

#: Every so many photos one only tells how well training does.
_KEPT = 10
_SUFFIXES = {".png", ".jpg", ".jpeg"}


def main() -> None:
    """Train or measure."""
    options = _options()
    paths: list[Path] = []
    for folder in options.photos:
        here = sorted(each for each in folder.iterdir() if each.suffix.lower() in _SUFFIXES)
        paths += here[:: options.every]
    _write(_PARTS[options.what](paths, options), options)


def _write(result: dict[str, Any], options: argparse.Namespace) -> None:
    if options.results is not None:
        options.results.write_text(json.dumps(result, indent=1) + "\n")


def _train(paths: Sequence[Path], options: argparse.Namespace) -> dict[str, Any]:
    from mosaic_parts import training

    started = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        made = list(pool.map(partial(_samples, seed=options.seed), paths, range(len(paths))))
    data_seconds = sum(seconds for _, seconds in made)
    samples = [one for k, (each, _) in enumerate(made) if k % _KEPT for one in each]
    kept = [one for k, (each, _) in enumerate(made) if k % _KEPT == 0 for one in each]
    print(f"{len(samples)} samples for training, {len(kept)} kept apart", flush=True)
    start = networks.untrained()
    run = training.train(start, samples, kept, minutes=options.minutes, seed=options.seed)
    scales = {
        "untrained": measuring.calibrated(start, kept),
        "trained": measuring.calibrated(run.network, kept),
    }
    notes = {
        "network": "mosaic", "licence": "MIT", "photos": "CID22 training part, CC BY-SA 4.0",
        "scales": json.dumps(scales),
    }  # fmt: skip
    networks.save(run.network, options.out, notes)
    return {
        "config": {
            "photos": len(paths), "kept": len(paths[::_KEPT]), "psnr": measuring.PSNR,
            "edits": list(edits(np.random.default_rng(0))), "samples": len(samples),
            "seed": options.seed, "minutes": options.minutes, "threads": 1,
        },
        "parameters": dict(zip(("writer", "reader"), run.network.parameters, strict=True)),
        "curve": run.curve,
        "steps": run.steps,
        "scales": scales,
        "cpu_minutes": {"data": data_seconds / 60, "training": run.minutes},
        "wall_minutes": (time.perf_counter() - started) / 60,
    }  # fmt: skip


def _samples(path: Path, number: int, *, seed: int) -> tuple[list[Sample], float]:
    started = time.process_time()
    random = np.random.default_rng([seed, number])
    made = list(photo_samples(path, networks.untrained(), random, psnr=measuring.PSNR))
    return made, time.process_time() - started


def _measure(paths: Sequence[Path], options: argparse.Namespace) -> dict[str, Any]:
    started = time.perf_counter()
    scales = networks.scales(options.weights)
    trained, start = networks.load(options.weights), networks.untrained()
    both = {"trained": (trained, scales["trained"]), "untrained": (start, scales["untrained"])}
    one = partial(measuring.measure_photo, networks=both, edits=measuring.EDITS, seed=options.seed)
    with ProcessPoolExecutor(options.jobs) as pool:
        outcomes = [each for found in pool.map(one, paths) for each in found]
    rows = [
        _row(edit, [each for each in outcomes if each.edit == edit]) for edit in measuring.EDITS
    ]
    for row in rows:
        print(
            f"{row['edit']:16} {100 * row['accuracy']:6.2f} % (worst {100 * row['worst']:5.1f} %)  "
            f"information {row['information']:8.1f}, untrained {row['untrained']:8.1f}"
        )
    return {
        "photos": len(paths), "seed": options.seed, "bits_on_640x480": measuring.BITS,
        "psnr": {"asked": measuring.PSNR, "least": min(each.psnr for each in outcomes)},
        "rows": rows, "wall_minutes": (time.perf_counter() - started) / 60,
        "outcomes": [asdict(each) for each in outcomes] if options.all else [],
    }  # fmt: skip


def _beside(paths: Sequence[Path], options: argparse.Namespace) -> dict[str, Any]:
    from mosaic_parts import beside

    started = time.perf_counter()
    outcomes: list[beside.Outcome] = []
    result: dict[str, Any] = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        made = pool.map(partial(beside.measure_photo, seed=options.seed), paths)
        for done, found in enumerate(made, 1):
            outcomes += found
            result = {
                "photos": [each.name for each in paths[:done]], "seed": options.seed,
                "psnr": beside.PSNR, "seconds": beside.SECONDS, "rows": beside.rows(outcomes),
                "wall_minutes": (time.perf_counter() - started) / 60,
                "outcomes": [asdict(each) for each in outcomes] if options.all else [],
            }  # fmt: skip
            _write(result, options)  # so that a run which is stopped leaves what it has
    columns = [f"{name}_{bits}" for bits in beside.LENGTHS for name in beside.CODECS]
    print("edit", *columns, "information of", *beside.CODECS, sep="  ")
    for row in result["rows"]:
        told = [row.get(f"{name}_information") for name in beside.CODECS]
        bits = [f"{each:,.0f}" for each in told if each is not None]
        print(f"{row['edit']:20}", *(f"{100 * row[each]:5.1f} %" for each in columns), *bits)
    return result


def _choose(paths: Sequence[Path], options: argparse.Namespace) -> dict[str, Any]:
    from mosaic_parts import choosing

    started = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        made = pool.map(partial(choosing.measure_photo, seed=options.seed), paths)
        rows = choosing.rows([each for found in made for each in found])
    for row in sorted(rows, key=lambda each: -each["least"]):
        accuracies = "  ".join(f"{edit} {100 * row[edit]:.2f} %" for edit in measuring.EDITS)
        print(f"{row['numbers']:2} numbers, {row['share']} of the way: {accuracies}")
    return {
        "photos": len(paths), "seed": options.seed, "psnr": measuring.PSNR, "rows": rows,
        "wall_minutes": (time.perf_counter() - started) / 60,
    }  # fmt: skip


def _row(edit: str, outcomes: Sequence[measuring.Outcome]) -> dict[str, Any]:
    trained = [each for each in outcomes if each.network == "trained"]
    start = [each for each in outcomes if each.network == "untrained"]
    return {
        "edit": edit,
        "accuracy": statistics.fmean(each.accuracy for each in trained),
        "worst": min(each.accuracy for each in trained),
        "untrained_accuracy": statistics.fmean(each.accuracy for each in start),
        "number_accuracy": statistics.fmean(each.each for each in trained),
        "information": statistics.fmean(each.information for each in trained),
        "untrained": statistics.fmean(each.information for each in start),
    }


_PARTS = {"train": _train, "measure": _measure, "beside": _beside, "choose": _choose}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=_PARTS)
    parser.add_argument("photos", type=Path, nargs="+", help="folders of photos")
    parser.add_argument("--out", type=Path, default=networks.FILE, help="where weights are written")
    parser.add_argument("--weights", type=Path, default=networks.FILE, help="weights to measure")
    parser.add_argument("--results", type=Path, help="where results are written, as JSON")
    parser.add_argument("--minutes", type=float, default=6.0, help="CPU minutes of training")
    parser.add_argument("--every", type=int, default=1, help="take every so many-th of a folder")
    parser.add_argument("--all", action="store_true", help="keep every single outcome")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
