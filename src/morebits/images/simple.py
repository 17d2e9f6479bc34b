"""WebP and BMP, written with Pillow; and the size of a WebP, before Pillow makes room for it."""

from __future__ import annotations

import io

from morebits.images.picture import Picture, with_alpha


def webp_size(head: bytes) -> tuple[int, int] | None:
    """Width and height that the first 30 bytes of a WebP file announce; None for other files.

    https://developers.google.com/speed/webp/docs/riff_container
    """
    if len(head) < 30 or head[:4] != b"RIFF" or head[8:12] != b"WEBP":
        return None
    if head[12:16] == b"VP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") for at in (24, 27))
        return 1 + width, 1 + height
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = (int.from_bytes(head[at : at + 2], "little") & 0x3FFF for at in (26, 28))
    return width, height


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
