"""`invisible-watermark` 0.2: dwtDct, dwtDctSvd and RivaGAN.

Importing the package imports torch, even for a DCT. So its files are loaded one by one, which
needs OpenCV and PyWavelets only, and RivaGAN's networks, which lie in the same folder, run in
onnxruntime with the package's arithmetic in numpy: bit by bit what the package computes.
"""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits.codecs import fixed
from morebits.codecs.fixed import Pixels
from morebits.errors import InputError, MissingExtra, UnknownName
from morebits.types import Codec, Embedding, Extraction

#: Fewer pixels are refused by the package.
MIN_PIXELS = 256 * 256

#: File and class of the two that need no network.
_FILES = {"dwtDct": ("maxDct", "EmbedMaxDct"), "dwtDctSvd": ("dwtDctSvd", "EmbedDwtDctSvd")}
METHODS = (*_FILES, "rivaGan")

#: RivaGAN: the message is that long, and a logit above this is a 1.
_RIVA_BITS = 32
_RIVA_THRESHOLD = np.float32(0.52)


def make(method: str = "dwtDct", *, bits: int = 32) -> Codec:
    """The codec `invisible-watermark:<method>`; dwtDct is the package's own default.

    >>> make("dwtDctSvd", bits=48).name
    'invisible-watermark:dwtDctSvd'
    """
    if method not in METHODS:
        raise UnknownName("method of invisible-watermark", method, METHODS)
    if method != "rivaGan":
        return Wavelets(method, bits)
    if bits != _RIVA_BITS:
        raise InputError("bits", bits, f"rivaGan carries exactly {_RIVA_BITS}")
    return RivaGan()


class Wavelets:
    """dwtDct or dwtDctSvd: `bits` bits, each repeated over the blocks of the U channel."""

    def __init__(self, method: str, bits: int):
        self.name = f"invisible-watermark:{method}"
        self._method, self._bits = method, fixed.check_count(bits)

    def capacity(self, cover: Any, /) -> int:
        """`bits`, or 0 for a picture of fewer than 256 x 256 pixels or than a block a bit."""
        height, width, _ = fixed.colour(cover).shape
        return self._bits if self._reads(height, width) else 0

    def embed(self, cover: Any, bits: NDArray[np.uint8], /) -> Embedding:
        pixels = fixed.colour(cover)
        message = fixed.check_message(
            bits, self._bits, self.capacity(pixels), _too_small(self._bits)
        )
        with np.errstate(invalid="ignore"):  # the package casts values beyond 255 to uint8
            marked = self._tool(message.tolist()).encode(fixed.flipped(pixels))
        return fixed.embedding(pixels, fixed.flipped(marked), message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        pixels = fixed.as_colour(image)
        if not self._reads(*pixels.shape[:2]):
            return Extraction("nothing", self.name)
        return fixed.unclaimed(self.name, self._tool([]).decode(fixed.flipped(pixels)))

    def _reads(self, height: int, width: int) -> bool:
        blocks = (height // 4 * 4 // 8) * (width // 4 * 4 // 8)
        return height * width >= MIN_PIXELS and blocks >= self._bits

    def _tool(self, message: list[int]) -> Any:
        file, name = _FILES[self._method]
        return getattr(_module(file), name)(message, wmLen=self._bits)


class RivaGan:
    """RivaGAN (Zhang et al., 2019): 32 bits; `soft` is the decoder's logit above its threshold.

    The networks see BGR, as the package gives it to them. One thread, so that the answer does
    not depend on the machine.
    """

    name = "invisible-watermark:rivaGan"

    def capacity(self, cover: Any, /) -> int:
        """32, or 0 for a picture of fewer than 256 x 256 pixels."""
        height, width, _ = fixed.colour(cover).shape
        return _RIVA_BITS if height * width >= MIN_PIXELS else 0

    def embed(self, cover: Any, bits: NDArray[np.uint8], /) -> Embedding:
        pixels = fixed.colour(cover)
        message = fixed.check_message(
            bits, _RIVA_BITS, self.capacity(pixels), _too_small(_RIVA_BITS)
        )
        inputs = {"frame": _frame(pixels), "data": message[None].astype(np.float32)}
        (output,) = _network("rivagan_encoder.onnx").run(None, inputs)
        samples = (np.clip(output[0, :, 0], -1, 1) + np.float32(1)) * np.float32(127.5)
        # Cut off, not rounded: so does the package, and PSNR depends on it.
        marked = fixed.flipped(samples.transpose(1, 2, 0).astype(np.uint8))
        return fixed.embedding(pixels, marked, message.size, self.name)

    def extract(self, image: Any, /) -> Extraction:
        pixels = fixed.as_colour(image)
        if pixels.shape[0] * pixels.shape[1] < MIN_PIXELS:
            return Extraction("nothing", self.name)
        (output,) = _network("rivagan_decoder.onnx").run(None, {"frame": _frame(pixels)})
        soft = output[0] - _RIVA_THRESHOLD
        return fixed.unclaimed(self.name, soft > 0, soft)


def _frame(pixels: Pixels) -> NDArray[np.float32]:
    """RGB samples as one frame (batch, BGR, time, H, W) of [-1, 1]."""
    values = fixed.flipped(pixels).astype(np.float32) / np.float32(127.5) - np.float32(1)
    return values.transpose(2, 0, 1)[None, :, None]


def _too_small(bits: int) -> str:
    return (
        f"invisible-watermark needs {MIN_PIXELS:,} pixels, and for {bits:,} bits as many blocks "
        "of 8 x 8: use a larger picture"
    )


def _folder() -> Path:
    spec = importlib.util.find_spec("imwatermark")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("invisible-watermark", "peers")
    return Path(spec.submodule_search_locations[0])


@lru_cache
def _module(name: str) -> ModuleType:
    """One file of the package, without the package's own import of torch."""
    for needed, package in (("cv2", "opencv-python"), ("pywt", "PyWavelets")):
        fixed.load(needed, package, "peers")
    spec = importlib.util.spec_from_file_location(f"imwatermark_{name}", _folder() / f"{name}.py")
    if spec is None or spec.loader is None:
        raise MissingExtra("invisible-watermark", "peers")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@lru_cache
def _network(file: str) -> Any:
    runtime = fixed.load("onnxruntime", "onnxruntime", "peers")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    path = str(_folder() / file)
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
