"""How strong every frequency of a whitened patch is, compared with its surroundings.

The search asks this table millions of times, so it is small: one byte a bin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.fft
from numpy.typing import NDArray
from scipy import ndimage

from morebits.codecs.compiled import compiled
from morebits.codecs.pilot.waves import Reals, Waves
from morebits.codecs.pilot.whitening import Patch

#: Bins a side are at least this many times the pixels, so that no wave falls between two bins.
_FINER = 1.4
#: Width in cycles per pixel of the surroundings.
_AROUND = 0.03
#: Bytes for one time the mean energy, and the most that one wave may count for.
_UNIT, _MOST = 20, 255
#: Maps that are scored together.
_TOGETHER = 256
#: Waves outside of these received frequencies (cycles per pixel) are not looked at.
LOWEST, HIGHEST = 0.03, 0.47


@dataclass(frozen=True)
class Spectrum:
    """Energy of a patch at (channel, frequency down, frequency right).

    `table` is energy / mean energy nearby, in 20ths, at most 255; `mean` is that mean;
    `expected` and `spread` are the mean and the standard deviation of the table, per channel.
    """

    table: NDArray[np.uint8]
    mean: NDArray[np.float32]
    expected: NDArray[np.float32]
    spread: NDArray[np.float32]
    size: int

    def noise(self, received: Reals, channel: NDArray[np.int64]) -> Reals:
        """Mean energy near received frequencies (K, 2) in cycles per pixel."""
        folded = np.where(received[:, :1] < 0, -received, received)
        x = np.minimum(np.rint(folded[:, 0] * self.size).astype(int), self.table.shape[2] - 1)
        y = np.rint(folded[:, 1] * self.size).astype(int) % self.size
        return self.mean[channel, y, x].astype(np.float64)


def spectrum(patch: Patch) -> Spectrum:
    """The spectrum of a whitened patch."""
    side = max(patch.planes.shape[1:])
    size = int(scipy.fft.next_fast_len(int(_FINER * side) // 2 * 2 + 2, real=True))
    around = max(5, int(_AROUND * size) | 1)
    transformed = scipy.fft.rfft2(patch.planes, (size, size))
    energy = transformed.real**2 + transformed.imag**2
    mean = ndimage.uniform_filter1d(energy, around, axis=1, mode="wrap")
    mean = ndimage.uniform_filter1d(mean, around, axis=2, mode="mirror")
    # A gray picture has no Cb at all: nothing there is stronger than its surroundings.
    mean = np.maximum(mean, np.float32(1e-6) * mean.max() + np.float32(1e-20))
    table = np.minimum(energy / mean * _UNIT, _MOST).astype(np.uint8)
    return Spectrum(
        table,
        mean,
        table.mean(axis=(1, 2), dtype=np.float64).astype(np.float32),
        np.maximum(table.std(axis=(1, 2), dtype=np.float64), 1.0).astype(np.float32),
        size,
    )


def scores(spectrum: Spectrum, table: Waves, maps: Reals) -> Reals:
    """How much stronger the waves are than chance after each map, in standard deviations.

    `maps` is (N, 4): the matrix, row by row, that takes a frequency of the original to the
    received one.
    """
    weight = _weights(spectrum, table)
    return _scores(
        spectrum.table,
        np.float32(spectrum.size),
        spectrum.expected,
        table.cycles.astype(np.float32),
        table.channel,
        weight,
        (weight * spectrum.spread[table.channel]) ** 2,
        np.ascontiguousarray(maps, np.float32),
    )


def _weights(spectrum: Spectrum, table: Waves) -> NDArray[np.float32]:
    """Strong waves count for more."""
    energy = table.energy * len(table.energy)
    return (energy / spectrum.spread[table.channel]).astype(np.float32)


@compiled
def _scores(
    table: NDArray[np.uint8],
    size: np.float32,
    expected: NDArray[np.float32],
    cycles: NDArray[np.float32],
    channel: NDArray[np.int64],
    weight: NDArray[np.float32],
    variance: NDArray[np.float32],
    maps: NDArray[np.float32],
) -> NDArray[np.float32]:
    count, size_of_table = len(maps), table.shape[1] * table.shape[2]
    result = np.zeros(count, np.float32)
    bins = table.reshape(-1)
    parts = np.ascontiguousarray(maps.T)
    # Some maps at a time and wave by wave: the processor finds the bins of several at once.
    where = np.empty(_TOGETHER, np.int32)
    total, spread = np.empty(_TOGETHER, np.float32), np.empty(_TOGETHER, np.float32)
    for first in range(0, count, _TOGETHER):
        last = min(first + _TOGETHER, count)
        a, b = parts[0, first:last], parts[1, first:last]
        c, d = parts[2, first:last], parts[3, first:last]
        total[:] = 0
        spread[:] = 0
        for k in range(len(cycles)):
            _bins(a, b, c, d, cycles[k, 0], cycles[k, 1], size, table.shape[1:], where)
            here = bins[channel[k] * size_of_table :]
            usual = expected[channel[k]]
            for index in range(last - first):
                if where[index] >= 0:
                    total[index] += weight[k] * (np.float32(here[where[index]]) - usual)
                    spread[index] += variance[k]
        for index in range(last - first):
            if spread[index] > 0:
                result[first + index] = total[index] / np.sqrt(spread[index])
    return result


@compiled
def _bins(
    a: Any, b: Any, c: Any, d: Any, u: Any, v: Any, size: Any, shape: Any, where: Any
) -> None:  # fmt: skip
    """Which bin of its channel a wave (u, v) falls on after each map; -1 where nobody looks."""
    lowest, highest, half = np.float32(LOWEST**2), np.float32(HIGHEST), np.float32(0.5)
    high, wide = np.int32(shape[0]), np.int32(shape[1])
    for index in range(len(a)):
        x = a[index] * u + b[index] * v
        y = c[index] * u + d[index] * v
        sign = np.float32(-1) if x < 0 else np.float32(1)
        x *= sign
        y *= sign
        seen = (x <= highest) & (abs(y) <= highest) & (x * x + y * y >= lowest)
        row = np.int32(y * size + half + size) - high
        row += high if row < 0 else np.int32(0)
        where[index] = row * wide + np.int32(x * size + half) if seen else np.int32(-1)
