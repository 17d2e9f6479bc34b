"""Perceptual metrics of others, each under its own name, each optional, none with a download.

| name | package | better | equal pictures |
|---|---|---|---|
| `ssimulacra2` | `ssimulacra2`, in our extra `metrics` | higher | 100 |
| `cvvdp` | `cvvdp` (ColorVideoVDP, in JOD; needs torch) | higher | 10 |
| `lpips` | `lpips` (with AlexNet, as in the paper's tables; brings torch) | lower | 0 |

`problem` says why one cannot run here; a report then writes "not available". LPIPS needs the
ImageNet weights of AlexNet beside the package; we use them only when the file is on the machine
already, in the folder where torch keeps its weights (`TORCH_HOME`).
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import math
import os
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from morebits.bench import colorvideovdp
from morebits.errors import InputError, MissingExtra, UnknownName

#: What a table says in place of a number.
NOT_AVAILABLE = "not available"

Score = Callable[[NDArray[np.uint8], NDArray[np.uint8]], float]


class Perceptual(NamedTuple):
    """How to find and read one metric.

    `extra` is the extra of ours that brings its package, where one does; `equal` is the score of
    equal pictures, which none surpasses; `least` is the shortest side that it can judge,
    and `most` the pixels above which it would need more memory than a worker should take.
    """

    module: str
    package: str
    extra: str | None
    better: Literal["higher", "lower"]
    equal: float
    least: int
    most: float
    load: Callable[[], Score]


def problem(name: str) -> str | None:
    """Why this metric cannot run here, in one line; None when it can.

    >>> problem("lpips") is None or "lpips" in problem("lpips")
    True
    """
    metric = _known(name)
    if importlib.util.find_spec(metric.module) is None:
        return f"{metric.package} is not installed: pip install {metric.package}"
    try:
        _loaded(name)
    except Exception as error:  # noqa: BLE001 - a broken package may raise anything on import
        return f"{metric.package} does not load: {' '.join(str(error).split())}"
    return None


def available(name: str) -> bool:
    """Whether `score` can run here; the first call imports the package.

    >>> available("lpips") == (problem("lpips") is None)
    True
    """
    return problem(name) is None


def score(name: str, cover: NDArray[Any], marked: NDArray[Any]) -> float | None:
    """What the metric says of two sRGB pictures of 8 bits, (H, W) or (H, W, C).

    None where the metric is not defined: other depths, or pictures too small or too large for it.
    `MissingExtra` when the package of our extra is absent, `InputError` when another package
    is absent or does not load.
    """
    metric = _known(name)
    if cover.shape != marked.shape:
        raise InputError("marked", marked.shape, f"give the shape of the cover, {cover.shape}")
    if metric.extra is not None and importlib.util.find_spec(metric.module) is None:
        raise MissingExtra(metric.package, metric.extra)
    reason = problem(name)
    if reason is not None:
        raise InputError("metric", name, f"{reason}, or leave this metric out")
    if cover.dtype != np.uint8 or marked.dtype != np.uint8 or min(cover.shape[:2]) < metric.least:
        return None
    if cover.shape[0] * cover.shape[1] > metric.most:
        return None
    return _loaded(name)(_coloured(cover), _coloured(marked))


def scores(cover: NDArray[Any], marked: NDArray[Any]) -> dict[str, float]:
    """The scores of every metric that is available here and defined for these pictures.

    >>> scores(np.zeros((2, 2, 3), np.uint8), np.zeros((2, 2, 3), np.uint8))
    {}
    """
    found: dict[str, float] = {}
    for name in PERCEPTUAL:
        value = score(name, cover, marked) if available(name) else None
        if value is not None and math.isfinite(value):
            found[name] = value
    return found


def _known(name: str) -> Perceptual:
    if name not in PERCEPTUAL:
        raise UnknownName("metric", name, tuple(PERCEPTUAL))
    return PERCEPTUAL[name]


@cache
def _loaded(name: str) -> Score:
    return PERCEPTUAL[name].load()


def _coloured(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(H, W, 3): gray three times."""
    cube = picture if picture.ndim == 3 else picture[..., None]
    return np.ascontiguousarray(np.broadcast_to(cube, (*cube.shape[:2], 3)))


def _ssimulacra2() -> Score:
    from PIL import Image

    module = importlib.import_module("ssimulacra2")

    def as_file(picture: NDArray[np.uint8]) -> io.BytesIO:
        file = io.BytesIO()
        Image.fromarray(picture).save(file, "BMP")
        return file

    return lambda cover, marked: float(module.compute_ssimulacra2(as_file(cover), as_file(marked)))


def _lpips() -> Score:
    weights = _torch_home() / "hub" / "checkpoints" / "alexnet-owt-7be5be79.pth"
    if not weights.is_file():
        raise FileNotFoundError(f"its weights {weights.name} are not in TORCH_HOME")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies, about themselves
        module = importlib.import_module("lpips")
        metric = module.LPIPS(net="alex", verbose=False)
    to_tensor = module.im2tensor  # maps 0..255 to [-1, 1], which LPIPS expects
    return lambda cover, marked: metric(to_tensor(cover), to_tensor(marked)).item()


def _torch_home() -> Path:
    """Where torch keeps what it downloaded, by its own rules."""
    kept = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(os.environ.get("TORCH_HOME") or Path(kept) / "torch").expanduser()


#: The metrics by name. SSIMULACRA2 has weights for six scales, and its code takes those of other
#: scales when a picture has fewer; AlexNet's pooling leaves nothing of less than 32 pixels a side.
PERCEPTUAL = {
    "ssimulacra2": Perceptual(
        "ssimulacra2", "ssimulacra2", "metrics", "higher", 100, 256, 4e6, _ssimulacra2
    ),
    "cvvdp": Perceptual("pycvvdp", "cvvdp", None, "higher", 10, 8, math.inf, colorvideovdp.metric),
    "lpips": Perceptual("lpips", "lpips", None, "lower", 0, 32, math.inf, _lpips),
}
