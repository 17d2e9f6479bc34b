"""A real photo under the paper's edits: every quality of LinJPEG, and the other edits."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import bounds, linear
from morebits.errors import MissingExtra
from morebits.paper.bench import Bench
from morebits.types import ImageFormat

#: The square of the photo that is shown: left, top, right, bottom.
_FACE = (80, 20, 464, 404)
#: The edits of the paper's illustration, with captions.
_EDITS = {
    "": "original",
    "hflip": "flip",
    "crop:0.25": "crop 25 %",
    "crop:0.5": "crop 50 %",
    "crop:0.75": "crop 75 %",
    "rotate:15": "rotation 15°",
    "rotate:30": "rotation 30°",
    "rotate:45": "rotation 45°",
    "linjpeg:8": "LinJPEG 8",
    "linjpeg:15": "LinJPEG 15",
}

Pixels = NDArray[np.uint8]


def linjpeg(bench: Bench) -> dict[str, Any]:
    """The photo under LinJPEG 0 to 15, with the PSNR that is left."""
    bench.progress("LinJPEG 0 to 15 on a photo")
    photo = sample(bench.scale.picture)
    tiles: list[dict[str, Any]] = []
    for quality in range(16):
        edited = _edited(photo, f"linjpeg:{quality}")
        error = float(np.mean((edited.astype(float) - photo) ** 2))
        psnr = bounds.psnr_of_mse(error, peak=255)
        tiles.append({"title": f"{quality}", "psnr": psnr, "png": _encoded(edited)})
    return {"tiles": tiles}


def edits(bench: Bench) -> dict[str, Any]:
    """The photo under each edit of the paper, large and at the size of the bounds."""
    bench.progress("edits on a photo")
    rows: list[dict[str, Any]] = []
    for side in (bench.scale.picture, bench.scale.small):
        photo = sample(side)
        tiles = [
            {"title": words, "png": _encoded(_edited(photo, edit) if edit else photo)}
            for edit, words in _EDITS.items()
        ]
        rows.append({"side": side, "tiles": tiles})
    return {"rows": rows}


def sample(side: int) -> Pixels:
    """A square of the photo of Grace Hopper (public domain) that comes with matplotlib."""
    from PIL import Image

    try:
        from matplotlib.cbook import get_sample_data
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    path = Path(str(get_sample_data("grace_hopper.jpg", asfileobj=False)))
    with Image.open(path) as image:
        square = image.convert("RGB").crop(_FACE).resize((side, side), Image.Resampling.BOX)
    return np.asarray(square)


def _edited(photo: Pixels, edit: str) -> Pixels:
    height, width, channels = photo.shape
    operator = linear.parse(edit).at(ImageFormat(channels, width, height))
    return operator.quantised(photo, 255).astype(np.uint8)


def _encoded(pixels: Pixels) -> str:
    """A PNG as text, so that the figure needs nothing but its JSON."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()
