"""Files of the present format versions, for `test_golden.py`: python tests/golden_files.py FOLDER.

What was released stays in tests/golden for ever. A new format version gets a new folder beside
the old ones; this script fills only folders that are not there yet.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path

import numpy as np

import morebits as mb
from morebits import images
from morebits.images import Picture

KEY = "Schlüssel \N{KEY}"
#: File -> codec and options of its mark.
MARKS = {
    "trellis.png": ("trellis", {}), "trellis.tif": ("trellis", {}), "trellis.webp": ("trellis", {}),
    "trellis.jp2": ("trellis", {}), "trellis.bmp": ("trellis", {}), "trellis.ppm": ("trellis", {}),
    "trellis-alpha16.png": ("trellis", {}), "trellis-gray.pgm": ("trellis", {}),
    "box.png": ("box", {}), "shaped.png": ("shaped", {"psnr": 42}),
    "tiled.png": ("tiled", {"codec": "trellis", "size": 24, "psnr": 42}),
    "mosaic.png": ("mosaic", {"psnr": 40}), "robust.jpg": ("robust", {"psnr": 36}),
    "robust.webp": ("robust", {"psnr": 36}),
}  # fmt: skip
CARD = """\
name = "golden"
bits = 4
size = 16
residual = "rgb"
scaling_w = 0.3

[embedder]
kind = "unet"
widths = [2, 2]
message = 1
blocks = 1
norm = "batch"
activation = "relu"

[extractor]
kind = "convnext"
depths = [1]
widths = [4]
stride = 4
padding = "replicate"
"""
#: Of the run whose state is kept after the first of two epochs; the card is beside it.
RUN = {
    "model": "card.toml", "data": "gray", "size": 16, "batch": 2, "epochs": 2, "steps_per_epoch": 1,
    "validation": 1, "samples": 0, "accelerator": "cpu",
}  # fmt: skip


def cover(name: str) -> Picture:
    """The picture that a mark is made in."""
    side = {"mosaic": 96, "robust": 144, "tiled": 48}.get(name.partition(".")[0], 24)
    if name.startswith(("box", "shaped")):
        return images.read(np.full((side, side, 3), 128, np.uint8))
    y, x, c = np.mgrid[0:side, 0:side, 0:3]
    noise = np.random.default_rng(8).integers(-9, 10, (side, side, 3))
    samples = np.clip(128 + 60 * np.sin(x / 9 + c) * np.cos(y / 11) + noise, 0, 255)
    if "gray" in name:
        samples = samples[..., :1]
    if "16" not in name:
        return images.read(samples.astype(np.uint8))
    deep = images.read((samples * 257).astype(np.uint16))
    return Picture(deep.array, 16, "golden", alpha=deep.array[..., 0].copy())


def main(folder: Path) -> None:
    """Fill the folder."""
    folder.mkdir(parents=True)
    os.chdir(folder)
    told: dict[str, dict[str, str | None]] = {}
    for number, (name, (codec, options)) in enumerate(MARKS.items()):
        key = KEY if number % 2 else None
        payload = f"golden {name}, naïve café".encode()
        keyed = {"key": key} if codec in ("tiled", "mosaic") else {}
        maker = mb.codec(codec, **options, **keyed) if codec not in _NAMED else codec
        words = options if codec in _NAMED else {}
        mb.hide(cover(name), payload, key=key, codec=maker, **words).save(name)
        told[name] = {"payload": payload.decode(), "key": key}
    text = json.dumps({"morebits": mb.__version__, "marks": told}, indent=1, ensure_ascii=False)
    Path("marks.json").write_text(text + "\n", "utf-8")
    _results()
    _network()


_NAMED = ("trellis", "box", "robust")


def _results() -> None:
    """Two codecs on one picture."""
    codecs = ["trellis:states=16", "box"]
    mb.benchmark(codecs, images=["trellis.png"], attacks=["none", "jpeg:80"], out="results")
    Path("results/.lock").unlink()


def _network() -> None:
    """Card, configuration and state of a run that was stopped in the second epoch, and weights."""
    Path("card.toml").write_text(CARD)

    def stop(done: int, steps: int, values: object) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt):
        mb.fit(mb.TrainConfig(**RUN), out="run", progress=stop)
    for each in ("state.safetensors", "last.safetensors", "config.toml"):
        Path("run", each).replace(each)
    for each in sorted(Path("run").rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()
    Path("run").rmdir()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
