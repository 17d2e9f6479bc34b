"""Networks in onnxruntime, from the files that `export` writes; no torch."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from morebits.codecs import fixed
from morebits.errors import InputError, WeightsError
from morebits.linear.edits import GRAY_WEIGHTS
from morebits.neural.cards import Card, from_json
from morebits.neural.codec import Floats

#: The name of the card in the metadata of an ONNX file.
CARD = "morebits.card"


def parts_of(card: Card) -> tuple[str, ...]:
    """The files, without their ending, that a card needs."""
    return ("embedder", "extractor") if card.jnd is None else ("embedder", "extractor", "budget")


class OnnxNetwork:
    """A folder with `embedder.onnx`, `extractor.onnx` and, for some cards, `budget.onnx`.

    One thread, so that the answer does not depend on the machine.
    """

    def __init__(self, folder: str | os.PathLike[str]):
        self._folder = Path(folder)
        extractor = self._session("extractor")
        self.card = _card(extractor, self._folder)
        self.name, self.bits, self.least = self.card.name, self.card.bits, self.card.least
        self._sessions = {"extractor": extractor}
        for part in parts_of(self.card):
            if part not in self._sessions:
                self._sessions[part] = self._session(part)
                self._check(part)

    def change(self, image: Floats, message: NDArray[np.uint8], /) -> Floats:
        card = self.card
        seen = image
        if card.residual == "luma":
            seen = np.tensordot(np.array(GRAY_WEIGHTS, np.float32), image, 1)[None]
        answer = self._run(
            "embedder",
            images=resized(seen, card.size, card.size),
            messages=message.astype(np.float32),
        )
        added = np.float32(card.scaling_w) * resized(answer, *image.shape[1:])
        if card.jnd is not None:
            added = added * self._run("budget", images=image)
        if card.scaling_i != 1:
            added = added + np.float32(card.scaling_i - 1) * image
        return np.broadcast_to(added, image.shape)

    def logits(self, image: Floats, /) -> Floats:
        return self._run("extractor", images=resized(image, self.card.size, self.card.size))

    def _run(self, part: str, **inputs: Floats) -> Floats:
        """One answer, without the batch of one that goes in and comes out."""
        batches = {name: np.ascontiguousarray(value[None]) for name, value in inputs.items()}
        return self._sessions[part].run(None, batches)[0][0]

    def _session(self, part: str) -> Any:
        path = self._folder / f"{part}.onnx"
        if not path.is_file():
            expected = f"give a folder that neural.export wrote; {path.name} is missing"
            raise InputError("weights", str(self._folder), expected)
        runtime = fixed.load("onnxruntime", "onnxruntime", "onnx")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        try:
            return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001  the runtime's classes have no base
            problem = f"onnxruntime cannot load it ({' '.join(str(error).split())[:120]})"
            raise WeightsError(path, problem, "export it again") from None

    def _check(self, part: str) -> None:
        if _card(self._sessions[part], self._folder).digest != self.card.digest:
            problem = f"{part}.onnx and extractor.onnx are of different cards"
            raise WeightsError(self._folder, problem, "export both again")


def _card(session: Any, folder: Path) -> Card:
    text = session.get_modelmeta().custom_metadata_map.get(CARD)
    if text is None:
        raise WeightsError(folder, "no card in the metadata", "export it with neural.export")
    return from_json(text, str(folder))


def resized(image: Floats, height: int, width: int) -> Floats:
    """Bilinear with antialias, the filter that torch has too; (C, H, W).

    >>> resized(np.ones((3, 5, 7), np.float32), 4, 2).shape
    (3, 4, 2)
    """
    if image.shape[1:] == (height, width):
        return image
    planes = [
        np.asarray(Image.fromarray(plane).resize((width, height), Image.Resampling.BILINEAR))
        for plane in image
    ]
    return np.stack(planes)
