"""The shapes of networks: what a card says about an embedder and an extractor.

Plain numbers, without torch; `morebits.neural.watermarker` builds modules from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from morebits.errors import InputError, UnknownName

#: The largest number in a card, and the most blocks in a row: a card comes with a file of weights,
#: and one of a stranger must not keep a reader busy for hours.
MOST, _DEEPEST = 1 << 20, 1000


@dataclass(frozen=True)
class Jnd:
    """How much each pixel may change before it is seen, with the two oddities of Video Seal.

    `dark`: the budget at a background of up to 127 levels. "published" falls to zero at 127 and
    jumps to 3 at 128, because the published code leaves out the "+ 3" of the classical formula;
    "classical" has it. `border`: what lies outside the picture. "zeros", as published, makes every
    border an edge with a budget of 25 levels; "replicate" continues the picture. `blue` halves
    the budget of red and green (Watermark Anything).
    """

    dark: Literal["published", "classical"] = "published"
    border: Literal["zeros", "replicate"] = "zeros"
    blue: bool = False

    def __post_init__(self) -> None:
        _known("jnd.dark", self.dark, ("published", "classical"))
        _known("jnd.border", self.border, ("zeros", "replicate"))


@dataclass(frozen=True)
class UNet:
    """The embedder of Video Seal: a U-Net with the message beside its deepest features.

    `widths` are the channels at each resolution, every one half of the one before; the message
    adds `message` planes a bit; `blocks` residual blocks follow.
    """

    kind: ClassVar[str] = "unet"

    widths: tuple[int, ...]
    message: int
    blocks: int
    norm: Literal["batch", "rms"]
    activation: Literal["relu", "silu"]

    def __post_init__(self) -> None:
        _known("norm", self.norm, ("batch", "rms"))
        _known("activation", self.activation, ("relu", "silu"))
        _positive("widths", self.widths)
        _positive("message", (self.message,))
        _positive("blocks", (self.blocks,), _DEEPEST)

    def check(self, size: int) -> None:
        """InputError unless every resolution is a whole number of pixels."""
        step = 2 ** (len(self.widths) - 1)
        if size % step:
            raise InputError("size", size, f"this U-Net needs a multiple of {step}")


@dataclass(frozen=True)
class ConvNeXt:
    """The extractor of Video Seal 1.0 and Chunky Seal: ConvNeXt V2 and a head.

    `stride` is that of the stem. With `reference_bits` the `widths` are those for that many bits,
    and grow with the square root of the bits (Chunky Seal). `padding` is that of the head: the
    published "reflect" needs a last map of 2 x 2 pixels, "replicate" takes one pixel too.
    """

    kind: ClassVar[str] = "convnext"

    depths: tuple[int, ...]
    widths: tuple[int, ...]
    stride: int = 4
    padding: Literal["reflect", "replicate"] = "reflect"
    reference_bits: int | None = None

    def __post_init__(self) -> None:
        _known("padding", self.padding, ("reflect", "replicate"))
        _positive("depths", self.depths, _DEEPEST)
        _positive("widths", self.widths)
        if len(self.depths) != len(self.widths):
            raise InputError("depths", self.depths, f"give one a width, {len(self.widths)}")
        _positive("stride", (self.stride, self.reference_bits or 1))

    def built(self, bits: int) -> tuple[int, ...]:
        """The widths for a message of this length.

        >>> ConvNeXt((3, 3, 27, 3), (128, 256, 512, 1024), 2, reference_bits=128).built(1024)
        (362, 724, 1448, 2896)
        """
        if self.reference_bits is None:
            return self.widths
        return tuple(int(width * (bits / self.reference_bits) ** 0.5) for width in self.widths)

    def last(self, size: int) -> int:
        """The side of the last map for a picture of this side.

        >>> ConvNeXt((3, 3, 9, 3), (96, 192, 384, 768)).last(256)
        8
        """
        side = (size - 4) // self.stride + 1
        for _ in self.widths[1:]:
            side = (side - 2) // 2 + 1
        return side

    def check(self, size: int) -> None:
        """InputError when the picture is too small to reach the head."""
        needed = 2 if self.padding == "reflect" else 1
        if self.last(size) < needed:
            sizes = (each for each in range(size, 1 << 20) if self.last(each) >= needed)
            least = next(sizes, None)
            fix = f'this extractor needs {least} or more, or padding = "replicate"'
            raise InputError("size", size, fix if least else "give this extractor fewer widths")


@dataclass(frozen=True)
class ViT:
    """The extractor of Video Seal 0.0: a vision transformer with windows, and a head.

    The blocks `whole` attend to everything, the others within windows of `window` patches;
    absolute and decomposed relative positions.
    """

    kind: ClassVar[str] = "vit"

    patch: int
    width: int
    depth: int
    heads: int
    window: int
    whole: tuple[int, ...]

    def __post_init__(self) -> None:
        _positive("patch", (self.patch, self.width, self.heads, self.window))
        _positive("depth", (self.depth,), _DEEPEST)
        if self.width % self.heads:
            raise InputError("width", self.width, f"give a multiple of {self.heads} heads")

    def check(self, size: int) -> None:
        """InputError unless the picture is a whole number of windows."""
        step = self.patch * self.window
        if size % step:
            raise InputError("size", size, f"this transformer needs a multiple of {step}")


@dataclass(frozen=True)
class Linear:
    """One matrix without bias: the paper's baseline for the gray picture."""

    kind: ClassVar[str] = "linear"

    def check(self, size: int) -> None:
        """Every size will do."""


@dataclass(frozen=True)
class Hidden:
    """HiDDeN (Zhu et al., 2018): `blocks` of convolution, batch norm and ReLU at full size."""

    kind: ClassVar[str] = "hidden"

    width: int
    blocks: int

    def __post_init__(self) -> None:
        _positive("width", (self.width,))
        _positive("blocks", (self.blocks,), _DEEPEST)

    def check(self, size: int) -> None:
        """Every size will do."""


Embedder: TypeAlias = UNet | Linear | Hidden
Extractor: TypeAlias = ConvNeXt | ViT | Linear | Hidden

EMBEDDERS = {each.kind: each for each in (UNet, Linear, Hidden)}
EXTRACTORS = {each.kind: each for each in (ConvNeXt, ViT, Linear, Hidden)}


def _known(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UnknownName(name, str(value), known)


def _positive(name: str, values: tuple[int, ...], most: int = MOST) -> None:
    if not isinstance(values, tuple) or not values:
        raise InputError(name, values, "give whole numbers of at least 1")
    for each in values:
        check_whole(name, each, 1, most)


def check_whole(name: str, value: object, least: int, most: int = MOST) -> None:
    """InputError unless it is a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(name, value, f"give whole numbers of at least {least}")
    if value > most:
        raise InputError(name, value, f"give at most {most:,}, no network needs more")
