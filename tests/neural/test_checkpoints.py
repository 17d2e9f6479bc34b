"""Official checkpoints: synthetic ones with every published name and shape.

The lists in golden/ are names and shapes as the published code (videoseal at 871eda0) saves and
loads them, from a study of that code; the published files themselves were never here.
"""

from __future__ import annotations

import ast
import os
import pickle
from pathlib import Path

import pytest
import torch

from morebits.errors import InputError, WeightsError
from morebits.neural import build, load
from morebits.neural.checkpoints import renamed
from morebits.neural.weights import inspect, match

FAMILIES = {
    "videoseal-0.0": "keys-videoseal-0.0.txt",
    "videoseal-1.0": "keys-videoseal-1.0.txt",
    "chunkyseal": "keys-chunkyseal.txt",
}
COPY = "embedder.msg_processor.msg_embeddings.weight"
CONSTANTS = (
    "rgb2yuv.M",
    "attenuation.conv_x.weight",
    "attenuation.conv_y.weight",
    "attenuation.conv_lum.weight",
)


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    return {name: ast.literal_eval(shape) for name, shape in rows}


def synthetic(path: Path) -> dict[str, torch.Tensor]:
    """Every tensor of a list, each filled with a number of its own."""
    return {
        name: torch.full(shape, number, dtype=torch.int64 if not shape else torch.float32)
        for number, (name, shape) in enumerate(shapes(path).items())
    }


@pytest.mark.parametrize("name", FAMILIES)
def test_every_published_tensor_has_its_place(golden, name):
    """By name and shape alone, so that Chunky Seal's seven gigabytes are not needed."""
    listed = shapes(golden / FAMILIES[name])
    assert len(listed) > 290
    tensors = {
        ours: torch.empty(shape, device="meta")
        for official, shape in listed.items()
        if (ours := renamed(official)) is not None
    }
    ignored = tuple(each for each in listed if renamed(each) is None)
    report = match(build(name, "meta"), tensors, ignored)
    assert (report.missing, report.wrong) == ((), ())
    assert COPY in report.ignored
    assert {each for each in report.ignored if each != COPY} <= set(CONSTANTS)
    assert len(report.matched) + len(report.ignored) == len(listed)
    report.check("a file", name)


@pytest.mark.parametrize("name", ["videoseal-0.0", "videoseal-1.0"])
def test_a_synthetic_checkpoint_loads(golden, tmp_path, name):
    state = synthetic(golden / FAMILIES[name])
    path = tmp_path / "checkpoint.pth"
    torch.save({"epoch": 3, "model": state, "args": "nbits: 256", "optimizer": {"a": [1]}}, path)
    found = inspect(path, name)
    ours = found.watermarker.state_dict()
    for official, tensor in state.items():
        place = renamed(official)
        if place is not None:
            assert torch.equal(ours[place], tensor), official
    assert len(found.report.matched) == len(ours)
    assert not found.watermarker.training


@pytest.mark.parametrize(
    ("official", "ours"),
    [
        ("embedder.unet.msg_processor.msg_embeddings.weight", "embedder.table.weight"),
        ("embedder.unet.inc.double_conv.4.running_var", "embedder.first.norm2.running_var"),
        ("embedder.unet.downs.1.down.bias", "embedder.downs.1.conv.bias"),
        ("embedder.unet.downs.1.conv.res_conv.bias", "embedder.downs.1.block.shortcut.bias"),
        ("embedder.unet.ups.0.up.upsample_block.3.bias", "embedder.ups.0.filter.norm.bias"),
        ("embedder.unet.ups.2.conv.double_conv.1.gamma", "embedder.ups.2.block.norm1.gamma"),
        ("detector.image_encoder.blocks.2.attn.rel_pos_h", "extractor.blocks.2.attention.rows"),
        ("detector.image_encoder.blocks.2.norm1.weight", "extractor.blocks.2.norm1.weight"),
        ("module.detector.pixel_decoder.linear.bias", "extractor.head.linear.bias"),
        (COPY, None),
        ("attenuation.conv_x.weight", None),
        ("something.else", None),
    ],
)
def test_names(official, ours):
    assert renamed(official) == ours


class Evil:
    """What a pickle may do when it is trusted."""

    def __init__(self, target: Path):
        self.target = target

    def __reduce__(self):
        return os.mkdir, (str(self.target),)


class TestRefused:
    @pytest.mark.parametrize("way", ["torch", "pickle"])
    def test_code(self, tmp_path, way):
        path, target = tmp_path / "evil.pth", tmp_path / "it-ran"
        found = {"model": {"a": torch.zeros(1)}, "extra": Evil(target)}
        if way == "torch":
            torch.save(found, path)
        else:
            path.write_bytes(pickle.dumps({"extra": Evil(target)}, protocol=2))
        with pytest.raises(WeightsError, match="holds code or objects beside tensors, and was not"):
            load(path, "videoseal-1.0")
        assert not target.exists()

    @pytest.mark.parametrize("data", [b"", b"no checkpoint at all", b"PK\x03\x04 broken" * 9])
    def test_something_else(self, tmp_path, data):
        path = tmp_path / "odd.pth"
        path.write_bytes(data)
        with pytest.raises(WeightsError, match="get the file again"):
            load(path, "videoseal-1.0")

    @pytest.mark.parametrize(
        ("found", "message"),
        [
            ([1, 2], "holds a list and no tensors"),
            ({}, "holds a dict and no tensors"),
            ({"model": {"a": 1, "b": torch.zeros(1)}}, r"entries that are no tensors \(a\)"),
        ],
    )
    def test_no_tensors(self, tmp_path, found, message):
        path = tmp_path / "odd.pth"
        torch.save(found, path)
        with pytest.raises(WeightsError, match=message):
            load(path, "videoseal-1.0")

    def test_the_wrong_card(self, golden, tmp_path):
        path = tmp_path / "checkpoint.pth"
        torch.save({"model": synthetic(golden / FAMILIES["videoseal-1.0"])}, path)
        with pytest.raises(WeightsError, match=r"embedder\.table\.weight is \(512, 256\) and not"):
            load(path, "videoseal-128")
        with pytest.raises(WeightsError, match="tensors are of another shape"):
            load(path, "videoseal-1.0", bits=64)
        with pytest.raises(InputError, match=r"does not say which, name it"):
            load(path)
