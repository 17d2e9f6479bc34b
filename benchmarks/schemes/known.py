"""Covers that the decoder knows: the paper's box, and shaped changes, on gray."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from morebits import distortion
from morebits.codecs.box import Box
from morebits.codecs.shaped import Shaped
from schemes.runs import Run, Section, Verdict, round_trip

#: The paper's handcrafted bits at 256 px (Section "Our simplest bounds are achievable").
PAPER_BITS = {36: 623_232, 38: 551_948, 42: 456_509, 48: 311_616}
_GRAY = np.full((256, 256, 3), 128, np.uint8)
_LIMIT = 0.030


def box() -> Section:
    """The paper's four figures, reached bit by bit."""
    runs = [
        round_trip(Box(psnr=psnr), "gray", _GRAY, target=psnr, repeats=20) for psnr in PAPER_BITS
    ]
    verdicts = [
        Verdict(
            f"box at {psnr} dB", f"{bits:,} bits, the paper's", f"{run.bits:,}", run.bits == bits
        )
        for (psnr, bits), run in zip(PAPER_BITS.items(), runs, strict=True)
    ]
    verdicts += [
        Verdict(f"box, slowest {verb}", "30 ms", f"{1e3 * slowest:.1f} ms", slowest <= _LIMIT)
        for verb, slowest in (
            ("embed", max(run.embed_seconds for run in runs)),
            ("extract", max(run.extract_seconds for run in runs)),
        )
    ]
    return Section("box: the paper's codec, gray, 256 px", _HEADER, _rows(runs), runs, verdicts)


def shaped(payloads: int) -> Section:
    """The exact count, and the PSNR of many random payloads, a quarter of them at each target."""
    codecs = {psnr: Shaped(psnr=psnr) for psnr in PAPER_BITS}
    runs = [
        round_trip(codec, "gray", _GRAY, target=psnr, repeats=5) for psnr, codec in codecs.items()
    ]
    verdicts = [
        Verdict(
            f"shaped at {run.target:g} dB", "0.999 of the exact count", f"{run.fraction:.5f}",
            run.fraction >= 0.999,
        )
        for run in runs
    ]  # fmt: skip
    each = -(-payloads // len(codecs))
    tried = [found for psnr, codec in codecs.items() for found in _payloads(codec, psnr, each)]
    margins, kept = [margin for margin, _ in tried], sum(margin >= 0 for margin, _ in tried)
    verdicts += [
        Verdict(f"shaped, {what}", "every payload", f"{count} of {len(tried)}", count == len(tried))
        for what, count in (
            ("PSNR at or above the target", kept),
            ("payload read again, bit by bit", sum(intact for _, intact in tried)),
        )
    ]
    note = (
        f"{len(tried)} random payloads of full capacity, a quarter at each target: PSNR above the "
        f"target by {min(margins):.5f} to {max(margins):.5f} dB."
    )
    title = "shaped: cover known to the decoder, gray, 256 px"
    figures = {"payloads": len(tried), "kept": kept, "least_margin": min(margins)}
    return Section(title, _HEADER, _rows(runs), runs, verdicts, figures, note)


_HEADER = ("dB", "bits", "exact count", "fraction", "bits a sample", "PSNR", "embed", "extract")


def _rows(runs: list[Run]) -> list[list[str]]:
    return [
        [
            f"{run.target:g}", f"{run.bits:,}", f"{run.exact_count:,.0f}", f"{run.fraction:.5f}",
            f"{run.bits / run.samples:.3f}", f"{run.psnr:.4f}", f"{1e3 * run.embed_seconds:.1f} ms",
            f"{1e3 * run.extract_seconds:.1f} ms",
        ]
        for run in runs
    ]  # fmt: skip


def _payloads(codec: Shaped, psnr: float, count: int) -> Iterator[tuple[float, bool]]:
    """By how many dB random payloads exceed the target, and whether each comes back."""
    room, rng = codec.capacity(_GRAY), np.random.default_rng(count)
    for _ in range(count):
        message = rng.integers(0, 2, room, np.uint8)
        marked = codec.embed(_GRAY, message).image
        found = codec.extract(marked).bits
        intact = found is not None and np.array_equal(found, message)
        yield distortion.psnr(_GRAY, marked, peak=255) - psnr, intact
