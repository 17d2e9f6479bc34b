"""The demonstration: one real photo, its capacity at several PSNRs and under several edits.

`run` writes four files: `capacity.json` (every number), `capacity.svg` and `capacity.png`
(the figure, drawn from those numbers) and `index.html` (a page that needs nothing else).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from morebits.errors import MissingExtra
from morebits.images import Picture, read
from morebits.measure import Curve, curve
from morebits.types import Capacity

#: The edits of the demonstration, in the grammar of `linear.parse`, and in words.
EDITS = {
    "hflip": "mirrored",
    "crop:0.5": "middle half, enlarged again",
    "linjpeg:10": "linear JPEG, quality 10 of 15",
    "rotate:30": "turned by 30 degrees",
}
#: PSNRs of the table, and of the figure (dB).
LEVELS = (36.0, 42.0, 48.0)
SWEEP = tuple(float(level) for level in range(10, 61))


@dataclass(frozen=True)
class Row:
    """One line of the table: an edit at a PSNR, its best bound and its certified one."""

    edit: str | None
    words: str
    psnr: float
    best: Capacity
    certified: Capacity


@dataclass(frozen=True)
class Demo:
    """What was measured and written."""

    picture: Picture
    rows: tuple[Row, ...]
    curves: tuple[Curve, ...]
    files: tuple[Path, ...]
    seconds: float


def run(out: Path, progress: Callable[[str], None]) -> Demo:
    """Measure the photo that comes with matplotlib and write the files into `out`."""
    started = time.perf_counter()
    picture = read(sample_photo())
    curves = [curve(picture, psnr=SWEEP)]
    rows = [Row(None, "as it is", found.psnr, found, found) for found in _at_levels(curves[0])]
    for edit, words in EDITS.items():
        progress(f"measuring {edit} ({words})")
        curves.append(curve(picture, psnr=SWEEP, under=edit))
        proven = curve(picture, psnr=LEVELS, under=edit, bound="certified").capacities
        pairs = zip(_at_levels(curves[-1]), proven, strict=True)
        rows += [Row(edit, words, best.psnr, best, sure) for best, sure in pairs]
    progress(f"writing {out}")
    from morebits.demo import draw

    seconds = time.perf_counter() - started
    demo = Demo(picture, tuple(rows), tuple(curves), (), seconds)
    files = (_write_json(demo, out), *draw.write(demo, out))
    return Demo(picture, demo.rows, demo.curves, files, seconds)


def sample_photo() -> Path:
    """The photo of Grace Hopper, 512x600, public domain, from matplotlib's sample data."""
    try:
        from matplotlib.cbook import get_sample_data
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    return Path(str(get_sample_data("grace_hopper.jpg", asfileobj=False)))


def _at_levels(swept: Curve) -> list[Capacity]:
    return [found for found in swept.capacities if found.psnr in LEVELS]


def _write_json(demo: Demo, out: Path) -> Path:
    path = out / "capacity.json"
    plain = {
        "table": [_plain((row.best, row.certified)) for row in demo.rows],
        "curves": [_plain(each.capacities) for each in demo.curves],
    }
    path.write_text(json.dumps(plain, indent=1) + "\n")
    return path


def _plain(found: Sequence[Capacity]) -> list[dict[str, object]]:
    return [each.to_dict() for each in found]
