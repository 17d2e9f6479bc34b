"""`morebits bench`: codecs, pictures and attacks meet."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from morebits.cli import arguments, terminal
from morebits.cli.counting import counting
from morebits.cli.processes import Cluster, Jobs, cores
from morebits.errors import InputError

if TYPE_CHECKING:
    from morebits.bench.runner import Benchmark

EXAMPLES = """\
Examples:

- `morebits bench --codec trellis --images photos/ --out results`
- `morebits bench --codec trellis:psnr=42,states=256 --codec invisible-watermark:dwtDctSvd
  --images "photos/*.png" --attacks paper-compact --jobs 4 --out results`
- `morebits bench --codec trellis --images photos/ --attacks "crop:0.7|jpeg:50" --out results`
- `morebits bench --sanity trellis`
- `morebits report results`

Started again with the same folder, it does what is missing: after Ctrl-C, after a crash, or when
codecs, attacks and pictures were added. What a codec, an attack or a picture does wrong stands
in the results and stops nothing. Exit code 1 means that no sample could be measured, or that a
sanity check failed.
"""

Words: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(negative=(), consume_multiple=True, metavar="DIR|GLOB|FILES"),
]
Edits: TypeAlias = Annotated[
    tuple[str, ...], Parameter(negative=(), metavar="SUITE|EDITS", show_default=False)
]

#: So many kinds of errors are told at the end; the results have all of them.
_TOLD = 5


def bench(
    *,
    codec: Annotated[tuple[str, ...], Parameter(negative=(), metavar="CODEC")] = (),
    images: Words = (),
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    attacks: Edits = ("quick",),
    jobs: Jobs = None,
    cluster: Cluster = None,
    seed: int = 0,
    bits: int | None = None,
    limit: int | None = None,
    sanity: Annotated[str | None, Parameter(metavar="CODEC")] = None,
    as_json: arguments.Json = False,
) -> int:
    """Judge codecs: every one on every picture under every attack, into a folder of results.

    Parameters
    ----------
    codec
        A codec, with options or without: `trellis`, `trellis:psnr=45,states=256`,
        `invisible-watermark:dwtDctSvd`; may be repeated. `morebits models` lists them.
    images
        The covers: a folder, a pattern in quotes, or files.
    out
        Folder of the results; made if it is not there.
    attacks
        A suite (quick, the default, paper-compact, paper, wild) or edits such as
        "crop:0.7|jpeg:50"; may be repeated.
    jobs
        Processes on this machine, default: one a core.
    cluster
        Work on the Dask cluster of the scheduler at tcp://HOST:PORT instead; its workers must
        see the pictures under the same paths.
    seed
        Where messages and random attacks come from.
    bits
        Length of the messages; left out: what each codec says that it can hold.
    limit
        Take the first N pictures only.
    sanity
        Instead of all that: the paper's sanity checks of one codec, on gray pictures.
    as_json
        Print one JSON object; of sanity checks, a list.
    """
    if sanity is not None:
        return _sanity(sanity, as_json=as_json)
    if not codec or not images or out is None:
        missing = "--codec" if not codec else "--out" if images else "--images"
        raise InputError(missing, None, "give --codec, --images and --out, or --sanity CODEC")
    from morebits.bench.benchmark import benchmark

    try:
        with counting("samples") as progress:
            done = benchmark(
                codec, images=images, attacks=attacks, out=out,
                jobs=cores() if jobs is None else jobs, cluster=cluster,
                seed=seed, bits=bits, limit=limit, progress=progress,
            )  # fmt: skip
    except KeyboardInterrupt:
        terminal.say(f"morebits: stopped; run the same command again to go on in {out}")
        raise
    _tell(done, as_json=as_json)
    return 1 if done.new and done.errors == done.new else 0


def _sanity(codec: str, *, as_json: bool) -> int:
    """The checks as a table; 1 where one of them fails."""
    from morebits.bench.sanity import sanity
    from morebits.cli import show

    checks = sanity(codec, progress=terminal.say)
    if as_json:
        show.print_json([asdict(each) for each in checks])
    else:
        show.checks(checks)
    return 1 if any(each.verdict == "fail" for each in checks) else 0


def _tell(done: Benchmark, *, as_json: bool) -> None:
    from morebits.cli import show

    for each in done.problems[:_TOLD]:
        where = _few(each.codecs) + " on " + _few(each.images)
        terminal.say(f"morebits: note: {each.samples} samples of {where}: {each.error}")
    if len(done.problems) > _TOLD:
        more = len(done.problems) - _TOLD
        terminal.say(f"morebits: note: {more} more kinds of errors are in the results")
    if as_json:
        show.print_json({**asdict(done), "folder": str(done.folder)})
        return
    had = f", {done.samples - done.new:,} were there" if done.new < done.samples else ""
    print(f"{done.new:,} samples measured{had}; {done.errors:,} with errors")
    if done.overhead is not None:
        share = f"{100 * done.overhead:.1f} % of it spent on neither codec, attack nor metric"
        print(f"{done.seconds:,.0f} s with {done.workers} at work, {share}")
    print(f"wrote {done.folder}; next: morebits report {done.folder}")


def _few(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{words[0]} and {len(words) - 1} more"
