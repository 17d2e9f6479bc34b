"""Marks under the settings of this process: python determinism_digests.py FOLDER CODEC...

Writes each marked picture into the folder, reads those of another process that are there already,
and prints the digests of the pixels and the payloads as JSON.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import morebits as mb

#: Codec -> side of the picture and options; small ones, since without numba they take seconds.
CODECS = {
    "trellis": (16, {"psnr": 36, "states": 16}), "box": (24, {"psnr": 42}),
    "shaped": (16, {"psnr": 42}), "tiled": (32, {"codec": "trellis", "size": 16, "states": 16}),
    "robust": (112, {"psnr": 36}), "mosaic": (80, {"psnr": 40}),
}  # fmt: skip


def cover(name: str, side: int) -> np.ndarray:
    """Of whole numbers only: no cosine of another machine is in the way."""
    if name in ("box", "shaped"):
        return np.full((side, side, 3), 128, np.uint8)
    y, x, c = np.mgrid[0:side, 0:side, 0:3]
    noise = np.random.default_rng(8).integers(-9, 10, (side, side, 3))
    return np.clip(70 + np.abs((3 * x + 2 * y + 40 * c) % 200 - 100) + noise, 0, 255).astype(
        np.uint8
    )


def main(folder: Path, names: list[str]) -> None:
    """Mark, write, read."""
    found: dict[str, dict[str, str | None]] = {}
    for name in names:
        side, options = CODECS[name]
        keyed = {"key": "k"} if name in ("robust", "mosaic", "trellis") else {}
        codec = mb.codec(name, **options, **keyed)
        marked = mb.hide(cover(name, side), b"the same", key="k", codec=codec).image
        path = folder / f"{name}.npy"
        if not path.exists():
            np.save(path, marked)
        read = mb.reveal(np.load(path), key="k", codec=codec).payload
        digest = hashlib.blake2b(marked.tobytes(), digest_size=8).hexdigest()
        found[name] = {"pixels": digest, "read": None if read is None else read.decode()}
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
