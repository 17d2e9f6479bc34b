"""`morebits hide` and `morebits reveal` with many pictures: one JSON line a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from morebits.cli import arguments, terminal
from morebits.cli.common import Common
from morebits.cli.counting import counting
from morebits.cli.processes import cores
from morebits.errors import InputError

if TYPE_CHECKING:
    from morebits.bench.bulk import Hiding, Line
    from morebits.bench.pictures import Pictures
    from morebits.bench.pools import Pool


def is_bulk(given: Sequence[Path]) -> bool:
    """Several files, a folder or a pattern; then the output is a folder."""
    from morebits.bench.pictures import is_many

    return len(given) > 1 or is_many(given[0])


def hide(covers: Sequence[Path], out: Path, what: Hiding, common: Common) -> int:
    """Mark every picture into the folder `out`; 1 when some failed."""
    from morebits import hiding
    from morebits.bench import bulk
    from morebits.images.lossy import check_quality

    _check_folder(out)
    check_quality(what.quality)
    hiding.chosen(  # a slip shows at once
        what.codec, what.psnr, fill=what.fill, key=what.key, options=what.options
    )
    limit = arguments.pixels(common.max_megapixels)
    return _run(
        covers, common,
        lambda pictures, pool: bulk.hide(
            pictures, out, what, pool=pool, force=common.force, max_pixels=limit
        ),
    )  # fmt: skip


def reveal(marked: Sequence[Path], out: Path | None, common: Common, *, seconds: float) -> int:
    """Reveal every picture, into the folder `out` if there is one; 1 when one has nothing."""
    from morebits.bench import bulk

    if out is not None:
        _check_folder(out)
    limit, key = arguments.pixels(common.max_megapixels), common.secret()
    return _run(
        marked, common,
        lambda pictures, pool: bulk.reveal(
            pictures, out, key=key, pool=pool, seconds=seconds, force=common.force,
            max_pixels=limit,
        ),
    )  # fmt: skip


def _check_folder(out: Path) -> None:
    """A name like a picture's is most likely a slip."""
    from morebits.images.formats import SUFFIXES

    if out.suffix.lower() in SUFFIXES and not out.is_dir():
        raise InputError(
            "--out", str(out), "there are many pictures, give a folder for the outputs"
        )


def _run(
    given: Sequence[Path], common: Common, work: Callable[[Pictures, Pool], Iterator[Line]]
) -> int:
    """Print a line a file; those that were skipped are no failure."""
    from morebits.bench import pictures, pools

    found = pictures.collect(given)
    total = len(found.files)
    jobs = min(total, cores()) if common.jobs is None else common.jobs
    pool = pools.choose(jobs, common.cluster)
    bad = 0
    try:
        with counting("pictures") as progress:
            for done, line in enumerate(work(found, pool), start=1):
                print(json.dumps(line, allow_nan=False), flush=True)
                bad += line["status"] not in ("hidden", "found", "skipped")
                progress(done, total)
    finally:
        pool.close()  # waits for files that are being written, also after Ctrl-C
    if bad:
        terminal.say(f"morebits: {bad} of {total} pictures failed, their lines say why")
    return 1 if bad else 0
