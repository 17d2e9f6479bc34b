"""One picture: its samples, and what a file brought along."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from morebits.errors import ImageError
from morebits.images import tags
from morebits.types import MAX_SAMPLES, ImageFormat

Samples: TypeAlias = NDArray[np.uint8 | np.uint16]

#: What `Picture.notes` says of every picture with alpha.
ALPHA_NOTE = "alpha set aside: only colour channels count"


@dataclass(frozen=True, eq=False)
class Picture:
    """One picture, ready to be measured or marked.

    `array` is (H, W, C), contiguous and read-only, uint8 or uint16, with 1 or 3 channels of
    `depth` bits. `alpha` (H, W), of the same dtype, is what was set aside, and `notes` say what
    was converted. A file brings along its `file_format`, the bytes of its ICC profile and of its
    EXIF data (from `II` or `MM` on), its resolution `dpi` (across, down; pixels an inch), the
    names of what is not kept (`left_out`), and its `path`.
    """

    array: Samples
    depth: int
    name: str
    notes: tuple[str, ...] = ()
    alpha: Samples | None = None
    file_format: str | None = None
    icc: bytes | None = None
    exif: bytes | None = None
    dpi: tuple[float, float] | None = None
    left_out: tuple[str, ...] = ()
    path: Path | None = None

    @property
    def format(self) -> ImageFormat:
        """Channels (alpha does not count), width, height and depth."""
        height, width, channels = self.array.shape
        return ImageFormat(channels, width, height, self.depth)

    @property
    def orientation(self) -> int:
        """The EXIF orientation, 1 to 8: how a viewer turns the picture; 1 is as stored."""
        return tags.orientation(self.exif)


def from_decoder(samples: NDArray[Any], name: str, notes: tuple[str, ...] = ()) -> Picture:
    """A picture of (H, W), (H, W, 2), (H, W, 3) or (H, W, 4) samples: even counts have alpha."""
    cube = samples[:, :, None] if samples.ndim == 2 else samples
    alpha = None
    if cube.shape[2] in (2, 4):
        cube, alpha = cube[..., :-1], np.ascontiguousarray(cube[..., -1])
        notes += (ALPHA_NOTE,)
    return Picture(frozen(cube), 8 * samples.dtype.itemsize, name, notes, alpha)


def frozen(array: NDArray[Any]) -> Samples:
    """(H, W, C), contiguous, native byte order, and read-only without touching the owner."""
    kind = np.dtype(np.uint8 if array.dtype.itemsize == 1 else np.uint16)
    cube = array[:, :, None] if array.ndim == 2 else array
    result = np.ascontiguousarray(cube, kind).view()
    result.flags.writeable = False
    return result


def with_alpha(picture: Picture) -> Samples:
    """All channels as a file stores them: (H, W) for plain gray, else (H, W, 2), 3 or 4."""
    if picture.alpha is None:
        return picture.array[..., 0] if picture.array.shape[2] == 1 else picture.array
    return np.concatenate([picture.array, picture.alpha[..., None]], axis=2)


def tidy_dpi(across: float, down: float) -> tuple[float, float] | None:
    """Pixels an inch as numbers; None for what no picture has."""
    numbers = float(across), float(down)
    return numbers if all(0.1 <= each <= 1e5 for each in numbers) else None


def check_size(name: str, width: int, height: int, channels: int, max_pixels: int) -> None:
    """Refuse a header that announces too much, before anything is decoded."""
    if width < 1 or height < 1:
        raise ImageError(name, "has no pixels", "give at least one pixel")
    pixels = width * height
    if pixels > max_pixels:
        raise too_many(name, pixels, max_pixels)
    if pixels * channels > MAX_SAMPLES:
        problem = f"has {pixels * channels:,} samples, the limit is {MAX_SAMPLES:,}"
        raise ImageError(name, problem, "use a smaller picture or a part of it")


def too_many(name: str, pixels: int, max_pixels: int) -> ImageError:
    """What to say of a picture above the limit."""
    problem = f"has {pixels:,} pixels, the limit is {max_pixels:,}"
    fix = (
        f"if you trust the file, raise it with max_pixels={pixels} "
        f"(--max-megapixels {-(-pixels // 10**6)})"
    )
    return ImageError(name, problem, fix)
