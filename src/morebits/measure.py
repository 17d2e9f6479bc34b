"""How many bits fit: `capacity` picks the best valid bound, `curve` sweeps the PSNR."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from morebits.bounds import covers, edit
from morebits.bounds import psnr as bounds_psnr
from morebits.bounds.radius import check_psnr
from morebits.errors import BoundNotValid, InputError, MissingExtra, UnknownName
from morebits.types import Capacity, ImageFormat

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from morebits.linear import Edit, Operator

#: What `bound=` takes, beside None for the best valid one.
BOUNDS = (*(str(number) for number in range(1, 14)), "certified")
_GRAY_ONLY = ("2", "3", "4", "5", "6")
_FREE = {
    "1": bounds_psnr.bound_1,
    "2": bounds_psnr.bound_2,
    "3": bounds_psnr.bound_3,
    "4": bounds_psnr.bound_4,
    "5": bounds_psnr.bound_5,
    "6": bounds_psnr.bound_6,
}
_ANY_COVER = {"7": bounds_psnr.bound_7, "8": bounds_psnr.bound_8, "9": bounds_psnr.bound_9}
_HEURISTIC = {"10": edit.bound_10, "11": edit.bound_11, "12": edit.bound_12}


def capacity(
    source: object,
    *,
    psnr: float,
    under: Edit | Operator | str | None = None,
    bound: str | int | None = None,
    cover: str | None = None,
    peak: float | None = None,
    covers_bits: float = 0.0,
) -> Capacity:
    """How many bits can be hidden at this PSNR, and which bound says so.

    `source` is an `ImageFormat`, or a picture (array, PIL image or path) for which the count
    is exact for that very picture. `under` is an edit that the message must survive. Without
    `bound` the best valid one is chosen: the exact count, or under an edit the heuristic
    bound 11; `bound` forces one ("1" to "13" or "certified"). `cover` is "gray" or "corner"
    (by default gray for a format, the picture itself for a picture). `peak` is the peak of
    the PSNR, by default `2^k - 1`. `covers_bits` is log2 of the number of covers that share
    the ball (Section 3.5; 10,240 for the paper's VQ example): it is taken off the capacity.

    >>> capacity(ImageFormat(width=256, height=256), psnr=42).bits
    602672.57...
    """
    return curve(
        source, psnr=[psnr], under=under, bound=bound, cover=cover, peak=peak,
        covers_bits=covers_bits,
    ).capacities[0]  # fmt: skip


def curve(
    source: object,
    *,
    psnr: Iterable[float],
    under: Edit | Operator | str | None = None,
    bound: str | int | None = None,
    cover: str | None = None,
    peak: float | None = None,
    covers_bits: float = 0.0,
) -> Curve:
    """`capacity` at many PSNRs: the edit and its spectrum are prepared once.

    >>> curve(ImageFormat(width=16, height=16), psnr=[30, 40, 50]).bits
    [3879.35..., 2603.68..., 1328.20...]
    """
    psnrs = [check_psnr(value) for value in psnr]
    if not psnrs:
        raise InputError("psnr", psnrs, "give at least one number of decibels")
    if not covers_bits >= 0 or covers_bits == float("inf"):
        raise InputError("covers_bits", covers_bits, "give log2 of a number of covers, 0 or more")
    question = _Question(source, under, _bound_name(bound), cover, peak)
    found = question.answers(psnrs)
    if covers_bits:
        found = [_share(item, covers_bits) for item in found]
    return Curve(tuple(psnrs), tuple(found))


@dataclass(frozen=True)
class Curve:
    """Capacities over PSNR, in the order asked for."""

    psnr: tuple[float, ...]
    capacities: tuple[Capacity, ...]

    @property
    def bits(self) -> list[float]:
        """The capacities in bits."""
        return [item.bits for item in self.capacities]

    def to_dict(self) -> list[dict[str, Any]]:
        """One plain dict a point, ready for JSON."""
        return [item.to_dict() for item in self.capacities]

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the curve with matplotlib; write it when a path is given (its ending decides)."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtra("matplotlib", "report") from None
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.plot(self.psnr, self.bits, color="black")
        first = self.capacities[0]
        axes.set_xlabel("PSNR (dB)")
        axes.set_ylabel("capacity (bits)")
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.set_title(first.format.text + (f" under {first.under}" if first.under else ""))
        per_sample = axes.twinx()
        low, high = axes.get_ylim()
        per_sample.set_ylim(low / first.format.samples, high / first.format.samples)
        per_sample.set_ylabel("bits a sample")
        if path is not None:
            figure.savefig(path)
        return figure


class _Question:
    """A source, an edit and a bound, made ready to be asked at any PSNR."""

    def __init__(
        self,
        source: object,
        under: Edit | Operator | str | None,
        bound: str | None,
        cover: str | None,
        peak: float | None,
    ):
        self.bound, self.peak = bound, peak
        self.cover = _cover(source, cover)
        self.format = self.cover.format
        self.operator = _operator(under, self.format)
        if self.operator is None and bound in (*_HEURISTIC, "13", "certified"):
            raise BoundNotValid(str(bound), "it is about an edit", "name one with under")
        if self.operator is not None and bound in (*_FREE, *_ANY_COVER):
            raise BoundNotValid(
                str(bound), "it knows no edit", "use bound 10 to 13 or certified, or drop under"
            )
        if self.cover.name != "gray" and bound in _GRAY_ONLY:
            raise BoundNotValid(
                str(bound), "it is for a gray cover", "use bound 7, 8 or 9, or cover gray"
            )
        if self.cover.name == "gray" and bound in _ANY_COVER:
            self.cover = covers.corner(self.format)

    def answers(self, psnrs: Sequence[float]) -> list[Capacity]:
        if self.operator is not None:
            return self._under_edit(self.operator, psnrs)
        if self.bound is None or self.bound in ("4", "8"):
            return bounds_psnr.exact_counts(self.cover, psnrs, self.peak)
        return [self._checked(self._free(self.bound, psnr)) for psnr in psnrs]

    def _free(self, bound: str, psnr: float) -> Capacity:
        if bound in _FREE:
            return _FREE[bound](self.format, psnr, peak=self.peak)
        return _ANY_COVER[bound](self.format, psnr, peak=self.peak, cover=self.cover)

    def _under_edit(self, operator: Operator, psnrs: Sequence[float]) -> list[Capacity]:
        started = time.perf_counter()
        bound = self.bound or "11"
        if bound == "certified":
            from morebits.linear.certified import certify

            certificate = certify(operator, self.format)
            found = [self._about_gray(certificate.capacity(psnr, peak=self.peak)) for psnr in psnrs]
        else:
            ask = self._heuristic(bound, operator) if bound != "13" else self._boxed(operator)
            found = [self._beside_cover(ask(psnr)) for psnr in psnrs]
        found = [self._checked(item) for item in found]
        seconds = (time.perf_counter() - started) / len(psnrs)
        return [replace(item, seconds=seconds) for item in found]

    def _heuristic(self, bound: str, operator: Operator) -> Callable[[float], Capacity]:
        spectrum = operator.spectrum()
        return lambda psnr: _HEURISTIC[bound](
            self.format, psnr, spectrum, peak=self.peak, under=operator.text
        )

    def _boxed(self, operator: Operator) -> Callable[[float], Capacity]:
        from morebits.linear.boxes import output_box

        spectrum, box = operator.spectrum(vectors=True), output_box(operator)
        boxes = () if box is None else (box,)
        return lambda psnr: edit.bound_13(
            self.format, psnr, spectrum, peak=self.peak, under=operator.text, boxes=boxes
        )

    def _beside_cover(self, found: Capacity) -> Capacity:
        """No cover holds more under an edit than it does unedited."""
        if self.cover.name == "gray":
            return found
        unedited = bounds_psnr.bound_8(
            self.format, found.psnr, peak=self.peak, cover=self.cover
        ).bits
        bits = min(found.bits, unedited)
        return self._about_gray(replace(found, bits=bits, bpp=bits / self.format.samples))

    def _about_gray(self, found: Capacity) -> Capacity:
        """Bounds under an edit are about a gray cover; say so when a picture was given."""
        if self.cover.name == "gray":
            return found
        return replace(found, reason=f"{found.reason}; about a gray picture of this format")

    def _checked(self, found: Capacity) -> Capacity:
        if self.bound is not None and not found.valid:
            raise BoundNotValid(found.bound, found.reason, "leave bound out for the best valid one")
        return found


def _bound_name(bound: str | int | None) -> str | None:
    if bound is None:
        return None
    if str(bound) not in BOUNDS:
        raise UnknownName("bound", str(bound), BOUNDS)
    return str(bound)


def _cover(source: object, name: str | None) -> covers.Cover:
    if isinstance(source, ImageFormat):
        return covers.named(name or "gray", source)
    from morebits import images

    picture = images.read(source)
    if name is not None:
        return covers.named(name, picture.format)
    return covers.photo(picture.format, images.histogram(picture.array))


def _operator(under: object, format: ImageFormat) -> Operator | None:
    if under is None:
        return None
    from morebits import linear

    if isinstance(under, str):
        under = linear.parse(under)
    if isinstance(under, linear.Edit):
        return under.at(format)
    if not isinstance(under, linear.Operator):
        raise InputError("under", under, "give an edit such as linear.crop_rescale(0.5) or text")
    if under.in_shape != (format.channels, format.height, format.width):
        raise InputError("under", under, f"give an operator for {format.text}")
    return under


def _share(found: Capacity, covers_bits: float) -> Capacity:
    """The data-distribution correction: N covers in one ball leave each `log2 N` bits less."""
    bits = max(found.bits - covers_bits, 0.0)
    details = {**found.details, "covers_bits": covers_bits}
    reason = f"{found.reason}; shared with 2^{covers_bits:g} covers"
    return replace(
        found, bits=bits, bpp=bits / found.format.samples, reason=reason, details=details
    )
