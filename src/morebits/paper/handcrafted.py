"""The handcrafted codec of the paper, run: its table and its figure, with ours beside it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from morebits.codecs.box import Box
from morebits.codecs.keys import keystream
from morebits.codecs.shaped import Shaped
from morebits.errors import MorebitsError
from morebits.measure import capacity, curve
from morebits.paper import printed
from morebits.paper.bench import Bench
from morebits.paper.tables import Row, Table
from morebits.types import Codec, ImageFormat


def box_bits(format: ImageFormat, psnr: float, peak: float | None = None) -> float:
    """The capacity of the box codec before it is rounded down: `n log2 q`.

    >>> math.floor(box_bits(ImageFormat(width=256, height=256), 42))
    456509
    """
    return format.samples * math.log2(2 * Box(psnr, peak=peak).half_side(format) + 1)


def round_trip(codec: Codec, format: ImageFormat) -> tuple[int, float]:
    """Bits of a full message that came back from a gray picture, and the PSNR that was measured."""
    cover = np.full((format.height, format.width, format.channels), format.mid, np.uint8)
    bits = codec.capacity(cover)
    raw = np.frombuffer(keystream(bytes(32), -(-bits // 8)), np.uint8)
    message = np.unpackbits(raw, count=bits)
    marked = codec.embed(cover, message)
    found = codec.extract(marked.image).bits
    if found is None or not np.array_equal(found, message):
        raise MorebitsError(f"{codec.name} lost a message of {bits} bits; please report this")
    return bits, marked.psnr


def table(bench: Bench) -> Table:
    """Full messages, there and back, beside the printed capacities and the exact count."""
    bench.progress("table of the handcrafted codec")
    title = f"The handcrafted codec at {bench.scale.large} px"
    notes = (
        "Ours are full messages that were hidden in a gray picture and found again.",
        "The PSNR that the paper prints is that of the corners of the box, which no message "
        "falls below; digits are small as often as large, so the measured one is higher.",
        "The paper writes both 2^k - 1 and 2^k for the peak: the figures are the same, and with "
        "2^k - 1 the PSNR holds everywhere.",
        "shaped is our codec for the same task: a cover that the decoder knows.",
    )
    rows = tuple(_row(bench, psnr, each) for psnr, each in printed.HANDCRAFTED.items())
    return Table("handcrafted", title, "tab:gray_image_experiments, lines 832-835", rows, notes)


def _row(bench: Bench, psnr: float, paper: printed.Printed) -> Row:
    exact = capacity(bench.large, psnr=psnr).bits
    bits, measured = round_trip(Box(psnr=psnr), bench.large)
    better, better_psnr = round_trip(Shaped(psnr=psnr), bench.large)
    return Row(
        f"box codec at {psnr:g} dB", paper.value, bits, paper.unit, paper.place,
        f"computed at {bench.scale.large} px", paper.relation,
        more={"measured PSNR": measured, "exact count": exact, "of it": bits / exact,
              "shaped": better, "its PSNR": better_psnr, "of it (shaped)": better / exact},
    )  # fmt: skip


def figure(bench: Bench) -> dict[str, Any]:
    """The bound, the box as promised and as measured, shaped, and what training reached."""
    bench.progress("the handcrafted codec over PSNR")
    large, low, high = bench.large, 10, 60
    psnrs = bench.psnrs(low, high)
    fine = [low + i / 20 for i in range(20 * (high - low) + 1)]
    measured = {
        name: [_point(make(psnr=psnr), bench.large, psnr) for psnr in printed.HANDCRAFTED]
        for name, make in {"box": Box, "shaped": Shaped}.items()
    }
    return {
        "side": large.width,
        "exact": {"psnr": psnrs, "bits": curve(large, psnr=psnrs).bits},
        "box": {"psnr": fine, "bits": [box_bits(large, psnr) for psnr in fine]},
        "measured": measured,
        "trained": [
            {"name": each.name, "bits": each.bits, "psnr": each.psnr, "place": each.place}
            for each in printed.TRAINED
        ],
    }


def _point(codec: Codec, format: ImageFormat, asked: float) -> dict[str, float]:
    bits, measured = round_trip(codec, format)
    return {"asked": asked, "psnr": measured, "bits": bits}
