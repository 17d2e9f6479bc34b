"""Networks as ONNX files, for machines without torch.

`embedder.onnx` takes `images` (1, C, S, S) of [0, 1] and `messages` (1, bits), and gives
`residual`; `extractor.onnx` takes `images` (1, 3, S, S) and gives `logits` (1, bits). S is the
card's size: resizing, bilinear with antialias, is left to the caller, because runtimes do not
agree on it. `budget.onnx`, for cards with a budget, takes `images` (1, 3, H, W) of any size and
gives the map. Each file has the card in its metadata.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from morebits import files
from morebits.codecs import fixed
from morebits.neural import jnd
from morebits.neural.architectures import Jnd
from morebits.neural.runtime import CARD, parts_of
from morebits.neural.watermarker import Watermarker

#: Above this an ONNX file cannot hold its weights, and they go into a second file.
_LARGEST = 2**31 - 2**20


class _Budget(nn.Module):
    def __init__(self, options: Jnd):
        super().__init__()
        self.options = options

    def forward(self, images: Tensor) -> Tensor:
        return jnd.budget(images, self.options)


def export(
    watermarker: Watermarker, folder: str | os.PathLike[str], *, force: bool = False
) -> tuple[Path, ...]:
    """Write the files into a folder, which is made; `mb.codec("onnx", weights=folder)` reads it."""
    fixed.load("onnxscript", "onnxscript", "export")
    card, out = replace(watermarker.card, scaling_w=watermarker.scaling_w), Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    paths = {part: out / f"{part}.onnx" for part in parts_of(card)}
    for path in paths.values():
        files.check_target(path, force=force)
    side, device = card.size, next(watermarker.parameters()).device
    messages = torch.zeros(1, card.bits, device=device)
    seen = torch.zeros(1, card.channels, side, side, device=device)
    picture = torch.zeros(1, 3, side, side, device=device)
    with _evaluating(watermarker):
        text = card.to_json()
        _write(paths["embedder"], watermarker.embedder, (seen, messages), "residual", text)
        _write(paths["extractor"], watermarker.extractor, (picture,), "logits", text)
        if card.jnd is not None:
            _write(paths["budget"], _Budget(card.jnd), (picture,), "budget", text)
    return tuple(paths.values())


def _write(
    path: Path, module: nn.Module, inputs: tuple[Tensor, ...], output: str, card: str
) -> None:
    dynamic: Any = None
    if output == "budget":
        dim = torch.export.Dim
        dynamic = ({2: dim("height", min=2), 3: dim("width", min=2)},)
    with _quiet(), torch.no_grad():
        program: Any = torch.onnx.export(
            module, inputs, dynamo=True, verbose=False, dynamic_shapes=dynamic,
            input_names=["images", "messages"][: len(inputs)], output_names=[output],
        )  # fmt: skip
    program.model.metadata_props[CARD] = card
    weights = sum(each.numel() * each.element_size() for each in module.parameters())
    program.save(path, external_data=weights > _LARGEST)


@contextmanager
def _evaluating(module: nn.Module) -> Generator[None]:
    """Evaluation mode for a while: someone may be training."""
    training = module.training
    module.eval()
    try:
        yield
    finally:
        module.train(training)


@contextmanager
def _quiet() -> Generator[None]:
    """The exporter warns about its own insides, and logs what it skips."""
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
