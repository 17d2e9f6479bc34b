"""The image reader: files of any kind, and what they say beside their pixels."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from morebits import images
from morebits.errors import MorebitsError
from morebits.images import tags

#: Small enough that no input of this length may take more memory than the limit of the run.
_PIXELS = 1_000_000


def check(data: bytes) -> None:
    """Read it; whatever was read can be written as PNG and TIFF, and read again."""
    with tempfile.TemporaryDirectory() as folder, suppress(MorebitsError):
        path = Path(folder, "picture")
        path.write_bytes(data)
        picture = images.read(path, max_pixels=_PIXELS)
        if not 0 < picture.array.shape[0] * picture.array.shape[1] <= _PIXELS:
            raise AssertionError(f"of {picture.array.shape}")
        if not 1 <= picture.orientation <= 8:
            raise AssertionError(f"orientation {picture.orientation}")
        for name in ("again.png", "again.tif"):
            again = path.with_name(name)
            with suppress(MorebitsError):
                images.write(again, picture.array, like=picture, fragile=False, force=True)
                if (images.read(again).array != picture.array).any():
                    raise AssertionError(f"{name} is another picture")
    tags.orientation(data)
    found = tags.parse(data)
    if found is not None:
        tags.parse(tags.serialise(found))
