"""Video Seal from a TorchScript file, with torch and nothing else.

The authors publish such files (`y_256b_img.jit`) and a way to export more. A file has
`embed(images, messages, is_video)` and `detect(images, is_video)` on floats (B, 3, H, W) of
[0, 1]; `detect` gives 1 + K channels, of which the first is untrained and the others are logits
of the K bits (their docs/using_wam_jit.md).
"""

from __future__ import annotations

import os
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.bench.peers import common
from morebits.bench.peers.common import Pixels
from morebits.errors import InputError
from morebits.types import Embedding, Extraction

#: Where to read what the file must have.
_INTERFACE = "give a TorchScript file with embed and detect, such as y_256b_img.jit"


class VideoSeal:
    """As many bits as the file says; `soft` is one logit a bit. Runs on the CPU.

    The marked picture is rounded to the nearest samples; the authors' example cuts off.
    """

    name = "videoseal"

    def __init__(self, *, weights: str | os.PathLike[str]):
        path = Path(weights)
        if not path.is_file():
            raise InputError("weights", str(weights), "there is no such file; " + _INTERFACE)
        self._weights = str(path.resolve())

    def capacity(self, cover: Any, /) -> int:
        """The bits of the file, for a picture of any size."""
        common.colour(cover)
        return _load(self._weights)[1]

    def embed(self, cover: Any, bits: NDArray[np.uint8], /) -> Embedding:
        pixels = common.colour(cover)
        model, size = _load(self._weights)
        message = common.check_message(bits, size, size, "")
        torch = _torch()
        with torch.inference_mode():
            floats = torch.from_numpy(message[None].astype(np.float32))
            marked = model.embed(_batch(pixels), floats, is_video=False)
        samples = common.to_samples(marked[0].permute(1, 2, 0).numpy() * 255)
        return common.embedding(pixels, samples, message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        model, _ = _load(self._weights)
        soft = _logits(model, common.as_colour(image))
        return common.unclaimed(self.name, soft > 0, soft)


def _torch() -> Any:
    return common.load("torch", "torch", None)


@lru_cache(maxsize=2)
def _load(path: str) -> tuple[Any, int]:
    """The model and its number of bits, which an answer of its detector shows."""
    torch = _torch()
    try:
        with warnings.catch_warnings():
            # TorchScript is on its way out, but it is what the authors publish.
            warnings.simplefilter("ignore", DeprecationWarning)
            model = torch.jit.load(path, map_location="cpu").eval()
    except RuntimeError as error:
        reason = next(iter(str(error).strip().splitlines()), "unknown reason")
        raise InputError(
            "weights", path, f"torch cannot load it ({reason}); {_INTERFACE}"
        ) from None
    if not (hasattr(model, "embed") and hasattr(model, "detect")):
        raise InputError("weights", path, _INTERFACE)
    return model, _logits(model, np.zeros((256, 256, 3), np.uint8)).size


def _batch(pixels: Pixels) -> Any:
    """RGB samples as (1, 3, H, W) floats of [0, 1]."""
    values = np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32) / np.float32(255)
    return _torch().from_numpy(values)


def _logits(model: Any, pixels: Pixels) -> NDArray[np.float32]:
    with _torch().inference_mode():
        answer = model.detect(_batch(pixels), is_video=False)[0, 1:]
    # Models that answer for each pixel are averaged over the picture.
    return answer.flatten(1).mean(1).numpy() if answer.ndim > 1 else answer.numpy()
