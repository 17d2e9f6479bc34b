"""The frozen result and argument types that every room shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from morebits.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["exact", "upper", "lower", "approximation", "heuristic"]

#: What `extract` and `reveal` may answer; "altered": a mark is there, but not as it was written.
Status = Literal["found", "altered", "nothing"]

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


@dataclass(frozen=True, eq=False)
class Embedding:
    """What `Codec.embed` returns: the marked image and what it cost.

    `image` is (H, W, C) in the cover's dtype; `psnr` in dB is measured on it (infinite when
    nothing had to change); `bits` is the length of the message it carries.
    """

    image: NDArray[np.uint8 | np.uint16] = field(repr=False)
    psnr: float
    bits: int
    codec: str


@dataclass(frozen=True, eq=False)
class Extraction:
    """What `Codec.extract` and `reveal` return; falsy unless something was found intact.

    `bits` is the message (zeros and ones), `payload` the bytes of a person, `soft` one
    log-likelihood ratio a bit where the codec has them (positive means 1), and `p_value` the
    chance that a picture without a mark gives this answer. `details` are what else the codec
    found out, such as the edits that it undid, in plain numbers and words.
    """

    status: Status
    codec: str
    bits: NDArray[np.uint8] | None = field(default=None, repr=False)
    payload: bytes | None = field(default=None, repr=False)
    soft: NDArray[np.float32] | None = field(default=None, repr=False)
    p_value: float = 1.0
    details: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)

    def __bool__(self) -> bool:
        return self.status == "found"


@runtime_checkable
class Codec(Protocol):
    """Anything that hides a message of bits in a picture, hand-made or neural.

    Pictures are whatever `images.read` takes; bits are one-dimensional arrays of zeros and
    ones (uint8).
    """

    @property
    def name(self) -> str:
        """The name under which `mb.codec` finds it."""
        ...

    def capacity(self, cover: Any, /) -> int:
        """Largest number of message bits that `embed` takes for this cover."""
        ...

    def embed(self, cover: Any, bits: NDArray[np.uint8], /) -> Embedding:
        """Hide the message; `DoesNotFit` when it is longer than the capacity."""
        ...

    def extract(self, image: Any, /) -> Extraction:
        """The message; falsy when there is none."""
        ...


@runtime_checkable
class Sealing(Codec, Protocol):
    """A codec whose messages need no container, and whose marks survive edits.

    Its messages are whole bytes; it encrypts and checks them by itself with its `key`, so that
    what `extract` finds is what `embed` was given. `Extraction.payload` has the bytes.
    """

    seals: bool

    @property
    def key(self) -> bytes | None:
        """What opens the messages; None: anyone can."""
        ...

    @property
    def survive(self) -> Sequence[object]:
        """The edits that a mark was read after; as texts they are in the grammar of attacks."""
        ...
