"""TrustMark through its own package, with weights from a folder, never from the network.

100 raw bits, without its error correction, as in the paper's tables. The package looks for its
weights in its own folder and downloads them; here they come from yours, under the names that
the package gives them: `trustmark_Q.yaml`, `encoder_Q.ckpt` and `decoder_Q.ckpt`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from morebits.codecs import fixed
from morebits.errors import InputError, UnknownName
from morebits.types import Embedding, Extraction

MODELS = ("Q", "B", "C", "P")

_BITS = 100


class TrustMark:
    """100 bits; `model` is the package's model type, Q unless told otherwise."""

    def __init__(self, model: str = "Q", *, weights: str | os.PathLike[str]):
        if model not in MODELS:
            raise UnknownName("model of TrustMark", model, MODELS)
        self.name = f"trustmark:{model}"
        self._model, self._folder = model, str(_checked(Path(weights), model))

    def capacity(self, cover: Any, /) -> int:
        """100, for a picture of any size."""
        fixed.colour(cover)
        return _BITS

    def embed(self, cover: Any, bits: NDArray[np.uint8], /) -> Embedding:
        pixels = fixed.colour(cover)
        message = fixed.check_message(bits, _BITS, _BITS, "")
        text = "".join(map(str, message.tolist()))
        tool = _load(self._model, self._folder)
        marked = tool.encode(Image.fromarray(pixels), text, MODE="binary")
        return fixed.embedding(pixels, np.asarray(marked), message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        tool = _load(self._model, self._folder)
        text, _, _ = tool.decode(Image.fromarray(fixed.as_colour(image)), MODE="binary")
        return fixed.unclaimed(self.name, np.array([int(each) for each in text], np.uint8))


def _checked(folder: Path, model: str) -> Path:
    """The folder, when the three files are in it."""
    names = (f"trustmark_{model}.yaml", f"encoder_{model}.ckpt", f"decoder_{model}.ckpt")
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        expected = f"give a folder with {', '.join(names)}; missing: {', '.join(missing)}"
        raise InputError("weights", str(folder), expected)
    return folder.resolve()


@lru_cache(maxsize=2)
def _load(model: str, folder: str) -> Any:
    """The package's own class, told where the files are."""
    package = fixed.load("trustmark", "trustmark", None)

    class Local(package.TrustMark):
        def check_and_download(self, filename: str) -> None:
            """Nothing: the files were checked when the codec was made."""

        def load_model(self, config_path: str, weight_path: str, *rest: Any, **named: Any) -> Any:
            config, weights = (str(Path(folder, Path(p).name)) for p in (config_path, weight_path))
            return super().load_model(config, weights, *rest, **named)

    return Local(use_ECC=False, verbose=False, device="cpu", model_type=model, loadRemover=False)
