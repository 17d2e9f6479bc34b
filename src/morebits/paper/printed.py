"""What the paper prints, and where. Nothing in this module is computed.

"line" is the line of the paper's LaTeX source. These constants are the "paper" column of
every table; the "ours" column never comes from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: How the paper words a figure: exactly, roughly, or as a limit.
Relation = Literal["equals", "about", "at least", "at most"]


@dataclass(frozen=True)
class Printed:
    """One figure of the text: its value, how it is worded, and its place."""

    value: float
    unit: str
    relation: Relation
    place: str


@dataclass(frozen=True)
class ConservativeRow:
    """One row of the table of conservative bounds, in the words of `linear.parse`."""

    edit: str
    words: str
    bpp: float
    bits_16px: int
    bits_256px: int
    place: str


@dataclass(frozen=True)
class Method:
    """A published watermark: message bits and mean PSNR on two sets of photos."""

    name: str
    bits: int
    psnr_sa1b: float
    psnr_coco: float
    place: str = "bits and PSNR on SA-1B: lines 2454-2455; on COCO: lines 2531-2532"


@dataclass(frozen=True)
class GrayRow:
    """A trained network of the gray study: the weight of the picture is `weight`, the rate `lr`."""

    network: str
    side: int
    bits: int
    psnr: float
    accuracy: float
    weight: float
    lr: float
    place: str


@dataclass(frozen=True)
class Trained:
    """A model trained on the gray picture alone: bits read without error, and its PSNR."""

    name: str
    bits: int
    psnr: float
    place: str


#: The PSNR of the table of conservative bounds (its caption, line 673).
CONSERVATIVE_PSNR = 42.0

#: Table "Conservative capacity bounds under robustness constraints for PSNR 42 dB".
CONSERVATIVE = (
    ConservativeRow("hflip", "horizontal flip", 3.064, 2352, 602_353, "line 682"),
    ConservativeRow("crop:0.25", "crop and rescale 25 %", 0.107, 81, 20_958, "line 683"),
    ConservativeRow("crop:0.5", "crop and rescale 50 %", 0.015, 11, 3_013, "line 684"),
    ConservativeRow("crop:0.75", "crop and rescale 75 %", 0.005, 3, 904, "line 685"),
    ConservativeRow("linjpeg:8", "LinJPEG 8", 0.134, 102, 26_273, "line 686"),
    ConservativeRow("linjpeg:10", "LinJPEG 10", 0.136, 104, 26_757, "line 687"),
    ConservativeRow("linjpeg:15", "LinJPEG 15", 0.137, 105, 27_020, "line 688"),
    ConservativeRow("rotate:15", "rotation 15 degrees", 0.084, 64, 16_502, "line 689"),
    ConservativeRow("rotate:30", "rotation 30 degrees", 0.075, 57, 14_676, "line 690"),
    ConservativeRow("rotate:45", "rotation 45 degrees", 0.083, 64, 16_401, "line 691"),
)

#: The methods of the teaser (tables "Extended results of Chunky Seal").
METHODS = (
    Method("HiDDeN", 48, 30.41, 30.51),
    Method("MBRS", 256, 45.54, 45.81),
    Method("TrustMark", 100, 42.29, 42.72),
    Method("WAM", 32, 38.19, 38.73),
    Method("Video Seal 96", 96, 53.19, 53.33),
    Method("Video Seal 256", 256, 44.42, 44.94),
    Method("Chunky Seal", 1024, 45.32, 44.29),
)

#: Handcrafted codec (table "Numerical results for the best-performing runs"): PSNR -> bits.
HANDCRAFTED = {
    36.0: Printed(623_232, "bits", "equals", "line 832"),
    38.0: Printed(551_948, "bits", "equals", "line 833"),
    42.0: Printed(456_509, "bits", "equals", "lines 834 and 950"),
    48.0: Printed(311_616, "bits", "equals", "line 835"),
}

#: Trained models of the same table and of fig:handcrafted, the longest message of each kind.
TRAINED = (
    Trained("Video Seal", 512, 51.45, "line 818"),
    Trained("linear", 2048, 40.40, "line 830"),
    Trained("Video Seal 32 px, tiled", 32_768, 41.66, "lines 823 and 898"),
)

#: The same table, row by row: network, side, bits, dB, share of right bits, and the recipe.
GRAY_STUDY = (
    GrayRow("Video Seal", 256, 128, 53.45, 1.0, 0.5, 5e-4, "line 816"),
    GrayRow("Video Seal", 256, 256, 53.98, 1.0, 1.0, 5e-4, "line 817"),
    GrayRow("Video Seal", 256, 512, 51.45, 1.0, 0.5, 5e-4, "line 818"),
    GrayRow("Video Seal", 256, 1024, 40.10, 0.8963, 1.0, 5e-5, "line 819"),
    GrayRow("Video Seal", 32, 128, 51.02, 1.0, 1.0, 5e-4, "line 821"),
    GrayRow("Video Seal", 32, 256, 48.98, 1.0, 1.0, 5e-4, "line 822"),
    GrayRow("Video Seal", 32, 512, 41.66, 1.0, 1.0, 5e-5, "line 823"),
    GrayRow("Video Seal", 32, 1024, 29.66, 0.8439, 0.1, 5e-5, "line 824"),
    GrayRow("Video Seal", 32, 1024, 33.20, 0.8386, 0.5, 5e-5, "line 825"),
    GrayRow("Video Seal", 32, 1024, 34.63, 0.8378, 1.0, 5e-5, "line 826"),
    GrayRow("Video Seal", 32, 1024, 50.83, 0.5060, 0.5, 5e-4, "line 827"),
    GrayRow("linear", 256, 1024, 44.28, 1.0, 20.0, 5e-4, "line 829"),
    GrayRow("linear", 256, 2048, 40.40, 1.0, 12.0, 5e-4, "line 830"),
)

#: Factors printed with the two figures of quantised rotations.
ELLIPSE_45 = Printed(0.60, "", "equals", "fig:quantization_ellipsoid, lines 1650 and 1681")
ELLIPSE_XI = Printed(0.5, "", "equals", "fig:quantization_ellipsoid, line 1681")
DISK_45 = Printed(0.837, "", "equals", "fig:quantization_sphere, lines 1713 and 1721")
DISK_XI = Printed(1.0, "", "equals", "fig:quantization_sphere, line 1713")

#: Figures of the running text, by a name of our own.
TEXT = {
    "absolute": Printed(1.57e6, "bits", "equals", "line 466"),
    "low_psnr": Printed(6.02, "dB", "equals", "bound 2, line 527"),
    "small_45": Printed(2000, "bits", "about", "line 630"),
    "small_45_bpp": Printed(2.5, "bpp", "at least", "line 630"),
    "large_45": Printed(500_000, "bits", "about", "line 631"),
    "corner": Printed(1.0, "bpp", "at most", "lines 595, 640 and 1500"),
    "free_2bpp": Printed(2.0, "bpp", "at least", "lines 646 and 777"),
    "free_40": Printed(3.0, "bpp", "at least", "line 1743"),
    "large_40": Printed(600_000, "bits", "about", "line 861"),
    "crop_40": Printed(0.5, "bpp", "about", "lines 725, 734 and 1743"),
    "crop_40_large": Printed(98_304, "bits", "about", "line 1744"),
    "rotation_loss": Printed(2.0, "bpp", "about", "line 1741"),
    "linjpeg8_40": Printed(1.0, "bpp", "at least", "line 1938"),
    "linjpeg15_half": Printed(0.5, "of capacity", "about", "line 1935"),
    "linjpeg15_rank": Printed(0.5, "of singular values", "equals", "line 1937"),
    "linjpeg_conservative": Printed(25_559, "bits", "at least", "line 1939"),
    "conservative_least": Printed(900, "bits", "at least", "lines 756 and 1839"),
    "conservative_others": Printed(3000, "bits", "at least", "line 1840"),
    "vq_bits": Printed(10_240, "bits", "equals", "lines 768-769"),
    "vq_bpp": Printed(0.05, "bpp", "about", "line 769"),
    "tiled_bpp": Printed(0.167, "bpp", "equals", "line 898"),
    "handcrafted_gain": Printed(14, "times", "about", "line 950"),
    "chunky_bpp": Printed(0.0052, "bpp", "equals", "line 1003"),
    "video_seal_bpp": Printed(0.0013, "bpp", "equals", "line 1003"),
}

#: What the text's own arithmetic starts from.
VQ_CODES, VQ_TOKENS = 1024, 32 * 32  # line 767-768
TILED_BITS = 32_768  # line 898
