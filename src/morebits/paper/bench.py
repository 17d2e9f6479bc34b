"""Edits, spectra and certificates that many tables and figures share, each made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from morebits import bounds, linear
from morebits.bounds.spectrum import Spectrum
from morebits.linear.boxes import output_box
from morebits.linear.certified import Certificate, certify
from morebits.paper.best_basis import most_bits
from morebits.types import Capacity, ImageFormat


@dataclass(frozen=True)
class Scale:
    """How large the run is; the defaults are the paper's sizes.

    `small` and `large` are sides in pixels, `step` is the distance of PSNRs on a curve (dB)
    and `low` the lowest one under edits, `picture` the side of the pictures in the figures.
    """

    small: int = 16
    large: int = 256
    step: float = 1.0
    low: float = 20.0
    picture: int = 192


class Bench:
    """What a run has computed so far."""

    def __init__(self, scale: Scale, progress: Callable[[str], None]):
        self.scale, self.progress = scale, progress
        self.small = ImageFormat(width=scale.small, height=scale.small)
        self.large = ImageFormat(width=scale.large, height=scale.large)
        self._spectra: dict[tuple[ImageFormat, str], Spectrum] = {}
        self.certificate = cache(self._certificate)
        self.most_bits = cache(self._most_bits)
        self._operator = cache(lambda format, edit: linear.parse(edit).at(format))
        self._box = cache(lambda format, edit: output_box(self._operator(format, edit)))

    def psnrs(self, low: float, high: float) -> list[float]:
        """PSNRs from `low` to `high` in steps of the scale."""
        steps = int((high - low) / self.scale.step)
        return [low + i * self.scale.step for i in range(steps + 1)]

    def sparse_psnrs(self, low: float, high: float) -> list[float]:
        """Every fourth of them, for certified bounds, which are drawn as marks."""
        return self.psnrs(low, high)[::4]

    def spectrum(self, format: ImageFormat, edit: str, vectors: bool = False) -> Spectrum:
        """Singular values; one with vectors serves those who need none, too."""
        known = self._spectra.get((format, edit))
        if known is None or (vectors and known.left_l1 is None):
            self.progress(f"singular values of {edit} at {format.width} px")
            known = self._operator(format, edit).spectrum(vectors=vectors)
            self._spectra[format, edit] = known
        return known

    def _certificate(self, format: ImageFormat, edit: str) -> Certificate:
        self.progress(f"certificate of {edit} at {format.width} px")
        return certify(self._operator(format, edit), format)

    def heuristic(self, format: ImageFormat, edit: str, psnrs: Iterable[float]) -> list[Capacity]:
        """Bound 11, which holds at every PSNR and equals bounds 10 and 12 where they do."""
        spectrum = self.spectrum(format, edit)
        return [bounds.bound_11(format, psnr, spectrum, under=edit) for psnr in psnrs]

    def conservative(self, format: ImageFormat, edit: str, psnr: float, peak: float) -> Capacity:
        """Bound 13 in the best basis; its details keep the figure along singular vectors."""
        spectrum, box = self.spectrum(format, edit, True), self._box(format, edit)
        boxes = () if box is None else (box,)
        return bounds.bound_13(format, psnr, spectrum, peak=peak, under=edit, boxes=boxes)

    def certified(self, format: ImageFormat, edit: str, psnrs: Iterable[float]) -> list[Capacity]:
        """Our own lower bound."""
        certificate = self.certificate(format, edit)
        return [certificate.capacity(psnr) for psnr in psnrs]

    def _most_bits(self, edit: str, psnr: float, peak: float) -> float | None:
        """What bound 13 gives with the best basis there can be, at the small size, if known."""
        return most_bits(self._operator(self.small, edit), self.small, psnr, peak)
