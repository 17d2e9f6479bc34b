"""How much fits: what the chart shows."""

from __future__ import annotations

from typing import Any

from morebits import hiding, measure
from morebits.app.work.pictures import File
from morebits.app.workers import Report
from morebits.types import Capacity, ImageFormat

#: The PSNRs of the chart, in dB.
LEVELS = tuple(range(20, 61))
#: Where the fragile codec's own room is measured, in dB.
_TRELLIS = (30.0, 36.0, 42.0, 48.0, 54.0)
#: Under an edit a large picture is measured at this long side: bits a sample hardly change with the
#: size (within 1.5 % from 256 to 4000 pixels), the time grows with the square of it.
_LONGEST = 384


def capacity(report: Report, *, file: File) -> dict[str, Any]:
    """The exact curve of a picture, and those of the best and worst cover of its format."""
    report(None, "counting", None)
    picture = file.read()
    lines = {
        "exact": measure.curve(picture, psnr=LEVELS).capacities,
        "gray": measure.curve(picture.format, psnr=LEVELS).capacities,
        "corner": measure.curve(picture.format, psnr=LEVELS, cover="corner").capacities,
    }
    result = {
        "samples": picture.format.samples,
        "bounds": {name: found[0].bound for name, found in lines.items()},
        **{name: _line(found) for name, found in lines.items()},
    }
    report(None, "asking the codec trellis", result)
    rooms = [8 * hiding.room(picture, codec="trellis", psnr=level) for level in _TRELLIS]
    pairs = zip(_TRELLIS, rooms, strict=True)
    return {**result, "trellis": [[level, bits] for level, bits in pairs if bits > 0]}


def under(report: Report, *, size: list[int], edit: str, certified: bool) -> dict[str, Any]:
    """What an edit leaves: the heuristic of the paper, and our certificate if that is asked for."""
    channels, width, height, depth = size
    whole = ImageFormat(channels, width, height, depth)
    shrink = min(1.0, _LONGEST / max(width, height))
    part = ImageFormat(
        channels, max(1, round(width * shrink)), max(1, round(height * shrink)), depth
    )
    scale = whole.samples / part.samples
    report(None, f"measuring under {edit}", None)
    bound = "certified" if certified else None
    found = measure.curve(part, psnr=LEVELS, under=edit, bound=bound).capacities
    first = found[0]
    return {
        "edit": first.under,
        "line": [[level, scale * bits] for level, bits in _line(found)],
        "bound": first.bound,
        "name": first.name,
        "kind": first.kind,
        "measured_at": None if part == whole else f"{part.width}x{part.height}",
    }


def room(
    report: Report, *, file: File, codec: str, psnr: float | None, survive: list[str] | None
) -> dict[str, Any]:
    """Payload bytes that a codec takes, measured by trying."""

    def tell(fraction: float) -> None:
        report(fraction, "trying how much comes back", None)

    options: dict[str, Any] = {} if codec == "box" else {"progress": tell}
    if survive is not None:
        options["survive"] = survive
    tell(0.0)
    return {"bytes": max(0, hiding.room(file.read(), psnr=psnr, codec=codec, **options))}


def _line(found: tuple[Capacity, ...]) -> list[list[float]]:
    return [[each.psnr, each.bits] for each in found]
