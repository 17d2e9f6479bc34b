"""How often a codec finds a mark where there is none: unmarked crops, wrong keys.

    python benchmarks/bench_false_positives.py [PHOTOS] [--crops 2000] [--out FILE]

Crops of real photos at random places and sizes, every one also with its samples shuffled, and
marked pictures read with another key. A codec's claim is its p-value: the trellis says 2^-48 a
copy of its head. `reveal` is measured with the container on top, and is what users see.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import matplotlib.cbook
import numpy as np
from numpy.typing import NDArray

import morebits as mb
from morebits import images
from morebits.bench.statistics import clopper_pearson
from morebits.images import Samples

Pixels = NDArray[np.uint8]


def photos(folder: Path | None) -> list[Pixels]:
    """Every picture of the folder, or the one that comes with matplotlib."""
    if folder is None:
        paths = [Path(str(matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)))]
    else:
        paths = sorted(each for each in folder.iterdir() if each.suffix in {".png", ".jpg"})
    return [np.asarray(images.read(path).array, np.uint8) for path in paths]


def crop(pictures: list[Pixels], rng: np.random.Generator) -> Pixels:
    """A part of one of them, 16 to 256 pixels a side."""
    picture = pictures[rng.integers(len(pictures))]
    height, width = (int(rng.integers(16, min(256, side) + 1)) for side in picture.shape[:2])
    top = int(rng.integers(picture.shape[0] - height + 1))
    left = int(rng.integers(picture.shape[1] - width + 1))
    return picture[top : top + height, left : left + width].copy()


def shuffled(picture: Pixels, rng: np.random.Generator) -> Pixels:
    """The same samples in another order."""
    return rng.permutation(picture.reshape(-1)).reshape(picture.shape)


def exact(picture: Samples, key: str | None = None) -> bool:
    """Whether `reveal` sees a fragile mark; benchmarks/robust.py asks for robust ones."""
    found = [mb.reveal(picture, key=key, codec=name).status for name in ("trellis", "box")]
    return found != ["nothing", "nothing"]


def cases(pictures: list[Pixels], count: int, seed: int) -> dict[str, Callable[[], int]]:
    """Name of a measurement and what counts its false positives."""
    trellis, shaped = mb.codec("trellis"), mb.codec("shaped", psnr=42)

    def unmarked(found: Callable[[Pixels], object]) -> int:
        rng = np.random.default_rng(seed)
        parts = (crop(pictures, rng) for _ in range(count // 2))
        return sum(bool(found(each)) + bool(found(shuffled(each, rng))) for each in parts)

    def wrong_key() -> int:
        rng = np.random.default_rng(seed + 1)
        hits = 0
        for number in range(count // 20):  # each costs two scrypts
            marked = mb.hide(crop(pictures, rng), b"x", key="right", codec="trellis", fill=True)
            hits += exact(marked.image, key=f"wrong {number}")
        return hits

    return {
        "trellis.extract, unmarked": lambda: unmarked(trellis.extract),
        "shaped.extract, unmarked": lambda: unmarked(shaped.extract),
        "reveal, unmarked": lambda: unmarked(exact),
        "reveal, marked with another key": wrong_key,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("photos", nargs="?", type=Path)
    parser.add_argument("--crops", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows: list[dict[str, object]] = []
    print(f"{'what':34} {'pictures':>8} {'found':>6}  95 % interval of the rate")
    for name, measure in cases(photos(given.photos), given.crops, given.seed).items():
        count = given.crops // 20 if "key" in name else given.crops // 2 * 2
        hits = measure()
        rate = clopper_pearson(hits, count)
        print(f"{name:34} {count:8} {hits:6}  {rate.low:.5f} to {rate.high:.5f}")
        rows.append({"what": name, "pictures": count, "found": hits, "high": rate.high})
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
