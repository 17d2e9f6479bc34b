"""The table of figures in the running text."""

from __future__ import annotations

import math

from morebits import bounds
from morebits.measure import capacity, curve
from morebits.paper import printed
from morebits.paper.bench import Bench
from morebits.paper.handcrafted import box_bits
from morebits.paper.tables import Row, Table

_ROUGH = "a round figure in the text"
_LIMIT = "the text gives a limit only, and it holds"


def in_text(bench: Bench) -> Table:
    """Every theoretical figure of the running text."""
    bench.progress("table of figures in the text")
    rows = (*_free(bench), *_robust(bench), *_conservative(bench), *_arithmetic(bench))
    sizes = f"{bench.scale.small} px and {bench.scale.large} px"
    return Table("in_text", f"Figures in the running text ({sizes})", "sections 3, 4 and appendix",
                 rows)  # fmt: skip


def _row(key: str, what: str, ours: float, because: str) -> Row:
    paper = printed.TEXT[key]
    return Row(what, paper.value, ours, paper.unit, paper.place, because, paper.relation)


def _sizes(bench: Bench) -> tuple[str, str]:
    return f"{bench.scale.small} px", f"{bench.scale.large} px"


def _free(bench: Bench) -> list[Row]:
    """Without an edit."""
    small, large = bench.small, bench.large
    s, l = _sizes(bench)
    at_45, at_40 = capacity(small, psnr=45), capacity(small, psnr=40)
    psnrs = bench.psnrs(10, 60)
    sides = (curve(large, psnr=psnrs), curve(large, psnr=psnrs, cover="corner"))
    costs = [a.bpp - b.bpp for a, b in zip(*(each.capacities for each in sides), strict=True)]
    limit = bounds.psnr_of_radius(large, large.rho / 2 * math.sqrt(large.samples))
    count_256 = capacity(large, psnr=40)
    table = printed.CONSERVATIVE[0].bits_256px
    return [
        _row("absolute", f"absolute capacity, {l}", capacity(large, psnr=0, bound=1).bits, _ROUGH),
        _row("low_psnr", "PSNR below which nothing is lost", limit, _ROUGH),
        _row("small_45", f"gray, {s}, 45 dB", at_45.bits, _ROUGH),
        _row("small_45_bpp", "the same a sample", at_45.bpp, _LIMIT),
        _row("large_45", f"gray, {l}, 45 dB", capacity(large, psnr=45).bits, _ROUGH),
        _row("large_40", f"gray, {l}, 40 dB", count_256.bits,
             f"this belongs to 42 dB, where the paper's table has {table:,}"),
        _row("free_2bpp", f"gray, {l}, 40 dB", count_256.bpp, _LIMIT),
        _row("free_40", f"gray, {s}, 40 dB", at_40.bpp, _LIMIT),
        _row("corner", f"most that a corner costs, {l}, 10 to 60 dB", max(costs), _LIMIT),
    ]  # fmt: skip


def _robust(bench: Bench) -> list[Row]:
    """Under an edit, by the heuristic bounds."""
    small, large = bench.small, bench.large
    s, l = _sizes(bench)
    crop = bench.heuristic(small, "crop:0.25", [40])[0]
    direct = bench.heuristic(large, "crop:0.25", [40])[0]
    free = capacity(small, psnr=40).bpp
    losses = {psnr: _rotation_loss(bench, psnr) for psnr in (20.0, 40.0)}
    spans = [f"{min(each):.2f} to {max(each):.2f} at {psnr:g} dB" for psnr, each in losses.items()]
    grows = f"the text names no PSNR, and the loss depends on it: {', '.join(spans)}"
    best = bench.heuristic(small, "linjpeg:15", [40])[0]
    rank = bench.spectrum(small, "linjpeg:15").rank / small.samples
    keeps = [bench.spectrum(f, "crop:0.25").rank / f.samples for f in (small, large)]
    fewer = (
        "computed at this size, not scaled up: the crop keeps "
        f"{keeps[0]:.1%} of all dimensions at {s}, and {keeps[1]:.1%} at {l}"
    )
    return [
        _row("crop_40", f"crop 25 %, {s}, 40 dB", crop.bpp, _ROUGH),
        _row("crop_40_large", f"crop 25 %, 40 dB, scaled up from {s}", crop.bpp * large.samples,
             "the paper multiplies its rounded 0.5 bpp"),
        _row("crop_40_large", f"crop 25 %, 40 dB, directly at {l}", direct.bits, fewer),
        _row("rotation_loss", f"most that a rotation costs, {s}, 40 dB", max(losses[40]), grows),
        _row("rotation_loss", f"most that a rotation costs, {s}, 20 dB", max(losses[20]), grows),
        _row("linjpeg8_40", f"LinJPEG 8, {s}, 40 dB", bench.heuristic(
            small, "linjpeg:8", [40])[0].bpp, _LIMIT),
        _row("linjpeg15_half", f"LinJPEG 15 against no edit, {s}, 40 dB", best.bpp / free,
             "half of the dimensions in a ball of the same radius hold more than half of the bits"),
        _row("linjpeg15_rank", "non-zero singular values of LinJPEG 15", rank, _ROUGH),
    ]  # fmt: skip


def _rotation_loss(bench: Bench, psnr: float) -> list[float]:
    """Bits a sample that each rotation takes."""
    free = capacity(bench.small, psnr=psnr).bpp
    edits = ("rotate:15", "rotate:30", "rotate:45")
    return [free - bench.heuristic(bench.small, edit, [psnr])[0].bpp for edit in edits]


def _conservative(bench: Bench) -> list[Row]:
    """Bound 13 at 42 dB in the best basis, scaled up as in the paper, peak 256."""
    factor = bench.large.samples / bench.small.samples
    bits = {
        row.edit: factor * bench.conservative(
            bench.small, row.edit, printed.CONSERVATIVE_PSNR, 256).bits
        for row in printed.CONSERVATIVE
    }  # fmt: skip
    others = min(value for edit, value in bits.items() if edit != "crop:0.75")
    jpeg = min(value for edit, value in bits.items() if edit.startswith("linjpeg"))
    basis = "in the best basis, which bound 13 depends on (see the table of conservative bounds)"
    return [
        _row("conservative_least", "bound 13, best basis, crop 75 %, scaled up",
             bits["crop:0.75"], basis),
        _row("conservative_others", "bound 13, best basis, least of the others, scaled up",
             others, basis),
        _row("linjpeg_conservative", "bound 13, best basis, least of LinJPEG, scaled up", jpeg,
             f"{basis}; the text's figure is not in the paper's own table either"),
    ]  # fmt: skip


def _arithmetic(bench: Bench) -> list[Row]:
    """Figures that follow from others."""
    n, (_, l) = bench.large.samples, _sizes(bench)
    vq = printed.VQ_TOKENS * math.log2(printed.VQ_CODES)
    shared = capacity(bench.large, psnr=42, covers_bits=vq).bits
    lost = capacity(bench.large, psnr=42).bits - shared
    codec = box_bits(bench.large, 42) / printed.TILED_BITS
    published = {each.name: each.bits for each in printed.METHODS}
    return [
        _row("vq_bits", "bits to tell VQ covers apart", lost, _ROUGH),
        _row("vq_bpp", f"the same a sample, {l}", lost / n, _ROUGH),
        _row("tiled_bpp", f"tiled Video Seal a sample, {l}", printed.TILED_BITS / n, _ROUGH),
        _row("handcrafted_gain", "box codec against tiling, 42 dB", codec, _ROUGH),
        _row("chunky_bpp", f"Chunky Seal a sample, {l}", published["Chunky Seal"] / n, _ROUGH),
        _row("video_seal_bpp", f"Video Seal a sample, {l}", published["Video Seal 256"] / n,
             _ROUGH),
    ]  # fmt: skip
