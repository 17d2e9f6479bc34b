"""The mathematics of capacity: from PSNR to a radius, counts, volumes, and bounds 1 to 13.

| module | idea |
|---|---|
| `radius` | PSNR, mean squared error and radius, both ways |
| `covers` | gray, corner or a photo: how far each sample may move |
| `contour`, `counting`, `volumes` | the engine: exact counts and volumes of any size |
| `psnr` | bounds 1 to 9 |
| `spectrum`, `edit` | singular values of an edit, bounds 10 to 13 |
| `cells`, `triangular`, `collisions` | the parts of certified bounds (`linear.certified`) |
| `oracles`, `quantised` | the paper's slow algorithms and brute force, as checks |
"""

from __future__ import annotations

from morebits.bounds.counting import Family, Log2Count, log2_count, log2_counts, ranges
from morebits.bounds.covers import Cover, corner, gray, photo
from morebits.bounds.edit import bound_10, bound_11, bound_12, bound_13
from morebits.bounds.psnr import (
    bound_1,
    bound_2,
    bound_3,
    bound_4,
    bound_5,
    bound_6,
    bound_7,
    bound_8,
    bound_9,
)
from morebits.bounds.radius import (
    epsilon,
    level,
    mse,
    psnr_of_mse,
    psnr_of_radius,
    squared_epsilon,
)
from morebits.bounds.spectrum import RANK_TOLERANCE, Spectrum
from morebits.bounds.volumes import Log2Volume, log2_ball, log2_box_ball

__all__ = [
    "RANK_TOLERANCE",
    "Cover",
    "Family",
    "Log2Count",
    "Log2Volume",
    "Spectrum",
    "bound_1",
    "bound_2",
    "bound_3",
    "bound_4",
    "bound_5",
    "bound_6",
    "bound_7",
    "bound_8",
    "bound_9",
    "bound_10",
    "bound_11",
    "bound_12",
    "bound_13",
    "corner",
    "epsilon",
    "gray",
    "level",
    "log2_ball",
    "log2_box_ball",
    "log2_count",
    "log2_counts",
    "mse",
    "photo",
    "psnr_of_mse",
    "psnr_of_radius",
    "ranges",
    "squared_epsilon",
]
