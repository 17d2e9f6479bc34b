"""`morebits train`: a configuration in, a folder with weights out."""

from __future__ import annotations

import os
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from morebits.cli import arguments, terminal
from morebits.cli.counting import counting
from morebits.cli.processes import Cluster, Jobs
from morebits.errors import InputError

if TYPE_CHECKING:
    from morebits.train.sweep import Run
    from morebits.train.toml import Plan

EXAMPLES = """\
Examples:

- `morebits train --config mine.toml --out runs/mine`
- `morebits train --config mine.toml --out runs/mine --resume`
- `morebits train --config gray-videoseal-32px-128 --out runs/gray --set epochs=10`
- `morebits train --config gray-linear-256px-1024 --out runs/sweep --sweep --jobs 2`
- `torchrun --nnodes 4 --nproc-per-node 8 -m morebits train --config chunkyseal
  --set data=photos --out runs/chunky`

The page docs/train.md has every field of a configuration.
"""


def train(
    *,
    config: Annotated[str, Parameter(metavar="FILE|RECIPE")],
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    set_: Annotated[
        tuple[str, ...],
        Parameter(name="--set", negative=(), metavar="FIELD=VALUE", show_default=False),
    ] = (),
    resume: arguments.Flag = False,
    sweep: arguments.Flag = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    as_json: arguments.Json = False,
) -> int:
    """Train a network: the steps of a configuration, into a folder of weights and logs.

    Parameters
    ----------
    config
        A TOML file, or a recipe: videoseal-256, chunkyseal, gray-videoseal-32px-128, ...
    out
        Folder of the run; made if it is not there.
    set_
        A field that is not as in the configuration; may be repeated.
    resume
        Go on from the last checkpoint in the folder, to the same weights bit by bit.
    sweep
        Train every combination of the configuration's table [sweep], each in a folder of its
        own; what is complete is not done again.
    jobs
        For a sweep: runs at a time on this machine, default 1.
    cluster
        For a sweep: the Dask scheduler at tcp://HOST:PORT, whose workers see the same files.
    as_json
        Print one JSON object; of a sweep, a list.
    """
    from morebits.train import toml

    if not sweep and (jobs, cluster) != (None, None):
        name = "--jobs" if cluster is None else "--cluster"
        raise InputError(name, jobs or cluster, "leave it out, or add --sweep; see also `devices`")
    if sweep and resume:
        raise InputError("--resume", True, "leave it out: a sweep always does what is missing")
    plan = toml.read(config, set_)
    if sweep:
        return _sweep(plan, out, 1 if jobs is None else jobs, cluster, as_json=as_json)
    return _fit(plan, out, resume=resume, as_json=as_json)


def _fit(plan: Plan, out: Path, *, resume: bool, as_json: bool) -> int:
    from morebits.cli import show
    from morebits.train.fitting import fit

    try:
        with counting("steps") as update:

            def progress(done: int, steps: int, _values: dict[str, Any]) -> None:
                update(done, steps)

            done = fit(plan.config, out=out, resume=resume, progress=progress)
    except KeyboardInterrupt:
        terminal.say(f"morebits: stopped; go on from the last checkpoint in {out} with --resume")
        raise
    if os.environ.get("RANK", "0") != "0":  # of torchrun's processes one speaks
        return 0
    if as_json:
        show.print_json({**asdict(done), "folder": str(done.folder)})
        return 0
    accuracy = f"{100 * done.bit_accuracy:.2f} % of the bits right"
    if done.edited_accuracy is not None:
        accuracy += f", {100 * done.edited_accuracy:.2f} % after edits"
    print(f"best of {done.steps:,} steps: step {done.best_step:,}, {done.psnr:.2f} dB, {accuracy}")
    print(f"wrote {done.folder}; the weights are in {done.folder}/best.safetensors")
    return 0


def _sweep(plan: Plan, out: Path, jobs: int, cluster: str | None, *, as_json: bool) -> int:
    from morebits.cli import show

    import_module("morebits.train.fitting")  # first: it names an extra that is missing
    from morebits.train.sweep import SUMMARY, sweep

    try:
        with counting("runs") as update:
            runs = sweep(plan, out=out, jobs=jobs, cluster=cluster, progress=update)
    except KeyboardInterrupt:
        terminal.say("morebits: stopped; run the same command again to go on")
        raise
    if as_json:
        show.print_json([asdict(each) for each in runs])
    else:
        for each in runs:
            print(_line(each))
        print(f"wrote {out}/{SUMMARY}")
    return 1 if all(each.error is not None for each in runs) else 0


def _line(run: Run) -> str:
    if run.error is not None or run.psnr is None or run.bit_accuracy is None:
        return f"{run.name}: {run.error}"
    return f"{run.name}: {run.psnr:.2f} dB, {100 * run.bit_accuracy:.2f} % of the bits right"
