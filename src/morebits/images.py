"""Read pictures: 8 and 16 bits, pixels as they are stored, and nothing lost in silence.

Samples are what counts, so whatever would change them is either refused with a fix or
written down in `Picture.notes`. Accepted as they are: 8-bit gray and RGB, 16-bit gray.
Converted, with a note: palette, 1-bit, sub-byte gray, 32-bit gray that fits 16 bits. Alpha
is set aside. Refused: CMYK, YCbCr, Lab, HSV, floating point, 16-bit colour files (Pillow
keeps 8 of their bits), animations, and pictures above Pillow's own limit
(`PIL.Image.MAX_IMAGE_PIXELS`, 89 megapixels unless you raise it).

The EXIF orientation is not applied: capacity does not depend on it, and hidden bits live in
the pixels as stored. Of a multi-picture JPEG (MPO) the first picture is read.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from morebits.errors import ImageError, InputError, MorebitsError
from morebits.types import ImageFormat

if TYPE_CHECKING:
    from PIL.Image import Image

Samples: TypeAlias = NDArray[np.uint8 | np.uint16]

_AS_PNG = "save it as an 8-bit RGB or gray PNG first"
_TO_RGB = 'convert it first, for example with PIL: image.convert("RGB").save("picture.png")'


@dataclass(frozen=True, eq=False)
class Picture:
    """One picture, ready to be measured.

    `array` is (H, W, C), contiguous and read-only, uint8 or uint16, with 1 or 3 channels of
    `depth` bits. `alpha` (H, W) is what was set aside, `notes` say what was converted, and
    `file_format`, `icc` and `exif` are what a file brought along.
    """

    array: Samples
    depth: int
    name: str
    notes: tuple[str, ...] = ()
    alpha: NDArray[np.uint8] | None = None
    file_format: str | None = None
    icc: bytes | None = None
    exif: bytes | None = None

    @property
    def format(self) -> ImageFormat:
        """Channels (alpha does not count), width, height and depth."""
        height, width, channels = self.array.shape
        return ImageFormat(channels, width, height, self.depth)


def read(source: object) -> Picture:
    """The picture behind a path, a PIL image or an array; ImageError or InputError otherwise.

    Arrays are (H, W), (H, W, 1) or (H, W, 3). A `Picture` comes back as it is.

    >>> read(np.zeros((2, 3), np.uint8)).array.shape
    (2, 3, 1)
    """
    if isinstance(source, Picture):
        return source
    if isinstance(source, np.ndarray):
        return _from_array(source)
    if isinstance(source, (str, os.PathLike)):
        return _from_path(Path(source))
    from PIL import Image

    if isinstance(source, Image.Image):
        with _decoder_errors("PIL image"):
            return _from_pil(source, "PIL image")
    expected = "give a path, a PIL image or a numpy array"
    raise InputError("picture", f"a {type(source).__name__}", expected)


def histogram(array: Samples) -> NDArray[np.int64]:
    """How often each sample value occurs, all channels together: 256 or 65536 counts.

    >>> histogram(np.array([[0, 255, 255]], np.uint8))[[0, 255]].tolist()
    [1, 2]
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype == np.uint8:
        from PIL import Image

        # Pillow counts bytes in one pass; np.bincount first widens every byte to 8 bytes.
        strip = Image.frombuffer("L", (flat.size, 1), flat, "raw", "L", 0, 1)
        return np.array(strip.histogram(), np.int64)
    counts = np.zeros(1 << 16, np.int64)
    for start in range(0, flat.size, 1 << 20):  # in pieces that stay in the cache
        counts += np.bincount(flat[start : start + (1 << 20)], minlength=1 << 16)
    return counts


def _from_array(array: NDArray[Any]) -> Picture:
    _check_dtype(array)
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3)):
        expected = "give (height, width), (height, width, 1) or (height, width, 3)"
        raise InputError("shape", array.shape, _shape_advice(array.shape) or expected)
    if array.size == 0:
        raise InputError("shape", array.shape, "give at least one pixel")
    depth = 8 * array.dtype.itemsize
    return Picture(_frozen(array), depth, "array")


def _check_dtype(array: NDArray[Any]) -> None:
    if array.dtype.kind == "u" and array.dtype.itemsize <= 2:
        return
    name = array.dtype.name
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise InputError("sample", float("nan"), "replace NaN, then convert to uint8")
        advice = "scale to 0..255, round, and convert with .astype(np.uint8)"
    elif array.dtype.kind == "b":
        advice = "convert with array.astype(np.uint8) * 255"
    elif array.dtype.kind in "iu" and array.size and 0 <= array.min() <= array.max() <= 255:
        advice = "convert with .astype(np.uint8)"
    elif array.dtype.kind in "iu" and array.size and 0 <= array.min() <= array.max() <= 65535:
        advice = "convert with .astype(np.uint16)"
    else:
        advice = "give samples from 0 to 255 as uint8, or from 0 to 65535 as uint16"
    raise InputError("dtype", name, advice)


def _shape_advice(shape: tuple[int, ...]) -> str | None:
    if len(shape) == 4:
        return "give one picture at a time, for example batch[0]"
    if len(shape) == 3 and shape[2] in (2, 4):
        return "leave the alpha channel out with array[..., :-1]"
    if len(shape) == 3 and shape[0] in (1, 3):
        return "put the channels last with array.transpose(1, 2, 0)"
    return None


def _from_path(path: Path) -> Picture:
    from PIL import Image

    name = _printable(str(path))
    _check_file(path, name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        with _decoder_errors(name), Image.open(path) as image:
            picture = _from_pil(image, name)
    if not caught:
        return picture
    heard = dict.fromkeys(f"Pillow warns: {_one_line(str(each.message))}" for each in caught)
    return replace(picture, notes=(*picture.notes, *heard))


@contextmanager
def _decoder_errors(name: str) -> Generator[None]:
    """Whatever a decoder raises on a broken file becomes one ImageError."""
    from PIL import Image, UnidentifiedImageError

    try:
        yield
    except MorebitsError:
        raise
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        limit = f"more than the {Image.MAX_IMAGE_PIXELS:,} pixels that Pillow opens"
        raise ImageError(name, limit, "use a smaller picture or pass its array") from None
    except UnidentifiedImageError:
        raise ImageError(name, "is not a picture that Pillow can read", _AS_PNG) from None
    except Exception as error:  # noqa: BLE001 - decoders raise anything, from OSError to IndexError
        problem = f"cannot be decoded ({_one_line(str(error))})"
        raise ImageError(name, problem, "the file is broken or cut short, copy it again") from None


def _check_file(path: Path, name: str) -> None:
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except FileNotFoundError:
        raise ImageError(name, "no such file", "check the path") from None
    except IsADirectoryError:
        raise ImageError(name, "is a directory", "give one picture") from None
    except (OSError, ValueError) as error:  # a path with a NUL byte is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise ImageError(name, f"cannot be opened ({reason})", "check the path") from None
    if empty:
        raise ImageError(name, "is empty", "copy the picture again")


def _from_pil(image: Image, name: str) -> Picture:
    notes = _check_pil(image, name)
    image.load()
    image, more = _plain(image, name)
    array = np.asarray(image)
    alpha = None
    if image.mode in ("LA", "RGBA"):
        array, alpha = array[..., :-1], np.ascontiguousarray(array[..., -1])
        more += ("alpha set aside: only colour channels count",)
    elif image.mode == "I":
        array = _as_uint16(array, name)
        more += ("32-bit integers read as 16 bits",)
    depth = 16 if array.dtype.itemsize == 2 else 8
    return Picture(
        _frozen(array), depth, name, notes + more, alpha,
        image.format, image.info.get("icc_profile"), image.info.get("exif"),
    )  # fmt: skip


def _check_pil(image: Image, name: str) -> tuple[str, ...]:
    """Refuse before the pixels are read; notes on what the decoder does to the samples."""
    if 0 in image.size:
        raise ImageError(name, "has no pixels", "give at least one pixel")
    frames = getattr(image, "n_frames", 1)
    if frames > 1 and image.format != "MPO":
        raise ImageError(name, f"has {frames} frames", "save one of them as PNG and use that")
    notes = ("first picture of a multi-picture JPEG",) if frames > 1 else ()
    levels = _stored_levels(image)
    if levels > 256 and image.mode in ("RGB", "RGBA", "LA", "CMYK"):
        fix = "save it with 8 bits, or pass its samples as a uint16 array"
        raise ImageError(name, "has more than 8 bits a colour, of which Pillow keeps 8", fix)
    if image.mode == "I;16" and levels == 4096:
        raise ImageError(name, "has 12 bits a sample", "save it with 16 bits")
    full = 65536 if image.mode.startswith("I") else 256
    if image.mode not in ("1", "P", "PA") and levels not in (0, full):
        notes += (f"{levels} levels a sample, scaled to {full}",)
    return notes


def _stored_levels(image: Image) -> int:
    """Levels a sample in the file, from the decoder's arguments; 0 where they do not say."""
    tile: Any = getattr(image, "tile", None)
    if not tile:
        return 0
    args = tile[0].args if isinstance(tile[0].args, tuple) else (tile[0].args,)
    if tile[0].codec_name in ("ppm", "ppm_plain"):
        return int(args[1]) + 1 if len(args) > 1 else 0
    known = re.fullmatch(r"(?:I|L|LA|RGB|RGB[AaX]|CMYK);(2|4|12|16)[A-Z]*", str(args[0]))
    return 1 << int(known[1]) if known else 0


def _plain(image: Image, name: str) -> tuple[Image, tuple[str, ...]]:
    """The picture in one of L, LA, RGB, RGBA, I;16 or I, and what was done for it."""
    mode = image.mode
    if mode in ("L", "LA", "RGB", "RGBA", "I") or mode.startswith("I;16"):
        return image, ()
    if mode in ("P", "PA"):
        clear = mode == "PA" or "transparency" in image.info
        target = "RGBA" if clear else "RGB"
        return _converted(image, target), ("palette converted to RGB",)
    if mode == "1":
        return _converted(image, "L"), ("1 bit a sample, scaled to 256 levels",)
    if mode == "F":
        fix = "scale to 0..255, round, and save as 8-bit PNG"
        raise ImageError(name, "has floating-point samples", fix)
    raise ImageError(name, f"is {mode}, not gray or RGB", _TO_RGB)


def _converted(image: Image, mode: str) -> Image:
    result = image.convert(mode)
    result.format = image.format
    return result


def _as_uint16(array: NDArray[Any], name: str) -> NDArray[np.uint16]:
    low, high = int(array.min()), int(array.max())
    if low < 0 or high > 65535:
        problem = f"has samples from {low} to {high}"
        raise ImageError(name, problem, "scale them to 0..65535 and save as 16-bit PNG")
    return array.astype(np.uint16)


def _frozen(array: NDArray[Any]) -> Samples:
    """(H, W, C), contiguous, native byte order, and read-only without touching the owner."""
    kind = np.dtype(np.uint8 if array.dtype.itemsize == 1 else np.uint16)
    cube = array[:, :, None] if array.ndim == 2 else array
    result = np.ascontiguousarray(cube, kind).view()
    result.flags.writeable = False
    return result


def _printable(text: str) -> str:
    return text if text.isprintable() else repr(text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
