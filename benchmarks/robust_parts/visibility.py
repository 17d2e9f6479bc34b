"""What the eye may see of a mark: metrics of whole pictures, and the change in their flat parts."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morebits import images
from morebits.bench import metrics, perceptual
from morebits.bench.published import published
from morebits.codecs.robust import Robust
from robust_parts import lines, plan
from robust_parts.rows import few, spread
from schemes.runs import Verdict

#: Side in pixels of the blocks that are flat or not, and the share of them that is.
_BLOCK, _FLATTEST = 16, 0.25
_BITS = 1024
_LUMA = np.array([0.299, 0.587, 0.114])


def tasks(pictures: Mapping[str, Path]) -> list[lines.Task]:
    """Every picture at both settings."""
    return [
        {"id": f"{name} {psnr}", "path": str(path), "psnr": psnr, "seed": number, "picture": name}
        for number, (name, path) in enumerate(pictures.items())
        for psnr in (plan.PSNR, plan.CAREFUL)
    ]


def measure(task: lines.Task) -> lines.Record:
    """Mark a picture and compare."""
    cover = images.read(task["path"]).array
    message = np.random.default_rng(task["seed"]).integers(0, 2, _BITS, np.uint8)
    marked = Robust(psnr=task["psnr"]).embed(cover, message).image
    peak = float(np.iinfo(cover.dtype).max)
    return {
        "picture": task["picture"],
        "asked": task["psnr"],
        "psnr": metrics.psnr(cover, marked, peak=peak),
        "ssim": metrics.ssim(cover, marked, peak=peak),
        "ms_ssim": metrics.ms_ssim(cover, marked, peak=peak),
        **perceptual.scores(cover, marked),
        "flat_rms": flat_rms(cover, marked),
    }


def flat_rms(cover: NDArray[Any], marked: NDArray[Any]) -> float:
    """RMS change, in levels, of the samples in the flattest quarter of the blocks.

    Blocks have 16 pixels a side; flat is a small standard deviation of the cover's luma. A
    block that the edge cuts does not count.

    >>> cover = np.zeros((16, 64, 1), np.uint8)
    >>> cover[:, 16:] = np.arange(48)[:, None]
    >>> marked = cover + np.array([2] * 16 + [0] * 48, np.uint8)[:, None]
    >>> flat_rms(cover, marked)
    2.0
    """
    deviation = _blocks(_luma(cover)).std(axis=(1, 3))
    change = (marked.astype(np.float64) - cover) ** 2
    squared = _blocks(change.mean(axis=2)).mean(axis=(1, 3))
    count = max(1, round(_FLATTEST * deviation.size))
    flattest = np.argsort(deviation, axis=None, kind="stable")[:count]
    return float(np.sqrt(squared.ravel()[flattest].mean()))


def summary(records: Iterable[lines.Record]) -> dict[str, Any]:
    """By setting and set of photos: mean, lowest and highest of every figure."""
    found: dict[str, dict[str, list[lines.Record]]] = {}
    for each in records:
        groups = found.setdefault(f"{each['asked']} dB", {})
        folder = each["picture"].rpartition("/")[0]
        for name in dict.fromkeys(("all", folder or "all")):
            groups.setdefault(name, []).append(each)
    return {
        setting: {name: _figures(group) for name, group in groups.items()}
        for setting, groups in found.items()
    }


def verdicts(found: Mapping[str, Any]) -> list[Verdict]:
    """What was asked of the eye, at the 45 dB setting."""
    groups = found.get(f"{plan.PSNR} dB")
    if not groups:
        return []
    where = next((name for name in groups if name.rpartition("/")[2] == "coco"), "all")
    ssim, flat, psnr = groups[where]["ssim"], groups["all"]["flat_rms"], groups["all"]["psnr"]
    chunky = _chunky_ssim()
    rows = [
        Verdict(f"SSIM, 1024 bits, mean ({where})", ".990",
                f"{ssim['mean']:.4f} (worst {ssim['min']:.4f})", ssim["mean"] >= 0.990),
        Verdict("SSIM beside Chunky Seal's (published, COCO)", f"{chunky:.4f}",
                f"{ssim['mean']:.4f}", ssim["mean"] > chunky),
        Verdict("flattest quarter, RMS of each picture", "1 level",
                f"worst {flat['max']:.2f} (mean {flat['mean']:.2f})", flat["max"] <= 1),
        Verdict("PSNR of the marked pictures", f"{plan.PSNR}.0 dB",
                f"lowest {psnr['min']:.3f}", psnr["min"] >= plan.PSNR),
    ]  # fmt: skip
    return [few(each, psnr["n"], plan.PICTURES["photos"]) for each in rows]


def _figures(group: list[lines.Record]) -> dict[str, Any]:
    names = dict.fromkeys(name for each in group for name in each)
    skipped = {"id", "picture", "asked"}
    found = {n: spread([each.get(n) for each in group]) for n in names if n not in skipped}
    flat = [each["flat_rms"] for each in group]
    return {**found, "flat_rms_median": statistics.median(flat)}


def _chunky_ssim() -> float:
    return next(
        each.ssim for each in published() if (each.method, each.photos) == ("Chunky Seal", "COCO")
    )


def _luma(array: NDArray[Any]) -> NDArray[np.float64]:
    wide = array.astype(np.float64)
    return wide[..., 0] if array.shape[2] == 1 else wide[..., :3] @ _LUMA


def _blocks(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """(rows, 16, columns, 16), without what is left over."""
    down, across = (side // _BLOCK for side in plane.shape)
    whole = plane[: down * _BLOCK, : across * _BLOCK]
    return whole.reshape(down, _BLOCK, across, _BLOCK)
