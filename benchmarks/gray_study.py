"""The paper's gray study as far as a CPU gets: `gray_study.py NAME... --out FOLDER`.

Each run is `morebits.fit` with a configuration of its own, on one gray picture without edits. What
is written is JSON, by default where `morebits paper` reads it: configuration, curve, PSNR after
rounding and bit accuracy of the best checkpoint, minutes, and the published row beside it. Weights
are thrown away. `--list` shows the runs, `--steps` makes one shorter or longer, and after
`--minutes` the last figures count.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

import morebits as mb
from morebits.paper.empirical import FOLDER

#: What the paper prints for the same task: dB and share of right bits.
PUBLISHED = {
    "linear-1024": (44.28, 1.0),
    "linear-2048": (40.40, 1.0),
    "videoseal-32px-128": (51.02, 1.0),
}
_GRAY = mb.TrainConfig(jnd=False, data="gray", accelerator="cpu", samples=0, log_every=5)
#: A weak start and a heavy weight of the picture: with the paper's weights the message wins first
#: and the PSNR comes back slowly, over 50,000 steps.
_LINEAR = replace(
    _GRAY, model="linear", size=256, batch=256, validation=64, epochs=1,
    lr=1e-2, lambda_image=2e4, scaling=(0.004, 0.004), scaling_epochs=(0.0, 0.0),
)  # fmt: skip
#: The same at a quarter of the side: as many bits a pixel, 1/256 of the work.
_SMALL = replace(
    _LINEAR, model=str(Path(__file__).with_name("cards") / "linear-64px.toml"), size=64, batch=32,
    lr=2e-2, lambda_image=1e4, epochs=2,
)  # fmt: skip
#: The strength falls and makes the PSNR, the picture weighs nothing: at 32 px the mark fades from
#: 14 to 41 dB while the network goes on learning. Rates of 1e-4, 1e-3 and 3e-3 learned more slowly
#: in 400 steps at 32 px (the latter two at other strengths); the other sizes were not tuned.
_TINY = replace(
    _GRAY, bits=32, batch=16, validation=128, epochs=4, steps_per_epoch=500, lr=3e-4,
    weight_decay=0.0, lambda_image=0.0, scaling=(0.5, 0.02), scaling_epochs=(1.0, 3.5),
    precision="bf16", log_every=20,
)  # fmt: skip
RUNS = {
    "linear-1024": replace(_LINEAR, bits=1024, steps_per_epoch=200, precision="bf16"),
    # Twice as many carriers disturb each other: more weight for the message, and half the rate.
    # With a weight of 1e4 for the picture and the rate of 1024 bits 240 steps end at 48.63 dB and
    # 99.86 % of the bits: at a sixteenth of the size too large a rate was what left bits wrong.
    # 12.9 GB of weights, gradients and means are too many for the machine, hence one gradient at
    # a time.
    "linear-2048": replace(
        _LINEAR, bits=2048, steps_per_epoch=300, lr=5e-3, lambda_image=5e3, precision="bf16",
        early_updates=True,
    ),
    "linear-64px-64": replace(_SMALL, bits=64, steps_per_epoch=150),
    "linear-64px-128": replace(_SMALL, bits=128, steps_per_epoch=300),
    # With a rate of 5e-4 and a weight of 1 for the picture the mark fades before the first bit is
    # read, and 180 steps end at chance. Without a weight the rate decides: 300 steps at full
    # strength end at 53 % of the bits with 3e-4, 54 % with 2e-4, 61 % with 1e-4, 65 % with 5e-5
    # and 64 % with 2.5e-5. The strength falls and makes the PSNR. Two hours of one core.
    "videoseal-32px-128": replace(
        _GRAY, model="videoseal-32", bits=128, size=32, batch=32, validation=128, epochs=23,
        steps_per_epoch=500, lr=5e-5, weight_decay=0.0, lambda_image=0.0, precision="bf16",
        scaling=(0.5, 0.015), scaling_epochs=(5.0, 12.0), log_every=50,
    ),
    "tiny-32px": replace(_TINY, model="videoseal-tiny", size=32),
    "tiny-64px": replace(_TINY, model="videoseal-tiny-64", size=64),
    "tiny-128px": replace(_TINY, model="videoseal-tiny-128", size=128),
}  # fmt: skip


def main() -> None:
    """Run what was named."""
    options = _options()
    if options.list:
        for name, config in RUNS.items():
            print(f"{name:20} {config.steps} steps of {config.batch}, {config.model}")
        return
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        config = RUNS[name]
        if options.steps:
            config = replace(config, steps_per_epoch=math.ceil(options.steps / config.epochs))
        result = run(name, config, options.minutes)
        (options.out / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
        print(f"{name}: {result['psnr']:.2f} dB, {100 * result['bit_accuracy']:.2f} % of the bits")


def run(name: str, config: mb.TrainConfig, minutes: float = math.inf) -> dict[str, Any]:
    """One run, and what is worth keeping of it."""
    started, cpu = time.perf_counter(), time.process_time()

    def watch(*_: object) -> None:
        if time.perf_counter() - started > 60 * minutes:
            raise _Over

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "run")
        with suppress(_Over):
            mb.fit(config, out=out, progress=watch)
        curve = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
        state = out / "result.json"
        done = json.loads(state.read_text()) if state.exists() else None
    spent = {
        "wall": (time.perf_counter() - started) / 60,
        "cpu": (time.process_time() - cpu) / 60,
    }
    return summary(name, config, curve, done, spent)


def summary(
    name: str, config: mb.TrainConfig, curve: list[dict[str, Any]], done: dict[str, Any] | None,
    minutes: dict[str, float],
) -> dict[str, Any]:  # fmt: skip
    """What is kept: of a run that ended its best checkpoint, of one that was stopped the last."""
    if done is None:
        validated = [line for line in curve if line["kind"] == "validation"]
        if not validated:
            raise SystemExit(f"{name}: it has no figures yet; give it more minutes")
        step = validated[-1]["step"]
        done = {**validated[-1], "steps": step, "best_step": step}
    bits = config.bits or 64
    published = PUBLISHED.get(name)
    return {
        "name": name,
        "config": asdict(config) | {"model": Path(config.model).name.removesuffix(".toml")},
        "bits": bits,
        "psnr": done["psnr"],
        "bit_accuracy": done["bit_accuracy"],
        "information": bits * (1 - _entropy(done["bit_accuracy"])),
        "steps": done["steps"],
        "best_step": done["best_step"],
        "minutes": minutes,
        "published": None
        if published is None
        else dict(zip(("psnr", "accuracy"), published, strict=True)),
        "curve": curve,
    }


class _Over(Exception):
    """The minutes are over."""


def _entropy(share: float) -> float:
    """Of a bit that is right with this chance, in bits."""
    if share in (0.0, 1.0):
        return 0.0
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*RUNS, []], metavar="NAME")
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
