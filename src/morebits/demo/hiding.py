"""A real file into the photo and out again, and as much as fits."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path

from morebits.errors import ImageError
from morebits.hiding import Marked, hide, reveal, room
from morebits.images import Picture
from morebits.measure import capacity

#: Everyone can check `marked.png` with it.
KEY = "demo"


@dataclass(frozen=True)
class Hidden:
    """A payload in the photo: `bound` is the exact count, in bits, at the PSNR it came to."""

    words: str
    marked: Marked
    bound: float
    hide_seconds: float
    reveal_seconds: float

    @property
    def share(self) -> float:
        """How much of the exact bound at this PSNR the message uses."""
        return self.marked.bits / self.bound

    def to_dict(self) -> dict[str, object]:
        """Plain numbers and strings, ready for JSON."""
        return {
            "words": self.words,
            "payload_bytes": self.marked.payload_bytes,
            "message_bits": self.marked.bits,
            "psnr": self.marked.psnr,
            "bound_bits": self.bound,
            "hide_seconds": self.hide_seconds,
            "reveal_seconds": self.reveal_seconds,
        }


def run(picture: Picture, words: str, payload: bytes) -> Hidden:
    """Hide the payload, reveal it again, and take the time of both."""
    started = time.perf_counter()
    marked = hide(picture, payload, key=KEY, codec="trellis")
    hidden = time.perf_counter()
    found = reveal(marked.image, key=KEY)
    done = time.perf_counter()
    if found.payload != payload:
        raise ImageError(picture.name, "the payload did not come back", "report this")
    bound = capacity(picture, psnr=marked.psnr).bits
    return Hidden(words, marked, bound, hidden - started, done - hidden)


def noise(picture: Picture) -> bytes:
    """As many bytes as `hide` takes for this photo; they look random, so nothing compresses."""
    return hashlib.shake_256(b"morebits demo").digest(room(picture, codec="trellis"))


def save(hidden: Hidden, marked: Path, revealed: Path) -> tuple[Path, Path]:
    """The marked picture, and the payload that a reader of that file gets."""
    hidden.marked.save(marked, force=True)
    revealed.write_bytes(reveal(marked, key=KEY).payload or b"")
    return marked, revealed
