"""Small configurations: a network of a few thousand weights that steps in milliseconds."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from morebits.train.config import TrainConfig

#: A U-Net and a ConvNeXt with batch norm, RGB residual, no mask: the design of Chunky Seal.
CARD = """\
name = "little"
bits = 6
size = 32
residual = "rgb"
scaling_w = 0.3

[embedder]
kind = "unet"
widths = [4, 6]
message = 1
blocks = 2
norm = "batch"
activation = "relu"

[extractor]
kind = "convnext"
depths = [1, 2]
widths = [4, 8]
stride = 4
padding = "replicate"
"""


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Tests run side by side, and the threads of tiny networks only wait for each other."""
    patch = pytest.MonkeyPatch()
    patch.setenv("OMP_NUM_THREADS", "1")  # of processes that are started
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
    patch.undo()


@pytest.fixture(scope="session")
def card(tmp_path_factory) -> str:
    """The path of a card."""
    path = tmp_path_factory.mktemp("cards") / "little.toml"
    path.write_text(CARD)
    return str(path)


@pytest.fixture
def little(card):
    """A configuration of two epochs of five steps, with changes."""

    def make(**changes) -> TrainConfig:
        fields = {
            "model": card, "data": "synthetic", "size": 32, "batch": 4, "epochs": 2,
            "steps_per_epoch": 5, "lr": 1e-2, "validation": 4, "samples": 1, "log_every": 1,
            "accelerator": "cpu",
        }  # fmt: skip
        return TrainConfig(**(fields | changes))

    return make


@pytest.fixture
def photos(tmp_path: Path, photo: Path) -> Path:
    """A folder with a colour JPEG, a gray PNG below, and a text."""
    from PIL import Image

    folder = tmp_path / "photos"
    (folder / "below").mkdir(parents=True)
    with Image.open(photo) as image:
        small = image.resize((96, 64))
        small.save(folder / "colour.jpg", quality=95)
        small.convert("L").save(folder / "below" / "gray.png")
    (folder / "notes.txt").write_text("no picture")
    return folder
