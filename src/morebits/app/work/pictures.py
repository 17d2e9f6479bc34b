"""Pictures between the page and the library: opened from files, and small enough to look at."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from morebits import images
from morebits.app.workers import Report
from morebits.attacks.attack import eight_bits
from morebits.errors import FileNotWritten, ImageError
from morebits.images import Picture, Samples

#: Pixels on the long side of what the page shows of a whole picture.
LONGEST = 1600
#: How samples are kept between two jobs: quick to write, and parts can be read alone.
SAMPLES, COVER, PREVIEW, CHANGES = "samples.npy", "cover.npy", "preview.jpg", "changes.png"


@dataclass(frozen=True)
class File:
    """A picture that the page keeps: where it is, and the name that people know it by."""

    path: Path
    name: str
    max_pixels: int

    def read(self) -> Picture:
        """The picture, upright; errors speak of the name that people know."""
        if self.path.suffix == ".npy":
            return replace(images.read(np.load(self.path)), name=self.name)
        with called(self.name):
            picture = images.read(self.path, max_pixels=self.max_pixels)
        return replace(images.upright(picture), name=self.name)


@contextmanager
def called(name: str) -> Generator[None]:
    """Errors about a file of ours tell the name that people know it by."""
    try:
        yield
    except ImageError as error:
        raise type(error)(name, error.problem, error.fix) from None
    except FileNotWritten as error:
        raise FileNotWritten(name, error.problem, error.fix) from None


def receive(report: Report, *, file: File, folder: Path) -> dict[str, Any]:
    """Decode an upload and make its preview; the facts that the page shows."""
    report(None, f"reading {file.name}", None)
    picture = file.read()
    write_preview(folder / PREVIEW, picture.array, picture.icc)
    return facts(picture)


def facts(picture: Picture) -> dict[str, Any]:
    """What the page says of a picture."""
    fmt = picture.format
    return {
        "width": fmt.width,
        "height": fmt.height,
        "channels": fmt.channels,
        "depth": fmt.depth,
        "text": fmt.text,
        "file_format": picture.file_format,
        "notes": list(picture.notes),
    }


def write_preview(path: Path, samples: Samples, icc: bytes | None = None) -> None:
    """A JPEG of at most `LONGEST` pixels a side, in the colours of the picture."""
    small = Image.fromarray(_plain(eight_bits(samples)))
    small.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS, reducing_gap=2.0)
    small.save(path, "JPEG", quality=90, subsampling=0, icc_profile=icc)


def write_changes(path: Path, cover: Samples, marked: Samples) -> None:
    """A PNG with the largest change of each small block, in levels of 255 and in 8 bits.

    Blocks are as large as the preview needs them, one pixel for small pictures. A mean would tell
    that nothing happened, since changes go up and down.
    """
    side = block(cover.shape)
    height, width = (-(-length // side) for length in cover.shape[:2])
    largest = np.zeros((height, width, cover.shape[2]), np.uint8)
    for row in range(height):  # a band at a time: the whole would take several times the memory
        rows = slice(row * side, (row + 1) * side)
        band = np.abs(cover[rows].astype(np.int32) - marked[rows].astype(np.int32)).max(axis=0)
        if cover.dtype == np.uint16:
            band = -(-band // 257)
        starts = np.arange(0, band.shape[0], side)
        largest[row] = np.maximum.reduceat(np.minimum(band, 255), starts, axis=0)
    Image.fromarray(_plain(largest)).save(path, "PNG", compress_level=4)


def block(shape: tuple[int, ...]) -> int:
    """Pixels a side of the blocks that a preview of `LONGEST` pixels needs.

    >>> block((3000, 4000, 3)), block((600, 512, 3))
    (3, 1)
    """
    return -(-max(shape[:2]) // LONGEST)


def detail(path: Path, left: int, top: int, width: int, height: int) -> bytes:
    """A part of kept samples as PNG, pixel by pixel; only that part is read from the disk."""
    import io

    samples = np.load(path, mmap_mode="r")
    rows, columns = samples.shape[:2]
    left = min(max(0, left), max(0, columns - width))
    top = min(max(0, top), max(0, rows - height))
    part = np.ascontiguousarray(samples[top : top + height, left : left + width])
    out = io.BytesIO()
    Image.fromarray(_plain(eight_bits(part))).save(out, "PNG", compress_level=1)
    return out.getvalue()


def _plain(samples: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """As Pillow wants it: (H, W) for gray."""
    return samples[..., 0] if samples.shape[2] == 1 else samples
