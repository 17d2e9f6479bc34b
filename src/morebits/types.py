"""The frozen result and argument types that every room shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from morebits.errors import InputError

Kind = Literal["exact", "upper", "lower", "approximation", "heuristic"]

#: Largest number of samples (channels x width x height) that any bound accepts.
MAX_SAMPLES = 10**9


@dataclass(frozen=True)
class ImageFormat:
    """An image format `(c, w, h, k)` of the paper (Section 3.1).

    >>> fmt = ImageFormat(width=256, height=256)
    >>> fmt.samples, fmt.rho
    (196608, 255)
    """

    channels: int = 3
    width: int = 0
    height: int = 0
    depth: int = 8

    def __post_init__(self) -> None:
        for name in ("channels", "width", "height", "depth"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise InputError(name, value, "give a whole number")
            if value < 1:
                raise InputError(name, value, "give a whole number of at least 1")
        if self.depth > 16:
            raise InputError("depth", self.depth, "give 1 to 16 bits a sample")
        if self.samples > MAX_SAMPLES:
            raise InputError(
                "format",
                self.text,
                f"has {self.samples:,} samples, give at most {MAX_SAMPLES:,}",
            )

    @property
    def samples(self) -> int:
        """`n = c w h`, the dimension of the image space."""
        return self.channels * self.width * self.height

    @property
    def rho(self) -> int:
        """`rho = 2^k - 1`, the largest sample value."""
        return 2**self.depth - 1

    @property
    def mid(self) -> int:
        """`2^(k-1)`, every sample of the gray cover."""
        return 2 ** (self.depth - 1)

    @property
    def text(self) -> str:
        """As people write it: `256x256, 3 channels of 8 bits`."""
        channels = "1 channel" if self.channels == 1 else f"{self.channels} channels"
        bits = "1 bit" if self.depth == 1 else f"{self.depth} bits"
        return f"{self.width}x{self.height}, {channels} of {bits}"


@dataclass(frozen=True)
class Capacity:
    """How many bits fit, which bound says so, and how sure that is.

    `bits` is log2 of the number of messages; `bpp` is bits a sample (a value of one
    channel of one pixel), which is what the paper calls bits per pixel. `error` is the
    stated numerical or statistical uncertainty of `bits`, in bits.
    """

    bits: float
    bpp: float
    bound: str
    name: str
    kind: Kind
    valid: bool
    reason: str
    method: str
    error: float
    psnr: float
    peak: float
    format: ImageFormat
    cover: str = "gray"
    under: str | None = None
    seconds: float = 0.0
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON."""
        return asdict(self)
