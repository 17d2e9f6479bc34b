"""The robust codec beside what was asked of it and what others published.

`benchmarks/robust.py PHOTOS... --large LARGE --out results/` measures every part; `--part NAME`
(may be repeated) one of them. Whatever is in the folder is not measured again: a run that was
cut goes on. `--report` only reads the folder, writes its `report.json`, and prints the tables.
The figures are asked of the 96 COCO photos and 24 Kodak pictures, and of 12 large CLIC pictures;
without photos, a few of the project's own pictures show how it works. A folder belongs to one
state of the codec: after a change of the code, begin a new one.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core a process, before numpy wakes up
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import matplotlib.cbook

import morebits as mb
from morebits import images
from morebits.bench import sanity
from morebits.bench.pictures import collect
from robust_parts import false_positives, lines, plan, report, speed, visibility
from schemes import pictures

#: Parts that the benchmark's runner does not do.
_OTHERS = ("speed", "visibility", "false-positives", "sanity")
#: Part -> the part of the plan that it needs beside its own measurements.
_BESIDE = {"visibility": "careful"}
#: Parts that are measured in one go, and their files.
_WHOLE = {"speed": report.SPEED, "sanity": report.SANITY}
#: What `make bench` shows, which has no photos.
_SHOWN = ("combinations", "visibility", "false-positives")


def main() -> None:
    """Measure what is missing, then print what is there."""
    options = _options()
    if options.photos or options.large or options.report:
        if not options.report:
            for name in options.part or _all():
                _measure(name, options)
        return _report(options)
    with _own() as (photos, out):
        options.photos, options.out, options.pictures = [photos], out, 8
        for name in options.part or _SHOWN:
            _measure(name, options)
        return _report(options)


def _measure(name: str, options: argparse.Namespace) -> None:
    """One part, into the folder."""
    say, out = lines.Meter(name), options.out
    if name in plan.PARTS:
        return _run(plan.PARTS[name], options, say)
    if name in _BESIDE:
        _run(plan.PARTS[_BESIDE[name]], options, say)
    if name in _WHOLE and (out / _WHOLE[name]).exists():
        return say(f"is there already; remove {_WHOLE[name]} to measure again")
    if name == "sanity":
        return _write(out / report.SANITY, _sanity(say))
    photos = _photos(options)
    if name == "visibility":
        tasks = visibility.tasks(photos)
        return lines.run(out / report.VISIBILITY, visibility.measure, tasks, options.jobs, say)
    if name == "false-positives":
        tasks = false_positives.tasks(list(photos.values()), options.pictures, options.seconds)
        path = out / report.FALSE_POSITIVES
        return lines.run(path, false_positives.measure, tasks, options.jobs, say)
    large = list(collect(options.large).files.values()) if options.large else []
    return _write(out / report.SPEED, speed.measure(list(photos.values()), large, say))


def _run(part: plan.Part, options: argparse.Namespace, say: lines.Say) -> None:
    """Through the benchmark's runner, which does what is missing."""
    source = {"photos": options.photos, "large": options.large, "bundled": [_bundled()]}
    if not source[part.photos]:
        say(f"left out: give its pictures ({part.photos})")
        return
    limit = None if part.photos == "bundled" else options.limit
    done = mb.benchmark(
        part.codec, images=source[part.photos], attacks=part.attacks, out=options.out / part.folder,
        jobs=options.jobs, bits=part.bits, limit=limit,
        progress=lambda have, total: say(f"{have:,} of {total:,} samples"),
    )  # fmt: skip
    for problem in done.problems:
        print(f"{part.name}: {problem.samples} samples: {problem.error}")


def _sanity(say: lines.Say) -> dict[str, object]:
    """The paper's checks on gray pictures."""
    sides = plan.SIDES
    checks = sanity.sanity(f"robust:seconds={plan.SECONDS}", sides=sides, progress=say)
    return {f"{sides[0]} to {sides[-1]} pixels": [asdict(each) for each in checks]}


def _report(options: argparse.Namespace) -> None:
    found = report.collect(options.out)
    _write(options.out / "report.json", found)
    print(report.text(found))


def _photos(options: argparse.Namespace) -> Mapping[str, Path]:
    if not options.photos:
        raise SystemExit("give folders of photos")
    return collect(options.photos, limit=options.limit).files


def _bundled() -> Path:
    """A photo outside of all sets, which comes with matplotlib."""
    return Path(str(matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)))


@contextmanager
def _own() -> Generator[tuple[Path, Path]]:
    """A folder with pictures of the project, and one for results; both are gone in the end."""
    with tempfile.TemporaryDirectory() as name:
        photos = Path(name) / "photos"
        photos.mkdir()
        for each in pictures.own(2).wholes:
            images.write(photos / f"{each.name}.png", each.array)
        yield photos, Path(name) / "results"


def _all() -> tuple[str, ...]:
    return tuple(each for each in (*plan.PARTS, *_OTHERS) if each not in _BESIDE.values())


def _write(path: Path, found: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, nargs="*", help="folders of photos")
    parser.add_argument("--large", type=Path, help="folder of pictures with 2 megapixels or more")
    parser.add_argument("--part", action="append", choices=_all(), help="only this one")
    parser.add_argument("--out", type=Path, default=Path("robust-results"), help="folder to fill")
    parser.add_argument("--report", action="store_true", help="only read the folder")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--limit", type=int, help="only the first so many photos")
    parser.add_argument(
        "--pictures", type=int, default=plan.UNMARKED, help="of the false positives"
    )
    parser.add_argument("--seconds", type=float, default=plan.SECONDS, help="for each of these")
    return parser.parse_args()


if __name__ == "__main__":
    main()
