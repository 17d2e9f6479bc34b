"""What makes a codec by name; torch and onnxruntime are loaded only when one is made."""

from __future__ import annotations

import os
from pathlib import Path

from morebits.codecs import fixed
from morebits.errors import InputError
from morebits.neural.cards import Card, load_card
from morebits.neural.codec import Neural


def make(
    card: str | os.PathLike[str] | None = None,
    *,
    weights: str | os.PathLike[str] | None = None,
    bits: int | None = None,
    psnr: float | None = None,
    device: str = "cpu",
) -> Neural:
    """The codec of a card with weights from a local file.

    `weights` is a file of ours (.safetensors, which knows its card, so `card` may be left out),
    or a checkpoint of the authors (.pth). `bits` asks for another length than the card's.
    """
    known = None if card is None else load_card(card)
    if weights is None:
        raise InputError("weights", None, _where(known))
    if not Path(weights).is_file():
        raise InputError("weights", str(weights), f"there is no such file; {_where(known)}")
    fixed.load("torch", "torch", "neural")
    from morebits.neural.running import TorchNetwork
    from morebits.neural.weights import load

    return Neural(TorchNetwork(load(weights, known, bits=bits, device=device)), psnr=psnr)


def onnx(*, weights: str | os.PathLike[str], psnr: float | None = None) -> Neural:
    """The codec of a folder that `neural.export` wrote; needs onnxruntime, and no torch."""
    from morebits.neural.runtime import OnnxNetwork

    return Neural(OnnxNetwork(weights), psnr=psnr)


def videoseal(*, weights: str | os.PathLike[str], psnr: float | None = None) -> Neural:
    """Video Seal from one TorchScript file: as many bits as the file says. Runs on the CPU."""
    fixed.load("torch", "torch", "neural")
    from morebits.neural.torchscript import VideoSealFile

    return Neural(VideoSealFile(weights), psnr=psnr)


def pair(
    name: str,
    *,
    encoder: str | os.PathLike[str],
    decoder: str | os.PathLike[str],
    psnr: float | None = None,
) -> Neural:
    """MBRS, TrustMark-Q or WAM from two TorchScript files. Runs on the CPU."""
    fixed.load("torch", "torch", "neural")
    from morebits.neural.torchscript import ScriptedPair

    return Neural(ScriptedPair(name, encoder, decoder), psnr=psnr)


def _where(card: Card | None) -> str:
    """Where a file with weights would come from."""
    if card is not None and card.source:
        return f"morebits downloads nothing: get {card.source} and give its path"
    name = "CARD" if card is None else card.name
    return f"give a file that `morebits train` or morebits.neural.save wrote for {name}"
