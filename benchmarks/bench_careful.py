"""What the robust codec's second look is worth: `bench_careful.py [PHOTOS] [--most N]`.

Two comparisons, with and without it in the same run. **Information**: the bits that the soft values
of luma really carry (wrong ones that are sure count against them), at first and after
`careful.reread`. **Messages**: of parts of photos, cut out and compressed, at their true place,
how many messages of 128 bytes the code makes out, how many more with soft values that know the
mask, and how many more of the rest when it is nudged.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from morebits import images
from morebits.attacks import parse
from morebits.codecs import compact
from morebits.codecs.robust import careful, colour, reading, sizes
from morebits.codecs.robust.codec import mark
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.reading import Read
from morebits.codecs.robust.rectifying import rectify
from morebits.images import Samples
from schemes import pictures

EDITS = ("jpeg:40", "jpeg:50", "jpeg:60", "jpeg:80")
#: Sides of a part as shares of the photo's, how it is compressed, and how many of each photo.
PART, PRESSED, PARTS = 0.45, "jpeg:60", 3
KEY, PSNR = b"key", 45.0
PAYLOAD = np.random.default_rng(1).bytes(128)
INDEX = sizes.class_of(8 * compact.size(PAYLOAD)) or 0
_PACKED = compact.pack(PAYLOAD, key=KEY, size=sizes.message_bits(INDEX) // 8)
MESSAGE = np.unpackbits(np.frombuffer(_PACKED, np.uint8))


def read_at(picture: Samples, x: int = 0, y: int = 0) -> tuple[Read, Read] | None:
    """A picture whose first pixel was at (x, y), read once and twice."""
    matrix = np.array([[1.0, 0, -x], [0, 1, -y]])
    laid = rectify(colour.luma(picture), colour.clipped(picture), matrix, "copied")
    if laid is None:
        return None
    tiles = laid.tiles(Layout.of(KEY))
    first = reading.read(tiles, tiles.step())
    return first, careful.reread(first, laid)


def information(read: Read) -> float:
    """Bits that the soft values of a reading really carry."""
    tiles = read.tiles
    coded = tiles.window.places(INDEX)[tiles.usable] >= 0
    signs = 2.0 * tiles.window.bits(INDEX, MESSAGE)[tiles.usable] - 1
    right = np.clip((read.soft * signs)[coded], -30, 30)
    return float((1 - np.log2(1 + np.exp(-right))).sum())


def summed(read: Read) -> NDArray[np.float32]:
    """Soft values of the coded bits."""
    window, usable = read.tiles.window, read.tiles.usable
    length = window.code(INDEX).coded_bits
    return reading.summed(length, window.places(INDEX)[usable], read.soft)


def gains(photos: list[pictures.Photo]) -> None:
    """Information after each edit."""
    print("information of the second reading over that of the first, mean and worst photo")
    marked = [mark(images.read(each.array), PAYLOAD, KEY, PSNR) for each in photos]
    for edit in EDITS:
        ratios = []
        for each in marked:
            reads = read_at(parse(edit)(each))
            if reads is not None and information(reads[0]) > 0:
                ratios.append(information(reads[1]) / information(reads[0]))
        if ratios:
            print(f"{edit:10} {statistics.mean(ratios):.3f}  {min(ratios):.3f}  ({len(ratios)})")


def messages(photos: list[pictures.Photo]) -> None:
    """Messages that the code makes out of parts, by itself and with help."""
    tried = first = knowing = nudged = 0
    for number, each in enumerate(photos):
        marked = mark(images.read(each.array), PAYLOAD, KEY, PSNR)
        random = np.random.default_rng([2, number])
        height, width = (int(PART * side) for side in marked.shape[:2])
        for _ in range(PARTS):
            y, x = (
                int(random.integers(side - part + 1))
                for side, part in zip(marked.shape[:2], (height, width), strict=True)
            )
            reads = read_at(parse(PRESSED)(marked[y : y + height, x : x + width]), x, y)
            tried += 1
            if reads is None:
                continue
            code = reads[0].tiles.window.code(INDEX)
            once, twice = map(summed, reads)
            if code.decode(once, 40).ok:
                first += 1
            elif code.decode(twice, 40).ok:
                knowing += 1
            else:
                nudged += reading.insisted(code, twice).ok
    lost = tried - first - knowing - nudged
    print(f"parts of {PART:.0%} of the sides after {PRESSED}: {tried}; read at once {first},")
    print(f"with the mask {knowing} more, nudged {nudged} more, lost {lost}")


def main() -> None:
    """Print both comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, nargs="?", help="a folder of photos")
    parser.add_argument("--most", type=int, default=40, help="only the first so many")
    given = parser.parse_args()
    found = pictures.from_folder(given.photos, given.most) if given.photos else pictures.own(2)
    print(found.source)
    gains(found.wholes)
    messages(found.wholes)


if __name__ == "__main__":
    main()
