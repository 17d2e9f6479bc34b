"""Share of photos whose geometry the pilot finds blind, with seconds: `bench_pilot.py [photos/]`.

Every photo carries the pilot, and noise below 0.14 cycles per pixel in the place of a payload,
46.5 dB in all. A map counts as right when it is less than 0.35 original pixels off at all
corners of the received frame.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from pathlib import Path
from typing import Any

import matplotlib.cbook
import numpy as np
from numpy.typing import NDArray

from morebits.attacks import parse
from morebits.attacks.attack import Attack, Step, eight_bits
from morebits.codecs import pilot
from morebits.errors import ImageError
from morebits.images import read

SINGLE = (
    "none", "hflip", "rotate:5", "rotate:10", "rotate:30", "rotate:45", "rotate:90",
    "resize:0.32", "resize:0.45", "resize:0.71", "resize:0.95",
    "crop:0.32", "crop:0.45", "crop:0.71", "crop:0.95", "jpeg:40", "jpeg:60", "jpeg:90",
    "brightness:0.1", "brightness:2", "contrast:0.1", "contrast:2", "blur:9", "blur:17",
    "hue:-0.2", "hue:0.2",
)  # fmt: skip
TOGETHER = (
    "crop:0.71|brightness:1.2|jpeg:60", "rotate:30|jpeg:60", "resize:0.71|jpeg:60",
    "crop:0.45|jpeg:60", "resize:0.8|crop:0.9|jpeg:85", "fit:400|crop:0.96|jpeg:70",
    "rotate:7|crop:0.85|jpeg:70", "rotate:10|resize:0.71|jpeg:70",
)  # fmt: skip
TOTAL_PSNR = 46.5
NEAR = 0.35
KEY = "benchmark"


def payload_noise(height: int, width: int, mse: float, seed: int) -> NDArray[np.float32]:
    """Gaussian noise of luma below 0.14 cycles per pixel, with this mean square over RGB."""
    spectrum = np.fft.rfft2(np.random.default_rng(seed).standard_normal((height, width)))
    radius = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width))
    plane = np.fft.irfft2(np.where(radius > 0.14, 0, spectrum), (height, width))
    change = plane[..., None] * np.array([0.299, 0.587, 0.114])
    return (change * math.sqrt(mse / (change**2).mean())).astype(np.float32)


def marked(photo: NDArray[np.uint8], psnr: float, seed: int) -> NDArray[np.uint8]:
    """The photo with a pilot of this PSNR and noise up to the total."""
    picture = pilot.add(photo.astype(np.float32), KEY, psnr=psnr)
    mse = 255**2 * (10 ** (-TOTAL_PSNR / 10) - 10 ** (-psnr / 10))
    picture += payload_noise(photo.shape[0], photo.shape[1], mse, seed)
    return np.rint(picture).clip(0, 255).astype(np.uint8)


def truth(attack: Attack, width: int, height: int, seed: int) -> NDArray[np.float64]:
    """The map (3, 3) from original pixels to received ones, step by step."""
    matrix = np.eye(3)
    for step in attack.steps:
        one, width, height = _step(step, width, height, seed)
        matrix = one @ matrix
    return matrix


def _step(step: Step, width: int, height: int, seed: int) -> tuple[NDArray[np.float64], int, int]:
    # A picture whose samples are coordinates tells where a crop lies, and the size afterwards.
    y, x = np.mgrid[:height, :width]
    places = np.stack([x % 256, y % 256, x // 256 + 16 * (y // 256)], axis=2).astype(np.uint8)
    after = Attack((step,))(places, seed=seed)
    wide, high = after.shape[1], after.shape[0]
    linear, centred = np.eye(2), True
    if step.name == "crop":
        first = after[0, 0].astype(int)
        corner = [first[0] + 256 * (first[2] % 16), first[1] + 256 * (first[2] // 16)]
        return np.array([[1, 0, -corner[0]], [0, 1, -corner[1]], [0, 0, 1.0]]), wide, high
    if step.name in ("hflip", "vflip"):
        linear = np.diag([-1.0, 1.0] if step.name == "hflip" else [1.0, -1.0])
    elif step.name == "rotate":
        angle = math.radians(float(step.values[0]))
        cos, sin = math.cos(angle), math.sin(angle)
        linear = np.array([[cos, sin], [-sin, cos]])
    elif step.name in ("resize", "fit"):
        linear = np.diag([wide / width, high / height])
    else:
        centred = False
    if not centred:
        return np.eye(3), wide, high
    middle = np.array([wide - 1, high - 1]) / 2 - linear @ (np.array([width - 1, height - 1]) / 2)
    return np.vstack([np.column_stack([linear, middle]), [0, 0, 1]]), wide, high


def error(true: NDArray[np.float64], found: pilot.Located) -> float:
    """Largest error in original pixels at the corners of the received frame."""
    right, bottom = found.size[0] - 1, found.size[1] - 1
    corners = np.array([[0, 0], [right, 0], [0, bottom], [right, bottom]], np.float64)
    exact = (np.linalg.inv(true) @ np.column_stack([corners, np.ones(4)]).T)[:2].T
    return float(np.hypot(*(found.original(corners) - exact).T).max())


def measure(
    photos: list[NDArray[np.uint8]], text: str, psnr: float, budget: float
) -> dict[str, Any]:
    """One row of the table."""
    attack = parse(text)
    errors, nearest, seconds, trusted = [], [], [], 0
    for seed, photo in enumerate(photos):
        received = attack(marked(photo, psnr, seed), seed=seed)
        true = truth(attack, photo.shape[1], photo.shape[0], seed)
        found = pilot.locate(received, KEY, budget_seconds=budget)
        errors.append(error(true, found))
        nearest.append(min(error(true, each) for each in (found, *found.alternatives)))
        seconds.append(found.seconds)
        trusted += bool(found)
    return {
        "attack": text, "psnr": psnr, "photos": len(photos),
        "right": sum(each < NEAR for each in errors),
        "with_alternatives": sum(each < NEAR for each in nearest),
        "found": trusted, "median_error": statistics.median(errors), "worst_error": max(errors),
        "seconds": statistics.median(seconds), "worst_seconds": max(seconds),
    }  # fmt: skip


def false_alarms(photos: list[NDArray[np.uint8]], budget: float) -> dict[str, Any]:
    """p-values and seconds for photos without a pilot."""
    found = [pilot.locate(photo, KEY, budget_seconds=budget) for photo in photos]
    return {
        "p_values": sorted(each.p_value for each in found),
        "found": sum(map(bool, found)),
        "seconds": statistics.median(each.seconds for each in found),
        "worst_seconds": max(each.seconds for each in found),
    }


def load(folder: Path | None, count: int) -> list[NDArray[np.uint8]]:
    """Photos spread evenly over a folder, as 8-bit RGB; without one, matplotlib's photo."""
    result: list[NDArray[np.uint8]] = []
    if folder is None:
        paths = [Path(str(matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)))]
    else:
        paths = sorted(path for path in folder.iterdir() if path.is_file())
    for path in paths[:: max(1, len(paths) // count)]:
        try:
            array = eight_bits(read(path).array)
        except ImageError:
            continue
        result.append(np.ascontiguousarray(np.broadcast_to(array, (*array.shape[:2], 3))))
    return result[:count]


def main() -> None:
    """Print a table; write JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, nargs="?", help="a folder of photos")
    parser.add_argument("--count", type=int, default=16, help="photos to use")
    parser.add_argument("--psnr", type=float, nargs="+", default=[50.0, 51.5], help="of the pilot")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds for one search")
    parser.add_argument("--attack", nargs="+", default=[*SINGLE, *TOGETHER])
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    photos = load(options.photos, options.count)
    pilot.locate(marked(photos[0], 50, 0), KEY)  # compiled before anything is timed
    rows = []
    print(f"{'attack':<34} {'dB':>5} {'right':>7} {'or next':>7} {'found':>5} {'px':>8} {'s':>6}")
    for psnr in options.psnr:
        for text in options.attack:
            row = measure(photos, text, psnr, options.budget)
            rows.append(row)
            right = f"{row['right']}/{row['photos']}"
            print(
                f"{text:<34} {psnr:>5} {right:>7} {row['with_alternatives']:>7} {row['found']:>5} "
                f"{row['median_error']:>8.2f} {row['seconds']:>6.2f}, at most "
                f"{row['worst_seconds']:.2f}",
                flush=True,
            )
    started = time.perf_counter()
    empty = false_alarms(photos, options.budget)
    print(
        f"unmarked: {empty['found']} of {len(photos)} found, {empty['seconds']:.2f} s, at most "
        f"{empty['worst_seconds']:.2f} s, least p-value {empty['p_values'][0]:.3f}"
    )
    if options.out:
        taken = time.perf_counter() - started
        report = {"rows": rows, "unmarked": empty, "unmarked_total_seconds": taken}
        options.out.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
