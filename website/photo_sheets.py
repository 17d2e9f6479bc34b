"""Sheets of photos: what a PSNR looks like, what hiding changes, what attacks do."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image

import morebits as mb
from morebits import attacks, images
from morebits.drawing import INK, SMALL, figure
from morebits.images import Samples
from notebooks import photo

#: The face: rows and columns of the photo.
PART = (slice(88, 296), slice(150, 358))
#: How many times a difference is enlarged.
AMPLIFIED = 16
EDITS = (
    "none", "jpeg:20", "crop:0.6", "rotate:20", "hflip", "resize:0.3", "blur:13", "brightness:1.6",
    "contrast:0.4", "hue:0.2", "perspective:0.4", "screenshot:0.8",
)  # fmt: skip


def psnrs() -> bytes:
    """The face, filled with random bits at several PSNRs."""
    cover = np.ascontiguousarray(images.read(photo()).array[PART])
    shown = [(cover, "the cover")]
    for level in (48, 42, 36, 30):
        codec = mb.codec("trellis", psnr=level, states=64)
        size = codec.capacity(cover)
        bits = np.random.default_rng(1).integers(0, 2, size, np.uint8)
        shown.append((codec.embed(cover, bits).image, f"{level} dB: {size // 8192} KiB in it"))
    return sheet(shown, 5)


def hidden() -> bytes:
    """Cover, two marks and their differences."""
    cover = images.read(photo()).array
    note = mb.hide(cover, b"made by me", psnr=45).image
    file = mb.hide(cover, bytes(np.random.default_rng(1).bytes(300_000)), codec="trellis").image
    shown = [(cover[PART], "cover")]
    for marked, words in ((note, "robust, a note, 45 dB"), (file, "trellis, 293 KiB")):
        change = 128 + AMPLIFIED * (marked[PART].astype(int) - cover[PART])
        shown += [
            (marked[PART], words),
            (np.clip(change, 0, 255).astype(np.uint8), f"difference, {AMPLIFIED} times"),
        ]
    return sheet(shown, 5)


def attacked() -> bytes:
    """What some attacks do."""
    cover = images.read(photo()).array[::2, ::2]
    return sheet([(attacks.parse(edit)(cover, seed=3), edit) for edit in EDITS], 6)


def sheet(shown: Sequence[tuple[Samples, str]], columns: int) -> bytes:
    """Pictures with their words below, in rows, as JPEG."""
    rows = -(-len(shown) // columns)
    tallest = max(array.shape[0] / array.shape[1] for array, _ in shown)
    drawn = figure(9.6, rows * (9.6 / columns * min(tallest, 1.2) + 0.3))
    for axes in np.ravel(drawn.subplots(rows, columns)):
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
    for axes, (array, words) in zip(drawn.axes, shown, strict=False):
        axes.imshow(array, interpolation="lanczos")
        axes.set_xlabel(words, fontsize=SMALL + 1, color=INK)
    buffer = io.BytesIO()
    drawn.savefig(buffer, format="png", dpi=120)
    buffer.seek(0)
    out = io.BytesIO()
    Image.open(buffer).convert("RGB").save(out, "JPEG", quality=88)
    return out.getvalue()


PICTURES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "psnrs": (
        "A part of our photo with as many random bits in it as `trellis` can take.",
        psnrs,
        ".jpg",
    ),
    "hidden": ("Cover, a robust note and a whole file, and what they changed.", hidden, ".jpg"),
    "attacked": ("Some words of the language of attacks.", attacked, ".jpg"),
}
