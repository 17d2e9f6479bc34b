"""`blind-watermark` 0.4: wavelets, DCT and SVD, with a password.

The package prints an advert when it is first used and sets the start method of multiprocessing
for the whole program when it is imported; neither is let through.
"""

from __future__ import annotations

import multiprocessing
import threading
import warnings
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import fixed
from morebits.codecs.keys import Key, check_key, derive
from morebits.types import Embedding, Extraction

#: The package's own passwords, used when there is no key.
_NO_KEY = (1, 1)
_SALT = b"blind peer  "

_importing = threading.Lock()


class BlindWatermark:
    """`bits` bits, each repeated over the blocks of all three channels.

    The package's two passwords (seeds of 32 bits) come from `key`; without a key they are the
    package's defaults.

    >>> BlindWatermark(bits=64, key="secret").name
    'blind-watermark'
    """

    name = "blind-watermark"

    def __init__(self, *, bits: int = 32, key: Key = None):
        self._bits, self._key = fixed.check_count(bits), key
        check_key(key)

    def capacity(self, cover: Any, /) -> int:
        """`bits`, or 0 for a picture that does not have more blocks of 8 x 8 than bits."""
        height, width, _ = fixed.colour(cover).shape
        return self._bits if self._reads(height, width) else 0

    def embed(self, cover: Any, bits: NDArray[np.uint8], /) -> Embedding:
        pixels = fixed.colour(cover)
        too_small = f"blind-watermark needs more than {self._bits:,} blocks of 8 x 8 pixels"
        message = fixed.check_message(bits, self._bits, self.capacity(pixels), too_small)
        tool = self._tool()
        tool.read_img(img=fixed.flipped(pixels))
        tool.read_wm(message, mode="bit")
        # Floats; the nearest samples are what its own file would hold.
        marked = fixed.flipped(fixed.to_samples(tool.embed()))
        return fixed.embedding(pixels, marked, message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        pixels = fixed.as_colour(image)
        if not self._reads(*pixels.shape[:2]):
            return Extraction("nothing", self.name)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # When all bits look alike its clustering takes the mean of nothing.
            warnings.simplefilter("ignore", RuntimeWarning)
            bits = self._tool().extract(
                embed_img=fixed.flipped(pixels), wm_shape=self._bits, mode="bit"
            )
        return fixed.unclaimed(self.name, bits)

    def _reads(self, height: int, width: int) -> bool:
        return self._bits < ((height + 1) // 2 // 4) * ((width + 1) // 2 // 4)

    def _tool(self) -> Any:
        message_password, picture_password = self._passwords()
        return _package().WaterMark(password_wm=message_password, password_img=picture_password)

    def _passwords(self) -> tuple[int, int]:
        if self._key is None:
            return _NO_KEY
        secret = derive(self._key, _SALT, b"blind-watermark", 8)
        return int.from_bytes(secret[:4], "little"), int.from_bytes(secret[4:], "little")


def _package() -> ModuleType:
    """The package, silent, with the program's start method left as it was."""
    with _importing:
        original = multiprocessing.set_start_method
        multiprocessing.set_start_method = lambda *_, **__: None
        try:
            package = fixed.load("blind_watermark", "blind-watermark", "peers")
        finally:
            multiprocessing.set_start_method = original
    package.bw_notes.close()
    return package
