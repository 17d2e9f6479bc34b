"""Capacity as it is measured: the longest random messages that come back bit by bit."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import distortion, linear
from morebits.bench import specs
from morebits.bench.work import one_line
from morebits.codecs import registry
from morebits.images import Samples
from morebits.types import Codec, ImageFormat

#: Messages of a length that must all come back.
MESSAGES = 2
#: Where the longest fails, no shorter message than this is asked for: chance could read it.
LEAST = 64
#: The search for the longest message stops when it is known to this part.
_PRECISE = 0.02
#: An edit that only moves samples: what a codec that is made for edits is made for otherwise.
_NO_EDIT = "hflip"

Make = Callable[..., Codec]


@dataclass(frozen=True)
class Measured:
    """The longest message that came back, in bits (0 for none), and the lowest PSNR on the way.

    `asked` is whether the codec was asked for a PSNR; where `bits` is less than the codec
    `claimed`, `problem` says why.
    """

    bits: int
    psnr: float
    claimed: int
    asked: bool
    problem: str = ""

    def __bool__(self) -> bool:
        return self.bits > 0


@dataclass(frozen=True)
class Subject:
    """A codec that can be made for a PSNR, if it has that option, and for an edit, likewise."""

    label: str
    make: Make
    options: Mapping[str, Any]
    has_psnr: bool
    for_edit: bool

    def measure(self, side: int, psnr: float, edit: str | None = None) -> Measured:
        """Capacity of a gray picture, read after a linear edit where one is given."""
        options = dict(self.options)
        if self.has_psnr:
            options["psnr"] = psnr
        format = ImageFormat(width=side, height=side)
        if self.for_edit:
            edit = edit or _NO_EDIT
            options |= {"edit": edit, "format": format}
        try:
            codec = self.make(**options)
            operator = None if edit is None else linear.parse(edit).at(format)
            return _Trial(codec, operator, side, psnr if self.has_psnr else None).run()
        except (Exception, SystemExit) as error:  # noqa: BLE001  the codec may be anybody's
            return Measured(0, math.inf, 0, self.has_psnr, one_line(error))


def gray(side: int) -> NDArray[np.uint8]:
    """The solid gray picture of the checks, three channels of 8 bits.

    >>> gray(2).shape
    (2, 2, 3)
    """
    return np.full((side, side, 3), 128, np.uint8)


def subject(text: str) -> Subject:
    """The codec behind a name with options.

    >>> subject("box").has_psnr, subject("singular").for_edit
    (True, True)
    """
    name, options = text, {}
    if not _made_for_edits(text):
        spec = specs.parse(text)
        name, options = spec.name, {key: spec.options[key] for key in spec.options if key != "psnr"}
    make = registry.maker(name)
    for_edit = _made_for_edits(name)
    return Subject(text, make, options, for_edit or _takes_psnr(make, options), for_edit)


def _made_for_edits(name: str) -> bool:
    """Whether it is made for an edit and a format, as singular is."""
    try:
        names = inspect.signature(registry.maker(name)).parameters
    except ValueError:  # unknown, or written in C
        return False
    return {"edit", "format"} <= set(names)


def _takes_psnr(make: Make, options: Mapping[str, Any]) -> bool:
    try:
        make(**options, psnr=42.0)
    except Exception:  # noqa: BLE001  each has its own way to refuse an option
        return False
    return True


class _Trial:
    """One codec on one gray picture."""

    def __init__(
        self, codec: Codec, operator: linear.Operator | None, side: int, asked: float | None
    ):
        self.codec, self.operator, self.asked = codec, operator, asked
        self.cover = gray(side)
        self.psnr, self.problem = math.inf, ""

    def run(self) -> Measured:
        claimed = int(self.codec.capacity(self.cover.copy()))
        bits = self._longest(claimed)
        found = Measured(bits, self.psnr, claimed, self.asked is not None)
        if bits == claimed and bits:
            return found
        return replace(found, problem=self.problem or "the codec says that nothing fits")

    def _longest(self, claimed: int) -> int:
        """The claimed length if it holds; else as long as a search from below gets."""
        if claimed < 1 or self._comes_back(claimed):
            return max(claimed, 0)
        problem = self.problem
        low, high = min(LEAST, claimed), claimed
        if low == claimed or not self._comes_back(low):
            self.problem = problem if low == claimed else f"{problem}, nor did {low}"
            return 0
        while high - low > max(1, _PRECISE * low):
            middle = (low + high) // 2
            low, high = (middle, high) if self._comes_back(middle) else (low, middle)
        self.problem = problem
        return low

    def _comes_back(self, bits: int) -> bool:
        return all(self._round_trip(bits, number) for number in range(MESSAGES))

    def _round_trip(self, bits: int, number: int) -> bool:
        """Hide a random message, edit, read; keeps the PSNR and what went wrong."""
        seed = np.random.Generator(np.random.PCG64([bits, number]))
        message = seed.integers(0, 2, bits, np.uint8)
        try:
            marked = self.codec.embed(self.cover.copy(), message.copy()).image
            psnr = distortion.psnr(self.cover, marked, peak=255)
            found = self.codec.extract(self._edited(marked))
        except (Exception, SystemExit) as error:  # noqa: BLE001  the codec may be anybody's
            self.problem = one_line(error)
            return False
        if self.asked is not None and psnr < self.asked:
            self.problem = f"{bits:,} bits came out at {psnr:.2f} dB, below {self.asked:g}"
            return False
        got = found.bits
        if not found or got is None or not np.array_equal(np.asarray(got)[:bits], message):
            self.problem = f"{bits:,} bits did not come back"
            return False
        self.psnr = min(self.psnr, psnr)
        return True

    def _edited(self, marked: Samples) -> Samples:
        if self.operator is None:
            return marked
        return self.operator.quantised(marked, 255).astype(np.uint8)
