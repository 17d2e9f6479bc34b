"""PIL images, and every file that no other module of this room reads.

Accepted as they are: 8-bit gray and RGB, 16-bit gray. Converted, with a note: palette, 1-bit,
sub-byte gray, 32-bit gray that fits 16 bits. Refused: CMYK, YCbCr, Lab, HSV, floating point,
colour above 8 bits (Pillow keeps 8 of them), animations. Of a multi-picture JPEG (MPO) the first
picture is read.
"""

from __future__ import annotations

import re
import threading
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from morebits.errors import ImageError
from morebits.images.picture import Picture, check_size, from_decoder, tidy_dpi, too_many

if TYPE_CHECKING:
    from PIL.Image import Image

_TO_RGB = 'convert it first, for example with PIL: image.convert("RGB").save("picture.png")'

#: What Pillow may open. Its other formats are rare, and one of them (EPS) starts a program.
_FORMATS = (
    "AVIF", "BMP", "DIB", "GIF", "HEIF", "JPEG", "JPEG2000", "MPO", "PNG", "PPM", "TIFF", "WEBP",
)  # fmt: skip

#: Pillow's limit on pixels and Python's warning filters belong to the whole process.
_alone = threading.RLock()


def from_file(file: Path | BinaryIO, name: str, max_pixels: int) -> Picture:
    """The picture of a file, as it is stored; what Pillow warns of becomes a note."""
    from PIL import Image

    with _alone, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, max_pixels
        try:
            Image.init()
            known = [each for each in _FORMATS if each in Image.OPEN]
            with Image.open(file, formats=known) as image:
                channels = 3 if image.mode not in ("1", "L", "LA", "I", "F", "I;16") else 1
                check_size(name, *image.size, channels, max_pixels)
                if image.format == "TIFF":
                    image.getexif()[0x0112] = 1  # or Pillow turns what XMP says to turn
                picture = from_pil(image, name)
        except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
            pixels = re.search(r"\((\d+) pixels\)", str(error))
            raise too_many(name, int(pixels[1]) if pixels else 0, max_pixels) from None
        finally:
            Image.MAX_IMAGE_PIXELS = limit
    heard = dict.fromkeys(f"Pillow warns: {' '.join(str(each.message).split())}" for each in caught)
    return replace(picture, notes=(*picture.notes, *heard))


def from_pil(image: Image, name: str) -> Picture:
    """The picture of a PIL image."""
    if 0 in image.size:
        raise ImageError(name, "has no pixels", "give at least one pixel")
    levels = _stored_levels(image)
    notes = _check(image, name, levels)
    image.load()
    plain, more = _plain(image, name)
    samples = np.asarray(plain)
    if plain.mode == "I":
        samples = _as_uint16(samples, name)
        more += ("32-bit integers read as 16 bits",)
    elif plain.mode not in ("LA", "RGBA"):
        samples = _with_key(samples, image.info.get("transparency"), levels)
    exif = image.info.get("exif")
    opened = getattr(image, "filename", None)
    return replace(
        from_decoder(samples, name, notes + more),
        file_format=image.format,
        icc=image.info.get("icc_profile") or None,
        exif=exif.removeprefix(b"Exif\0\0") or None if isinstance(exif, bytes) else None,
        dpi=_dpi(image.info.get("dpi")),
        left_out=_left_out(image),
        path=Path(opened).absolute() if opened else None,
    )


def _dpi(value: Any) -> tuple[float, float] | None:
    try:
        across, down = value
        return tidy_dpi(across, down)
    except (TypeError, ValueError, ZeroDivisionError):
        return None


def _left_out(image: Image) -> tuple[str, ...]:
    found = ("XMP",) if image.info.get("xmp") else ()
    found += ("IPTC",) if image.info.get("photoshop") else ()
    return (*found, "text") if getattr(image, "text", None) else found


def _with_key(samples: NDArray[Any], key: Any, levels: int) -> NDArray[Any]:
    """The samples, with alpha when one gray value or colour of them means transparent."""
    if not isinstance(key, (int, tuple)):
        return samples
    cube = samples[:, :, None] if samples.ndim == 2 else samples
    top = np.iinfo(cube.dtype).max
    scale = top // (levels - 1) if 1 < levels <= 16 else 1
    clear = (cube == np.array(key) * scale).all(axis=2, keepdims=True)
    return np.concatenate([cube, np.where(clear, 0, top).astype(cube.dtype)], axis=2)


def _check(image: Image, name: str, levels: int) -> tuple[str, ...]:
    """Refuse before the pixels are read; notes on what the decoder does to the samples."""
    if image.format == "GIF" and getattr(image, "is_animated", False):  # counting takes long
        raise ImageError(name, "is an animation", "save one frame as PNG and use that")
    frames = getattr(image, "n_frames", 1)
    if frames > 1 and image.format != "MPO":
        raise ImageError(name, f"has {frames} frames", "save one of them as PNG and use that")
    notes = ("first picture of a multi-picture JPEG",) if frames > 1 else ()
    if levels > 256 and image.mode in ("RGB", "RGBA", "LA", "CMYK"):
        fix = "give its path instead of the PIL image, or save it with 8 bits"
        raise ImageError(name, "has more than 8 bits a colour, of which Pillow keeps 8", fix)
    if image.mode == "I;16" and levels == 4096:
        raise ImageError(name, "has 12 bits a sample", "save it with 16 bits")
    stored = _decoder(image)[1]
    if image.format == "TIFF" and stored.startswith("RGBX"):
        problem = "has an extra channel that is not plain alpha"
        raise ImageError(name, problem, "save it without, or as PNG")
    if image.format == "TIFF" and stored.startswith("RGBa"):
        notes += ("colours that were multiplied with alpha are divided by it",)
    full = 65536 if image.mode.startswith("I") else 256
    if image.mode not in ("1", "P", "PA") and levels not in (0, full):
        notes += (f"{levels} levels a sample, scaled to {full}",)
    return notes


def _decoder(image: Image) -> tuple[str, ...]:
    """Name and arguments of the decoder that waits for the pixels; the first is how they lie."""
    tile: Any = getattr(image, "tile", None)
    if not tile:
        return "", ""
    args = tile[0].args if isinstance(tile[0].args, tuple) else (tile[0].args,)
    return str(tile[0].codec_name), *(str(each) for each in args or ("",))


def _stored_levels(image: Image) -> int:
    """Levels a sample in the file, from the decoder's arguments; 0 where they do not say."""
    name, stored, *others = _decoder(image)
    if name in ("ppm", "ppm_plain"):
        return int(others[0]) + 1 if others else 0
    known = re.fullmatch(r"(?:I|L|LA|RGB|RGB[AaX]|CMYK);(2|4|12|16)[A-Z]*", stored)
    return 1 << int(known[1]) if known else 0


def _plain(image: Image, name: str) -> tuple[Image, tuple[str, ...]]:
    """The picture in one of L, LA, RGB, RGBA, I;16 or I, and what was done for it."""
    mode = image.mode
    if mode in ("L", "LA", "RGB", "RGBA", "I") or mode.startswith("I;16"):
        return image, ()
    if mode in ("P", "PA"):
        clear = mode == "PA" or "transparency" in image.info
        target = "RGBA" if clear else "RGB"
        return image.convert(target), ("palette converted to RGB",)
    if mode == "1":
        return image.convert("L"), ("1 bit a sample, scaled to 256 levels",)
    if mode == "F":
        fix = "scale to 0..255, round, and save as 8-bit PNG"
        raise ImageError(name, "has floating-point samples", fix)
    raise ImageError(name, f"is {mode}, not gray or RGB", _TO_RGB)


def _as_uint16(array: NDArray[Any], name: str) -> NDArray[np.uint16]:
    low, high = int(array.min()), int(array.max())
    if low < 0 or high > 65535:
        problem = f"has samples from {low} to {high}"
        raise ImageError(name, problem, "scale them to 0..65535 and save as 16-bit PNG")
    return array.astype(np.uint16)
