"""The paper's tiling: a codec for small pictures, used on every tile of a large one.

Section "Our simplest bounds are achievable": the picture is cut into square tiles, each tile
carries a message of its own, and the result is all of them one after another. PSNR does not
depend on the size, so what holds for a tile holds for the picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from morebits import distortion, images
from morebits.codecs.bits import check_bits
from morebits.codecs.registry import codec as codec_by_name
from morebits.errors import DoesNotFit, ImageError, InputError
from morebits.types import Codec, Embedding, Extraction, Status


class Tiled:
    """`codec` on each whole `size` x `size` tile, from left to right and top to bottom.

    What is left at the right and at the bottom stays untouched. A message fills one tile after
    another, each to its capacity; tiles after its end get an empty message. So a codec that
    tells where a message ends gives the message back, and one that does not (box) gives zeros
    after it. `codec` is a codec, or a name with its options:

    >>> tiled = Tiled("box", 32, psnr=42)
    >>> cover = np.full((256, 256, 3), 128, np.uint8)
    >>> tiled.capacity(cover)  # 64 tiles of 7,132 bits
    456448
    """

    name: Literal["tiled"] = "tiled"

    def __init__(self, codec: Codec | str, size: int, **options: Any):
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise InputError("size", size, "give the side of a tile in pixels, such as 32")
        if not isinstance(codec, str) and options:
            raise InputError("options", sorted(options), "give them to the codec itself")
        self.codec = codec_by_name(codec, **options) if isinstance(codec, str) else codec
        if not isinstance(self.codec, Codec):
            raise InputError("codec", codec, "give a codec or the name of one")
        self.size = size

    def capacity(self, cover: object) -> int:
        """The sum over all tiles, in bits; 0 when the picture is smaller than a tile."""
        array = images.read(cover).array
        return sum(self.codec.capacity(array[tile]) for tile in self._tiles(array))

    def embed(self, cover: object, bits: NDArray[np.uint8]) -> Embedding:
        """Every tile with its part of the message."""
        picture, message = images.read(cover), check_bits(bits)
        marked, at = picture.array.copy(), 0
        rooms = [(tile, self.codec.capacity(marked[tile])) for tile in self._tiles(marked)]
        self._check_room(picture, message.size, sum(room for _, room in rooms))
        for tile, room in rooms:
            part = message[at : at + room]
            marked[tile] = self.codec.embed(picture.array[tile], part).image
            at += part.size
        psnr = distortion.psnr(picture.array, marked, peak=picture.format.rho)
        return Embedding(marked, psnr, message.size, self.name)

    def extract(self, image: object) -> Extraction:
        """All messages one after another; altered when some tiles have one and others not.

        The p-value is the least of the tiles': a picture without a mark has to pass that one
        too, however much its tiles are alike.
        """
        array = images.read(image).array
        found = [self.codec.extract(array[tile]) for tile in self._tiles(array)]
        status = _status(found)
        if status != "found":
            return Extraction(status, self.name)
        bits = [each.bits for each in found if each.bits is not None]
        soft = [each.soft for each in found if each.soft is not None]
        return Extraction(
            status, self.name, np.concatenate(bits),
            soft=np.concatenate(soft) if len(soft) == len(found) else None,
            p_value=min(each.p_value for each in found),
        )  # fmt: skip

    def _tiles(self, array: images.Samples) -> Iterator[tuple[slice, slice]]:
        height, width = array.shape[:2]
        for top in range(0, height - self.size + 1, self.size):
            for left in range(0, width - self.size + 1, self.size):
                yield slice(top, top + self.size), slice(left, left + self.size)

    def _check_room(self, picture: images.Picture, needed: int, room: int) -> None:
        height, width = picture.array.shape[:2]
        if min(height, width) < self.size:
            problem = f"is {width}x{height}, smaller than a tile of {self.size}x{self.size}"
            raise ImageError(picture.name, problem, "choose smaller tiles")
        if needed > room:
            fix = "shorten the message, or allow the codec a lower PSNR"
            raise DoesNotFit("the message", needed, room, "bits", fix)


def _status(found: list[Extraction]) -> Status:
    statuses = {each.status for each in found}
    if statuses == {"found"}:
        return "found"
    return "nothing" if statuses <= {"nothing"} else "altered"
