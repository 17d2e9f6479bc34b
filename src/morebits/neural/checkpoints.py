"""Checkpoints that the authors of Video Seal and Chunky Seal publish: their names into ours.

A checkpoint is a dictionary with the tensors under "model". It is read with torch's restricted
unpickler, so a file with code in it is refused and nothing of it runs.
"""

from __future__ import annotations

import os
import pickle
import re
import warnings
import zipfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from morebits.errors import WeightsError

#: The beginning of an official name and what it is here; the first that fits counts.
_PLACES = tuple(
    (re.compile(pattern), place)
    for pattern, place in (
        (r"embedder\.unet\.msg_processor\.msg_embeddings\.", "embedder.table."),
        (r"embedder\.unet\.inc\.", "embedder.first."),
        (r"embedder\.unet\.downs\.(\d+)\.down\.", r"embedder.downs.\1.conv."),
        (r"embedder\.unet\.downs\.(\d+)\.conv\.", r"embedder.downs.\1.block."),
        (r"embedder\.unet\.bottleneck\.model\.", "embedder.bottleneck."),
        (r"embedder\.unet\.ups\.(\d+)\.up\.upsample_block\.2\.", r"embedder.ups.\1.filter.conv."),
        (r"embedder\.unet\.ups\.(\d+)\.up\.upsample_block\.3\.", r"embedder.ups.\1.filter.norm."),
        (r"embedder\.unet\.ups\.(\d+)\.conv\.", r"embedder.ups.\1.block."),
        (r"embedder\.unet\.outc\.", "embedder.last."),
        (r"detector\.convnext\.downsample_layers\.", "extractor.reductions."),
        (r"detector\.convnext\.stages\.", "extractor.stages."),
        (r"detector\.image_encoder\.pos_embed$", "extractor.positions"),
        (r"detector\.image_encoder\.patch_embed\.proj\.", "extractor.patches."),
        (r"detector\.image_encoder\.(blocks|neck)\.", r"extractor.\1."),
        (
            r"detector\.pixel_decoder\.output_upscaling\.0\.upsample_block\.2\.",
            "extractor.head.filter.conv.",
        ),
        (
            r"detector\.pixel_decoder\.output_upscaling\.0\.upsample_block\.3\.",
            "extractor.head.filter.norm.",
        ),
        (r"detector\.pixel_decoder\.linear\.", "extractor.head.linear."),
    )
)

#: Parts of blocks.
_PARTS = {
    "double_conv.0": "conv1",
    "double_conv.1": "norm1",
    "double_conv.3": "conv2",
    "double_conv.4": "norm2",
    "res_conv": "shortcut",
    "dwconv": "depthwise",
    "pwconv1": "wide",
    "pwconv2": "narrow",
    "grn": "response",
    "attn.qkv": "attention.qkv",
    "attn.proj": "attention.out",
    "attn.rel_pos_h": "attention.rows",
    "attn.rel_pos_w": "attention.columns",
    "mlp.lin1": "wide",
    "mlp.lin2": "narrow",
}
_PART = re.compile(r"(?<=\.)(" + "|".join(map(re.escape, _PARTS)) + r")(?=\.|$)")


def renamed(official: str) -> str | None:
    """Our name for an official one, or None for what we compute ourselves or do not know.

    Constants (colour matrix, filters of the budget) and the second copy of the message table,
    which is stored twice, have no place here.

    >>> renamed("detector.convnext.stages.0.1.pwconv1.bias")
    'extractor.stages.0.1.wide.bias'
    >>> renamed("rgb2yuv.M") is None
    True
    """
    name = official.removeprefix("module.")
    for pattern, place in _PLACES:
        if found := pattern.match(name):
            rest = name[found.end() :]
            return found.expand(place) + _PART.sub(lambda each: _PARTS[each[0]], f".{rest}")[1:]
    return None


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Tensor], tuple[str, ...]]:
    """The tensors of a checkpoint under our names, and the names that have no place here."""
    state = _state(_unpickled(Path(path)), path)
    names = {official: renamed(official) for official in state}
    tensors = {name: state[official] for official, name in names.items() if name is not None}
    return tensors, tuple(official for official, name in names.items() if name is None)


def _unpickled(path: Path) -> Any:
    get = "get the file again, or another"
    try:
        # Mapped into memory where the format allows: Chunky Seal has seven gigabytes.
        mapped = zipfile.is_zipfile(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd pickles, which end in an error anyway
            return torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
    except pickle.UnpicklingError as error:
        if "GLOBAL" in str(error) or "global" in str(error):
            problem = "holds code or objects beside tensors, and was not run"
            fix = "save its tensors alone, or convert it where it may run"
            raise WeightsError(path, problem, fix) from None
        raise WeightsError(path, "is no checkpoint", get) from None
    except Exception as error:  # noqa: BLE001 - the unpickler raises anything, also IndexError
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise WeightsError(path, f"torch cannot read it ({reason})", get) from None


def _state(found: Any, path: str | os.PathLike[str]) -> dict[str, Tensor]:
    """The tensors: under "model", as published, or all there is."""
    state = found.get("model", found) if isinstance(found, dict) else found
    if not isinstance(state, dict) or not state:
        problem = f"holds a {type(state).__name__} and no tensors by name"
        raise WeightsError(path, problem, 'give a checkpoint with "model" in it')
    odd = [str(name) for name, value in state.items() if not isinstance(value, Tensor)]
    if odd:
        problem = f"has entries that are no tensors ({', '.join(odd[:3])})"
        raise WeightsError(path, problem, 'give a checkpoint with "model" in it')
    return state
