"""The paper's sanity checks of a watermarker, on solid gray pictures.

Its discussion ("Towards principled watermark development, testing and benchmarking") asks that
capacity grows linearly with the pixels, falls linearly with the PSNR, reaches the linear and the
handcrafted baselines, and falls under a single edit as the bound predicts: to a quarter for a
crop to a quarter of the area, to a half for LinJPEG with quality 15.

Capacity is measured, not believed: it is the length of the longest random messages that came
back bit by bit (`trials`), with the PSNR that was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from morebits.bench.trials import Measured, Subject, gray, subject
from morebits.codecs.box import Box
from morebits.measure import capacity
from morebits.types import ImageFormat

Verdict = Literal["pass", "fail", "not applicable"]

#: Sides of the gray pictures, and the PSNRs of the paper's table of handcrafted codecs.
SIDES = (64, 128, 256, 512)
PSNRS = (36.0, 38.0, 42.0, 48.0)
#: The size and the PSNR of the paper's baselines, and of the checks under an edit.
SIDE, PSNR = 256, 42.0
#: A codec that is made for an edit computes its singular vectors: that takes smaller pictures.
SMALL_SIDES, SMALL_SIDE = (32, 64, 128), 64
#: The trained linear model: bits, and the PSNR that it reached (line 830 of the paper's source).
LINEAR_BITS, LINEAR_PSNR = 2048, 40.40
#: What is left of the capacity under an edit, as the paper says it in round numbers.
EDITS = {"crop:0.5": ("a crop to a quarter of the area", 0.25), "linjpeg:15": ("LinJPEG 15", 0.5)}

#: How far an exponent may be from 1, points from a line (in parts of the fall), and what an edit
#: leaves from what was predicted.
_EXPONENT, _LINE, _EDIT = 0.05, 0.10, 0.25


@dataclass(frozen=True)
class Check:
    """One check: what is expected, what was measured, and why it is judged so."""

    name: str
    expected: str
    measured: str
    verdict: Verdict
    reason: str


def sanity(
    codec: str,
    *,
    sides: Sequence[int] | None = None,
    psnrs: Sequence[float] = PSNRS,
    side: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[Check, ...]:
    """Every check for a codec as one writes it on the command line, such as `trellis:states=64`.

    A `psnr` among its options gives way to the ones of the checks; a codec without that option
    is judged at the PSNR that it happens to give. A codec that is made for an edit, as singular
    is, is made anew for each of them. `sides` (by default `SIDES`) are those of the pictures
    whose capacities should grow, `side` (by default `SIDE`) is that of all others; baselines are
    scaled to it. `progress` is told what comes next.

    >>> for each in sanity("box", sides=(16, 32), psnrs=(36, 48), side=32):
    ...     print(each.verdict, each.name)
    pass grows with the pixels
    pass falls with the PSNR
    pass reaches the linear baseline
    pass reaches the handcrafted baseline
    fail after a crop to a quarter of the area
    fail after LinJPEG 15
    """
    known = subject(codec)
    sides = sides or (SMALL_SIDES if known.for_edit else SIDES)
    side = side or (SMALL_SIDE if known.for_edit else SIDE)
    return tuple(_checks(known, sides, psnrs, side, progress or (lambda _: None)))


def _checks(
    codec: Subject,
    sides: Sequence[int],
    psnrs: Sequence[float],
    side: int,
    progress: Callable[[str], None],
) -> Iterator[Check]:
    measure = cache(codec.measure)
    progress(f"{codec.label}: gray pictures of {', '.join(map(str, sides))} pixels a side")
    yield _growth({each: measure(each, PSNR) for each in sides})
    progress(f"{codec.label}: {', '.join(f'{each:g}' for each in psnrs)} dB")
    if codec.has_psnr:
        yield _fall({each: measure(side, each) for each in psnrs}, side)
    else:
        why = "the codec has no psnr option, it is judged at what it gives"
        yield Check("falls with the PSNR", "a straight line", "–", "not applicable", why)
    whole = measure(side, PSNR)
    yield _linear(whole, side)
    yield _handcrafted(whole, side)
    for edit, (words, part) in EDITS.items():
        progress(f"{codec.label}: {edit}")
        yield _edited(measure(side, PSNR, edit), whole, side, edit, words, part)


def _growth(found: dict[int, Measured]) -> Check:
    """The exponent of bits over pixels, from the pictures that hold anything."""
    name, expected = "grows with the pixels", "bits ~ pixels^1.00"
    points = [(math.log(each**2), math.log(one.bits)) for each, one in found.items() if one]
    shown = ", ".join(f"{one.bits:,} at {each}" for each, one in found.items())
    if len(points) < 2:
        return Check(name, expected, shown, "fail", _why(found.values()) or "holds next to nothing")
    exponent, _ = _line(points)
    measured = f"bits ~ pixels^{exponent:.2f} ({shown})"
    good = abs(exponent - 1) <= _EXPONENT
    reason = f"the exponent is {'' if good else 'not '}within {_EXPONENT:g} of 1"
    return Check(name, expected, measured, "pass" if good else "fail", reason)


def _fall(found: dict[float, Measured], side: int) -> Check:
    """How far the capacities are from a falling straight line."""
    name = "falls with the PSNR"
    low, high = min(found), max(found)
    bound = (_exact(side, high) - _exact(side, low)) / (high - low)
    expected = f"a straight line; in {side} px the bound falls by {-bound:,.0f} bits a dB"
    points = [(psnr, float(one.bits)) for psnr, one in found.items()]
    slope, start = _line(points)
    fall = -slope * (high - low)
    shown = ", ".join(f"{one.bits:,} at {psnr:g} dB" for psnr, one in found.items())
    if fall <= 0:
        why = _why(found.values()) or "capacity does not fall"
        return Check(name, expected, shown, "fail", why)
    off = max(abs(bits - (start + slope * psnr)) for psnr, bits in points) / fall
    good = off <= _LINE
    reason = f"off the line by {100 * off:.1f} % of the fall, {100 * _LINE:.0f} % are allowed"
    measured = f"falls by {-slope:,.0f} bits a dB ({shown})"
    return Check(name, expected, measured, "pass" if good else "fail", reason)


def _linear(whole: Measured, side: int) -> Check:
    needed = round(LINEAR_BITS * side**2 / SIDE**2)
    expected = f"{needed:,} bits in {side} px at {LINEAR_PSNR:.2f} dB"
    return _reaches("reaches the linear baseline", expected, whole, needed, LINEAR_PSNR)


def _handcrafted(whole: Measured, side: int) -> Check:
    """The paper's box at 42 dB, or at the PSNR of a codec that has no such option."""
    psnr = PSNR if whole.asked else whole.psnr
    name = "reaches the handcrafted baseline"
    if not math.isfinite(psnr):
        return Check(name, "the box codec's", "0 bits", "fail", whole.problem)
    needed = Box(psnr).capacity(gray(side))
    expected = f"{needed:,} bits in {side} px at {psnr:.2f} dB"
    if not needed:  # a codec without a PSNR to ask for may have a very high one
        measured = f"{whole.bits:,} bits at {whole.psnr:.2f} dB"
        reason = f"the box codec holds nothing at {psnr:.2f} dB"
        return Check(name, expected, measured, "not applicable", reason)
    return _reaches(name, expected, whole, needed, psnr)


def _reaches(name: str, expected: str, whole: Measured, needed: int, psnr: float) -> Check:
    measured = f"{whole.bits:,} bits at {whole.psnr:.2f} dB" if whole else "0 bits"
    if not whole:
        return Check(name, expected, measured, "fail", whole.problem)
    if whole.psnr < psnr:
        reason = f"the PSNR is below {psnr:.2f} dB"
        return Check(name, expected, measured, "fail", reason)
    verdict: Verdict = "pass" if whole.bits >= needed else "fail"
    return Check(name, expected, measured, verdict, f"{whole.bits / needed:.4g} times as many")


def _edited(
    after: Measured, whole: Measured, side: int, edit: str, words: str, part: float
) -> Check:
    """What an edit leaves, beside the paper's round number and bound 11 for this very size."""
    name = f"after {words}"
    bound = _predicted(side, edit)
    expected = f"{part:g} of the capacity (bound 11: {bound:.2f})"
    if not whole:
        return Check(name, expected, "0 bits, edited or not", "fail", whole.problem)
    left = after.bits / whole.bits
    measured = f"{left:.2f}: {after.bits:,} of {whole.bits:,} bits"
    if not after:
        return Check(name, expected, measured, "fail", after.problem)
    low, high = (1 - _EDIT) * min(part, bound), (1 + _EDIT) * max(part, bound)
    if left > high:
        reason = f"above {high:.2f}: it holds too little without the edit"
        return Check(name, expected, measured, "fail", reason)
    good = left >= low
    reason = f"between {low:.2f} and {high:.2f}" if good else f"below {low:.2f}"
    return Check(name, expected, measured, "pass" if good else "fail", reason)


@cache
def _predicted(side: int, edit: str) -> float:
    """What bound 11 leaves of the exact count under an edit."""
    return capacity(_format(side), psnr=PSNR, under=edit).bits / _exact(side, PSNR)


def _line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Slope and start of the straight line of least squares.

    >>> _line([(1, 5), (2, 7), (3, 9)])
    (2.0, 3.0)
    """
    n = len(points)
    x0, y0 = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - x0) ** 2 for x, _ in points)
    slope = sum((x - x0) * (y - y0) for x, y in points) / spread if spread else 0.0
    return slope, y0 - slope * x0


def _why(found: Iterable[Measured]) -> str:
    """The first problem of several measurements."""
    return next((each.problem for each in found if each.problem), "")


def _format(side: int) -> ImageFormat:
    return ImageFormat(width=side, height=side)


def _exact(side: int, psnr: float) -> float:
    return capacity(_format(side), psnr=psnr).bits
