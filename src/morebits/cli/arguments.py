"""From the words of the command line to arguments of the library."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from morebits.errors import InputError
from morebits.types import ImageFormat

if TYPE_CHECKING:
    from morebits.images import Picture

#: Options that several verbs have.
Megapixels: TypeAlias = Annotated[float | None, Parameter(metavar="N", allow_leading_hyphen=True)]
Flag: TypeAlias = Annotated[bool, Parameter(negative=(), show_default=False)]
Json: TypeAlias = Annotated[bool, Parameter(name="--json", negative=(), show_default=False)]

#: More rows than this are a table that nobody reads, and most likely a slip of the pen.
MAX_ROWS = 10_000


def parse_psnr(words: tuple[str, ...]) -> list[float]:
    """Numbers, comma lists and ranges `start:stop:step`, both ends included.

    >>> parse_psnr(("42", "10:20:5", "30,36"))
    [42.0, 10.0, 15.0, 20.0, 30.0, 36.0]
    """
    found: list[float] = []
    for part in (part for word in words for part in word.split(",")):
        numbers = [_finite(text, part) for text in part.split(":")]
        found += numbers if len(numbers) == 1 else _steps(numbers, part)
        if len(found) > MAX_ROWS:
            raise InputError("--psnr", part, f"give at most {MAX_ROWS:,} values")
    return found


def parse_size(text: str) -> tuple[int, int]:
    """Width and height.

    >>> parse_size("640x480")
    (640, 480)
    """
    known = re.fullmatch(r"\s*(-?\d{1,18})\s*[xX×]\s*(-?\d{1,18})\s*", text)
    if not known:
        raise InputError("--size", text, "write WIDTHxHEIGHT, for example --size 256x256")
    width, height = int(known[1]), int(known[2])
    if width < 1 or height < 1:
        raise InputError("--size", text, "give a width and a height of at least 1")
    return width, height


def source(picture: Path | None, size: str | None, **words: int | None) -> Path | ImageFormat:
    """What to measure; `words` (channels, depth) are those that only --size needs."""
    given = {name: value for name, value in words.items() if value is not None}
    if picture is None and size is None:
        raise InputError("cover", None, "give a picture file or --size WIDTHxHEIGHT")
    if picture is None:
        width, height = parse_size(size or "")
        return ImageFormat(width=width, height=height, **given)
    if size is not None:
        raise InputError("--size", size, f"leave it out, {picture} has its own size")
    for name, value in given.items():
        raise InputError(f"--{name}", value, f"leave it out, {picture} has its own")
    return picture


def read(path: Path, max_megapixels: float | None) -> Picture:
    """The picture of a file, refused above so many millions of pixels."""
    from morebits import images

    return images.read(path, max_pixels=pixels(max_megapixels))


def pixels(max_megapixels: float | None) -> int:
    """The limit as a number of pixels."""
    from morebits.images import MAX_PIXELS

    if max_megapixels is None:
        return MAX_PIXELS
    if not (math.isfinite(max_megapixels) and max_megapixels > 0):
        raise InputError("--max-megapixels", max_megapixels, "give a number above 0, such as 200")
    return math.ceil(max_megapixels * 1e6)


def _finite(text: str, word: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        expected = "give a finite number of dB such as 42, a list 36,42 or a range 10:60:5"
        raise InputError("--psnr", word, expected)
    return number


def _steps(numbers: list[float], word: str) -> list[float]:
    start, stop, *rest = numbers
    step = rest[0] if rest else 1.0
    if len(rest) > 1 or step <= 0 or stop < start:
        raise InputError("--psnr", word, "write a range as start:stop:step, for example 10:60:5")
    count = (stop - start) / step
    if count > MAX_ROWS:
        raise InputError("--psnr", word, f"give at most {MAX_ROWS:,} values")
    # The small surplus keeps the last value where the step divides the range.
    return [start + step * index for index in range(math.floor(count + 1e-9) + 1)]
