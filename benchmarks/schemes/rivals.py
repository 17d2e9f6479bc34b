"""Bits against PSNR beside others: LSB replacement, really done, and a published claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from morebits import distortion
from morebits.codecs.trellis import Trellis
from morebits.images import Samples
from schemes.blind import DEFAULT_STATES, some
from schemes.pictures import Photo, Pictures
from schemes.runs import Run, Section, mean, round_trip

#: Zhang et al., SteganoGAN (arXiv:1901.03892), abstract: bits a pixel of three channels, counted
#: as what a Reed-Solomon code would leave at the accuracy of its decoder. Published, not run
#: here; the abstract states no PSNR with it.
STEGANOGAN_BPP = 4.4
_ANY_PSNR = -100.0
_HEADER = (
    "", "PSNR", "pictures", "trellis bits", "a sample", "a pixel", "exact count", "fraction",
    "LSB bits", "ratio", "worst ratio",
)  # fmt: skip


def against_psnr(pictures: Pictures, runs: Sequence[Run], say: Callable[[str], None]) -> Section:
    """`runs` by PSNR, and the trellis where LSB replacement and SteganoGAN's claim are."""
    groups: dict[float, list[Run]] = {}
    for run in runs:
        if run.states == DEFAULT_STATES:
            groups.setdefault(run.target, []).append(run)
    lines = [(psnr, _line("trellis", group, 0)) for psnr, group in groups.items()]
    replaced: list[Run] = []
    for k in (1, 2, 3):
        say(f"LSB replacement, {k} bits")
        group = [_beside_lsb(photo, k) for photo in some(pictures.crops)]
        name = f"beside {k} low bit{'s' if k > 1 else ''} replaced"
        lines.append((mean([run.target for run in group]), _line(name, group, k)))
        replaced += group
    say("the bits of SteganoGAN's claim")
    bits = round(STEGANOGAN_BPP * 256 * 256)
    psnrs = [_psnr_of(photo.array, bits) for photo in pictures.crops]
    ours = [
        "beside SteganoGAN's claim", f"{mean(psnrs):.2f}", f"{len(psnrs)}", f"{bits:,}",
        f"{bits / 256**2 / 3:.3f}", f"{STEGANOGAN_BPP:.2f}", "", "", "", "", "",
    ]  # fmt: skip
    lines.append((mean(psnrs), ours))
    note = (
        "LSB replacement: the low bits of every sample become random bits, and the trellis gets "
        f"the PSNR that this left. SteganoGAN claims {STEGANOGAN_BPP} bits a pixel, "
        f"{STEGANOGAN_BPP / 3:.3f} a sample (published, not run here; what a Reed-Solomon code "
        "would leave; no PSNR stated with it): its row is the PSNR that the trellis keeps with as "
        f"many bits, all read again; {min(psnrs):.2f} dB in the worst picture."
    )
    rows = [line for _, line in sorted(lines)]
    title = f"Bits against PSNR, 256 px, {DEFAULT_STATES} states"
    figures = {"steganogan_bits": bits, "psnr_at_steganogan_bits": psnrs}
    return Section(title, _HEADER, rows, replaced, [], figures, note)


def _line(name: str, group: Sequence[Run], low_bits: int) -> list[str]:
    """Means of one group, and ratios to LSB replacement where it was done."""
    rate = mean([run.bits / run.samples for run in group])
    cells = [
        name, f"{mean([run.target for run in group]):.2f}", f"{len(group)}",
        f"{mean([run.bits for run in group]):,.0f}", f"{rate:.3f}", f"{3 * rate:.2f}",
        f"{mean([run.exact_count for run in group]):,.0f}",
        f"{mean([run.fraction for run in group]):.4f}",
    ]  # fmt: skip
    if not low_bits:
        return [*cells, "", "", ""]
    ratios = [run.bits / (low_bits * run.samples) for run in group]
    replaced = mean([low_bits * run.samples for run in group])
    return [*cells, f"{replaced:,.0f}", f"{mean(ratios):.3f}", f"{min(ratios):.3f}"]


def _beside_lsb(photo: Photo, k: int) -> Run:
    low = np.random.default_rng(k).integers(0, 1 << k, photo.array.shape, np.uint8)
    psnr = distortion.psnr(photo.array, (photo.array >> k << k) | low, peak=255)
    codec = Trellis(psnr=psnr, states=DEFAULT_STATES)
    return round_trip(codec, photo.name, photo.array, target=psnr, states=DEFAULT_STATES)


def _psnr_of(cover: Samples, bits: int) -> float:
    """PSNR of a random message of so many bits; 0 when it is not read again."""
    message = np.random.default_rng(0).integers(0, 2, bits, np.uint8)
    codec = Trellis(psnr=_ANY_PSNR, states=DEFAULT_STATES)
    marked = codec.embed(cover, message)
    found = codec.extract(marked.image).bits
    intact = found is not None and np.array_equal(found, message)
    return distortion.psnr(cover, marked.image, peak=255) if intact else 0.0
