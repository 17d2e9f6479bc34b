"""Photos for a benchmark: a folder of them, or the ones that come with the project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from morebits import images
from morebits.errors import ImageError
from morebits.images import Samples

SIZE = 256
_ENDINGS = {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".ppm"}


@dataclass(frozen=True)
class Photo:
    """An array (H, W, C) with a name to blame."""

    name: str
    array: Samples


@dataclass(frozen=True)
class Pictures:
    """Whole pictures, and pieces of 256 px of them; `source` says where they come from."""

    source: str
    wholes: list[Photo]
    crops: list[Photo]


def from_folder(folder: Path, most: int | None) -> Pictures:
    """All pictures of a folder that have 256 px, or the first `most` of them."""
    found: list[Photo] = []
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in _ENDINGS or len(found) == most:
            continue
        array = images.read(path).array
        if min(array.shape[:2]) >= SIZE:
            found.append(Photo(path.stem, array))
    if not found:
        raise ImageError(folder, "has no picture of 256 px or more", "give a folder of photos")
    source = f"{len(found)} pictures of the folder {folder.name}"
    return Pictures(source, found, [Photo(each.name, centre(each.array)) for each in found])


def own(most: int | None) -> Pictures:
    """What needs no download: matplotlib's sample photo in pieces, and made pictures."""
    import matplotlib.cbook

    path = matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)
    photo = Photo("hopper", images.read(Path(str(path))).array)
    made = [Photo("sky", _sky()), Photo("night", _night()), Photo("grain", _grain())]
    pieces = [
        Photo(f"hopper {y // SIZE}{x // SIZE}", photo.array[y : y + SIZE, x : x + SIZE])
        for y in range(0, photo.array.shape[0] - SIZE + 1, SIZE)
        for x in range(0, photo.array.shape[1] - SIZE + 1, SIZE)
    ]
    crops = pieces + [Photo(each.name, centre(each.array)) for each in made]
    source = "the project's own pictures (matplotlib's sample photo in pieces, and made ones)"
    return Pictures(source, [photo, *made][:most], crops[:most])


def centre(array: Samples) -> Samples:
    """The middle of a picture, 256 px square."""
    top, left = (array.shape[0] - SIZE) // 2, (array.shape[1] - SIZE) // 2
    return np.ascontiguousarray(array[top : top + SIZE, left : left + SIZE])


def tiled(array: Samples, height: int, width: int) -> Samples:
    """A large picture, of copies of a smaller one."""
    times = (-(-height // array.shape[0]), -(-width // array.shape[1]), 1)
    return np.ascontiguousarray(np.tile(array, times)[:height, :width])


def _sky() -> Samples:
    """A smooth gradient with a little sensor noise."""
    y, x = np.mgrid[0:512, 0:768]
    smooth = np.stack([60 + y / 4, 110 + x / 8, 160 + (x + y) / 20], axis=-1)
    return _samples(smooth + np.random.default_rng(0).normal(0, 1.5, smooth.shape))


def _night() -> Samples:
    """Mostly black, with a few saturated lights."""
    y, x = np.mgrid[0:512, 0:768]
    lights = 400 * np.maximum(0, np.sin(x / 19) * np.sin(y / 23) - 0.7)
    noise = np.random.default_rng(1).normal(0, 3, (512, 768, 3))
    return _samples(lights[..., None] + noise)


def _grain() -> Samples:
    """Texture at every scale, all sample values."""
    rng, total = np.random.default_rng(2), np.full((512, 768, 3), 128.0)
    for step in (1, 4, 16, 64):
        coarse = rng.normal(0, 20, (512 // step, 768 // step, 3))
        total += coarse.repeat(step, axis=0).repeat(step, axis=1)
    return _samples(total)


def _samples(values: np.ndarray) -> Samples:
    return np.rint(values).clip(0, 255).astype(np.uint8)
