"""Mosaic in place of the robust codec, where edits are too much for it.

After resizing with JPEG, or strong JPEG, little is left of a picture, and there the lower and
stronger numbers of mosaic hold more (docs/mosaic.md has both side by side). It has no mask, so its
mark is easier to see in flat parts: it is used only where the robust codec has given up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import pilot
from morebits.codecs.robust import Robust, planning
from morebits.errors import DoesNotFit, ImageError
from morebits.images import Picture
from morebits.neural.mosaic.codec import Mosaic
from morebits.types import Embedding


def embed(picture: Picture, bits: NDArray[Any], robust: Robust) -> tuple[Mosaic, Embedding] | None:
    """A mark that survives all that `robust` was asked for, and its codec; None: there is none.

    It survives where its pilot is found, too: without one `reveal` does not look for mosaic.
    """
    psnr = planning.LOWEST if robust.psnr is None else robust.psnr
    codec = Mosaic(psnr=psnr, key=robust.key, seconds=robust.seconds)
    try:
        embedded = codec.embed(picture, bits)
    except (DoesNotFit, ImageError):
        return None
    payload = np.packbits(bits).tobytes()
    for edit in robust.survive:
        for edited in planning.outcomes(embedded.image, edit):
            if not pilot.locate(edited, robust.key) or codec.extract(edited).payload != payload:
                return None
    return codec, embedded
