"""A note that goes through what pictures go through: saved as JPEG, cut, turned, and read."""

from __future__ import annotations

import base64
import io
import time
from dataclasses import dataclass, field
from pathlib import Path

from morebits.attacks import parse
from morebits.codecs import undone
from morebits.demo.hiding import KEY
from morebits.errors import ImageError
from morebits.hiding import Marked, hide, reveal
from morebits.images import Picture, Samples, read, write
from morebits.types import Extraction

#: 128 bytes, as many bits as the largest network of the paper hides.
NOTE = (
    b"Rear Admiral Grace Hopper. This note was saved as JPEG, cut and turned with her photo, "
    b"and was read from its pixels alone. 1024."
)
#: A fixed PSNR in dB: the best one that survives is found by trying, which takes far longer, and
#: fails on a machine that is too busy to read in time.
PSNR, QUALITY = 45.0, 70
_PATIENCE = 60.0
EDITS = (("crop:0.8", "cut to 80 % of each side"), ("rotate:7", "turned by 7 degrees"))


@dataclass(frozen=True)
class Stage:
    """The picture after a step, in words."""

    words: str
    image: Samples = field(repr=False)

    @property
    def jpeg(self) -> str:
        """The picture for a page, in base64."""
        from PIL import Image

        small = Image.fromarray(self.image)
        small.thumbnail((360, 420))
        buffer = io.BytesIO()
        small.save(buffer, "JPEG", quality=88)
        return base64.b64encode(buffer.getvalue()).decode()


@dataclass(frozen=True)
class Journey:
    """The note, the picture on its way, and what was read at the end."""

    marked: Marked
    stages: tuple[Stage, ...]
    found: Extraction
    files: tuple[Path, ...]
    hide_seconds: float
    reveal_seconds: float

    @property
    def note(self) -> str:
        """What came out of the last picture."""
        return (self.found.payload or b"").decode()

    @property
    def undone(self) -> str:
        """The edits that the reader found and undid, in words."""
        return ", ".join(undone.edits(self.found.details))

    def to_dict(self) -> dict[str, object]:
        """Plain numbers and strings, ready for JSON."""
        return {
            "payload_bytes": self.marked.payload_bytes,
            "psnr": self.marked.psnr,
            "steps": [each.words for each in self.stages],
            "undone": self.undone,
            "note": self.note,
            "hide_seconds": self.hide_seconds,
            "reveal_seconds": self.reveal_seconds,
        }


def run(picture: Picture, out: Path) -> Journey:
    """Hide the note, save, cut, turn, reveal; the files of all steps go into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    marked = hide(picture, NOTE, psnr=PSNR, key=KEY)
    hidden = time.perf_counter() - started
    saved, edited = out / "shared.jpg", out / "edited.png"
    marked.save(saved, quality=QUALITY, force=True)
    image = read(saved).array
    stages = [Stage("with the note in it", marked.image), Stage(f"saved as JPEG {QUALITY}", image)]
    for text, words in EDITS:
        image = parse(text)(image)
        stages.append(Stage(words, image))
    write(edited, image, force=True)
    started = time.perf_counter()
    found = reveal(edited, key=KEY, seconds=_PATIENCE)
    seconds = time.perf_counter() - started
    if found.payload != NOTE:
        raise ImageError(edited, "the note did not come back", "report this")
    return Journey(marked, tuple(stages), found, (saved, edited), hidden, seconds)
