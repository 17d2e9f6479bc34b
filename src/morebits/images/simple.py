"""WebP and BMP, written with Pillow."""

from __future__ import annotations

import io

from morebits.images.picture import Picture, with_alpha


def webp(picture: Picture) -> bytes:
    """Lossless WebP with the picture's alpha, ICC profile and EXIF.

    `exact` keeps the colours of transparent pixels. More effort than this makes no smaller file
    of a marked picture.
    """
    from PIL import Image

    extra = {"icc_profile": picture.icc or b"", "exif": picture.exif or b""}
    target = io.BytesIO()
    Image.fromarray(with_alpha(picture)).save(
        target, "WEBP", lossless=True, exact=True, quality=20, method=1, **extra
    )
    return target.getvalue()


def bmp(picture: Picture) -> bytes:
    """BMP with the picture's resolution."""
    from PIL import Image

    extra = {} if picture.dpi is None else {"dpi": picture.dpi}
    target = io.BytesIO()
    Image.fromarray(with_alpha(picture)).save(target, "BMP", **extra)
    return target.getvalue()
