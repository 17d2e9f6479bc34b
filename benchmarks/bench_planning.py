"""What the robust codec says will fit, beside what really does: `bench_planning.py photos/`.

For every photo and edit `capacity` predicts a size. Then random payloads of other sizes are
hidden, edited with another seed and revealed, to find the largest one that comes back; the
ratio of the two is reported (mean and worst), and how often the predicted size itself came back.
Photos for which it predicts nothing have no ratio: they are counted, and among them as "missed"
those from which 4 bytes come back all the same.

`--quality`: what quality first gives for 128 bytes and `paper-compact`, and which edits the
result survives with other seeds. `--kinds`: pictures that are no photos. `--small`: what fits into
small pieces of the photos.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from morebits.attacks import parse, suite
from morebits.codecs.robust import Robust, sizes
from morebits.codecs.robust.codec import mark
from morebits.errors import DoesNotFit, ImageError
from morebits.images import Picture, read

EDITS = (
    "none", "jpeg:50", "jpeg:80", "blur:9", "crop:0.77", "crop:0.45", "rotate:10", "resize:0.71",
    "brightness:1.5", "contrast:1.5", "contrast:0.5", "crop:0.8|jpeg:50",
)  # fmt: skip
#: Ratio of two sizes that are tried one after the other, and how far from the prediction.
FACTOR, FARTHEST = 1.15, 3.0
#: Smallest payload that is tried, in bytes.
LEAST = 4
#: Seconds for one attempt to read.
SECONDS = 2.0
KIND_SIZE = (640, 480)
SIDES = (48, 64, 72, 128, 256)


def message(size: int, seed: int) -> NDArray[np.uint8]:
    """So many random bytes, as bits."""
    return np.random.default_rng([seed, size]).integers(0, 2, 8 * size, np.uint8)


def fitting(size: float) -> int:
    """The largest size of a class that is not above this one, in bytes."""
    return max(each for each in map(sizes.payload_bytes, range(sizes.CLASSES)) if each <= size)


def survives(photo: Picture, size: int, edit: str, psnr: float, seed: int) -> bool:
    """Whether so many random bytes come back after an edit."""
    payload = np.packbits(message(size, seed)).tobytes()
    marked = mark(photo, payload, None, psnr)
    return (
        Robust(psnr=psnr, seconds=SECONDS).extract(parse(edit)(marked, seed=seed)).payload
        == payload
    )


def largest(photo: Picture, start: int, edit: str, psnr: float, seed: int) -> int:
    """Bytes of the largest payload that comes back, searched from `start` on; 0: none near it."""
    size = float(max(start, LEAST))
    grows = survives(photo, fitting(size), edit, psnr, seed)
    while start / FARTHEST < size < start * FARTHEST and size >= LEAST:
        size = size * FACTOR if grows else size / FACTOR
        if survives(photo, fitting(size), edit, psnr, seed) != grows:
            return fitting(size / FACTOR if grows else size)
    return fitting(size) if grows else 0


def predictions(
    photos: dict[str, Picture], edits: Iterable[str], psnr: float
) -> list[dict[str, Any]]:
    """A row an edit: predicted and real sizes of every photo."""
    rows = []
    for text in edits:
        each = []
        for seed, (name, photo) in enumerate(photos.items()):
            started = time.perf_counter()
            bits = Robust(psnr=psnr).capacity(photo, survive=text)
            seconds = time.perf_counter() - started
            real = largest(photo, bits // 8, text, psnr, seed)
            held = bits > 0 and real >= bits // 8
            each.append({"photo": name, "predicted": bits // 8, "real": real, "held": held,
                         "seconds": seconds})  # fmt: skip
        rows.append({"edit": text, "psnr": psnr, "photos": each})
        _print_predictions(rows[-1])
    return rows


def _print_predictions(row: dict[str, Any]) -> None:
    ratios = [each["real"] / each["predicted"] for each in row["photos"] if each["predicted"]]
    none = sum(not each["predicted"] for each in row["photos"])
    missed = sum(not each["predicted"] and each["real"] > 0 for each in row["photos"])
    held = f"{sum(each['held'] for each in row['photos'])}/{len(ratios)}"
    predicted = statistics.median(each["predicted"] for each in row["photos"])
    seconds = statistics.median(each["seconds"] for each in row["photos"])
    spread = "-"
    if ratios:
        spread = f"{statistics.mean(ratios):5.2f} {min(ratios):5.2f} {max(ratios):5.2f}"
    print(
        f"{row['edit']:<18} {predicted:>7.0f} {spread:>17} "
        f"{held:>5} {none:>4} {missed:>6} {seconds:>6.2f}",
        flush=True,
    )


def quality(photos: dict[str, Picture], size: int, survive: str) -> dict[str, Any]:
    """PSNR and seconds of quality first, and which edits are survived with other seeds."""
    each, lost = [], {attack.text: 0 for attack in suite(survive)}
    for seed, (name, photo) in enumerate(photos.items()):
        hidden = message(size, seed)
        started = time.perf_counter()
        try:
            marked = Robust(survive=survive).embed(photo, hidden)
        except DoesNotFit as error:
            each.append({"photo": name, "problem": str(error), "capacity": error.capacity,
                         "seconds": time.perf_counter() - started})  # fmt: skip
            print(f"{name}: {error}", flush=True)
            continue
        seconds = time.perf_counter() - started
        reader = Robust(psnr=45)
        for attack in suite(survive):
            if not reader.extract(attack(marked.image, seed=seed)):
                lost[attack.text] += 1
        each.append({"photo": name, "psnr": marked.psnr, "seconds": seconds})
        print(f"{name}: {marked.psnr:.2f} dB in {seconds:.1f} s", flush=True)
    return {"bytes": size, "survive": survive, "photos": each, "lost": lost}


def _print_quality(result: dict[str, Any]) -> None:
    found = [each["psnr"] for each in result["photos"] if "psnr" in each]
    seconds = [each["seconds"] for each in result["photos"]]
    lost = {text: count for text, count in result["lost"].items() if count}
    print(f"{len(found)} of {len(result['photos'])} photos hold {result['bytes']} bytes")
    if found:
        print(f"PSNR mean {statistics.mean(found):.2f} dB, least {min(found):.2f}, most "
              f"{max(found):.2f}")  # fmt: skip
        share = 1 - sum(lost.values()) / (len(found) * len(result["lost"]))
        print(f"survived with other seeds: {share:.2%}; lost {lost or 'nothing'}")
    print(f"seconds: median {statistics.median(seconds):.1f}, most {max(seconds):.1f}")


def kinds() -> dict[str, NDArray[np.uint8]]:
    """Pictures that are no photos: 640x480, RGB."""
    rng = np.random.default_rng(5)
    width, height = KIND_SIZE
    y, x = np.mgrid[0:height, 0:width]
    sky = np.stack([60 + y / 6, 110 + y / 5, 200 - y / 20], axis=2)
    night = np.abs(rng.normal(4, 2.5, (height, width, 3)))
    for _ in range(40):
        cy, cx, size = rng.integers(0, height), rng.integers(0, width), rng.uniform(2, 12)
        glow = np.exp(-((y - cy) ** 2 + (x - cx) ** 2) / (2 * size**2))
        night += rng.uniform(30, 230) * glow[..., None] * rng.uniform(0.5, 1, 3)
    plasma = np.stack(
        [128 + 100 * np.sin(x / 31 + 7 * np.sin(y / (47 + 9 * c)) + c) for c in range(3)], axis=2
    )
    return {
        "text screenshot": _text(),
        "flat cartoon": _cartoon(rng),
        "night photo": _levels(night),
        "smooth gradient": _levels(sky),
        "synthetic art": _levels(plasma),
        "checkerboard": _levels(255.0 * ((x // 16 + y // 16) % 2))[..., None].repeat(3, 2),
        "plain gray": np.full((height, width, 3), 128, np.uint8),
        "plain white": np.full((height, width, 3), 255, np.uint8),
        "noise": rng.integers(0, 256, (height, width, 3), np.uint8),
    }  # fmt: skip


def _levels(values: NDArray[Any]) -> NDArray[np.uint8]:
    return np.rint(values).clip(0, 255).astype(np.uint8)


def _text() -> NDArray[np.uint8]:
    """Black text on white, as a screenshot of a page shows it."""
    page = Image.new("RGB", KIND_SIZE, "white")
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(14)
    sentence = "the change is shaped by what the eye sees and read again after every edit, "
    for line in range(24):
        text = (sentence * 3)[7 * line % len(sentence) :][:85]
        draw.text((16, 12 + 19 * line), text, font=font, fill="black")
    return np.asarray(page)


def _cartoon(rng: np.random.Generator) -> NDArray[np.uint8]:
    """Plain shapes with black outlines."""
    page = Image.new("RGB", KIND_SIZE, (150, 205, 235))
    draw = ImageDraw.Draw(page)
    for _ in range(14):
        left, top = int(rng.integers(-60, 560)), int(rng.integers(-60, 400))
        wide, high = (int(each) for each in rng.integers(60, 240, 2))
        colour = tuple(int(each) for each in rng.integers(30, 256, 3))
        shape = draw.ellipse if rng.random() < 0.5 else draw.rectangle
        shape((left, top, left + wide, top + high), fill=colour, outline="black", width=4)
    return np.asarray(page)


def kind(name: str, picture: NDArray[np.uint8]) -> dict[str, Any]:
    """What one of these pictures holds, and what 32 bytes in it survive at 45 dB."""
    capacities = {
        text: Robust().capacity(picture, survive=text) // 8
        for text in ("none", "jpeg:50", "crop:0.77", "rotate:10", "paper-compact")
    }
    hidden = message(32, 1)
    try:
        marked = Robust(psnr=45).embed(picture, hidden)
    except DoesNotFit as error:
        print(f"{name:<30} {error}", flush=True)
        return {"kind": name, "capacities": capacities, "problem": str(error)}
    lost = [
        attack.text for attack in suite("paper-compact")
        if not Robust(psnr=45, seconds=SECONDS).extract(attack(marked.image, seed=1))
    ]  # fmt: skip
    try:
        quiet = Robust().embed(picture, hidden).psnr
    except DoesNotFit:
        quiet = None
    print(f"{name:<30} {capacities}; 32 bytes at {marked.psnr:.2f} dB lost by {lost or 'nothing'}; "
          f"quality first: {quiet and round(quiet, 2)} dB", flush=True)  # fmt: skip
    return {"kind": name, "capacities": capacities, "lost": lost, "quality_first": quiet}


def small(photos: dict[str, Picture], psnr: float) -> list[dict[str, Any]]:
    """Bytes that fit into square pieces of each photo, by side and edit."""
    rows = []
    for side in SIDES:
        for edit in ("none", "jpeg:70", "hflip", "crop:0.8", "rotate:5"):
            pieces = [each.array[100 : 100 + side, 100 : 100 + side] for each in photos.values()]
            codec = Robust(psnr=psnr, survive=edit, seconds=SECONDS)
            fits = [codec.capacity(piece) // 8 for piece in pieces]
            rows.append({"side": side, "edit": edit, "psnr": psnr, "bytes": fits})
            print(f"{side:>4} {edit:<10} {fits}", flush=True)
    return rows


def load(folder: Path, count: int) -> dict[str, Picture]:
    """Photos spread evenly over a folder."""
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    result: dict[str, Picture] = {}
    for path in paths[:: max(1, len(paths) // count)]:
        try:
            result[path.name] = read(path)
        except ImageError:
            continue
    return dict(list(result.items())[:count])


def main() -> None:
    """Print tables; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, nargs="?", help="a folder of photos")
    parser.add_argument("--count", type=int, default=8, help="photos to use")
    parser.add_argument("--psnr", type=float, default=45.0)
    parser.add_argument("--edit", nargs="+", default=EDITS)
    parser.add_argument("--quality", action="store_true", help="quality first instead")
    parser.add_argument("--bytes", type=int, default=128, help="payload of --quality")
    parser.add_argument("--kinds", action="store_true", help="pictures that are no photos instead")
    parser.add_argument("--small", action="store_true", help="small pieces of the photos instead")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    report: Any
    if options.kinds:
        report = [kind(name, picture) for name, picture in kinds().items()]
    elif options.photos is None:
        parser.error("give a folder of photos, or --kinds")
    elif options.quality:
        photos = load(options.photos, options.count)
        report = quality(photos, options.bytes, "paper-compact")
        _print_quality(report)
    elif options.small:
        report = small(load(options.photos, options.count), options.psnr)
    else:
        photos = load(options.photos, options.count)
        header = f"{'edit':<18} {'bytes':>7} {'real / predicted':>17} {'held':>5}"
        header += f" {'none':>4} {'missed':>6} {'s':>6}"
        print(f"{header}\n{'':<18} {'median':>7} {'mean  least  most':>17}")
        report = predictions(photos, options.edit, options.psnr)
    if options.out:
        options.out.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
