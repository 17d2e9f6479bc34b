"""The demonstration: one real photo, its capacity at several PSNRs and under several edits.

And a note hidden in it that is read after the photo was saved as JPEG, cut and turned; and a
file, the figure of those numbers, as PDF. `run` writes `shared.jpg` and `edited.png` (the photo on
its way, with the note), `capacity.json` (every number), `capacity.svg` and `capacity.png` (the
figure), `marked.png` (the photo with the PDF in it), `revealed.pdf` (what came out of that file),
`index.html` (a page that needs nothing else) and `benchmark/report.html`, the report of a small
benchmark on pieces of the photo.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from morebits.demo import benchmark, hiding, journey
from morebits.errors import MissingExtra
from morebits.images import Picture, read
from morebits.measure import Curve, curve
from morebits.types import Capacity, ImageFormat


@dataclass(frozen=True)
class Edit:
    """An edit in the grammar of `linear.parse`, in words, and by how much the size is cut."""

    text: str
    words: str
    shrink: int = 1


#: A rotation has no structure to use, so it is measured at a quarter of the size.
EDITS = (
    Edit("hflip", "mirrored"),
    Edit("crop:0.5", "middle half, enlarged again"),
    Edit("linjpeg:15", "linear JPEG, best quality"),
    Edit("rotate:30", "turned by 30 degrees", shrink=4),
)
#: PSNRs of the table, and of the figure (dB).
LEVELS = (36.0, 42.0, 48.0)
SWEEP = tuple(float(level) for level in range(10, 61))


@dataclass(frozen=True)
class Row:
    """One line of the table: an edit at a PSNR, its best bound and its certified one.

    Without an edit both are the exact count for the photo; with one they are about a gray
    picture, of the size that `best.format` states.
    """

    words: str
    best: Capacity
    certified: Capacity


@dataclass(frozen=True)
class Demo:
    """What was measured and written."""

    picture: Picture
    rows: tuple[Row, ...]
    curves: tuple[Curve, ...]
    hidden: tuple[hiding.Hidden, ...] = ()
    journey: journey.Journey | None = None
    files: tuple[Path, ...] = ()
    seconds: float = 0.0


def run(out: Path, progress: Callable[[str], None]) -> Demo:
    """Measure the photo that comes with matplotlib and write the files into `out`."""
    started = time.perf_counter()
    picture = read(sample_photo())
    progress("a note of 128 bytes into the photo, which is then saved as JPEG 70, cut and turned")
    travelled = journey.run(picture, out)
    curves = [curve(picture, psnr=SWEEP)]
    rows = [Row("as it is", found, found) for found in _at_levels(curves[0])]
    for edit in EDITS:
        progress(f"measuring {edit.text} ({edit.words})")
        format = _shrunk(picture.format, edit.shrink)
        curves.append(curve(format, psnr=SWEEP, under=edit.text))
        proven = curve(format, psnr=LEVELS, under=edit.text, bound="certified").capacities
        pairs = zip(_at_levels(curves[-1]), proven, strict=True)
        rows += [Row(edit.words, *pair) for pair in pairs]
    from morebits.demo import draw

    demo = Demo(picture, tuple(rows), tuple(curves), journey=travelled)
    figure = draw.draw(demo)
    demo = replace(demo, hidden=_hide(picture, draw.as_pdf(figure), progress))
    progress("a small benchmark: pieces of the photo under the attacks of the suite quick")
    judged = benchmark.run(picture, out / "benchmark")
    progress(f"writing {out}")
    demo = replace(demo, seconds=time.perf_counter() - started)
    saved = hiding.save(demo.hidden[0], out / "marked.png", out / "revealed.pdf")
    files = (
        _write_json(demo, out),
        *travelled.files,
        *saved,
        *draw.write(demo, figure, out),
        judged,
    )
    return replace(demo, files=files)


def _hide(
    picture: Picture, pdf: bytes, progress: Callable[[str], None]
) -> tuple[hiding.Hidden, ...]:
    """The PDF and as much as fits, in the photo; a first try loads the codec, untimed."""
    hiding.run(picture, "nothing", b"")
    progress(f"hiding a PDF of {len(pdf):,} bytes")
    document = hiding.run(picture, "a PDF", pdf)
    most = hiding.noise(picture)
    progress(f"hiding as much as fits, {len(most):,} bytes")
    return document, hiding.run(picture, "as much as fits", most)


def sample_photo() -> Path:
    """The photo of Grace Hopper, 512x600, public domain, from matplotlib's sample data."""
    try:
        from matplotlib.cbook import get_sample_data
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    return Path(str(get_sample_data("grace_hopper.jpg", asfileobj=False)))


def _shrunk(format: ImageFormat, times: int) -> ImageFormat:
    return replace(format, width=format.width // times, height=format.height // times)


def _at_levels(swept: Curve) -> list[Capacity]:
    return [found for found in swept.capacities if found.psnr in LEVELS]


def _write_json(demo: Demo, out: Path) -> Path:
    path = out / "capacity.json"
    plain = {
        "table": [_plain((row.best, row.certified)) for row in demo.rows],
        "curves": [_plain(each.capacities) for each in demo.curves],
        "hidden": [each.to_dict() for each in demo.hidden],
        "journey": None if demo.journey is None else demo.journey.to_dict(),
    }
    path.write_text(json.dumps(plain, indent=1) + "\n")
    return path


def _plain(found: Sequence[Capacity]) -> list[dict[str, object]]:
    return [each.to_dict() for each in found]
