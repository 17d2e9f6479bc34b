"""A small benchmark at the end of the demonstration: the photo in pieces, and its report."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from morebits.bench.benchmark import benchmark
from morebits.bench.records import RUN, SAMPLES
from morebits.bench.report import report
from morebits.images import Picture, write

#: Our codec at two qualities; a peer joins where its package is installed.
CODECS = ("trellis:psnr=42", "trellis:psnr=48")
PEER, PEER_NEEDS = "invisible-watermark:dwtDctSvd", ("imwatermark", "cv2", "pywt")
#: Pixels a side of a piece: the peer takes nothing smaller.
SIDE = 256


def run(picture: Picture, out: Path) -> Path:
    """Cut the photo, mark the pieces, attack them, write the report; its page is returned.

    What an earlier demonstration measured in this folder is measured again.
    """
    photos = out / "photos"
    photos.mkdir(parents=True, exist_ok=True)
    for name in (RUN, SAMPLES):
        (out / name).unlink(missing_ok=True)
    codecs = [*CODECS, *([PEER] if all(map(find_spec, PEER_NEEDS)) else [])]
    _cut(picture, photos)
    benchmark(codecs, images=photos, attacks="quick", out=out)
    return report(out)[0]


def _cut(picture: Picture, photos: Path) -> None:
    """Squares from left to right and top to bottom, as files."""
    height, width = picture.array.shape[:2]
    corners = [
        (top, left)
        for top in range(0, height - SIDE + 1, SIDE)
        for left in range(0, width - SIDE + 1, SIDE)
    ]
    for number, (top, left) in enumerate(corners, start=1):
        piece = picture.array[top : top + SIDE, left : left + SIDE]
        write(photos / f"piece-{number}.png", piece.copy(), force=True)
