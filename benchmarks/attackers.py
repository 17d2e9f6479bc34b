"""What it costs to copy, average, estimate, overwrite and remove a robust mark: `attackers.py`.

    python benchmarks/attackers.py [PHOTOS] [--most 3] [--seconds 3] [--part NAME] [--out FILE]

Photos are cut to 512x384 in the middle and marked with 16 bytes at 45 dB; without a folder the
project's own pictures are used. Every figure is of what `extract` still reads, with the right key,
in so many seconds of one core: a busy machine takes longer and reads as much. `dithering` learns
from 32 photos and tries the others: give it 41.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

import morebits as mb
from morebits import images
from morebits.attacks import parse
from morebits.codecs import pilot
from morebits.codecs.pilot import locating, search
from morebits.codecs.robust import decoding
from morebits.codecs.robust.codec import Robust, mark
from morebits.codecs.robust.layout import Layout
from morebits.codecs.robust.tiles import TILE
from morebits.images import Samples
from schemes import dither, pictures

PSNR, BYTES, HEIGHT, WIDTH = 45.0, 16, 384, 512
#: Copies that are averaged, and photos from which a pilot is estimated.
COPIES, PHOTOS = (2, 4, 8), (1, 2, 4, 8, 16)
#: Photos from which the dither is guessed.
DITHERED = (2, 8, 32)
#: Edits that remove, weakest first.
STRENGTHS: dict[str, tuple[float, ...]] = {
    "noise": (4, 6, 8, 11, 16, 23, 32, 45),
    "jpeg": (40, 30, 20, 15, 10, 7, 5, 3),
    "blur": (9, 13, 17, 25, 35, 49, 69, 99),
    "median": (3, 5, 7, 9),
    "posterize": (5, 4, 3, 2, 1),
    "crop": (0.5, 0.4, 0.32, 0.25, 0.2, 0.15, 0.1),
    "bend": (0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4),
}
Photos = list[Samples]


def main() -> None:
    """All parts, or one."""
    options = _options()
    for module in (decoding, locating, search):
        setattr(module, "clock", time.process_time)  # noqa: B010 - it is imported there by name
    photos = _photos(options.photos, max(options.most, 2))
    chosen = [options.part] if options.part else list(PARTS)
    found: dict[str, Any] = {"photos": len(photos), "seconds": options.seconds}
    for name in chosen:
        print(f"{name}: {PARTS[name].__doc__}", flush=True)
        found[name] = PARTS[name](photos, options.seconds)
        for row in found[name]:
            print(
                "  " + "  ".join(f"{key} {_short(value)}" for key, value in row.items()), flush=True
            )
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def copying(photos: Photos, seconds: float) -> list[dict[str, Any]]:
    """A mark is added to the next photo: by who has the cover, and by who only smooths."""
    rows: list[dict[str, Any]] = []
    for name in ("with the cover", "smoothed, 3x3 median"):
        for gain in (1.0, 2.0):
            read, psnrs = 0, list[float]()
            for index, cover in enumerate(photos):
                target = photos[(index + 1) % len(photos)]
                marked = _marked(cover, "a key", index)
                plain = cover if name == "with the cover" else _median(marked)
                change = marked.astype(float) - plain
                forged = _rounded(target + gain * change)
                read += _read(forged, "a key", seconds) == _payload(index)
                psnrs.append(_psnr(target, forged))
            rows.append({"attacker": name, "gain": gain, "read": read, "of": len(photos),
                         "psnr": _mean(psnrs)})  # fmt: skip
    return rows


def averaging(photos: Photos, seconds: float) -> list[dict[str, Any]]:
    """Copies of one photo are averaged: of different keys (two are tried), and of one key."""
    rows: list[dict[str, Any]] = []
    for keys in ("different", "one"):
        for count in COPIES:
            marks, copies, psnrs = 0, 0, list[float]()
            for cover in photos:
                names = [f"key {each if keys == 'different' else 0}" for each in range(count)]
                marked = [_marked(cover, name, each) for each, name in enumerate(names)]
                mean = _rounded(np.mean([each.astype(float) for each in marked], axis=0))
                known = [_payload(each) for each in range(count)]
                read = [_read(mean, name, seconds) for name in list(dict.fromkeys(names))[:2]]
                marks += sum(each in known for each in read)
                copies += len(read)
                psnrs.append(_psnr(cover, mean))
            rows.append({"keys": keys, "copies": count, "read": marks, "of": copies,
                         "psnr": _mean(psnrs)})  # fmt: skip
    return rows


def estimating(photos: Photos, seconds: float) -> list[dict[str, Any]]:
    """The pilot of a key, averaged from photos, taken out of another one, which is then turned."""
    gray = np.full((HEIGHT, WIDTH, 3), 128, np.float32)
    truth = pilot.add(gray, "a key", psnr=50) - gray
    pieces = [_quarter(each, turn) for turn in range(8) for each in photos[1:]]
    plain = _read(parse("rotate:7")(_marked(photos[0], "a key", 99)), "a key", seconds)
    rows: list[dict[str, Any]] = [{"attacker": "nobody", "read_turned": int(plain == _payload(99))}]
    for name in ("with the covers", "smoothed, blur:5"):
        for count in PHOTOS:
            if count > len(pieces):
                continue
            total = np.zeros(truth.shape)
            for index, cover in enumerate(pieces[:count]):
                marked = _marked(cover, "a key", index)
                plain = cover if name == "with the covers" else parse("blur:5")(marked)
                total += np.clip(marked.astype(float) - plain, -6, 6)
            estimate = total / count
            marked = _marked(photos[0], "a key", 99)
            size = float(np.vdot(_unit(truth), marked.astype(float) - photos[0]))
            cleaned = _rounded(marked - size * _unit(estimate))
            turned = parse("rotate:7")(cleaned)
            rows.append({
                "attacker": name, "photos": count,
                "correlation": float(np.vdot(_unit(truth), _unit(estimate))),
                "read": int(_read(cleaned, "a key", seconds) == _payload(99)),
                "read_turned": int(_read(turned, "a key", seconds) == _payload(99)), "of": 1,
                "psnr": _psnr(marked, cleaned),
            })  # fmt: skip
    return rows


def dithering(photos: Photos, seconds: float) -> list[dict[str, Any]]:
    """The dither of a key, guessed from photos without their covers, and others cleaned of it."""
    targets = photos[: max(1, len(photos) - max(DITHERED))]
    few = photos[len(targets) :]
    turns = range(-(-max(DITHERED) // len(few)))
    pieces = [_quarter(each, turn) for turn in turns for each in few]
    rows, columns = HEIGHT // TILE, WIDTH // TILE
    truth = Layout.of("a key").window(0, 0, rows, columns).dither
    found: list[dict[str, Any]] = []
    # What is learnt of another key shows what the same distortion does without knowing anything.
    for key, counts in (("another", DITHERED[-1:]), ("a key", DITHERED)):
        marked = [_marked(cover, key, index) for index, cover in enumerate(pieces)]
        guesses = {count: dither.guess(marked[:count]) for count in counts}
        for (count, guess), gain in itertools.product(guesses.items(), (1.0, 1.5)):
            read, psnrs = 0, list[float]()
            for index, cover in enumerate(targets, 900):
                picture = _marked(cover, "a key", index)
                cleaned = dither.erased(picture, guess, gain)
                read += _read(cleaned, "a key", seconds) == _payload(index)
                psnrs.append(_psnr(picture, cleaned))
            found.append({"photos": count, "of": len(few), "key": key,
                          "known": dither.right(guess, truth), "gain": gain, "read": read,
                          "targets": len(targets), "psnr": _mean(psnrs)})  # fmt: skip
    return found


def sharing(photos: Photos, seconds: float) -> list[dict[str, Any]]:
    """Whether two pictures tell that they have one key: correlation of what smoothing leaves."""
    del seconds
    rows: list[dict[str, Any]] = []
    left = {
        name: [_left(_marked(each, f"{name} {index if name == 'other' else 0}", index))
               for index, each in enumerate(photos)]
        for name in ("same", "other")
    }  # fmt: skip
    left["no mark"] = [_left(each) for each in photos]
    for name, found in left.items():
        pairs = [float(np.vdot(found[i], found[j])) for i in range(len(found)) for j in range(i)]
        rows.append({"key": name, "pairs": len(pairs), "least": min(pairs), "mean": _mean(pairs),
                     "most": max(pairs)})  # fmt: skip
    return rows


def overwriting(photos: Photos, seconds: float) -> list[dict[str, Any]]:
    """Another mark is written over the first one, at the same PSNR."""
    rows: list[dict[str, Any]] = []
    for first, second in (("a key", "another"), (None, None), ("a key", None)):
        came, after, psnrs = 0, 0, list[float]()
        for index, cover in enumerate(photos):
            once = _marked(cover, first, index)
            twice = _marked(once, second, 50 + index)
            came += _read(twice, first, seconds) == _payload(index)
            after += _read(twice, second, seconds) == _payload(50 + index)
            psnrs.append(_psnr(once, twice))
        rows.append({"first": str(first), "second": str(second), "first_read": came,
                     "second_read": after, "of": len(photos), "psnr": _mean(psnrs)})  # fmt: skip
    return rows


def removing(photos: Photos, seconds: float) -> list[dict[str, Any]]:
    """The weakest edit of each kind after which a mark is not read: cost of removal."""
    rows: list[dict[str, Any]] = []
    for name, strengths in STRENGTHS.items():
        gone, psnrs = list[float](), list[float]()
        for index, cover in enumerate(photos):
            marked = _marked(cover, "a key", index)
            weakest = _weakest(marked, name, strengths, _payload(index), seconds)
            if weakest is not None:
                gone.append(weakest)
                edited = _edited(marked, name, weakest)
                if edited.shape == marked.shape:
                    psnrs.append(_psnr(marked, edited))
        order = sorted(gone, key=strengths.index)
        rows.append({
            "edit": name, "weakest": order[0] if order else None,
            "median": order[len(order) // 2] if order else None,
            "removed": len(gone), "of": len(photos), "psnr": _mean(psnrs),
            "best_psnr": max(psnrs, default=float("nan")),
        })  # fmt: skip
        print(f"  {rows[-1]}", flush=True)
    return rows


def guessing(photos: Photos, seconds: float) -> list[dict[str, Any]]:
    """One guess at a password: milliseconds of the key derivation."""
    del photos, seconds
    from morebits.codecs.keys import derive

    times = list[float]()
    for guess in range(20):
        start = time.process_time()
        derive(f"guess {guess}", bytes(12), b"example", 32)
        times.append(1000 * (time.process_time() - start))
    return [{"guesses": len(times), "least_ms": min(times), "mean_ms": _mean(times)}]


def timing(photos: Photos, seconds: float) -> list[dict[str, Any]]:
    """What "nothing" looks like without a mark, and with one of another key: seconds, and score."""
    rows: list[dict[str, Any]] = []
    turned = [_quarter(each, turn) for turn in range(4) for each in photos]
    for codec in ("trellis", "robust"):
        for name in ("no mark", "another key"):
            times, scores = list[float](), list[float]()
            for index, cover in enumerate(turned):
                picture = cover
                if name != "no mark":
                    picture = (
                        _marked(cover, "another", index) if codec == "robust"
                        else mb.hide(cover, _payload(index), key="another", codec=codec).image
                    )  # fmt: skip
                start = time.process_time()
                found = mb.reveal(picture, key=f"a key {index}", codec=codec, seconds=seconds)
                times.append(time.process_time() - start)
                scores.append(float(found.details.get("score", 0)))
                if found.status != "nothing":
                    raise SystemExit(f"{found.status} with a wrong key")
            rows.append({
                "codec": codec, "picture": name, "pictures": len(times), "least": min(times),
                "mean": _mean(times), "most": max(times), "score": _mean(scores),
                "highest_score": max(scores),
            })  # fmt: skip
    return rows


PARTS: dict[str, Callable[[Photos, float], list[dict[str, Any]]]] = {
    each.__name__: each
    for each in (
        guessing,
        sharing,
        overwriting,
        averaging,
        removing,
        copying,
        estimating,
        dithering,
        timing,
    )
}


def _weakest(
    marked: Samples, name: str, strengths: Sequence[float], payload: bytes, seconds: float
) -> float | None:
    """By bisection, as if a stronger edit never left what a weaker one destroys."""
    low, high = 0, len(strengths)
    while low < high:
        middle = (low + high) // 2
        if _read(_edited(marked, name, strengths[middle]), "a key", seconds) == payload:
            low = middle + 1
        else:
            high = middle
    return strengths[low] if low < len(strengths) else None


def _edited(marked: Samples, name: str, strength: float) -> Samples:
    return _bent(marked, strength) if name == "bend" else parse(f"{name}:{strength:g}")(marked)


def _bent(image: Samples, pixels: float) -> Samples:
    """Every pixel moved by a smooth random field of so many pixels (standard deviation)."""
    rng = np.random.default_rng(7)
    grid = np.mgrid[0 : image.shape[0], 0 : image.shape[1]].astype(float)
    for axis in range(2):
        field = ndimage.zoom(rng.normal(0, 1, (7, 9)), (image.shape[0] / 7, image.shape[1] / 9))
        grid[axis] += pixels * field / field.std()
    planes = [
        ndimage.map_coordinates(image[..., each].astype(float), grid, order=3, mode="nearest")
        for each in range(image.shape[2])
    ]
    return _rounded(np.stack(planes, axis=2))


def _marked(cover: Samples, key: str | None, number: int) -> Samples:
    return mark(images.read(cover), _payload(number), key, PSNR)


def _read(image: Samples, key: str | None, seconds: float) -> bytes | None:
    return Robust(key=key, seconds=seconds).extract(image).payload


def _payload(number: int) -> bytes:
    return np.random.default_rng(number).bytes(BYTES)


def _left(image: Samples) -> NDArray[np.float64]:
    return _unit(np.clip(image.astype(float) - parse("blur:5")(image), -6, 6))


def _unit(array: NDArray[Any]) -> NDArray[np.float64]:
    flat = array - array.mean()
    return flat / np.sqrt(np.vdot(flat, flat))


def _quarter(image: Samples, turn: int) -> Samples:
    """The photo turned by 180 degrees and mirrored: another one, as far as averaging goes."""
    turned = image[::-1, ::-1] if turn & 1 else image
    turned = turned[:, ::-1] if turn & 2 else turned
    return np.ascontiguousarray(np.roll(turned, 97 * (turn >> 2), axis=1))


def _median(image: Samples) -> Samples:
    return ndimage.median_filter(image, (3, 3, 1))


def _rounded(image: NDArray[Any]) -> Samples:
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def _psnr(first: Samples, second: Samples) -> float:
    error = np.mean((first.astype(float) - second) ** 2)
    return float("inf") if error == 0 else float(10 * np.log10(255**2 / error))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _photos(folder: Path | None, most: int) -> Photos:
    found = pictures.from_folder(folder, most) if folder else pictures.own(most)
    wholes = [each.array for each in (found.wholes if folder else found.crops)]
    return [_middle(each) for each in wholes if each.shape[2] == 3][:most]


def _middle(image: Samples) -> Samples:
    """512x384 pixels of the middle; a smaller picture is continued by its mirror image."""
    height, width = image.shape[:2]
    more = max(0, HEIGHT - height), max(0, WIDTH - width)
    padded = np.pad(image, ((0, more[0]), (0, more[1]), (0, 0)), "symmetric")
    top, left = (padded.shape[0] - HEIGHT) // 2, (padded.shape[1] - WIDTH) // 2
    return np.ascontiguousarray(padded[top : top + HEIGHT, left : left + WIDTH])


def _options() -> argparse.Namespace:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("photos", type=Path, nargs="?")
    parser.add_argument("--most", type=int, default=3, help="photos")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="of one core, for a search for a mark"
    )
    parser.add_argument("--part", choices=list(PARTS))
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
