"""What the robust codec is asked for: which messages, on which photos, under which attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from morebits.attacks import SUITES

#: The PSNR of all figures, in dB, and that of the profile for careful eyes.
PSNR, CAREFUL = 45, 48
#: Sides of the gray pictures of the sanity checks, in pixels: from where what surrounds a message
#: weighs little to where the longest message does not fill the picture yet.
SIDES = (128, 256, 512, 1024)
#: Seconds that one extraction may take.
SECONDS = 10

#: Attacks one after the other, as pictures meet them.
COMBINATIONS = (
    "crop:0.71|brightness:1.2|jpeg:60",
    "rotate:30|jpeg:60",
    "resize:0.71|jpeg:60",
    "crop:0.45|jpeg:60",
)
#: What 16,384 bits in two megapixels must outlive.
LARGE = ("jpeg:40", "crop:0.63", "blur:17", "resize:0.45", "rotate:10")
#: What a social network does to a photo; the second enlarges what is smaller than 1080 pixels.
SOCIAL = ("fit:1080|crop:0.96|jpeg:70", "resize:1.8|crop:0.96|jpeg:70")

#: What each of 4096 bits must outlive.
STRONG = (
    *(f"jpeg:{quality}" for quality in (50, 60, 70, 80, 90)),
    *(f"blur:{kernel}" for kernel in (3, 5, 9, 13, 17)),
    *(f"resize:{side}" for side in (0.45, 0.55, 0.63, 0.71, 0.77, 0.84, 0.89, 0.95)),
    *(f"crop:{side}" for side in (0.63, 0.71, 0.77, 0.84, 0.89, 0.95)),
    "rotate:5", "rotate:10", "hflip",
    *(f"brightness:{light:g}" for light in (0.1, 0.25, 0.5, 0.75, 1.25)),
    *(f"contrast:{light:g}" for light in (0.1, 0.25, 0.5, 0.75, 1.25)),
    "hue:-0.2", "hue:0.2",
)  # fmt: skip

#: Which photos a part is about: those named first, the large ones, or matplotlib's.
Photos = Literal["photos", "large", "bundled"]


#: How many pictures the figures are asked of: 96 of COCO with 24 of Kodak, 12 of CLIC, one.
PICTURES: Mapping[Photos, int] = {"photos": 120, "large": 12, "bundled": 1}
#: And how many without a mark of the key that they are read with.
UNMARKED = 10_000


@dataclass(frozen=True)
class Part:
    """Messages of `bits` bits at `psnr` dB, on some photos, under attacks; kept in `folder`.

    Parts with the same folder share their samples: nothing is measured twice.
    """

    name: str
    folder: str
    bits: int
    attacks: Sequence[str]
    photos: Photos = "photos"
    psnr: int = PSNR

    @property
    def codec(self) -> str:
        """As the benchmark's runner takes it."""
        return f"robust:psnr={self.psnr},seconds={SECONDS}"


@dataclass(frozen=True)
class Ask:
    """A share of exact messages that a part must reach.

    `how`: under `each` attack alone, or as the `mean` of all.
    """

    part: str
    figure: str
    attacks: Sequence[str]
    how: Literal["each", "mean"]
    share: float


PARTS: Mapping[str, Part] = {
    each.name: each
    for each in (
        Part("paper1024", "1024", 1024, SUITES["paper"]),
        Part("combinations", "1024", 1024, COMBINATIONS),
        Part("wild", "1024", 1024, SUITES["wild"]),
        Part("compact2048", "2048", 2048, SUITES["paper-compact"]),
        Part("compact4096", "4096", 4096, (*dict.fromkeys((*SUITES["paper-compact"], *STRONG)),)),
        Part("careful", "1024", 1024, SUITES["quick"], psnr=CAREFUL),
        Part("clic", "16384", 16384, LARGE, photos="large"),
        Part("social", "social", 1024, SOCIAL, photos="bundled"),
    )
}  # fmt: skip

ASKED = (
    Ask("paper1024", "1024 bits, each of paper-compact", SUITES["paper-compact"], "each", 0.97),
    Ask("paper1024", "1024 bits, mean of the paper's 56 rows", SUITES["paper"], "mean", 0.95),
    Ask("paper1024", "1024 bits, each of the paper's 56 rows", SUITES["paper"], "each", 0.75),
    Ask("compact2048", "2048 bits, mean of paper-compact", SUITES["paper-compact"], "mean", 0.97),
    Ask("compact4096", "4096 bits, each of the listed attacks", STRONG, "each", 0.95),
    Ask("compact4096", "4096 bits, mean of paper-compact", SUITES["paper-compact"], "mean", 0.90),
    Ask("combinations", "1024 bits, each combination", COMBINATIONS, "each", 0.90),
    Ask("clic", "16,384 bits in the large pictures, each attack", LARGE, "each", 1.0),
    Ask("social", "a social network, 1024 bits", SOCIAL, "each", 1.0),
)
