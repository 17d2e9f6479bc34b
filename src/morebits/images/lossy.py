"""JPEG, WebP and AVIF that change samples: for marks that survive it.

Colours keep their resolution where the format lets them (4:4:4), which costs some bytes and keeps
most of a mark. These files have 8 bits a sample; pictures with 16 are rounded.
"""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np

from morebits.errors import InputError
from morebits.images.picture import Picture, with_alpha

#: The quality of a file unless another one is asked for.
QUALITY = 95
#: Most bytes of EXIF in a JPEG: those of one marker, less what it begins with.
JPEG_EXIF = 65_533 - 6


def jpeg(picture: Picture, quality: int) -> bytes:
    """JPEG, 4:4:4, with the picture's ICC profile, EXIF and resolution; without its alpha."""
    exif = picture.exif or b""
    extra: dict[str, Any] = {} if picture.dpi is None else {"dpi": picture.dpi}
    if 0 < len(exif) <= JPEG_EXIF:
        extra["exif"] = b"Exif\0\0" + exif
    if picture.icc:
        extra["icc_profile"] = picture.icc
    plain = replace(picture, alpha=None)
    return _saved(plain, "JPEG", quality=quality, subsampling=0, optimize=True, **extra)


def webp(picture: Picture, quality: int) -> bytes:
    """Lossy WebP with the picture's ICC profile, EXIF and exact alpha; colours are 4:2:0."""
    return _saved(picture, "WEBP", quality=quality, exact=True, **_metadata(picture))


def avif(picture: Picture, quality: int) -> bytes:
    """AVIF, 4:4:4, with the picture's ICC profile and EXIF; alpha has the same quality."""
    return _saved(picture, "AVIF", quality=quality, subsampling="4:4:4", **_metadata(picture))


def check_quality(quality: int | None) -> int:
    """A quality from 1 to 100; the usual one for None.

    >>> check_quality(None), check_quality(70)
    (95, 70)
    """
    if quality is None:
        return QUALITY
    if isinstance(quality, bool) or not isinstance(quality, (int, np.integer)):
        raise InputError("quality", quality, "give a whole number from 1 to 100")
    if not 1 <= quality <= 100:
        raise InputError("quality", quality, "give a whole number from 1 to 100")
    return int(quality)


def _metadata(picture: Picture) -> dict[str, bytes]:
    return {"icc_profile": picture.icc or b"", "exif": picture.exif or b""}


def _saved(picture: Picture, name: str, **options: Any) -> bytes:
    from PIL import Image

    samples = with_alpha(picture)
    if samples.dtype == np.uint16:
        samples = ((samples.astype(np.uint32) + 128) // 257).astype(np.uint8)
    target = io.BytesIO()
    Image.fromarray(samples).save(target, name, **options)
    return target.getvalue()
