"""Small real jobs through the public calls: what the core must do on every machine.

The picture is made here, as none comes with the package: waves, edges and grain, 384 pixels a side.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from morebits.doctor import Check, child
from morebits.errors import ImageError

if TYPE_CHECKING:
    from morebits.images import Samples

#: log2 of the number of 256x256 pictures within 42 dB of gray, to two digits (bound 4).
KNOWN_BITS = 602_672.58
NOTE = b"morebits doctor was here"
SIDE = 384
#: Seconds for the robust reader: a slow machine that compiles its loops for the first time is well.
PATIENCE = 120.0


def capacity() -> str:
    """An exact count, beside the number that it must be."""
    from morebits.measure import capacity as measure
    from morebits.types import ImageFormat

    found = measure(ImageFormat(width=256, height=256), psnr=42).bits
    if abs(found - KNOWN_BITS) > 0.01:
        raise ImageError("256x256 at 42 dB", f"{found} bits and not {KNOWN_BITS}", "report this")
    return f"256x256 pixels at 42 dB: {found:,.2f} bits"


def trellis() -> str:
    """A file in a PNG, and back."""
    from morebits.hiding import hide, reveal

    payload = hashlib.shake_256(b"doctor").digest(20_000)
    with tempfile.TemporaryDirectory() as folder:
        marked = hide(picture(), payload, codec="trellis", key="doctor")
        marked.save(Path(folder) / "marked.png")
        _same(reveal(Path(folder) / "marked.png", key="doctor").payload, payload)
    return f"{len(payload):,} bytes in a PNG at {marked.psnr:.1f} dB, and back"


def robust() -> str:
    """A note in a JPEG that is cut and compressed again, and back."""
    from morebits.attacks import parse
    from morebits.hiding import hide, reveal

    edit = "crop:0.9|jpeg:70"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "marked.jpg"
        marked = hide(picture(), NOTE, psnr=45, key="doctor")
        marked.save(path)
        _same(reveal(parse(edit)(path), key="doctor", seconds=PATIENCE).payload, NOTE)
    return f"a note in a JPEG at {marked.psnr:.1f} dB, and back after {edit}"


TRIALS: dict[str, Callable[[], str]] = {
    "capacity": capacity,
    "trellis": trellis,
    "robust": robust,
}


def check(name: str) -> Check:
    """Run a trial in a process of its own."""
    code = f"from morebits.doctor.trials import TRIALS; tell(TRIALS[{name!r}]())"
    done = child.run(code)
    state, words = ("broken", done.problem) if done.problem else ("works", done.lines[-1])
    return Check(name, "trial", state, words, done.seconds, done.memory)


def picture() -> Samples:
    """A colour picture with smooth, busy and sharp parts, the same on every machine."""
    import numpy as np

    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    grain = np.random.default_rng(7).normal(0, 1, (SIDE, SIDE, 3))
    waves = 110 + 60 * x - 30 * y + 18 * np.sin(40 * x * y) + 14 * np.sin(23 * (x - y))
    disc = 35.0 * ((x - 0.6) ** 2 + (y - 0.4) ** 2 < 0.05)
    colour = np.stack([waves + disc, 0.9 * waves, 0.8 * waves + 20 - disc], axis=-1)
    return np.clip(np.round(colour + (2 + 8 * y[..., None]) * grain), 0, 255).astype(np.uint8)


def _same(found: bytes | None, hidden: bytes) -> None:
    if found != hidden:
        got = "nothing" if found is None else f"{len(found)} other bytes"
        raise ImageError("the picture of the trial", f"{got} came back", "report this")
