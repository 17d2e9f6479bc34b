"""Other people's watermarkers from TorchScript files, which need no code of theirs.

Video Seal is one file with `embed(images, messages, is_video)` and `detect(images, is_video)`,
as its authors publish it (`y_256b_img.jit`). TrustMark-Q, MBRS and Watermark Anything (WAM) are
two files, an encoder and a decoder, that their owners make with `torch.jit.script` from the
authors' code; the table has what lies around each, as in the evaluation of Video Seal.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from morebits.errors import InputError
from morebits.neural import jnd
from morebits.neural.architectures import Jnd
from morebits.neural.codec import Floats
from morebits.neural.watermarker import resized

_VIDEOSEAL = "give a TorchScript file with embed and detect, such as y_256b_img.jit"

#: Normalisations: mean and deviation of each channel.
_HALVES = (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)
_IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class Pair:
    """What lies around an encoder and a decoder that run at `size` x `size` pixels.

    `encoder` tells whether it answers with a marked picture or with a residual, `decoder`
    whether with logits or with probabilities; `skip` outputs come before those of the bits.
    """

    title: str
    normalisation: tuple[tuple[float, ...], tuple[float, ...]]
    encoder: Literal["picture", "residual"]
    decoder: Literal["logits", "probabilities"]
    strength: float
    size: int = 256
    skip: int = 0
    jnd: Jnd | None = None


PAIRS = {
    "mbrs": Pair("MBRS, EC_42: 256 bits", _HALVES, "picture", "probabilities", 1.0),
    "trustmark-q": Pair("TrustMark-Q: 100 raw bits", _HALVES, "picture", "logits", 0.95),
    "wam": Pair(
        "Watermark Anything, trained on COCO: 32 bits", _IMAGENET, "residual", "logits", 2.0,
        skip=1, jnd=Jnd(blue=True),
    ),
}  # fmt: skip


class VideoSealFile:
    """Video Seal: `embed` and `detect` of one file, at any size."""

    name, least = "videoseal", 1

    def __init__(self, weights: str | os.PathLike[str]):
        self._model = _load("weights", weights, _VIDEOSEAL)
        if not (hasattr(self._model, "embed") and hasattr(self._model, "detect")):
            raise InputError("weights", str(weights), _VIDEOSEAL)
        self._refused = "weights", weights, f"it does not embed or detect (%s); {_VIDEOSEAL}"
        self.bits = self.logits(np.zeros((3, 256, 256), np.float32)).size

    @torch.inference_mode()
    def change(self, image: Floats, message: NDArray[np.uint8], /) -> Floats:
        picture = _batch(image)
        with _named(*self._refused):
            marked = self._model.embed(picture, _batch(message.astype(np.float32)), is_video=False)
            return (marked - picture)[0].numpy()

    @torch.inference_mode()
    def logits(self, image: Floats, /) -> Floats:
        # The first output is meant for detection, and untrained.
        with _named(*self._refused):
            return _means(self._model.detect(_batch(image), is_video=False))[1:].numpy()


class ScriptedPair:
    """One of `PAIRS`: an encoder and a decoder, and what lies around them."""

    least = 1

    def __init__(self, name: str, encoder: str | os.PathLike[str], decoder: str | os.PathLike[str]):
        self.name, self._pair = name, PAIRS[name]
        files = f"give the two TorchScript files of {self._pair.title.split(':')[0]}"
        self._encoder = _load("encoder", encoder, files)
        self._decoder = _load("decoder", decoder, files)
        with _named(
            "decoder", decoder, f"it does not take a picture and give logits (%s); {files}"
        ):
            self.bits = self.logits(
                np.zeros((3, self._pair.size, self._pair.size), np.float32)
            ).size
        expected = (
            f"it does not take a picture and {self.bits} bits, as the decoder has (%s); {files}"
        )
        self._refused = "encoder", encoder, expected

    @torch.inference_mode()
    def change(self, image: Floats, message: NDArray[np.uint8], /) -> Floats:
        picture, pair = _batch(image), self._pair
        seen = resized(picture, pair.size)
        mean, deviation = _columns(pair)
        with _named(*self._refused):
            answer = self._encoder((seen - mean) / deviation, _batch(message.astype(np.float32)))
            residual = answer * deviation
            if pair.encoder == "picture":
                residual = residual + mean - seen
        full = pair.strength * resized(residual, tuple(picture.shape[2:]))
        return (full if pair.jnd is None else full * jnd.budget(picture, pair.jnd))[0].numpy()

    @torch.inference_mode()
    def logits(self, image: Floats, /) -> Floats:
        mean, deviation = _columns(self._pair)
        seen = resized(_batch(image), self._pair.size)
        found = _means(self._decoder((seen - mean) / deviation))[self._pair.skip :]
        return (2 * found - 1 if self._pair.decoder == "probabilities" else found).numpy()


@contextmanager
def _named(name: str, path: str | os.PathLike[str], expected: str) -> Generator[None]:
    """InputError for what a file's own code raises; its reason goes into `expected`."""
    try:
        yield
    except (RuntimeError, IndexError) as error:
        reason = str(error).strip().splitlines()[-1]
        raise InputError(name, str(path), expected.replace("%s", reason, 1)) from None


def _columns(pair: Pair) -> tuple[Tensor, Tensor]:
    mean, deviation = (torch.tensor(each)[:, None, None] for each in pair.normalisation)
    return mean, deviation


def _batch(values: Floats) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)[None])


def _means(answer: Tensor) -> Tensor:
    """One number an output; models that answer for each pixel are averaged over the picture."""
    return answer[0].flatten(1).mean(1) if answer.ndim > 2 else answer[0]


def _load(name: str, path: str | os.PathLike[str], expected: str) -> Any:
    """A TorchScript module on the CPU, in evaluation mode."""
    if not Path(path).is_file():
        raise InputError(name, str(path), f"there is no such file; {expected}")
    try:
        with warnings.catch_warnings():
            # TorchScript is on its way out, but it is what people have.
            warnings.simplefilter("ignore", DeprecationWarning)
            return torch.jit.load(str(path), map_location="cpu").eval()
    except RuntimeError as error:
        reason = next(iter(str(error).strip().splitlines()), "unknown reason")
        text = f"torch cannot load it ({reason}); {expected}"
        raise InputError(name, str(path), text) from None
